package torture

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/lobsterc/lobsterc/cmd/cli"
	"github.com/lobsterc/lobsterc/runtime/state"
)

// buildDir holds the programs that the tests compile, each once.
var buildDir string

func TestMain(m *testing.M) {
	flag.Parse()
	if os.Getenv("TORTURE_LOBSTERC") != "" {
		os.Unsetenv("TORTURE_LOBSTERC")
		os.Exit(cli.Main())
	}
	for _, pair := range os.Environ() { // LOBSTER_* of the caller would change what programs do
		if name, _, _ := strings.Cut(pair, "="); strings.HasPrefix(name, "LOBSTER_") && name != "LOBSTER_REFERENCE" {
			os.Unsetenv(name)
		}
	}
	dir, err := os.MkdirTemp("", "lobsterc-torture-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	buildDir = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

var built sync.Map // name -> func() (string, error)

// program compiles testdata/NAME.lobster, once, and gives the executable.
func program(t testing.TB, name string) string {
	t.Helper()
	return build(t, name, filepath.Join("testdata", name+".lobster"))
}

// source compiles the text of a workflow.
func source(t testing.TB, name, text string) string {
	t.Helper()
	file := filepath.Join(buildDir, name+".lobster")
	if _, done := built.Load(name); !done {
		if err := os.WriteFile(file, []byte("name: "+strings.TrimRight(name, "0123456789")+"\n"+text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return build(t, name, file)
}

// expression compiles an inline pipeline.
func expression(t testing.TB, name, text string) string {
	t.Helper()
	return build(t, name, "-e", text)
}

func build(t testing.TB, name string, what ...string) string {
	t.Helper()
	once, _ := built.LoadOrStore(name, sync.OnceValues(func() (string, error) {
		out := filepath.Join(buildDir, name)
		text, err := lobsterc(append([]string{"build", "-o", out}, what...)...).CombinedOutput()
		if err != nil {
			return "", fmt.Errorf("%v\n%s", err, text)
		}
		return out, nil
	}))
	out, err := once.(func() (string, error))()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// lobsterc is the compiler as a command: this test binary under another name.
func lobsterc(args ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), "TORTURE_LOBSTERC=1")
	return cmd
}

// world is where one run of a program takes place: its state directory, and the log of its effects.
type world struct {
	t     testing.TB
	bin   string
	dir   string // state
	log   string
	token string // the last one seen
	asked int    // how often it was asked about an interrupted step
}

func newWorld(t testing.TB, name string) *world { return worldOf(t, program(t, name)) }

func worldOf(t testing.TB, bin string) *world {
	dir := t.TempDir()
	return &world{t: t, bin: bin, dir: filepath.Join(dir, "state"), log: filepath.Join(dir, "log")}
}

// answer is what a command of the program gave.
type answer struct {
	code   int
	killed bool
	stderr string
	env    struct {
		OK               bool
		Status           string
		Output           json.RawMessage
		RequiresApproval *request
		RequiresInput    *request
		Error            *struct{ Type, Message string }
		Meta             struct {
			Run    string
			Resume string
		} `json:"_meta"`
	}
}

type request struct {
	Prompt      string
	ResumeToken string
	ApprovalID  string
	Subject     json.RawMessage
}

func (a *answer) request() *request {
	if a.env.RequiresApproval != nil {
		return a.env.RequiresApproval
	}
	return a.env.RequiresInput
}

func (a *answer) message() string {
	if a.env.Error == nil {
		return ""
	}
	return a.env.Error.Message
}

// command prepares a command of the program.
func (w *world) command(env []string, args ...string) *exec.Cmd {
	cmd := exec.Command(w.bin, append([]string{"--mode=tool", "--state-dir=" + w.dir}, args...)...)
	cmd.Env = append(os.Environ(), env...)
	return cmd
}

// do runs a command of the program and reads its answer.
func (w *world) do(env []string, args ...string) *answer {
	w.t.Helper()
	return w.finish(w.command(env, args...))
}

func (w *world) finish(cmd *exec.Cmd) *answer {
	w.t.Helper()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	return w.read(cmd, err, out.Bytes(), errs.String())
}

func (w *world) read(cmd *exec.Cmd, err error, out []byte, errs string) *answer {
	w.t.Helper()
	a := &answer{stderr: errs}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		w.t.Fatal(err)
	}
	status := cmd.ProcessState.Sys().(syscall.WaitStatus)
	a.killed, a.code = status.Signaled(), status.ExitStatus()
	if len(out) == 0 && a.killed {
		return a
	}
	if err := json.Unmarshal(out, &a.env); err != nil && !a.killed {
		w.t.Fatalf("%v: %v\nstdout: %s\nstderr: %s", cmd.Args, err, out, errs)
	}
	if r := a.request(); r != nil && r.ResumeToken != "" {
		w.token = r.ResumeToken
	}
	return a
}

// start runs the program from its beginning.
func (w *world) start(env ...string) *answer {
	w.t.Helper()
	return w.do(env, "--arg=log="+w.log)
}

// effects are the paths that the steps have logged, in their order.
func (w *world) effects() []string {
	data, err := os.ReadFile(w.log)
	if err != nil {
		return nil
	}
	return strings.Fields(string(data))
}

// key is the state file's key of a token.
func key(token string) string {
	data, _ := base64.RawURLEncoding.DecodeString(token)
	var v struct{ StateKey string }
	json.Unmarshal(data, &v)
	return v.StateKey
}

// waitsAt is the path of the gate that the token's run waits at.
func (w *world) waitsAt(token string) string {
	w.t.Helper()
	v, _, err := state.Open(w.dir).Read(key(token))
	if err != nil {
		w.t.Fatal(err)
	}
	return v.Get("path").Text()
}

// reply answers what a run waits for. The answer about an interrupted step comes from the log.
func (w *world) reply(a *answer) []string {
	w.t.Helper()
	token := "--resume=" + a.request().ResumeToken
	at := w.waitsAt(a.request().ResumeToken)
	step, doubt := strings.CutSuffix(at, "?")
	switch {
	case doubt && slices.Contains(w.effects(), step):
		w.asked++
		return []string{token, "--in-doubt=done"}
	case doubt:
		w.asked++
		return []string{token, "--in-doubt=rerun"}
	case a.env.RequiresInput != nil:
		return []string{token, `--response-json={"n":3}`}
	}
	return []string{token, "--approve=yes"}
}

// settle goes on with a run until it is over, as somebody would who got the answer a: by its token, or when that was lost with a
// process, by --resume alone. It gives the last answer.
func (w *world) settle(a *answer) *answer {
	w.t.Helper()
	for range 200 {
		switch {
		case !a.killed && a.env.OK && a.request() != nil:
			a = w.do(nil, w.reply(a)...)
		case !a.killed && a.env.OK:
			return a
		default:
			next := w.do(nil, "--resume")
			if strings.HasPrefix(next.message(), "no unfinished run of ") {
				if len(w.effects()) > 0 {
					w.t.Logf("lost: %+v", next)
					return next // it was over, or its answer was lost with it
				}
				next = w.start()
			}
			if next.killed || !next.env.OK {
				w.t.Fatalf("cannot go on after %+v: %+v", a, next)
			}
			a = next
		}
	}
	w.t.Fatalf("no end: %+v", a)
	return nil
}

// checkEffects holds the log against the effects that the run must have had, each once.
func (w *world) checkEffects(want ...string) {
	w.t.Helper()
	got := slices.Sorted(slices.Values(w.effects()))
	want = slices.Sorted(slices.Values(want))
	if !slices.Equal(got, want) {
		w.t.Errorf("effects %v, want %v", got, want)
	}
}

// checkClean tells what a run that is over has left behind once the next command has swept.
func (w *world) checkClean() {
	w.t.Helper()
	cmd := exec.Command(w.bin, "--runs", "--state-dir="+w.dir)
	if out, err := cmd.CombinedOutput(); err != nil || !strings.HasPrefix(string(out), "no runs of ") {
		w.t.Errorf("--runs: %v\n%s", err, out)
	}
	state.Open(w.dir).Sweep()
	filepath.WalkDir(w.dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && path != w.dir && d.Name() != "runs" {
			data, _ := os.ReadFile(path)
			w.t.Errorf("left behind: %s\n%s", path, data)
		}
		return nil
	})
}

// waitFor waits until f holds.
func waitFor(t testing.TB, what string, f func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !f(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited too long for %s", what)
		}
	}
}
