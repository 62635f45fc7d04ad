package local

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lobsterc/lobsterc/runtime/drive"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// shell is a step that logs its path and then runs a script.
func shell(id, script string) drive.Step {
	return drive.Step{ID: id, Shell: func(*drive.Run) drive.Command {
		return drive.Command{Script: `echo "${LOBSTERC_EFFECT#*/}" >> "$LOG"; ` + script}
	}}
}

// rig runs a workflow over a log in memory, which a later run can start from.
type rig struct {
	t       *testing.T
	file    string
	records []value.Value
	inDoubt string
	failed  drive.Path
}

func newRig(t *testing.T) *rig { return &rig{t: t, file: filepath.Join(t.TempDir(), "log")} }

// run drives wf from the records so far and keeps what it adds to them.
func (r *rig) run(ctx context.Context, wf *drive.Workflow, prepare ...func(*Log)) ([]value.Value, error) {
	r.t.Helper()
	log := NewLog(nil, slices.Clone(r.records)...)
	h, err := log.Replay(r.records)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, f := range prepare {
		f(log)
	}
	cfg := Config{
		Environ: append(os.Environ(), "LOG="+r.file), Stderr: os.Stderr, Run: "run_1", InDoubt: r.inDoubt,
		Pause: func(_ context.Context, g *drive.Gate) error { return &drive.Paused{Details: g} },
	}
	e := New(cfg, log)
	if err := e.Reap(ctx); err != nil {
		r.t.Fatal(err)
	}
	start := h.Snapshot.Start(value.Object())
	start.Failed = &r.failed
	out, err := drive.Execute(ctx, e, wf, start)
	r.records = log.Records()
	return out, err
}

func (r *rig) effects() string {
	data, _ := os.ReadFile(r.file)
	list := strings.Fields(string(data))
	slices.Sort(list)
	return strings.Join(list, " ")
}

// cut forgets the records from the first of a kind and path on, as a crash before it would.
func (r *rig) cut(kind, path string) {
	r.t.Helper()
	for i, rec := range r.records {
		if rec.Get("t").Text() == kind && rec.Get("path").Text() == path {
			r.records = r.records[:i:i]
			return
		}
	}
	r.t.Fatalf("no record %s of %s", kind, path)
}

// drop forgets one record.
func (r *rig) drop(kind, path string) {
	r.records = slices.DeleteFunc(r.records, func(rec value.Value) bool {
		return rec.Get("t").Text() == kind && rec.Get("path").Text() == path
	})
}

func parallel(id string, any bool, branches ...drive.Step) drive.Step {
	return drive.Step{ID: id, Do: &drive.Parallel{Any: any, Branches: branches}}
}

func text(items []value.Value) string { return value.Array(items...).JSON() }

func TestReplayDoesNothingAgain(t *testing.T) {
	r := newRig(t)
	wf := &drive.Workflow{Steps: []drive.Step{
		shell("a", "echo 1"), parallel("p", false, shell("l", "echo '[1]'"), shell("r", "echo '{}'")), shell("b", "echo 3"),
	}}
	first, err := r.run(t.Context(), wf)
	if err != nil {
		t.Fatal(err)
	}
	records := len(r.records)
	second, err := r.run(t.Context(), wf)
	if err != nil || text(first) != text(second) || len(r.records) != records {
		t.Errorf("%v, %s, want %s; %d records, want %d", err, text(second), text(first), len(r.records), records)
	}
	if got := r.effects(); got != "a b p/l p/r" {
		t.Error(got)
	}
}

