package torture

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// effectStep is the script of a step with one effect, which can kill the program in its middle.
const effectStep = `
      path="${LOBSTERC_EFFECT#*/}"
      echo "$path" >> "$LOG"
      if [ "$KILL" = "$path" ]; then kill -9 $PPID; sleep 30; fi
      if [ "$FAIL" = "$path" ]; then exit 3; fi
`

const head = `
args:
  log: {required: true}
env:
  LOG: ${log}
steps:
`

func step(id, more string) string { return "  - id: " + id + "\n    run: |" + effectStep + more }

// sh runs the program with plain output.
func (w *world) sh(env []string, args ...string) (stdout, stderr string, code int) {
	w.t.Helper()
	cmd := exec.Command(w.bin, append(args, "--state-dir="+w.dir)...)
	cmd.Env = append(os.Environ(), env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.Run()
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

func (w *world) want(a *answer, status, message string) {
	w.t.Helper()
	if a.env.Status != status || a.message() != message {
		w.t.Fatalf("got %q, %q, want %q, %q\n%s", a.env.Status, a.message(), status, message, a.stderr)
	}
}

func TestInDoubt(t *testing.T) {
	bin := source(t, "doubt", head+step("a", "")+step("b", ""))
	for _, tc := range []struct {
		name    string
		args    []string
		asks    []string // the answer to the question, when it comes
		status  string
		effects string
	}{
		{"rerun", []string{"--in-doubt=rerun"}, nil, "ok", "a a b"},
		{"done", []string{"--in-doubt=done"}, nil, "ok", "a b"},
		{"cancel", []string{"--in-doubt=cancel"}, nil, "cancelled", "a"},
		{"yes", nil, []string{"--approve=yes"}, "ok", "a a b"},
		{"no", nil, []string{"--approve=no"}, "cancelled", "a"},
		{"asked, done", nil, []string{"--in-doubt=done"}, "ok", "a b"},
		{"asked, rerun", nil, []string{"--in-doubt=rerun"}, "ok", "a a b"},
		{"asked, cancel", nil, []string{"--in-doubt=cancel"}, "cancelled", "a"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := worldOf(t, bin)
			if a := w.start("KILL=a"); !a.killed {
				t.Fatalf("%+v", a)
			}
			a := w.do(nil, append([]string{"--resume"}, tc.args...)...)
			if tc.asks != nil {
				if a.request() == nil || a.request().Prompt != "Step 'a' was interrupted and may have taken effect. Run it again?" {
					t.Fatalf("%+v", a)
				}
				a = w.do(nil, append([]string{"--resume", a.request().ResumeToken}, tc.asks...)...)
			}
			w.want(a, tc.status, "")
			if got := strings.Join(w.effects(), " "); got != tc.effects {
				t.Errorf("effects %s", got)
			}
			w.checkClean()
		})
	}
}

// An answer about an interruption is good for one more start.
func TestInDoubtTwice(t *testing.T) {
	w := worldOf(t, source(t, "doubt", head+step("a", "")+step("b", "")))
	w.start("KILL=a")
	a := w.do(nil, "--resume")
	if a = w.do([]string{"KILL=a"}, "--resume", a.request().ResumeToken, "--approve=yes"); !a.killed {
		t.Fatalf("%+v", a)
	}
	if a = w.do(nil, "--resume"); a.request() == nil {
		t.Fatalf("it did not ask again: %+v", a)
	}
	w.want(w.do(nil, "--resume", a.request().ResumeToken, "--in-doubt=done"), "ok", "")
}

// A step that declares retry runs again without a question.
func TestInDoubtWithRetry(t *testing.T) {
	w := worldOf(t, source(t, "doubtretry", head+step("a", "    retry: {max: 2}\n")))
	w.start("KILL=a")
	w.want(w.do(nil, "--resume"), "ok", "")
	w.checkClean()
}

// --in-doubt with a token answers that question and no other.
func TestInDoubtAnswersOneQuestion(t *testing.T) {
	w := worldOf(t, source(t, "doubt", head+step("a", "")+step("b", "")))
	w.start("KILL=b")
	a := w.do(nil, "--resume")
	if a = w.do([]string{"KILL=b"}, "--resume", a.request().ResumeToken, "--in-doubt=rerun"); !a.killed {
		t.Fatalf("%+v", a)
	}
	gate := newWorld(t, "gate")
	gate.start()
	no := gate.do(nil, "--resume", gate.token, "--in-doubt=rerun")
	gate.want(no, "", "--in-doubt answers the question about an interrupted step, and this run waits for something else")
}

func TestRetryFailed(t *testing.T) {
	bin := source(t, "failing", head+
		step("tolerated", "    on_error: continue\n")+
		"  - id: both\n    parallel:\n      branches:"+strings.ReplaceAll(strings.TrimRight("\n"+step("left", "")+step("right", ""), "\n"), "\n", "\n      ")+"\n")
	w := worldOf(t, bin)
	a := w.start("FAIL=both/left")
	if a.env.OK {
		t.Fatalf("%+v", a)
	}
	id := a.env.Meta.Run
	no := w.do(nil, "--resume")
	w.want(no, "", "no unfinished run of failing")
	if no = w.do(nil, "--resume", id); !strings.Contains(no.message(), "failed: Parallel branch failed: ") || !strings.Contains(no.message(), "--retry-failed") {
		t.Errorf("%+v", no.env.Error)
	}
	if again := w.do([]string{"FAIL=both/left"}, "--resume", "--retry-failed"); again.env.OK {
		t.Errorf("%+v", again)
	}
	w.want(w.do(nil, "--resume", id, "--retry-failed"), "ok", "")
	// The branch that went well ran once, the failed one each time.
	w.checkEffects("tolerated", "both/left", "both/left", "both/left", "both/right")
	w.checkClean()
	w.want(w.do(nil, "--resume", "--retry-failed"), "", "no failed run of failing")
}

const tolerant = head + `
  - id: bad
    run: echo bad >> $LOG; exit 1
    on_error: continue
  - id: worse
    run: echo worse >> $LOG; test -n "$GOOD"
`

// A failure that the workflow tolerated stays as it was when a later step is retried.
func TestRetryFailedKeepsToleratedFailures(t *testing.T) {
	w := worldOf(t, source(t, "tolerant", tolerant))
	w.start()
	w.want(w.do([]string{"GOOD=1"}, "--resume", "--retry-failed"), "ok", "")
	w.checkEffects("bad", "worse", "worse")
}

func TestFailedRunsAreKeptUpToTwenty(t *testing.T) {
	w := worldOf(t, source(t, "tolerant", tolerant))
	for range 22 {
		w.start()
	}
	files, _ := filepath.Glob(filepath.Join(w.dir, "runs", "*"))
	if len(files) != 20 {
		t.Errorf("%d journals", len(files))
	}
}

func TestChangedProgram(t *testing.T) {
	gate := "  - id: gate\n    approval: Go on?\n"
	old := source(t, "changing1", head+step("a", "")+gate+step("b", ""))
	changed := source(t, "changing2", head+step("a", "")+gate+step("b", "")+step("c", ""))
	moved := source(t, "changing3", head+gate+step("b", ""))
	w := worldOf(t, old)
	w.start()
	for _, args := range [][]string{{"--resume", w.token, "--approve=yes"}, {"--resume"}} {
		w.bin = changed
		no := w.do(nil, args...)
		if no.env.OK || !strings.HasPrefix(no.message(), "workflow changed since this run paused: it was sha256:") ||
			!strings.Contains(no.message(), "--allow-changed") || !strings.Contains(no.message(), "(lobsterc diff sha256:") || strings.Count(no.message(), "sha256:") != 4 {
			t.Errorf("%v: %+v %+v", args, no, no.env.Error)
		}
	}
	w.bin = moved
	if no := w.do(nil, "--resume", w.token, "--approve=yes", "--allow-changed"); !strings.HasPrefix(no.message(), "workflow changed since this run paused: it waits at step") {
		t.Errorf("%+v %+v", no, no.env.Error)
	}
	w.bin = changed
	w.want(w.do(nil, "--resume", w.token, "--approve=yes", "--allow-changed"), "ok", "")
	w.checkEffects("a", "b", "c")
	w.checkClean()
}

func TestRunsAndPrune(t *testing.T) {
	w := newWorld(t, "gates")
	a := w.start()
	out, _, _ := w.sh(nil, "--runs")
	if !strings.Contains(out, a.env.Meta.Run) || !strings.Contains(out, "waiting      first") {
		t.Error(out)
	}
	out, _, _ = w.sh(nil, "--runs", "--json")
	for _, want := range []string{`"id": "` + a.env.Meta.Run + `"`, `"status": "waiting"`, `"step": "first"`, `"name": "gates"`, `"started": "20`} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in %s", want, out)
		}
	}
	w.do(nil, "--no-journal", "--arg=log="+w.log)
	if out, _, _ = w.sh(nil, "--runs", "--prune", "1h"); out != "removed 0 runs\n" {
		t.Error(out)
	}
	if out, _, _ = w.sh(nil, "--runs", "--prune", "0s"); out != "removed 2 runs\n" {
		t.Error(out)
	}
	if _, errs, code := w.sh(nil, "--runs", "--prune", "soon"); code != 2 || !strings.Contains(errs, "30d") {
		t.Error(code, errs)
	}
	w.checkClean()
}

