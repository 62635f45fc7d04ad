package golden

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/diff"
	"golang.org/x/tools/txtar"

	"github.com/lobsterc/lobsterc/cmd/cli"
)

// testCase is one file of cases/.
type testCase struct {
	path    string
	archive *txtar.Archive
	entry   string // the workflow file, or the text of the pipeline
	source  []string
	build   []string // flags of every compilation
	onlyRun bool     // do not run the session with the program itself
	meta    bool     // the session shows _meta
}

func TestCases(t *testing.T) {
	paths, err := filepath.Glob("cases/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no cases", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			c, err := readCase(path)
			if err != nil {
				t.Fatal(err)
			}
			if *record {
				c.record(t)
				return
			}
			c.test(t)
		})
	}
}

var settingLine = regexp.MustCompile(`(?m)^(build|run|meta): (.*)$`)

func readCase(path string) (*testCase, error) {
	a, err := txtar.ParseFile(path)
	if err != nil {
		return nil, err
	}
	c := &testCase{path: path, archive: a}
	for _, m := range settingLine.FindAllStringSubmatch(string(a.Comment), -1) {
		switch {
		case m[1] == "build":
			c.build = strings.Fields(m[2])
		case m[0] == "run: lobsterc":
			c.onlyRun = true
		case m[0] == "meta: shown":
			c.meta = true
		default:
			return nil, errors.New("unknown setting " + m[0])
		}
	}
	for _, f := range a.Files {
		switch name := f.Name; {
		case c.entry != "":
		case name == "pipeline":
			c.entry = strings.TrimSpace(string(f.Data))
			c.source = []string{"-e", c.entry}
		case strings.HasPrefix(name, "workflow."):
			c.entry = name
		}
	}
	if c.entry == "" {
		return nil, errors.New(path + " has no workflow")
	}
	return c, nil
}

// file is the text of one of the archive's files.
func (c *testCase) file(name string) (text string, ok bool) {
	for _, f := range c.archive.Files {
		if f.Name == name {
			return string(f.Data), true
		}
	}
	return "", false
}

// set replaces or adds a file of the archive; an empty text removes it.
func (c *testCase) set(name, text string) {
	kept := c.archive.Files[:0]
	done := text == ""
	for _, f := range c.archive.Files {
		if f.Name == name {
			if done {
				continue
			}
			f.Data, done = []byte(text), true
		}
		kept = append(kept, f)
	}
	if !done {
		kept = append(kept, txtar.File{Name: name, Data: []byte(text)})
	}
	c.archive.Files = kept
}

func (c *testCase) save(t *testing.T) {
	t.Helper()
	if err := os.WriteFile(c.path, txtar.Format(c.archive), 0o666); err != nil {
		t.Fatal(err)
	}
}

// unpack writes the case's own files to a new folder.
func (c *testCase) unpack(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "work")
	for _, f := range c.archive.Files {
		if f.Name == "reference" || f.Name == "session" || f.Name == "pipeline" || strings.HasPrefix(f.Name, "want/") {
			continue
		}
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		mode := os.FileMode(0o666)
		if bytes.HasPrefix(f.Data, []byte("#!")) {
			mode = 0o777
		}
		if err := os.WriteFile(path, f.Data, mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	return dir
}

// lobsterc runs a command of lobsterc on the case's source in dir. Its output has no path of this machine.
func (c *testCase) lobsterc(dir, command string, flags ...string) (stdout, stderr string, exit int) {
	args := append([]string{command}, flags...)
	args = append(args, c.build...)
	if c.source != nil {
		args = append(args, c.source...)
	} else {
		args = append(args, filepath.Join(dir, c.entry))
	}
	var out, errs strings.Builder
	exit = cli.Run(args, strings.NewReader(""), &out, &errs)
	short := strings.NewReplacer(dir+string(filepath.Separator), "", dir, "$WORK")
	return short.Replace(out.String()), short.Replace(errs.String()), exit
}

// provenanceHash is the hash of the runtime in generated code, which changes with every change of the runtime.
var provenanceHash = regexp.MustCompile(`"lobsterc":"[^"]*"(,"ir":"sha256:[0-9a-f]{64}","runtime":")sha256:[0-9a-f]{64}`)

func (c *testCase) test(t *testing.T) {
	dir := c.unpack(t)
	_, diags, exit := c.lobsterc(dir, "check")
	c.compare(t, "want/diag.txt", diags)
	c.checkMarks(t, dir, diags)
	ref, recorded := c.file("reference")
	session, ours := c.file("session")
	if !recorded && !ours {
		if diags == "" {
			t.Error("neither a session nor a diagnostic: say what the program does")
		}
		return
	}
	if !ours {
		session = ref
	}
	if exit != 0 {
		if ours {
			c.runSession(t, session, "")
		}
		return
	}
	program := filepath.Join(t.TempDir(), "program")
	emitted := filepath.Join(t.TempDir(), "emitted")
	if _, errs, exit := c.lobsterc(dir, "build", "--emit-go", emitted, "-o", program); exit != 0 {
		t.Fatalf("lobsterc build: exit %d\n%s", exit, errs)
	}
	irText, errs, exit := c.lobsterc(dir, "ir")
	if exit != 0 {
		t.Fatalf("lobsterc ir: exit %d\n%s", exit, errs)
	}
	c.compare(t, "want/ir.json", irText)
	ok := c.runSession(t, session, "")
	if !c.onlyRun {
		ok = c.runSession(t, session, program) && ok
	}
	main, err := os.ReadFile(filepath.Join(emitted, "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	text := provenanceHash.ReplaceAllString(string(main), `"lobsterc":"VERSION"${1}sha256:RUNTIME`)
	if *update && !ok {
		t.Error("want/main.go was not updated: the program does not answer as the session says")
		return
	}
	c.compare(t, "want/main.go", text)
}

// compare checks one of the generated files, or rewrites it.
func (c *testCase) compare(t *testing.T, name, got string) {
	t.Helper()
	want, _ := c.file(name)
	if want == got {
		return
	}
	if *update {
		c.set(name, got)
		c.save(t)
		return
	}
	t.Errorf("%s differs (go test ./golden -run TestCases -update rewrites it):\n%s", name,
		diff.Diff("want", []byte(want), "got", []byte(got)))
}