// Both branches were interrupted: the questions come one after the other, and nothing runs before both are answered.
func TestInterruptedBranchesAreAskedInTurn(t *testing.T) {
	r := newRig(t)
	wf := &drive.Workflow{Steps: []drive.Step{parallel("p", false, shell("x", ""), shell("y", ""), shell("z", ""))}}
	if _, err := r.run(t.Context(), wf); err != nil {
		t.Fatal(err)
	}
	r.drop("end", "p/y")
	r.drop("end", "p/z")
	for _, path := range []drive.Path{"p/y?", "p/z?"} {
		_, err := r.run(t.Context(), wf)
		var paused *drive.Paused
		if !errors.As(err, &paused) || paused.Details.(*drive.Gate).Path != path {
			t.Fatalf("%v", err)
		}
		log := NewLog(nil, r.records...)
		probe := NewProbe(Config{}, log)
		if _, err := log.Replay(r.records); err != nil {
			t.Fatal(err)
		}
		_, err = drive.Execute(t.Context(), probe, wf, drive.Start{Run: drive.NewRun(value.Object())})
		if !errors.As(err, &paused) || paused.Details.(*drive.Gate).Path != path {
			t.Fatalf("the probe stops elsewhere: %v", err)
		}
		if err := log.Answer(path, drive.Answer{Approved: true}, "k", "c"); err != nil {
			t.Fatal(err)
		}
		r.records = log.Records()
	}
	if got := r.effects(); got != "p/x p/y p/z" {
		t.Errorf("something ran before the answers: %s", got)
	}
	if _, err := r.run(t.Context(), wf); err != nil {
		t.Fatal(err)
	}
	if got := r.effects(); got != "p/x p/y p/y p/z p/z" {
		t.Error(got)
	}
}

func TestInDoubtDecisions(t *testing.T) {
	for decision, want := range map[string]string{"rerun": "a a b", "done": "a b", "cancel": "a"} {
		r := newRig(t)
		wf := &drive.Workflow{Steps: []drive.Step{shell("a", ""), shell("b", "")}}
		r.run(t.Context(), wf)
		os.Remove(r.file)
		os.WriteFile(r.file, []byte("a\n"), 0o600)
		r.cut("end", "a")
		r.inDoubt = decision
		_, err := r.run(t.Context(), wf)
		var cancelled *drive.Cancelled
		if (err != nil) != (decision == "cancel") || err != nil && !errors.As(err, &cancelled) {
			t.Errorf("%s: %v", decision, err)
		}
		if got := r.effects(); got != want {
			t.Errorf("%s: %s", decision, got)
		}
	}
}

// The race's winner is the branch whose end is on record first, and the others count as read.
func TestRaceReplays(t *testing.T) {
	r := newRig(t)
	wf := &drive.Workflow{Steps: []drive.Step{parallel("p", true, shell("slow", "sleep 30"), shell("fast", "echo fast")), shell("b", "")}}
	first, err := r.run(t.Context(), wf)
	if err != nil {
		t.Fatal(err)
	}
	second, err := r.run(t.Context(), wf, func(l *Log) {
		if !l.replaying() {
			t.Error("nothing to replay")
		}
	})
	if err != nil || text(first) != text(second) {
		t.Errorf("%v %s %s", err, text(first), text(second))
	}
	// Both had ended when the process died.
	r.cut("start", "b")
	log := NewLog(nil, r.records...)
	log.Replay(r.records)
	log.end("p/slow", drive.Outcome{}, nil, nil)
	r.records = log.Records()
	_, err = r.run(t.Context(), wf)
	log = NewLog(nil)
	if _, replayErr := log.Replay(r.records); err != nil || replayErr != nil {
		t.Fatal(err, replayErr)
	}
	out, err := r.run(t.Context(), wf, func(l *Log) {
		effects := []*drive.Effect{{Path: "p/slow"}, {Path: "p/fast"}}
		if l.firstEnded(effects) != 1 {
			t.Error("another winner")
		}
		l.passOver(effects)
		if n := l.unread; n != 1 {
			t.Errorf("%d ends wait to be read, want that of b", n)
		}
	})
	if err != nil || text(out) != text(first) {
		t.Error(err, text(out))
	}
}