// The gate is shown again as it was, with the same token and id.
func TestBareResumeAtGate(t *testing.T) {
	for _, name := range []string{"gates", "nested"} {
		w := newWorld(t, name)
		a := w.start()
		for _, args := range [][]string{{"--resume"}, {"--resume", a.env.Meta.Run}} {
			again := w.do(nil, args...)
			got, want := again.request(), a.request()
			if got == nil || got.Prompt != want.Prompt || got.ResumeToken != want.ResumeToken || got.ApprovalID != want.ApprovalID {
				t.Errorf("%s %v: %+v, want %+v", name, args, got, want)
			}
		}
		w.want(w.do(nil, "--resume", a.env.Meta.Run, "--cancel"), "cancelled", "")
		w.checkClean()
	}
}

func TestAudit(t *testing.T) {
	w := newWorld(t, "gates")
	w.start()
	a := w.do([]string{"LOBSTER_APPROVAL_APPROVED_BY=ann"}, "--resume", w.token, "--approve=yes")
	a = w.do(nil, append(w.reply(a), "--keep-journal")...)
	w.want(a, "ok", "")
	data, err := os.ReadFile(filepath.Join(w.dir, "runs", a.env.Meta.Run+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"hash":"sha256:`, `"t":"answer","path":"first"`, `"by":"ann"`, `"response":{"n":3}`, `"exit":0`, `"status":"ok"`, `"keep":true`, `"at":`} {
		if !strings.Contains(string(data), want) {
			t.Errorf("no %s in\n%s", want, data)
		}
	}
	out, _, _ := w.sh(nil, "--runs")
	if !strings.Contains(out, "ok ") {
		t.Error(out)
	}
	w.want(w.do(nil, "--resume"), "", "no unfinished run of gates")
	if no := w.do(nil, "--resume", a.env.Meta.Run); no.message() != "run "+a.env.Meta.Run+" has ended (ok)" {
		t.Errorf("%+v", no.env.Error)
	}
}

// Without a journal a pause inside a child is kept all the same.
func TestNoJournal(t *testing.T) {
	for name, effects := range map[string][]string{"gates": gatesEffects, "nested": nestedEffects} {
		w := newWorld(t, name)
		a := w.do(nil, "--no-journal", "--arg=log="+w.log)
		for a.request() != nil {
			a = w.do(nil, append(w.reply(a), "--no-journal")...)
		}
		w.want(a, "ok", "")
		w.checkEffects(effects...)
		w.checkClean()
	}
	w := newWorld(t, "nested")
	w.do([]string{"KILL=after last"}, "--no-journal", "--arg=log="+w.log)
	w.do([]string{"KILL=before loop[0]/up"}, "--no-journal", "--arg=log="+w.log)
	w.want(w.do(nil, "--resume", "run_0123456789abcdef"), "", "no run run_0123456789abcdef of nested")
}

func TestSync(t *testing.T) {
	w := newWorld(t, "gates")
	a := w.start()
	a = w.do(nil, append(w.reply(a), "--sync")...)
	w.want(w.do(nil, append(w.reply(a), "--sync")...), "ok", "")
	w.checkEffects(gatesEffects...)
}

func TestSecrets(t *testing.T) {
	w := worldOf(t, source(t, "secret", `
args:
  log: {required: true}
  token: {secret: true, required: true}
  key: {secret: true, default: fallback-value}
env:
  LOG: ${log}
steps:
  - id: a
    run: test "$LOBSTER_ARG_TOKEN $LOBSTER_ARG_KEY" = "hunter2hunter2 fallback-value" && echo a >> $LOG && echo "got ${token}"
  - id: gate
    approval: Go on?
  - id: b
    run: test "$LOBSTER_ARG_TOKEN $LOBSTER_ARG_KEY" = "hunter2hunter2 fallback-value" && echo b >> $LOG && echo "$x"
    env: {x: $a.stdout}
`))
	secret := []string{"LOBSTER_ARG_TOKEN=hunter2hunter2"}
	w.want(w.do(nil, "--arg=log="+w.log), "", "missing argument token: set LOBSTER_ARG_TOKEN (it is secret)")
	w.do(secret, "--arg=log="+w.log)
	filepath.WalkDir(w.dir, func(path string, d os.DirEntry, err error) error {
		if data, _ := os.ReadFile(path); bytes.Contains(data, []byte("hunter2")) {
			t.Errorf("the secret stands in %s:\n%s", path, data)
		}
		return nil
	})
	no := w.do(nil, "--resume", w.token, "--approve=yes")
	w.want(no, "", "missing argument token: set LOBSTER_ARG_TOKEN (it is secret, so the paused run did not keep it)")
	end := w.do(secret, "--resume", w.token, "--approve=yes")
	w.want(end, "ok", "")
	w.checkEffects("a", "b")
	if !strings.Contains(string(end.env.Output), "got hunter2hunter2") {
		t.Errorf("%s", end.env.Output)
	}
	w.checkClean()
}

// A resume that is ended before its first effect leaves the token good; one that is ended later goes on by --resume.
func TestInterruptedResume(t *testing.T) {
	w := worldOf(t, source(t, "slow", head+"  - id: gate\n    approval: Go on?\n"+
		"  - id: wait\n    run: echo wait >> $LOG; sleep 30\n"+step("b", "")))
	w.start()
	cmd := w.command(nil, "--resume", w.token, "--approve=yes")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the step", func() bool { return len(w.effects()) == 1 })
	cmd.Process.Signal(syscall.SIGINT)
	err := cmd.Wait()
	a := w.read(cmd, err, out.Bytes(), errs.String())
	w.want(a, "", "Received SIGINT")
	if a.code != 130 || a.env.Meta.Resume == "" || a.env.Meta.Resume != a.env.Meta.Run {
		t.Errorf("%+v", a)
	}
	no := w.do(nil, "--resume", w.token, "--approve=yes")
	w.want(no, "", used[0])
	if no.env.Meta.Resume != a.env.Meta.Run {
		t.Errorf("it does not say how to go on: %+v", no)
	}
	w.want(w.do(nil, "--resume", "--in-doubt=done"), "ok", "")
	w.checkEffects("wait", "b")
	w.checkClean()
}

// What is wrong with the command line is found before the token is used.
func TestTokenSurvivesBadFlags(t *testing.T) {
	w := newWorld(t, "gate")
	w.start()
	if a := w.do(nil, "--resume", w.token, "--approve=yes", "--events=/nowhere/at/all"); a.env.OK || a.code != 2 {
		t.Errorf("%+v", a)
	}
	w.want(w.do(nil, "--resume", w.token, "--approve=yes"), "ok", "")
	b := newWorld(t, "gate")
	if a := b.start("LOBSTER_NOTHING=1"); a.request() == nil {
		t.Fatalf("%+v", a)
	}
	if a := b.do(nil, "--events=/nowhere/at/all", "--arg=log="+b.log); a.env.OK {
		t.Errorf("%+v", a)
	}
	b.do(nil, "--resume", b.token, "--cancel")
	b.checkClean()
}

func TestNoStateDirectory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	os.WriteFile(file, nil, 0o600)
	gates, plain := newWorld(t, "gates"), newWorld(t, "torture")
	gates.dir, plain.dir = file, file
	a := gates.start()
	if a.env.OK || !strings.HasPrefix(a.message(), "nothing was run: ") || len(gates.effects()) > 0 {
		t.Errorf("%+v %v", a, gates.effects())
	}
	a = plain.start()
	if !a.env.OK || strings.Count(a.stderr, "warning:") != 1 || !strings.Contains(a.stderr, "no journal is kept") {
		t.Errorf("%+v", a)
	}
	plain.checkEffects(tortureEffects...)
}

