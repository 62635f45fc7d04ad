package size

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lobsterc/lobsterc/cmd/cli"
	"github.com/lobsterc/lobsterc/compiler/gobuild"
)

// Nothing in a small program may link these: each brings far more than it is used for.
var heavy = []string{
	"fmt", "reflect", "internal/reflectlite", "encoding", "encoding/*", "net", "net/*", "crypto/*", "regexp", "regexp/*", "text/*", "sort", "flag",
	"github.com/spf13/pflag", "os/exec", "log", "math/big",
}

// The network may be linked only where it is used.
var network = []string{"net", "net/http", "crypto/tls", "crypto/x509"}

// unused are parts of the runtime that a shell-only program does not use.
var unused = []string{"runtime/stage", "runtime/stage/*", "runtime/schema", "runtime/net/*", "runtime/cost", "runtime/mail", "runtime/agent"}

// Limits are for linux/amd64, in bytes (of a million to the MB).
var programs = []struct {
	name, file string
	limit      int
	banned     [][]string
}{
	{"shell.lobster", `
name: shell
args: {where: {default: here}}
steps:
  - id: build
    run: echo ${where}
    retry: {max: 2, delay_ms: 10}
  - id: ok
    approval: Deploy?
  - id: deploy
    run: echo $build.stdout
    when: $ok.approved
    timeout_ms: 1000
    on_error: continue
`, 2_600_000, [][]string{heavy, unused}},
	{"shapes.lobster", `
name: shapes
steps:
  - id: each
    for_each: $none.json
    steps: [{id: one, run: echo $item.json}]
  - id: both
    parallel: {wait: all, branches: [{id: l, run: echo l}, {id: r, run: echo r}]}
`, 2_700_000, [][]string{heavy, unused}},
	{"pipeline.lobster", `
name: pipeline
steps:
  - id: rank
    pipeline: exec --json --shell "cat inbox.json" | where minutes>=30 | sort --key a.b --desc | head --n 3 | pick id,subject
  - id: text
    pipeline: exec --json --shell "cat inbox.json" | dedupe --key id | groupBy --key team | map --wrap x | json
`, 2_900_000, [][]string{heavy}},
	{"ask.lobster", `
name: ask
steps:
  - id: q
    input:
      prompt: How many?
      responseSchema: {type: object, properties: {n: {type: number}}, required: [n]}
  - id: more
    pipeline: ask --prompt Why | json
`, 4_600_000, [][]string{network}},
	{"openclaw.lobster", `
name: openclaw
steps: [{id: send, pipeline: "openclaw.invoke --tool message --action send --args-json '{\"to\":\"me\"}'"}]
`, 6_800_000, [][]string{{"net/http/httptest", "encoding/gob"}}},
	{"llm.lobster", `
name: llm
steps: [{id: sort, pipeline: "llm.invoke --prompt 'Sort these' --output-schema '{\"type\":\"object\",\"required\":[\"urgent\"]}'"}]
`, 8_500_000, [][]string{{"net/http/httptest", "encoding/gob"}}},
}

// trifle is what the linker may leave of a package for somebody else's sake (context asks reflectlite for a name).
const trifle = 1000

func TestMain(m *testing.M) {
	if base, err := os.UserCacheDir(); err == nil {
		os.Setenv("LOBSTERC_CACHE_DIR", filepath.Join(base, "lobsterc-golden"))
	}
	os.Exit(m.Run())
}

func TestPrograms(t *testing.T) {
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			dir := t.TempDir()
			source, out := filepath.Join(dir, p.name), filepath.Join(dir, "program")
			if err := os.WriteFile(source, []byte(p.file), 0o600); err != nil {
				t.Fatal(err)
			}
			var stderr bytes.Buffer
			if exit := cli.Run([]string{"build", source, "--compat", "--target", "linux/amd64", "-o", out}, strings.NewReader(""), &bytes.Buffer{}, &stderr); exit != 0 {
				t.Fatalf("exit %d: %s", exit, stderr.String())
			}
			program, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d bytes", len(program))
			if len(program) > p.limit {
				t.Errorf("%d bytes, the limit is %d", len(program), p.limit)
			}
			report, err := gobuild.Sizes(program)
			if err != nil {
				t.Fatal(err)
			}
			for _, share := range report.Code {
				for _, list := range p.banned {
					if bans(list, share.Name) && share.Bytes > trifle {
						t.Errorf("it links %d bytes of %s", share.Bytes, share.Name)
					}
				}
			}
		})
	}
}

// bans tells whether a package is on the list: by its path, below a path that ends in /*, or as a part of ours.
func bans(list []string, pkg string) bool {
	pkg = strings.TrimPrefix(pkg, "github.com/lobsterc/lobsterc/")
	for _, b := range list {
		if below, ok := strings.CutSuffix(b, "*"); b == pkg || ok && strings.HasPrefix(pkg, below) {
			return true
		}
	}
	return false
}

// TestImports: what a shell-only program is made of imports nothing heavy, not even for something that the linker then drops.
func TestImports(t *testing.T) {
	const ours = "github.com/lobsterc/lobsterc/runtime"
	out, err := exec.Command("go", "list", "-deps", ours).CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, out)
	}
	// golang.org/x/term imports fmt for an error that nobody asks for; the linker leaves it out.
	banned := []string{"net", "net/*", "crypto/*", "regexp", "text/*", "flag", "github.com/spf13/*", "os/exec", "log", "encoding/json"}
	for pkg := range strings.FieldsSeq(string(out)) {
		if bans(banned, pkg) {
			t.Errorf("the runtime imports %s", pkg)
		}
	}
}