// Only what failed at the failed step is tried again.
func TestRetryFailedForgets(t *testing.T) {
	r := newRig(t)
	tolerated := shell("bad", "exit 1")
	tolerated.OnError = drive.Continue
	flag := filepath.Join(t.TempDir(), "flag")
	wf := &drive.Workflow{Steps: []drive.Step{
		tolerated, parallel("p", false, shell("x", "test -e "+flag), shell("y", "")),
	}}
	if _, err := r.run(t.Context(), wf); err == nil || r.failed != "p" {
		t.Fatalf("%v at %q", err, r.failed)
	}
	os.WriteFile(flag, nil, 0o600)
	_, err := r.run(t.Context(), wf, func(l *Log) {
		if err := l.RetryFailed(r.failed); err != nil {
			t.Error(err)
		}
	})
	if got := r.effects(); err != nil || got != "bad p/x p/x p/y" {
		t.Errorf("%v, %s", err, got)
	}
	if _, err := r.run(t.Context(), wf); err != nil || r.effects() != "bad p/x p/x p/y" {
		t.Errorf("the retry is not on record: %v %s", err, r.effects())
	}
}

func TestWithin(t *testing.T) {
	for path, want := range map[drive.Path]bool{"a": true, "a@2": true, "a/b": true, "a[0]/b": true, "a+1": true, "ab": false, "b/a": false, "": false} {
		if path.Within("a") != want {
			t.Errorf("%q: %v", path, !want)
		}
	}
}

// A step that a time limit cut off fails in a replay as it did.
func TestTimeLimitReplays(t *testing.T) {
	r := newRig(t)
	slow := shell("slow", "sleep 30")
	slow.Timeout, slow.OnError = 20*time.Millisecond, drive.Continue
	child := &drive.Workflow{Timeout: 20 * time.Millisecond, Steps: []drive.Step{slow}}
	child.Steps[0].Timeout = 0
	call := drive.Step{ID: "call", OnError: drive.Continue, Do: &drive.Call{Pick: func(*drive.Run) (*drive.Workflow, string) { return child, "child" }}}
	alone := slow
	alone.ID, alone.Timeout = "alone", 20*time.Millisecond
	show := drive.Step{ID: "show", Shell: func(run *drive.Run) drive.Command {
		return drive.Command{Script: "echo '" + strings.ReplaceAll(run.Text("alone", "errorMessage")+"|"+run.Text("call", "errorMessage"), "'", "") + "'"}
	}}
	wf := &drive.Workflow{Steps: []drive.Step{alone, call, show}}
	want := `["Step alone timed out after 20ms|Workflow timed out after 20ms\n"]`
	if out, err := r.run(t.Context(), wf); err != nil || text(out) != want {
		t.Fatal(err, text(out))
	}
	r.cut("start", "show")
	if out, err := r.run(t.Context(), wf); err != nil || text(out) != want {
		t.Error(err, text(out))
	}
}

// What a journal cannot take is not run.
func TestNoEffectWithoutRecord(t *testing.T) {
	file := filepath.Join(t.TempDir(), "log")
	for after := range 4 {
		os.Remove(file)
		j := &failing{left: after}
		e := New(Config{Environ: append(os.Environ(), "LOG="+file), Stderr: os.Stderr}, NewLog(j))
		wf := &drive.Workflow{Steps: []drive.Step{shell("a", ""), shell("b", "")}}
		wf.Steps[0].OnError = drive.Continue
		_, err := drive.Execute(t.Context(), e, wf, drive.Start{Run: drive.NewRun(value.Object())})
		var broken *drive.Broken
		if !errors.As(err, &broken) {
			t.Errorf("%d: %v", after, err)
		}
		data, _ := os.ReadFile(file)
		if after == 0 && len(data) > 0 || strings.Contains(string(data), "b") {
			t.Errorf("%d: %s ran", after, data)
		}
	}
}

// failing is a journal that takes so many records.
type failing struct{ left int }

func (f *failing) Append(...value.Value) error {
	if f.left--; f.left < 0 {
		return errors.New("full")
	}
	return nil
}

func (f *failing) Sync() error { return nil }
