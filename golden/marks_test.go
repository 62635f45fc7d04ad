package golden

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A mark is a comment that says what is wrong with a line: "#: E0203 unknown step", "#:+1 ..." of the line below.
var (
	mark     = regexp.MustCompile(`#:(?:\+(\d+))? ([EW]\d{4}) ([^#\n]*[^#\s])`)
	reported = regexp.MustCompile(`(?m)^([^\s:]+):(\d+):\d+: (?:error|warning)\[([EW]\d{4})\]: (.*)$`)
)

// checkMarks compares the diagnostics with the marks in the sources, both ways.
func (c *testCase) checkMarks(t *testing.T, dir, diags string) {
	t.Helper()
	type place struct {
		where, code string
	}
	found := map[place][]string{}
	for _, m := range reported.FindAllStringSubmatch(diags, -1) {
		p := place{m[1] + ":" + m[2], m[3]}
		found[p] = append(found[p], m[4])
	}
	marked := false
	for _, f := range c.archive.Files {
		if strings.HasPrefix(f.Name, "want/") || f.Name == "session" || f.Name == "reference" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, f.Name))
		if err != nil {
			continue
		}
		number := 0
		for line := range strings.Lines(string(text)) {
			number++
			for _, m := range mark.FindAllStringSubmatch(line, -1) {
				marked = true
				below, _ := strconv.Atoi(m[1])
				p := place{fmt.Sprintf("%s:%d", f.Name, number+below), m[2]}
				i := slices.IndexFunc(found[p], func(message string) bool { return strings.Contains(message, m[3]) })
				if i < 0 {
					t.Errorf("%s: no %s that says %q, only %q", p.where, p.code, m[3], found[p])
					continue
				}
				found[p] = slices.Delete(found[p], i, i+1)
			}
		}
	}
	for p, messages := range found {
		if marked && len(messages) > 0 {
			t.Errorf("%s: %s that no comment expects: %q", p.where, p.code, messages)
		}
	}
	if !marked && strings.Contains(diags, "error[E") && c.source == nil && filepath.Ext(c.entry) != ".json" {
		t.Error("the file is refused, but no comment marks the faulty line")
	}
}
