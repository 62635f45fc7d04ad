package runtime

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/lobsterc/lobsterc/runtime/drive"
	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/value"
)

func init() {
	echo := program("echo", Step{ID: "say", Shell: func(run *Run) Command { return Command{Script: "pwd; printf '%s' '" + run.Arg("word") + "'"} }})
	echo.Workflow.Args = []Arg{{Name: "word", Default: value.String("hello")}}
	programs["echo"] = echo
	programs["slow"] = program("slow", shell("first", "echo 1"), shell("slow", "echo $$ >pid; echo begun >began; sleep 60"), shell("never", "true"))
	programs["big"] = program("big", shell("big", "head -c 20000 /dev/zero | tr '\\0' x"))
	programs["bigerror"] = program("bigerror", shell("big", "head -c 20000 /dev/zero | tr '\\0' x >&2; exit 1"))
	var retries Step = with(shell("warn", "head -c 700 /dev/zero | tr '\\0' x >&2; exit 1"), func(s *Step) {
		s.Retry = &drive.Retry{Max: 4, Delay: time.Millisecond}
	})
	programs["warns"] = program("warns", retries)
	programs["panics"] = program("panics", shell("first", "echo 1"), Step{ID: "bad", Shell: func(*Run) Command { panic("at the disco") }})
	bad := Step{ID: "bad", Shell: func(*Run) Command { time.Sleep(50 * time.Millisecond); panic("at the disco") }}
	programs["panics-branch"] = program("panics-branch", shell("first", "echo 1"),
		Step{ID: "both", Do: &Parallel{Branches: []Step{bad, shell("long", "echo $$ >pid; exec sleep 60")}}})
	failing := Step{ID: "bad", Shell: func(*Run) Command { drive.Fail("no such reference"); return Command{} }}
	programs["fails-branch"] = program("fails-branch", Step{ID: "both", Do: &Parallel{Branches: []Step{failing, shell("ok", "true")}}})
	programs["panics-stage"] = program("panics-stage", Step{ID: "bad", Do: Stages(func(*Run) Pipeline {
		return Pipeline{Stages: []flow.Stage{{Name: "bad", Run: func(*flow.Env, flow.Stream) flow.Stream {
			return func(func(value.Value, error) bool) { panic("on stage") }
		}}}}
	})})
	programs["gates"] = program("gates", shell("before", "echo x >>before; echo 1"),
		with(shell("odd", "exit 3"), func(s *Step) { s.OnError = drive.Continue }),
		with(shell("not", "true"), func(s *Step) { s.When = func(*Run) bool { return false } }),
		Step{ID: "ok", Approval: Prompt("Go?")}, shell("mid", "echo 2"), Step{ID: "sure", Approval: Prompt("Sure?")}, shell("after", "echo 3"))
}

const inGates = "before:ok odd:failed not:skipped ok:waiting"

func TestRequest(t *testing.T) {
	for _, tt := range []struct{ request, message, output string }{
		{`{"action":"run"}`, "", "hello"},
		{`{"action":"run","argsJson":"{\"word\":\"there\"}","cwd":"sub"}`, "", "there"},
		{`{"action":"run","argsJson":"{"}`, "run --args-json must be valid JSON", ""},
		{`{"action":"run","cwd":"/"}`, "cwd must be a relative path", ""},
		{`{"action":"run","cwd":"sub/../.."}`, "cwd must stay within the gateway working directory", ""},
		{`{"action":"run","cwd":"nowhere"}`, "--cwd nowhere: no such file or directory", ""},
		{`{}`, "action required", ""},
		{`{"action":"walk"}`, "Unknown action: walk", ""},
		{`{"action":"resume"}`, "token or approvalId required", ""},
		{`{"action":"resume","token":"x"}`, "approve required", ""},
		{`{"action":"resume","token":"x","approve":true}`, "Invalid token", ""},
		{`{"action":"resume","approvalId":"0123abcd","approve":false}`, `Approval ID "0123abcd" not found or expired`, ""},
		{`[]`, "the request on stdin must be a JSON object", ""},
		{``, "the request on stdin must be a JSON object", ""},
		{`{"action":"run","timeoutMs":1e300,"maxStdoutBytes":1e300}`, "", "hello"},
	} {
		p := start(t, "echo")
		if err := os.Mkdir(p.dir+"/sub", 0o755); err != nil {
			t.Fatal(err)
		}
		got := p.run(tt.request, "--request", "-")
		lines := strings.Split(got.Get("output").At(0).Text(), "\n")
		if got.message() != tt.message || lines[len(lines)-1] != tt.output {
			t.Errorf("%s: %s", tt.request, got.JSON())
		}
		if strings.Contains(tt.request, "sub\"}") && filepath.Base(lines[0]) != "sub" {
			t.Errorf("%s ran in %s", tt.request, lines[0])
		}
	}
}