// Time limits and races come out of a replay as they went into the journal.
func TestReplayOfTimeoutsAndRaces(t *testing.T) {
	w := worldOf(t, source(t, "replay", head+`
  - id: slow
    run: sleep 30
    timeout_ms: 50
    on_error: continue
  - id: race
    parallel:
      wait: any
      branches:
        - id: hare
          run: echo hare
        - id: tortoise
          run: sleep 30
  - id: both
    parallel:
      timeout_ms: 50
      branches:
        - id: quick
          run: echo quick
        - id: late
          run: sleep 30
    on_error: continue
  - id: gate
    approval: Go on?
  - id: show
    run: echo "$x"
    env: {x: "$slow.errorMessage | $race.stdout | $both.errorMessage"}
`))
	w.start()
	a := w.do(nil, "--resume", w.token, "--approve=yes")
	w.want(a, "ok", "")
	want := `["Step 'slow' timed out after 50ms | hare\n | Parallel step both timed out after 50ms\n"]`
	var got bytes.Buffer
	for _, line := range strings.Split(string(a.env.Output), "\n") {
		got.WriteString(strings.TrimSpace(line))
	}
	if got.String() != want {
		t.Errorf("got %s\nwant %s", got.String(), want)
	}
	w.checkClean()
}

// A crash can cut the last line of a journal short; anything else that is wrong with it is reported.
func TestDamagedJournal(t *testing.T) {
	w := newWorld(t, "gates")
	id := w.start().env.Meta.Run
	file := filepath.Join(w.dir, "runs", id+".jsonl")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	os.WriteFile(file, append(data, `{"t":"sta`...), 0o600)
	if a := w.do(nil, "--resume"); a.request() == nil {
		t.Fatalf("%+v", a)
	}
	os.WriteFile(file, append([]byte("x"), data...), 0o600)
	a := w.do(nil, "--resume", w.token, "--approve=yes")
	if a.env.OK || !strings.Contains(a.message(), "corrupt") || !strings.Contains(a.message(), id) {
		t.Errorf("%+v %+v", a, a.env.Error)
	}
	os.WriteFile(file, data, 0o600)
	a = w.do(nil, "--resume", w.token, "--approve=yes")
	w.want(w.do(nil, w.reply(a)...), "ok", "")
	w.checkClean()
}

// A pause inside a child cannot go on without its journal, and says so.
func TestNestedPauseWithoutJournal(t *testing.T) {
	w := newWorld(t, "nested")
	id := w.start().env.Meta.Run
	os.Remove(filepath.Join(w.dir, "runs", id+".jsonl"))
	w.want(w.do(nil, "--resume", w.token, "--approve=yes"), "", "the journal of run "+id+" is not there, so the run cannot go on")
	w.want(w.do(nil, "--resume", w.token, "--cancel"), "cancelled", "")
	w.checkClean()
}
