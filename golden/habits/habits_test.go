// Package habits holds what real authors write and what lobsterc says about it, one habit a file (*.txtar):
//
//	workflow.lobster    the file as authors write it; other files stand beside it
//	check               what `lobsterc check workflow.lobster` prints
//	fixed               the file after `lobsterc check --fix`, when that changes something
//	edited              the file after all suggested edits, when not all of them are safe
//	better.lobster      what to write instead; nothing is said about it
//
//	go test ./golden/habits -update     rewrites check, fixed and edited; read the difference as a stranger would
package habits

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/lobsterc/lobsterc/cmd/cli"
	"github.com/lobsterc/lobsterc/compiler"
	"github.com/lobsterc/lobsterc/ir/diag"
)

var update = flag.Bool("update", false, "rewrite what lobsterc prints")

const entry = "workflow.lobster"

// derived are the files of a case that lobsterc makes.
var derived = []string{"check", "fixed", "edited"}

func TestHabits(t *testing.T) {
	cases, err := filepath.Glob("*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatal("no cases", err)
	}
	for _, name := range cases {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(name, ".txtar"), func(t *testing.T) { testCase(t, name, a) })
	}
}

func testCase(t *testing.T, name string, a *txtar.Archive) {
	dir := t.TempDir()
	t.Chdir(dir)
	got := &txtar.Archive{Comment: a.Comment}
	for _, f := range a.Files {
		if slices.Contains(derived, f.Name) {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(f.Name), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, f.Name, f.Data)
		if f.Name != "better.lobster" {
			got.Files = append(got.Files, f)
		}
	}
	text := read(t, entry)
	add := func(name string, data []byte) { got.Files = append(got.Files, txtar.File{Name: name, Data: data}) }
	add("check", check(t, dir, entry))
	diags := compiler.Load(entry, compiler.Options{}).Diags
	if fixed := fix(t, dir, text, diags); !bytes.Equal(fixed, text) {
		add("fixed", fixed)
	}
	if edited := edit(t, text, diags); !bytes.Equal(edited, text) {
		add("edited", edited)
	}
	for _, f := range a.Files {
		if f.Name == "better.lobster" {
			add(f.Name, f.Data)
			if said := check(t, dir, f.Name); len(said) > 0 {
				t.Errorf("of the better file it says\n%s", said)
			}
		}
	}
	compare(t, name, a, got)
}

func compare(t *testing.T, name string, want, got *txtar.Archive) {
	w, g := txtar.Format(want), txtar.Format(got)
	if bytes.Equal(w, g) {
		return
	}
	if *update {
		write(t, filepath.Join(home, name), g)
		return
	}
	t.Errorf("got\n%s\nwant\n%s\nrun with -update and read the difference", g, w)
}

// home is the folder of the cases.
var home, _ = os.Getwd()

func read(t *testing.T, name string) []byte {
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func write(t *testing.T, name string, data []byte) {
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// check is what lobsterc prints of a file, with its exit code unless that is 0.
func check(t *testing.T, dir, file string) []byte {
	var out bytes.Buffer
	code := cli.Run([]string{"check", file}, strings.NewReader(""), &out, &out)
	text := bytes.ReplaceAll(out.Bytes(), []byte(dir+string(filepath.Separator)), []byte("$DIR/"))
	switch {
	case bytes.Contains(text, []byte(": error[")) != (code == 1) || code > 1:
		t.Errorf("exit code %d, and it prints\n%s", code, text)
	case code != 0:
		text = append(text, "[exit 1]\n"...)
	}
	return text
}

// fix has `check --fix` make the safe edits and sees that what they are for is cured. The entry file is restored.
func fix(t *testing.T, dir string, text []byte, before diag.List) []byte {
	var out bytes.Buffer
	cli.Run([]string{"check", "--fix", entry}, strings.NewReader(""), &out, &out)
	fixed := read(t, entry)
	cured(t, "fixed", before, func(d diag.Diagnostic) bool {
		return slices.ContainsFunc(d.Edits, func(e diag.Edit) bool { return e.Safe })
	})
	write(t, entry, text)
	return fixed
}

// edit makes all edits, again and again, when there are some that --fix would not make.
func edit(t *testing.T, text []byte, before diag.List) []byte {
	unsafe := func(d diag.Diagnostic) bool {
		return slices.ContainsFunc(d.Edits, func(e diag.Edit) bool { return !e.Safe })
	}
	if !slices.ContainsFunc(before, unsafe) {
		return text
	}
	edited := text
	for range 10 {
		list := compiler.Load(entry, compiler.Options{}).Diags
		for i := range list {
			for j := range list[i].Edits {
				list[i].Edits[j].Safe = true
			}
		}
		var n int
		if edited, n = diag.Fix(edited, entry, list); n == 0 {
			break
		}
		write(t, entry, edited)
	}
	cured(t, "edited", before, func(d diag.Diagnostic) bool { return len(d.Edits) > 0 })
	write(t, entry, text)
	return edited
}

// cured sees that the diagnostics with edits are gone from the entry file, and that no edit brought an error into it.
func cured(t *testing.T, how string, before diag.List, edited func(diag.Diagnostic) bool) {
	count := func(list diag.List, want func(diag.Diagnostic) bool) map[diag.Code]int {
		n := map[diag.Code]int{}
		for _, d := range list {
			if d.Span.Start.File == entry && want(d) {
				n[d.Code]++
			}
		}
		return n
	}
	every := func(diag.Diagnostic) bool { return true }
	list := compiler.Load(entry, compiler.Options{}).Diags
	was, is := count(before, every), count(list, every)
	for code, n := range count(before, edited) {
		if is[code] > was[code]-n {
			t.Errorf("%s, and still it says %s: %v", how, code, list)
		}
	}
	for code, n := range is {
		if code[0] == 'E' && n > was[code] && before[0].Code != diag.BadSyntax {
			t.Errorf("%s, and only then it says %s: %v", how, code, list)
		}
	}
}