func TestRequestResume(t *testing.T) {
	p := start(t, "gates")
	paused := p.run(`{"action":"run"}`, "--request=-")
	p.expect(paused, "", inGates, 0)
	request := `{"action":"resume","token":"` + paused.Path("requiresApproval", "resumeToken").Text() + `","approve":true}`
	p.expect(p.run(request, "--request=-"), "", "before:ok odd:failed not:skipped ok:ok mid:ok sure:waiting", 0)
}

func TestLimits(t *testing.T) {
	for _, tt := range []struct {
		program, message, steps string
		args                    []string
		request                 string
	}{
		{program: "slow", args: []string{"--timeout-ms", "300"}, message: "lobster runtime timed out", steps: "first:ok slow:failed"},
		{program: "slow", args: []string{"--request=-"}, request: `{"action":"run","timeoutMs":300}`, message: "lobster runtime timed out", steps: "first:ok slow:failed"},
		{program: "slow", args: []string{"--request=-", "--timeout-ms=300"}, request: `{"action":"run"}`, message: "lobster runtime timed out", steps: "first:ok slow:failed"},
		{program: "big", args: []string{"--max-stdout-bytes", "20000"}, message: "lobster stdout exceeded maxStdoutBytes", steps: "big:ok"},
		{program: "big", args: []string{"--request=-"}, request: `{"action":"run","maxStdoutBytes":20000}`, message: "lobster stdout exceeded maxStdoutBytes", steps: "big:ok"},
		{program: "big", args: []string{"--max-stdout-bytes", "30000"}, steps: "big:ok"},
		{program: "bigerror", args: []string{"--max-stdout-bytes", "20000"}, message: "lobster stdout exceeded maxStdoutBytes"},
		{program: "warns", args: []string{"--max-stdout-bytes", "2000"}, message: "lobster stderr exceeded maxStdoutBytes", steps: "warn:failed"},
	} {
		p := start(t, tt.program)
		exit := 1
		if tt.message == "" {
			exit = 0
		}
		p.expect(p.run(tt.request, tt.args...), tt.message, tt.steps, exit)
	}
}

// TestEvents: events on stderr do not count against the limit.
func TestEvents(t *testing.T) {
	p := start(t, "gates")
	got := p.run("", "--max-stdout-bytes=2000", "--events=-")
	p.expect(got, "", inGates, 0)
	if n := strings.Count(got.stderr, "{\"event\":\"step."); n != 6 || !strings.Contains(got.stderr, `"gate.waiting"`) {
		t.Errorf("%d step events: %s", n, got.stderr)
	}
}

// began starts a program and waits until its slow step runs.
func (p *process) began(args ...string) (*exec.Cmd, *bytes.Buffer, *bytes.Buffer) {
	p.t.Helper()
	cmd := p.command("", args...)
	out, stderr := new(bytes.Buffer), new(bytes.Buffer)
	cmd.Stdout, cmd.Stderr = out, stderr
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.await("began")
	return cmd, out, stderr
}

func (p *process) await(name string) {
	p.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !p.exists(name); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			p.t.Fatal("it does not come to " + name)
		}
	}
}

// gone checks that the process whose number stands in the file pid is no more.
func (p *process) gone() {
	p.t.Helper()
	data, err := os.ReadFile(p.dir + "/pid")
	if err != nil {
		p.t.Fatal(err)
	}
	for deadline := time.Now().Add(30 * time.Second); exec.Command("kill", "-0", strings.TrimSpace(string(data))).Run() == nil; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			p.t.Fatal("the child still runs")
		}
	}
}

func TestSignalsInToolMode(t *testing.T) {
	for sig, exit := range map[syscall.Signal]int{syscall.SIGTERM: 143, syscall.SIGINT: 130, syscall.SIGHUP: 129, syscall.SIGQUIT: 131} {
		p := start(t, "slow")
		cmd, out, stderr := p.began()
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		p.expect(p.answer(cmd.Wait(), out.Bytes(), stderr.String()), "Received "+signalName(sig), "first:ok slow:failed", exit)
		p.gone()
		// The run can go on, and tells what it had done.
		p.expect(p.run("", "--resume", "--in-doubt=done"), "", "first:ok slow:ok never:ok", 0)
	}
}

