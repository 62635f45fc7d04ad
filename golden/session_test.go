package golden

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/diff"
)

// A session is a list of commands, each on a line that starts with "$ " (and lines that start with "> " to go on), and below it
// what it prints: stdout, then stderr with "2> " before each line, then "[exit N]" unless N is 0. Commands are run by sh in the
// case's folder. $TOKEN and $ID are the last token and approval id that were printed.
type command struct {
	text string
	want string
}

func parseSession(text string) (list []command) {
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "$ "):
			list = append(list, command{text: line[2:]})
		case len(list) == 0:
		case strings.HasPrefix(line, "> ") && list[len(list)-1].want == "":
			list[len(list)-1].text += line[2:]
		default:
			list[len(list)-1].want += line
		}
	}
	return list
}

func formatCommand(c command, output string) string {
	lines := strings.SplitAfter(strings.TrimSuffix(c.text, "\n"), "\n")
	return "$ " + strings.Join(lines, "> ") + "\n" + output
}

// machine is where a session's commands run.
type machine struct {
	dir, home string
	env       []string
	vars      map[string]string
	plain     bool // leave out _meta, which the reference does not have
}

// newMachine makes a folder with the case's files, and a home folder.
func (c *testCase) newMachine(t *testing.T, env ...string) *machine {
	m := &machine{dir: c.unpack(t), home: t.TempDir(), vars: map[string]string{}}
	if dir, err := filepath.EvalSymlinks(m.dir); err == nil {
		m.dir = dir
	}
	m.env = append(os.Environ(), "HOME="+m.home, "LOBSTER_STATE_DIR="+filepath.Join(m.home, "state"), "LC_ALL=C.UTF-8",
		"WORK="+m.dir, "PATH="+m.dir+"/bin"+string(filepath.ListSeparator)+os.Getenv("PATH"))
	m.env = append(m.env, env...)
	return m
}

// runSession runs a session with the compiled program, or with lobsterc when there is none, and compares.
func (c *testCase) runSession(t *testing.T, session, program string) bool {
	t.Helper()
	m := c.newMachine(t, "GOLDEN_PROGRAM="+program, "GOLDEN_ENTRY="+c.entry)
	m.plain = !c.meta
	var want, got strings.Builder
	for _, cmd := range parseSession(session) {
		want.WriteString(formatCommand(cmd, cmd.want))
		got.WriteString(formatCommand(cmd, m.run(t, cmd.text)))
	}
	if want.String() == got.String() {
		return true
	}
	how := "the compiled program"
	if program == "" {
		how = "lobsterc"
	}
	t.Errorf("the session with %s differs:\n%s", how, diff.Diff("want", []byte(want.String()), "got", []byte(got.String())))
	return false
}

// record rewrites the session that shows the reference, from the reference.
func (c *testCase) record(t *testing.T) {
	session, ok := c.file("reference")
	if !ok {
		t.Skip("no session of the reference")
	}
	reference := os.Getenv("LOBSTER_REFERENCE")
	if reference == "" {
		t.Fatal("LOBSTER_REFERENCE names no program")
	}
	bin := t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\nexec %q \"$@\"\n", reference)
	if err := os.WriteFile(filepath.Join(bin, "lobster"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	m := c.newMachine(t, "XDG_CACHE_HOME="+filepath.Join(realHome, ".cache"))
	m.env = append(m.env, "PATH="+m.dir+"/bin"+string(filepath.ListSeparator)+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	var got strings.Builder
	for _, cmd := range parseSession(session) {
		got.WriteString(formatCommand(cmd, m.run(t, cmd.text)))
	}
	if got.String() != session {
		c.set("reference", got.String())
		c.save(t)
	}
}

var (
	tokenText = regexp.MustCompile(`"resumeToken": ?"([^"]+)"`)
	idText    = regexp.MustCompile(`"approvalId": ?"([^"]+)"`)
	metaText  = regexp.MustCompile(`(?s),\n  "_meta": \{\n.*?\n  \}(\n\})`)
)

// run runs one command and gives what it printed, masked.
func (m *machine) run(t *testing.T, text string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", text)
	cmd.Dir = m.dir
	cmd.Env = m.env
	for name, val := range m.vars {
		cmd.Env = append(cmd.Env, name+"="+val)
	}
	cmd.WaitDelay = time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Errorf("%s: %v", text, err)
	}
	if found := tokenText.FindStringSubmatch(stdout.String()); found != nil {
		m.vars["TOKEN"] = found[1]
	}
	if found := idText.FindStringSubmatch(stdout.String()); found != nil {
		m.vars["ID"] = found[1]
	}
	out := stdout.String()
	if m.plain {
		out = metaText.ReplaceAllString(out, "$1")
	}
	out = closed(m.mask(out))
	for line := range strings.Lines(closed(m.mask(stderr.String()))) {
		out += "2> " + line
	}
	if code := cmd.ProcessState.ExitCode(); code != 0 {
		out += fmt.Sprintf("[exit %d]\n", code)
	}
	return out
}

// closed ends a text that has no line break at its end visibly.
func closed(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n[no newline]\n"
}

var masks = []struct {
	pattern *regexp.Regexp
	text    string
}{
	{tokenText, `"resumeToken": "TOKEN"`},
	{idText, `"approvalId": "ID"`},
	{regexp.MustCompile(`run_[0-9a-f]{16}`), "RUN"},
	{regexp.MustCompile(`sha256:[0-9a-f]{64}`), "HASH"},
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`), "UUID"},
	{regexp.MustCompile(`"durationMs": \d+`), `"durationMs": N`},
	{regexp.MustCompile(`approval_[0-9a-f]{8}\.json`), "approval_ID.json"},
	{regexp.MustCompile(`(Approval ID \\?")[0-9a-f]{8}`), `${1}ID`},
}

// mask replaces what differs from run to run: tokens, ids, folders, and times of today.
func (m *machine) mask(text string) string {
	for _, x := range masks {
		text = x.pattern.ReplaceAllString(text, x.text)
	}
	text = strings.NewReplacer(m.dir, "$WORK", m.home, "$HOME").Replace(text)
	today := regexp.MustCompile(regexp.QuoteMeta(time.Now().UTC().Format("2006-01-02T")) + `[0-9:.]+Z`)
	return today.ReplaceAllString(text, "TIME")
}
