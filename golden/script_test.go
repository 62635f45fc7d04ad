package golden

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestScripts runs the command scripts. Beside testscript's own commands there are lobsterc and lobster (the real main),
// terminal and reader (see terminal_test.go), and
//
//	token     sets $TOKEN and $ID from what the last command printed
//	mask FILE OUT    writes FILE to OUT without tokens, ids, times and folders
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "scripts",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               setup,
		Condition:           condition,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"token": token,
			"mask":  maskFile,
		},
	})
}

// setup gives a script a home folder and the caches that all tests share.
func setup(e *testscript.Env) error {
	home := filepath.Join(e.WorkDir, ".home")
	if err := os.MkdirAll(home, 0o777); err != nil {
		return err
	}
	root, err := filepath.Abs("..")
	if err != nil {
		return err
	}
	e.Setenv("HOME", home)
	e.Setenv("ROOT", root)
	lobsterc, err := exec.LookPath("lobsterc")
	if err != nil {
		return err
	}
	e.Setenv("BIN", filepath.Dir(lobsterc))
	e.Setenv("LC_ALL", "C.UTF-8")
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH", "LOBSTERC_CACHE_DIR"} {
		e.Setenv(name, os.Getenv(name))
	}
	return nil
}

// condition knows the conditions of our own: root, and archive (the third-party sources are in this lobsterc).
func condition(name string) (bool, error) {
	switch name {
	case "root":
		return os.Geteuid() == 0, nil
	case "archive":
		_, err := os.Stat("../runtime/thirdparty/archive.zip")
		return err == nil, nil
	}
	return false, errors.New("unknown condition " + name)
}

func token(ts *testscript.TestScript, neg bool, args []string) {
	out := ts.ReadFile("stdout")
	found := tokenText.FindStringSubmatch(out)
	if found == nil {
		ts.Fatalf("no token in the output")
	}
	ts.Setenv("TOKEN", found[1])
	if id := idText.FindStringSubmatch(out); id != nil {
		ts.Setenv("ID", id[1])
	}
}

var anyTime = regexp.MustCompile(`\d{4}-\d\d-\d\dT[0-9:.]+Z`)

func maskFile(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: mask FILE OUT")
	}
	m := &machine{dir: ts.Getenv("WORK"), home: ts.Getenv("HOME")}
	text := anyTime.ReplaceAllString(m.mask(ts.ReadFile(args[0])), "TIME")
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o666))
}
