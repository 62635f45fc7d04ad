package golden

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/lobsterc/lobsterc/cmd/cli"
)

var (
	update = flag.Bool("update", false, "rewrite ir.json, main.go and diag.txt of the cases")
	record = flag.Bool("record", false, "record the sessions named reference from the program in LOBSTER_REFERENCE")
)

// realHome is the home folder of who runs the tests; sessions get one of their own.
var realHome = os.Getenv("HOME")

func TestMain(m *testing.M) {
	commands := map[string]func(){
		"lobsterc": func() { os.Exit(cli.Main()) },
		"lobster":  lobster,
		"reader":   reader,
		"terminal": terminal,
	}
	if strings.HasSuffix(strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe"), ".test") {
		if err := shareCaches(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	testscript.Main(m, commands)
}

// shareCaches makes all builds of the tests use one build cache, which stays warm, and the toolchain's own caches although
// sessions have a home folder of their own. LOBSTER_* of the caller would change what programs do.
func shareCaches() error {
	for _, pair := range os.Environ() {
		if name, _, _ := strings.Cut(pair, "="); strings.HasPrefix(name, "LOBSTER_") && name != "LOBSTER_REFERENCE" {
			os.Unsetenv(name)
		}
	}
	base, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	out, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE", "GOPATH").Output()
	if err != nil {
		return fmt.Errorf("go env: %v", err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	for i, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH"} {
		os.Setenv(name, strings.TrimSpace(lines[i]))
	}
	os.Setenv("LOBSTERC_CACHE_DIR", filepath.Join(base, "lobsterc-golden"))
	return nil
}

// lobster is the command of that name in sessions: with GOLDEN_PROGRAM, the compiled program; else lobsterc under the
// reference's name.
func lobster() {
	program := os.Getenv("GOLDEN_PROGRAM")
	if args, ok := forProgram(os.Args[1:], os.Getenv("GOLDEN_ENTRY")); program != "" && ok {
		become(program, args)
	}
	os.Exit(cli.Main())
}

// forProgram turns the reference's command line into that of the compiled program; ok is false when it is not about the
// program, or cannot be said to it.
func forProgram(args []string, entry string) (out []string, ok bool) {
	if len(args) == 0 {
		return nil, false
	}
	command, args := args[0], args[1:]
	switch command {
	case entry: // a pipeline
		return args, true
	case "run":
		for i, found := 0, false; ; i++ {
			switch {
			case i == len(args):
				return out, found
			case args[i] == "--file":
			case args[i] == entry:
				found = true
			default:
				out = append(out, args[i])
			}
		}
	case "resume":
		if len(args) < 2 || args[0] != "--token" && args[0] != "--id" {
			return nil, false
		}
		for _, word := range args[2:] {
			if strings.HasPrefix(word, "--token") || strings.HasPrefix(word, "--id") || strings.HasPrefix(word, "--decision") {
				return nil, false
			}
		}
		return append([]string{"--resume=" + args[1], "--mode=tool"}, args[2:]...), true
	}
	return nil, false
}
