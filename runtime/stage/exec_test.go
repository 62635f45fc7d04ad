package stage

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/value"
)

func shell(line string) flow.Stage { return Exec(ExecOptions{Shell: line}) }
func shellJSON(line string) flow.Stage {
	return Exec(ExecOptions{Shell: line, JSON: true})
}

func words(words ...string) flow.Stage { return Exec(ExecOptions{Words: words}) }

// The expected texts are what the reference answers, the wording of JSON errors apart.
func TestExec(t *testing.T) {
	tests := []struct {
		name  string
		stage flow.Stage
		want  string
	}{
		{"lines", shell(`printf 'a\r\nb\n\n \nc\r'`), `["a","b"," ","c\r"]`},
		{"bad bytes", shell(`printf '\377\n'`), `["�"]`},
		{"words", words("printf", "%s\n", "a b", "c"), `["a b","c"]`},
		{"half a pair", words("printf", "%s", "\xed\xa0\xbdx"), `["�x"]`},
		{"one word with a space", words("echo  hi"), `["hi"]`},
		{"json array", shellJSON(`echo '[1,{"a":[2]},null]'`), `[1,{"a":[2]},null]`},
		{"json value", shellJSON(`echo '{"a":1}'`), `[{"a":1}]`},
		{"json nothing", shellJSON(`printf ' \n'`), `[null]`},
		{"json empty array", shellJSON(`echo '[]'`), `[]`},
		{"failed with stdout", shell("echo out; exit 3"), `error: exec failed (3): out`},
		{"failed with stderr", shell("echo out; echo err >&2; exit 3"), `error: exec failed (3): err`},
		{"failed with nothing", shell("exit 3"), `error: exec failed (3): exit 3`},
		{"failed program", words("sh", "-c", "exit 4"), `error: exec failed (4): sh`},
		{"failed line of one word", words("exit 4"), `error: exec failed (4): exit 4`},
		{"failed beats bad json", shellJSON("echo nope; exit 3"), `error: exec failed (3): nope`},
		{"killed", shell("kill -9 $$"), `error: exec failed (null): kill -9 $$`},
		{"not found", words("nosuchcmd", "a"), `error: exec command not found: nosuchcmd`},
		{"nothing", Exec(ExecOptions{JSON: true}), `error: exec requires a command`},
		{"bad mode", Exec(ExecOptions{Stdin: "foo", Words: []string{"cat"}}), `error: exec --stdin must be raw, json, or jsonl (got foo)`},
		{"no json", shellJSON("echo 5 6"), `error: exec --json could not parse stdout as JSON: `},
		{"json between white space", shellJSON("printf '\\357\\273\\277 [1]\\302\\240\\n'"), `[1]`},
		{"cut json", shellJSON("printf '[1,2'"), `error: exec --json could not parse stdout as JSON: `},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := result(t, testEnv(t, io.Discard), `[]`, tt.stage)
			if got != tt.want && !(strings.HasSuffix(tt.want, ": ") && strings.HasPrefix(got, tt.want)) {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestExecEnvironment(t *testing.T) {
	for variable, want := range map[string]string{
		"LOBSTER_SHELL=/nonexistent":   "error: exec shell not found; check LOBSTER_SHELL or ComSpec",
		"LOBSTER_MAX_OUTPUT_BYTES=10":  "error: Process output exceeded 10 bytes",
		"LOBSTER_MAX_OUTPUT_BYTES=10x": "error: LOBSTER_MAX_OUTPUT_BYTES must be a positive safe integer (bytes)",
		"GREETING=hi":                  `["hi world and more"]`,
	} {
		env := testEnv(t, io.Discard)
		env.Environ = append(env.Environ, variable)
		if got := result(t, env, `[]`, shell("echo $GREETING world and more")); got != want {
			t.Errorf("%s: got %s, want %s", variable, got, want)
		}
	}
}

func TestExecStdin(t *testing.T) {
	in := `[1,"a",{"b":2},null]`
	for mode, want := range map[string]string{"raw": "1\na\n{\"b\":2}\nnull", "json": in, "jsonl": "1\n\"a\"\n{\"b\":2}\nnull\n", "": ""} {
		env := testEnv(t, io.Discard)
		if got := result(t, env, in, Exec(ExecOptions{Stdin: mode, Shell: "cat >got"})); got != `[]` {
			t.Fatalf("%q: %s", mode, got)
		}
		got, err := os.ReadFile(filepath.Join(env.Dir, "got"))
		if err != nil || string(got) != want {
			t.Errorf("%q: child got %q, want %q (%v)", mode, got, want, err)
		}
	}
	if got := result(t, testEnv(t, io.Discard), `[]`, Exec(ExecOptions{Stdin: "json", Shell: "cat"})); got != `["[]"]` {
		t.Errorf("no items: %s", got)
	}
}

func TestExecDoesNotMindUnreadInput(t *testing.T) {
	big := value.Array(value.String(strings.Repeat("x", 1<<20))).JSON()
	if got := result(t, testEnv(t, io.Discard), big, Exec(ExecOptions{Stdin: "raw", Shell: "echo done"})); got != `["done"]` {
		t.Errorf("got %s", got)
	}
}

func TestSecondCommandWaitsForFirst(t *testing.T) {
	env := testEnv(t, io.Discard)
	got := result(t, env, `[]`, shellJSON("echo '[1,2]'; exit 3"), Exec(ExecOptions{Stdin: "jsonl", Shell: "touch ran"}))
	if got != "error: exec failed (3): [1,2]" {
		t.Errorf("got %s", got)
	}
	if _, err := os.Stat(filepath.Join(env.Dir, "ran")); err == nil {
		t.Error("the second command ran although the first failed")
	}
}

func TestChildIsCheckedAfterHead(t *testing.T) {
	head := Head(HeadOptions{1})
	tests := []struct {
		name, line, want string
		json             bool
	}{
		{"good", "echo '[1,2'; sleep 0.1; echo ',3]'; touch end", `[1]`, true},
		{"bad exit", "echo '[1,2,3]'; touch end; exit 5", `error: exec failed (5): [1,2,3]`, true},
		{"cut short", "echo '[1,2,3'; touch end", `error: exec --json could not parse stdout as JSON: `, true},
		{"lines", "seq 100000; touch end; exit 6", `error: exec failed (6): 1`, false},
	}
	for _, tt := range tests {
		for _, last := range []flow.Stage{head, JSON(), shell("touch effect")} {
			var out bytes.Buffer
			env := testEnv(t, &out)
			got := result(t, env, `[]`, Exec(ExecOptions{Shell: tt.line, JSON: tt.json}), head, last)
			if strings.HasPrefix(tt.want, "error") && (!strings.HasPrefix(got, tt.want) || out.Len() > 0) {
				t.Errorf("%s | head | %s: got %.100s, printed %q", tt.name, last.Name, got, out.String())
			}
			if last.Name == "head" && !strings.HasPrefix(got, tt.want) {
				t.Errorf("%s: got %.100s", tt.name, got)
			}
			if _, err := os.Stat(filepath.Join(env.Dir, "end")); err != nil {
				t.Errorf("%s: the child did not run to its end", tt.name)
			}
			if _, err := os.Stat(filepath.Join(env.Dir, "effect")); err == nil && strings.HasPrefix(tt.want, "error") {
				t.Errorf("%s: an effect ran after a failure", tt.name)
			}
		}
	}
}

func TestCancelledExec(t *testing.T) {
	before := runtime.NumGoroutine()
	env := testEnv(t, io.Discard)
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	env.Ctx = ctx
	time.AfterFunc(50*time.Millisecond, func() { cancel(why) })
	if got := result(t, env, `[]`, shell("echo a; sleep 60"), Sort(SortOptions{})); got != "error: enough" {
		t.Errorf("got %s", got)
	}
	for end := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	if n := runtime.NumGoroutine(); n > before {
		t.Errorf("%d goroutines left, %d before", n, before)
	}
}

func TestBackPressure(t *testing.T) {
	// The child writes far more than a pipe holds; it can only have ended when the consumer has taken nearly everything.
	env := testEnv(t, io.Discard)
	ended := filepath.Join(env.Dir, "end")
	n := 0
	err := flow.Each(env, []flow.Stage{shell("seq 200000; touch end")}, 0, nil, func(value.Value) {
		if n++; n == 1000 {
			if _, err := os.Stat(ended); err == nil {
				t.Error("the child ended while its output was not wanted yet")
			}
		}
	})
	if err != nil || n != 200000 {
		t.Errorf("%d items, error %v", n, err)
	}
}
