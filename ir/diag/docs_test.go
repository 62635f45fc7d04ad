package diag

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite docs/diagnostics.md")

const docsFile = "../../docs/diagnostics.md"

// groups are the parts of the page, by the second and third digit of a code.
var groups = []struct{ digits, title string }{
	{"01", "Reading the file"}, {"02", "Names and references"}, {"03", "Shape"}, {"04", "Conditions and loops"}, {"05", "Pipelines"},
	{"06", "Sub-workflows"}, {"07", "Schemas"}, {"08", "Effects and gates"}, {"09", "Habits that go wrong"},
}

// docs is the page of all diagnostics.
func docs() string {
	var b strings.Builder
	b.WriteString(`# Diagnostics

<!-- Made by go test ./ir/diag -update; edit ir/diag/codes.go and codes_lint.go instead. -->

What ` + "`lobsterc check`" + ` can say about a workflow. A code that starts with E is an error and stops the build; W is a warning (an error under ` + "`--strict`" + `).
` + "`lobsterc explain CODE`" + ` prints the same texts; ` + "`lobsterc check --fix`" + ` makes the edits that are safe.
`)
	for _, g := range groups {
		b.WriteString("\n## " + g.title + "\n")
		for _, info := range Infos() {
			if string(info.Code[1:3]) == g.digits {
				b.WriteString("\n### " + info.String())
			}
		}
	}
	return b.String()
}

// TestDocs: docs/diagnostics.md has all codes and their texts.
func TestDocs(t *testing.T) {
	text := docs()
	if n := strings.Count(text, "\n### "); n != len(Infos()) {
		t.Errorf("%d of %d codes are in a group", n, len(Infos()))
	}
	if *update {
		if err := os.WriteFile(docsFile, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(docsFile)
	if err != nil || string(have) != text {
		t.Errorf("docs/diagnostics.md is stale (%v): run go test ./ir/diag -update", err)
	}
}
