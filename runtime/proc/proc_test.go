//go:build unix

package proc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// sh is a Spec that runs a script in this process's environment.
func sh(script string) Spec {
	return Spec{Argv: Shell(os.Environ(), script, false), Env: os.Environ()}
}

// noneLeft fails when a process of the session runs or a goroutine of this package is left.
func noneLeft(t *testing.T, session int) {
	t.Helper()
	for i := 0; groupAlive(session); i++ { // one that was killed a moment ago may still be on its way out
		if i == 500 {
			t.Error("a process of the group is left")
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	running.Lock()
	left := len(running.set)
	running.Unlock()
	if left != 0 {
		t.Errorf("%d processes are still registered", left)
	}
	buf := make([]byte, 1<<16)
	for range 100 {
		buf = buf[:runtime.Stack(buf[:cap(buf)], true)]
		if !bytes.Contains(buf, []byte("runtime/proc.(*")) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("goroutines are left:\n%s", buf)
}

func TestRun(t *testing.T) {
	big := strings.Repeat("0123456789abcdef", 20000)
	tests := []struct {
		name, script string
		stdin        string
		want         Result
	}{
		{"output", "echo out; echo err >&2", "", Result{Stdout: "out\n", Stderr: "err\n"}},
		{"exit code", "exit 7", "", Result{Code: 7}},
		{"killed", "kill -9 $$", "", Result{Code: -1, Signal: "SIGKILL"}},
		{"terminated", "kill $$", "", Result{Code: -1, Signal: "SIGTERM"}},
		{"input", "cat", "hello", Result{Stdout: "hello"}},
		{"much input and output", "cat", big, Result{Stdout: big}},
		{"no input", "cat; echo end", "", Result{Stdout: "end\n"}},
		{"input not read", "exec 0<&-; echo x", big, Result{Stdout: "x\n"}},
		{"input not read, little", "echo x", "y", Result{Stdout: "x\n"}},
		{"bad bytes", `printf 'a\377b\303'; printf '\346\227'`, "", Result{Stdout: "a\uFFFDb\uFFFD\uFFFD"}},
		{"background child holding the pipe", "(sleep 0.2; echo late) & echo now", "", Result{Stdout: "now\nlate\n"}},
		{"closed output", "exec >&- 2>&-; sleep 0.1; exit 3", "", Result{Code: 3}},
		{"session of its own", `[ "$(ps -o sid= -p $$ | tr -d ' ')" = $$ ] && echo yes`, "", Result{Stdout: "yes\n"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			spec := sh(tt.script)
			spec.Stdin = []byte(tt.stdin)
			pid := 0
			spec.Started = func(p int, start string) error {
				pid = p
				if !Alive(p, start) && start == "" {
					t.Error("no start time")
				}
				return nil
			}
			got, err := Run(t.Context(), spec)
			if err != nil || got != tt.want {
				t.Errorf("got %+v, %v", got, err)
			}
			noneLeft(t, pid)
		})
	}
}

func TestCodeText(t *testing.T) {
	for want, r := range map[string]Result{"0": {}, "3": {Code: 3}, "null": {Code: -1, Signal: "SIGKILL"}} {
		if r.CodeText() != want || r.OK() != (want == "0") {
			t.Errorf("%+v: %s", r, r.CodeText())
		}
	}
}

func TestNothingSurvivesAnExit(t *testing.T) {
	spec := sh("trap '' TERM HUP; sleep 300 >/dev/null 2>&1 & echo $!")
	res, err := Run(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	pid, _ := strconv.Atoi(strings.TrimSpace(res.Stdout))
	waitGone(t, pid)
}

// waitGone waits until a process that has been killed is gone.
func waitGone(t *testing.T, pid int) {
	t.Helper()
	for range 500 {
		if !Alive(pid, "") {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("process %d is left", pid)
}

type killNow struct{ now bool }

func (k killNow) Error() string    { return "stop" }
func (k killNow) KillAtOnce() bool { return k.now }

func TestCancel(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "log")
	tests := []struct {
		name, script string
		cause        error
		log          string
	}{
		{"polite", `trap 'echo term >>LOG; exit' TERM; echo ready; while :; do sleep 0.01; done`, killNow{false}, "term\n"},
		{"deaf", `trap '' TERM; echo ready; sleep 300`, killNow{false}, ""},
		{"at once", `trap 'echo term >>LOG; exit' TERM; echo ready; while :; do sleep 0.01; done`, killNow{true}, ""},
		{"timeout", `trap 'echo term >>LOG; exit' TERM; echo ready; while :; do sleep 0.01; done`, context.DeadlineExceeded, ""},
		{"child cleans up", `(trap 'sleep 0.05; echo child >>LOG; exit' TERM; exec >/dev/null 2>&1; while :; do sleep 0.01; done) & sleep 0.05; echo ready; wait`,
			killNow{false}, "child\n"},
		{"deaf background child", `(trap '' TERM; exec sleep 300) & echo ready; exit`, killNow{false}, ""},
		{"escaped child holding the pipe", `setsid sleep 2 & echo ready; sleep 300`, killNow{true}, ""},
		{"stopped", `echo ready; kill -STOP $$`, killNow{false}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			os.Remove(file)
			ctx, cancel := context.WithCancelCause(t.Context())
			p, err := Start(ctx, sh(strings.ReplaceAll(tt.script, "LOG", file)))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(p.Stdout(), make([]byte, 6)); err != nil {
				t.Fatal(err)
			}
			cancel(tt.cause)
			if _, err := p.Wait(); err != tt.cause {
				t.Errorf("error %v", err)
			}
			if log, _ := os.ReadFile(file); string(log) != tt.log {
				t.Errorf("log %q", log)
			}
			noneLeft(t, p.PID)
		})
	}
}

func TestKillAll(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	p, err := Start(ctx, sh("trap '' TERM; echo ready; sleep 300"))
	if err != nil {
		t.Fatal(err)
	}
	cancel(killNow{false})
	KillAll(killNow{false})
	if _, err := p.Wait(); err != (killNow{false}) {
		t.Error(err)
	}
	noneLeft(t, p.PID)
}

func TestOutputLimit(t *testing.T) {
	for _, script := range []string{"echo 12345; sleep 300", "echo 12345 >&2; sleep 300", "yes", "yes >&2 & sleep 300"} {
		spec := sh(script)
		spec.MaxOutput = 5
		res, err := Run(t.Context(), spec)
		if err == nil || err.Error() != "Process output exceeded 5 bytes" || res.Stdout != "" || res.Stderr != "" {
			t.Errorf("%s: %+v, %v", script, res, err)
		}
	}
	spec := sh("printf 12345; printf 12345 >&2")
	spec.MaxOutput = 5
	if res, err := Run(t.Context(), spec); err != nil || res.Stdout != "12345" || res.Stderr != "12345" {
		t.Errorf("%+v, %v", res, err)
	}
	noneLeft(t, -1)
}

func TestStream(t *testing.T) {
	spec := sh("i=0; while [ $i -lt 3 ]; do read line; echo got $line; i=$((i+1)); done; echo bye >&2; exit 4")
	spec.StdinFrom = func(w io.Writer) error {
		for i := 0; ; i++ {
			if _, err := w.Write([]byte(strconv.Itoa(i) + "\n")); err != nil {
				return err // the child has gone: no error
			}
		}
	}
	var tee bytes.Buffer
	spec.Stderr = &tee
	p, err := Start(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(p.Stdout())
	if err != nil || string(out) != "got 0\ngot 1\ngot 2\n" {
		t.Errorf("%q, %v", out, err)
	}
	res, err := p.Wait()
	if err != nil || res.Code != 4 || res.Stderr != "bye\n" || tee.String() != "bye\n" {
		t.Errorf("%+v, %v, %q", res, err, tee.String())
	}
	if again, _ := p.Wait(); again != res {
		t.Error("second Wait differs")
	}
	noneLeft(t, p.PID)
}

func TestStreamLeftUnread(t *testing.T) {
	spec := sh("yes | head -c 1000000; exit 3")
	p, err := Start(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	if res, err := p.Wait(); err != nil || res.Code != 3 {
		t.Errorf("%+v, %v", res, err)
	}
	spec.MaxOutput = 1000
	p, err = Start(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	var over *OutputError
	if _, err := io.ReadAll(p.Stdout()); !errors.As(err, &over) {
		t.Error(err)
	}
	if _, err := p.Wait(); !errors.As(err, &over) {
		t.Error(err)
	}
	noneLeft(t, p.PID)
}

func TestErrorsOfHooks(t *testing.T) {
	mine := errors.New("mine")
	spec := sh("sleep 300")
	pid := 0
	spec.Started = func(p int, _ string) error { pid = p; return mine }
	if _, err := Run(t.Context(), spec); err != mine {
		t.Error(err)
	}
	noneLeft(t, pid)
	spec = sh("cat; sleep 300")
	spec.StdinFrom = func(io.Writer) error { return mine }
	if _, err := Run(t.Context(), spec); err != mine {
		t.Error(err)
	}
	noneLeft(t, -1)
}

func TestStartErrors(t *testing.T) {
	dir := t.TempDir()
	os.WriteFile(filepath.Join(dir, "plain"), nil, 0o600)
	os.WriteFile(filepath.Join(dir, "tool"), []byte("#!/bin/sh\necho tool \"$@\"\n"), 0o700)
	env := []string{"PATH=/bin:" + dir}
	tests := []struct {
		name, prog, dir, want string
		notFound              bool
	}{
		{"no such program", "nosuchprogram", "", "spawn nosuchprogram ENOENT", true},
		{"no such file", "/no/such", "", "spawn /no/such ENOENT", true},
		{"not a program", filepath.Join(dir, "plain"), "", "spawn " + dir + "/plain EACCES", false},
		{"not a program, in PATH", "plain", "", "spawn plain EACCES", false},
		{"below a file", filepath.Join(dir, "plain", "x"), "", "spawn ENOTDIR", false},
		{"no such directory", "sh", dir + "/none", `working directory "` + dir + `/none" cannot be used: no such file or directory`, false},
		{"not a directory", "sh", dir + "/plain", `working directory "` + dir + `/plain" cannot be used: not a directory`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Run(t.Context(), Spec{Argv: []string{tt.prog}, Dir: tt.dir, Env: env})
			if err == nil || err.Error() != tt.want || IsNotFound(err) != tt.notFound {
				t.Errorf("got %v", err)
			}
		})
	}
	os.WriteFile(filepath.Join(dir, "bare"), []byte("echo tool \"$@\"\n"), 0o700) // no #! line
	for _, prog := range []string{"tool", "./tool", dir + "/tool", "bare", "./bare"} {
		res, err := Run(t.Context(), Spec{Argv: []string{prog, "a b"}, Dir: dir, Env: env})
		if err != nil || res.Stdout != "tool a b\n" {
			t.Errorf("%s: %+v, %v", prog, res, err)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(killNow{true})
	if _, err := Run(ctx, sh("exit")); err != (killNow{true}) {
		t.Error(err)
	}
}

func TestEnvLastWins(t *testing.T) {
	spec := Spec{Argv: []string{"/bin/sh", "-c", "echo $A$B"}, Env: []string{"A=1", "B=2", "A=3"}}
	if res, err := Run(t.Context(), spec); err != nil || res.Stdout != "32\n" {
		t.Errorf("%+v, %v", res, err)
	}
}

func TestKillGroup(t *testing.T) {
	spec := sh("trap '' TERM; sleep 300 >/dev/null 2>&1 & echo $!; exec >&- 2>&-; sleep 300")
	p, err := Start(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	line, _ := io.ReadAll(p.Stdout())
	child, _ := strconv.Atoi(strings.TrimSpace(string(line)))
	if err := KillGroup(t.Context(), p.PID, p.StartedAt+"0"); err != nil || !Alive(child, "") {
		t.Error("killed a group of another start time", err)
	}
	syscall.Kill(p.PID, syscall.SIGKILL) // now only the child is left, and a zombie that Wait has not seen
	if err := KillGroup(t.Context(), p.PID, p.StartedAt); err != nil || Alive(child, "") {
		t.Error("child is left", err)
	}
	p.Wait()
	if err := KillGroup(t.Context(), p.PID, p.StartedAt); err != nil {
		t.Error(err)
	}
	noneLeft(t, p.PID)
}

func TestAlive(t *testing.T) {
	me := os.Getpid()
	if !Alive(me, "") || !Alive(me, StartTime(me)) || Alive(me, "1") || Alive(0, "") || Alive(-1, "") || Alive(1<<22+5, "") {
		t.Error("wrong")
	}
}

// TestMain lets the test program stand in for a program that dies while its child runs.
func TestMain(m *testing.M) {
	if os.Getenv("PROC_TEST_HELPER") == "" {
		os.Exit(m.Run())
	}
	spec := sh("trap '' TERM HUP; sleep 300 >/dev/null 2>&1 & sleep 300")
	spec.Started = func(pid int, start string) error {
		fmt.Println(pid, start)
		return nil
	}
	Run(context.Background(), spec)
}

func TestKillGroupOfADeadProgram(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p, err := Start(t.Context(), Spec{Argv: []string{self}, Env: append(os.Environ(), "PROC_TEST_HELPER=1")})
	if err != nil {
		t.Fatal(err)
	}
	var group int
	var start string
	if _, err := fmt.Fscan(p.Stdout(), &group, &start); err != nil {
		t.Fatal(err)
	}
	p.Kill(killNow{true})
	p.Wait()
	if !groupAlive(group) {
		t.Error("the group did not survive, so this shows nothing")
	}
	if err := KillGroup(t.Context(), group, start); err != nil {
		t.Error(err)
	}
	noneLeft(t, group)
}
