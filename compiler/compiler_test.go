package compiler

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lobsterc/lobsterc/ir"
	"github.com/lobsterc/lobsterc/ir/diag"
)

// write puts files into a fresh folder and gives it.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func messages(r *Result) string {
	var all []string
	for _, d := range r.Diags {
		all = append(all, string(d.Code)+" "+d.Severity.String())
	}
	return strings.Join(all, ", ")
}

func TestLoad(t *testing.T) {
	dir := write(t, map[string]string{
		"ok.lobster":      "steps: [{id: a, run: echo, bogus: 1}, {id: b, workflow: sub/c.yaml}]",
		"sub/c.yaml":      "steps: [{id: a, run: echo}]",
		"unknown.lobster": "steps: [{id: a, run: echo, when: $b.json, approval: 5}]",
		"broken.lobster":  "steps: [{id: a, run: echo, when: 1 = 1}, {id: 7, run: $x.json}, {id: c, run: x, stdin: $7.json}]",
		"dyn.lobster":     "{args: {x: {}}, steps: [{id: a, workflow: 'sub/${x}.yaml'}]}",
		"no.lobster":      "x: [",
	})
	for _, test := range []struct {
		file    string
		opt     Options
		want    string
		program bool
	}{
		{"ok.lobster", Options{}, "W0310 warning", true},
		{"ok.lobster", Options{Strict: true}, "W0310 error", false},
		{"unknown.lobster", Options{}, "E0306 error, E0203 error", false},
		{"unknown.lobster", Options{Compat: true}, "E0306 warning, E0203 warning", true},
		{"broken.lobster", Options{Compat: true}, "E0201 error, E0401 error", false},
		{"dyn.lobster", Options{}, "E0603 error", false},
		{"dyn.lobster", Options{Includes: []string{filepath.Join(dir, "sub", "*")}}, "", true},
		{"dyn.lobster", Options{Includes: []string{filepath.Join(dir, "none*")}}, "E0603 error, W0604 warning", false},
		{"no.lobster", Options{}, "E0102 error", false},
		{"missing.lobster", Options{}, "E0101 error", false},
		{"sub", Options{}, "E0101 error", false},
	} {
		r := Load(filepath.Join(dir, test.file), test.opt)
		if got := sorted(messages(r)); got != sorted(test.want) || (r.Program != nil) != test.program {
			t.Errorf("%s: %s, program %v; %v", test.file, got, r.Program != nil, r.Diags)
		}
	}
	r := Load(filepath.Join(dir, "ok.lobster"), Options{})
	if len(r.Sources) != 2 || r.Sources[1].Name != "sub/c.yaml" || r.Name != "ok" || r.Line(r.Diags[0].Span.Start.File, 1) == "" {
		t.Errorf("%+v", r)
	}
}

func sorted(s string) string {
	parts := strings.Split(s, ", ")
	for i := range parts {
		for j := i + 1; j < len(parts); j++ {
			if parts[j] < parts[i] {
				parts[i], parts[j] = parts[j], parts[i]
			}
		}
	}
	return strings.Join(parts, ", ")
}

func TestLoadIR(t *testing.T) {
	dir := write(t, map[string]string{"ok.lobster": "steps: [{id: a, run: echo}]", "bad.ir.json": `{"ir": 1, "main": {"steps": 5}}`})
	first := Load(filepath.Join(dir, "ok.lobster"), Options{})
	file := filepath.Join(dir, "ok.ir.json")
	if err := os.WriteFile(file, ir.Encode(first.Program), 0o600); err != nil {
		t.Fatal(err)
	}
	r := Load(file, Options{})
	if r.Program == nil || ir.Hash(r.Program) != ir.Hash(first.Program) || r.Name != "ok" {
		t.Errorf("%+v", r)
	}
	if r := Load(filepath.Join(dir, "bad.ir.json"), Options{}); messages(r) != "E0109 error" {
		t.Error(r.Diags)
	}
}

func TestLoadPipeline(t *testing.T) {
	if r := LoadPipeline("exec --json --shell 'echo [1]' | json", Options{}); r.Program == nil || len(r.Program.Pipeline.Stages) != 2 {
		t.Error(r.Diags)
	}
	r := LoadPipeline("exec echo | jsn", Options{})
	if r.Program != nil || r.Diags[0].Code != diag.UnknownStage || r.Diags[0].Span.Start.Column != 13 {
		t.Error(r.Diags)
	}
}

// TestUnreadable: the system's reason reaches the user without the call that failed.
func TestUnreadable(t *testing.T) {
	r := Load("x.lobster", Options{ReadFile: func(string) ([]byte, error) {
		return nil, &fs.PathError{Op: "open", Path: "x", Err: fs.ErrPermission}
	}})
	if r.Program != nil || !strings.HasSuffix(r.Diags[0].Message, "cannot be read: permission denied") {
		t.Error(r.Diags)
	}
}

// FuzzLoad: no text makes the compiler panic, and what it accepts passes the IR's own check and survives its encoding.
func FuzzLoad(f *testing.F) {
	for _, text := range []string{
		"args: {who: {default: you, secret: true}}\nenv: {H: '$HOME/${who}'}\nsteps:\n  - {id: a, run: 'cat ${who}', stdin: [1], retry: {max: 3}}\n  - {id: b, pipeline: 'head --n 2 | json', stdin: $a.json}\n",
		"steps:\n  - {id: g, approval: {prompt: 'send ${x}?', items: [1]}}\n  - {id: i, input: {prompt: p, responseSchema: {type: object}}, when: $g.approved && 1 == x}\n",
		"steps:\n  - {id: l, run: echo [1]}\n  - {id: f, for_each: $l.json, item_var: row, steps: [{id: t, run: 'echo $row.json', on_error: continue}]}\n",
		"steps:\n  - {id: p, parallel: {wait: any, branches: [{id: x, run: a}, {id: y, pipeline: 'exec b'}]}}\n  - {id: w, workflow: f.yaml, workflow_args: {a: 1}}\n",
	} {
		f.Add(text, true)
		f.Add(text, false)
	}
	f.Fuzz(func(t *testing.T, text string, compat bool) {
		child := "steps: [{id: c, run: echo}]"
		r := Load("main.lobster", Options{Compat: compat, ReadFile: func(name string) ([]byte, error) {
			switch name {
			case "main.lobster":
				return []byte(text), nil
			case "f.yaml":
				return []byte(child), nil
			}
			return nil, fs.ErrNotExist
		}})
		if r.Program == nil {
			if !r.Diags.HasErrors() {
				t.Fatal("no program and no error")
			}
			return
		}
		back, err := ir.Decode(ir.Encode(r.Program))
		if err != nil || ir.Hash(back) != ir.Hash(r.Program) {
			t.Fatalf("the program does not survive its encoding: %v", err)
		}
	})
}

func BenchmarkLoad500(b *testing.B) {
	var text strings.Builder
	text.WriteString("steps:\n")
	for i := range 500 {
		fmt.Fprintf(&text, "  - id: s%d\n    run: echo \"${who} %d\" | tr a-z A-Z\n", i, i)
		if i > 0 {
			fmt.Fprintf(&text, "    stdin: $s%d.json\n    when: $s%d.json.ok == true\n", i-1, i-1)
		}
	}
	opt := Options{ReadFile: func(string) ([]byte, error) { return []byte(text.String()), nil }}
	for b.Loop() {
		if r := Load("main.lobster", opt); r.Program == nil {
			b.Fatal(r.Diags)
		}
	}
}
