package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// documented writes the files that docs/sdk.md shows into a module in dir.
func documented(t *testing.T, dir string) {
	t.Helper()
	fence := regexp.MustCompile("(?ms)^```\\w+ (\\S+)\n(.*?)^```$")
	n := 0
	for _, m := range fence.FindAllStringSubmatch(string(read(t, "../../docs/sdk.md")), -1) {
		write(t, filepath.Join(dir, strings.TrimPrefix(m[1], "tickets/")), m[2])
		n++
	}
	if n != 2 {
		t.Fatalf("docs/sdk.md shows %d files", n)
	}
	write(t, filepath.Join(dir, "go.mod"), "module example.com/tickets\n\ngo 1.26\n\nrequire example.com/dep v1.2.3\n\nreplace example.com/dep => ./dep\n")
	write(t, filepath.Join(dir, "dep", "go.mod"), "module example.com/dep\n\ngo 1.26\n")
	write(t, filepath.Join(dir, "dep", "dep.go"), "package dep\n\nimport _ \"embed\"\n\n//go:embed word.txt\nvar Word string\n")
	write(t, filepath.Join(dir, "dep", "word.txt"), "embedded")
	write(t, filepath.Join(dir, "sub", "sub.go"), `package sub

import (
	"example.com/dep"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/host"
	"github.com/lobsterc/lobsterc/runtime/value"
)

func Stages() []host.Stage { return []host.Stage{{Name: "sub.word", New: Word}} }

type WordOptions struct {
	Text []string `+"`words:\"TEXT\"`"+`
}

func Word(o WordOptions) flow.Stage {
	return flow.Stage{Name: "sub.word", Run: func(*flow.Env, flow.Stream) flow.Stream {
		return flow.Items(value.String(dep.Word), value.Strings(o.Text...))
	}}
}
`)
}

// TestStages builds the workflow of docs/sdk.md with the stages of its package.
func TestStages(t *testing.T) {
	dir := t.TempDir()
	documented(t, dir)
	run(t, lobsterc(t, dir, "build", "--stages", "example.com/tickets", "report.lobster", "-o", "report"))
	program := exec.Command(filepath.Join(dir, "report"))
	program.Env = append(os.Environ(), "LOBSTER_STATE_DIR="+filepath.Join(dir, "state"))
	out := run(t, program)
	if _, shown, _ := strings.Cut(string(read(t, "../../docs/sdk.md")), "$ ./report\n"); !strings.HasPrefix(shown, out) {
		t.Errorf("the program prints what docs/sdk.md does not show:\n%s", out)
	}
	tests := []struct{ args, want string }{
		{"run --stages ./sub 'sub.word a b'", "embedded"},
		{"run --stages ./sub --stages . 'sub.word a b | tickets.create --project X'", `"X-2"`},
		{"effects --stages . report.lobster", "creates_ticket"},
		{"stages --stages . tickets.create", "the project's key"},
		{"check --stages . report.lobster", ""},
		{"verify --stages . report report.lobster", "bit for bit"},
		{"verify report", "stages   example.com/tickets sha256:"},
		{"build --stages ./sub -e 'sub.word' -o w.exe --target windows/amd64 -q", ""},
	}
	for _, tt := range tests {
		if got := run(t, lobsterc(t, dir, words(tt.args)...)); !strings.Contains(got, tt.want) {
			t.Errorf("%s: no %q in\n%s", tt.args, tt.want, got)
		}
	}
}

// words splits a command line at spaces outside single quotes.
func words(line string) (list []string) {
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			list = append(list, part)
		} else {
			list = append(list, strings.Fields(part)...)
		}
	}
	return list
}

func TestStagesErrors(t *testing.T) {
	dir := t.TempDir()
	documented(t, dir)
	write(t, filepath.Join(dir, "bad", "bad.go"), "package bad\n\nfunc Stages() int { return undefined }\n")
	write(t, filepath.Join(dir, "wrong", "wrong.go"), "package wrong\n\nimport \"github.com/lobsterc/lobsterc/runtime/host\"\n\nfunc Stages() []host.Stage { return []host.Stage{{Name: \"w\", New: 1}} }\n")
	write(t, filepath.Join(dir, "taken", "taken.go"), strings.ReplaceAll(string(read(t, filepath.Join(dir, "sub", "sub.go"))), "sub.word", "head"))
	write(t, filepath.Join(dir, "cgo", "cgo.go"), "package cgo\n\nimport \"C\"\n")
	tests := []struct{ args, want string }{
		{"check report.lobster", "tickets.create"},
		{"check --stages . -e 'tickets.create'", "requires --project"},
		{"check --stages . -e 'tickets.create --project X --kind chore'", "--kind"},
		{"check --stages . -e 'tickets.create --project X --prio 1'", "--priority"},
		{"check --stages ./none -e 'head'", "directory not found"},
		{"check --stages example.com/none -e 'head'", "example.com/none"},
		{"check --stages ./bad -e 'head'", "undefined: undefined"},
		{"check --stages ./wrong -e 'head'", `stage "w": New must be a function`},
		{"check --stages ./taken -e 'head'", "stage head exists already"},
		{"check --stages ./cgo -e 'head'", "build constraints exclude all Go files"},
	}
	for _, tt := range tests {
		out, err := lobsterc(t, dir, words(tt.args)...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), tt.want) || strings.Contains(string(out), "lobsterc bug") {
			t.Errorf("%s: %v, no %q in\n%s", tt.args, err, tt.want, out)
		}
	}
}

// TestStagesResume resumes a paused program whose stage lobsterc does not know by itself.
func TestStagesResume(t *testing.T) {
	dir := t.TempDir()
	documented(t, dir)
	out := run(t, lobsterc(t, dir, "run", "--stages", "./sub", "--mode", "tool", "sub.word a | approve --prompt ok? | head --n 1"))
	_, rest, _ := strings.Cut(out, `"resumeToken": "`)
	token, _, _ := strings.Cut(rest, `"`)
	if out, err := lobsterc(t, dir, "resume", "--token", token, "--approve", "yes").CombinedOutput(); err == nil || !strings.Contains(string(out), "a stage sub.word of its own") {
		t.Errorf("without --stages: %v\n%s", err, out)
	}
	if out := run(t, lobsterc(t, dir, "resume", "--stages", "./sub", "--token", token, "--approve", "yes")); !strings.Contains(out, "embedded") {
		t.Errorf("with --stages: %s", out)
	}
}