// TestSignalWhileReading: a caller that sends no request does not keep the process alive.
func TestSignalWhileReading(t *testing.T) {
	p := start(t, "slow")
	for wait := 100 * time.Millisecond; ; wait *= 2 {
		out, stderr, err := p.interrupt(wait)
		if out == "" && stderr == "" && wait < 10*time.Second {
			continue // it was not up yet
		}
		p.expect(p.answer(err, []byte(out), stderr), "Received SIGTERM", "", 143)
		return
	}
}

// interrupt starts a program that waits for a request and sends it a signal after a while.
func (p *process) interrupt(after time.Duration) (out, stderr string, err error) {
	p.t.Helper()
	cmd := p.command("", "--request=-")
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.Stdin = &o, &e, nil
	stdin, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		p.t.Fatal(err)
	}
	defer stdin.Close()
	time.Sleep(after)
	cmd.Process.Signal(syscall.SIGTERM)
	err = cmd.Wait()
	return o.String(), e.String(), err
}

func TestCrashes(t *testing.T) {
	for _, tt := range []struct {
		program, message, steps string
		exit                    int
	}{
		{"panics", "lobsterc bug: at the disco", "first:ok bad:failed", 1},
		{"panics-branch", "lobsterc bug: at the disco", "first:ok both:failed", 1},
		{"panics-stage", "lobsterc bug: on stage", "bad:failed", 1},
		{"fails-branch", "no such reference", "both:failed", 1},
	} {
		p := start(t, tt.program)
		got := p.run("")
		if got.message() != tt.message && !(tt.program == "fails-branch" && strings.Contains(got.message(), tt.message)) || got.steps() != tt.steps || got.exit != tt.exit {
			t.Errorf("%s: exit %d, %s\nstderr: %s", tt.program, got.exit, got.JSON(), got.stderr)
		}
		if tt.program == "panics-branch" {
			p.gone()
		}
	}
}

// TestBrokenStdout: a reader that has gone is no failure; a full disk is one, and said on stderr.
func TestBrokenStdout(t *testing.T) {
	p := start(t, "echo")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	cmd := p.command("")
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = w, &stderr
	if err := cmd.Run(); err != nil || stderr.Len() > 0 {
		t.Errorf("a reader that has gone: %v, %s", err, &stderr)
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("there is no /dev/full here")
	}
	defer full.Close()
	cmd = p.command("")
	cmd.Stdout, cmd.Stderr = full, &stderr
	if err := cmd.Run(); err == nil || stderr.String() != "Error: cannot write the result: the disk is full\n" {
		t.Errorf("a full disk: %v, %s", err, &stderr)
	}
	closed := exec.Command("/bin/sh", "-c", `exec "$0" >&-`, os.Args[0])
	closed.Env, closed.Dir = p.command("").Env, p.dir
	if out, err := closed.CombinedOutput(); err != nil {
		t.Errorf("a closed stdout: %v, %s", err, out)
	}
}

func TestBadCommandLines(t *testing.T) {
	for _, args := range [][]string{{"--bogus", "--mode", "tool"}, {"--bogus", "--mode=tool"}, {"--bogus", "--request=-"}, {"word"}, {"--timeout-ms=x"}} {
		p := start(t, "echo")
		if got := p.run("", args...); got.exit != 2 || got.Path("error", "type").Text() != "parse_error" {
			t.Errorf("%q: exit %d, %s", args, got.exit, got.JSON())
		}
	}
}

// TestStepsOfAResume: every answer of a resume tells what earlier processes did, whatever was kept of them.
func TestStepsOfAResume(t *testing.T) {
	for _, keep := range [][]string{nil, {"--no-journal"}} {
		p := start(t, "gates")
		run := func(args ...string) answer { return p.run("", append(args, keep...)...) }
		paused := run()
		p.expect(paused, "", inGates, 0)
		token := paused.Path("requiresApproval", "resumeToken").Text()
		p.expect(run("--resume", token, "--response-json", "1"), "Workflow resume requires --approve yes|no for approval requests", inGates, 2)
		again := run("--resume", token, "--approve", "yes")
		p.expect(again, "", "before:ok odd:failed not:skipped ok:ok mid:ok sure:waiting", 0)
		if keep == nil {
			p.expect(run("--resume"), "", "before:ok odd:failed not:skipped ok:ok mid:ok sure:waiting", 0)
		}
		id := again.Path("requiresApproval", "approvalId").Text()
		p.expect(run("--resume", id, "--approve", "yes"), "", "before:ok odd:failed not:skipped ok:ok mid:ok sure:ok after:ok", 0)

		id = run().Path("requiresApproval", "approvalId").Text()
		cancelled := run("--resume", id, "--approve", "no")
		p.expect(cancelled, "", inGates, 0)
		if cancelled.Get("status").Text() != "cancelled" {
			t.Error(cancelled.JSON())
		}
	}
}
