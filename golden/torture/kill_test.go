package torture

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

var iterations = flag.Int("torture", 20, "how many runs are killed at random moments")

var tortureEffects = []string{
	"one", "loop[0]/first", "loop[0]/second", "loop[1]/first", "loop[1]/second", "loop[2]/first", "loop[2]/second",
	"race/a", "race/b", "race/c", "call/x", "call/y", "call/z", "last",
}

// TestTorture kills runs with SIGKILL at random moments and resumes them until they are done: every effect happens once.
func TestTorture(t *testing.T) {
	w := newWorld(t, "torture")
	began := time.Now()
	if a := w.start(); !a.env.OK {
		t.Fatalf("%+v", a)
	}
	w.checkEffects(tortureEffects...)
	whole := time.Since(began)
	killed, asked := make(chan int, *iterations), make(chan int, *iterations)
	t.Run("runs", func(t *testing.T) {
		for range 2 {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				for range (*iterations + 1) / 2 {
					w := newWorld(t, "torture")
					killed <- w.torture(whole)
					asked <- w.asked
					w.checkEffects(tortureEffects...)
					w.checkClean()
					if t.Failed() {
						return
					}
				}
			})
		}
	})
	t.Logf("%d runs of about %s: killed %d times, asked %d times", *iterations, whole, sum(killed), sum(asked))
}

func sum(numbers chan int) (n int) {
	close(numbers)
	for x := range numbers {
		n += x
	}
	return n
}

// torture runs the program to its end, and kills it at random moments. It tells how often.
func (w *world) torture(whole time.Duration) (killed int) {
	w.t.Helper()
	a := w.killed(whole, "--arg=log="+w.log)
	for a.killed || a.request() != nil {
		switch {
		case a.killed:
			killed++
			next := w.killed(whole, "--resume")
			if strings.HasPrefix(next.message(), "no unfinished run of ") {
				if len(w.effects()) > 0 {
					return killed // it ended, and the answer was lost
				}
				next = w.killed(whole, "--arg=log="+w.log)
			}
			a = next
		default:
			a = w.killed(whole, w.reply(a)...)
			if a.message() == "Workflow resume state not found" {
				w.t.Fatalf("a token was lost: %+v", a)
			}
		}
		if !a.killed && !a.env.OK {
			w.t.Fatalf("%+v", a)
		}
	}
	return killed
}

// killed runs a command and, mostly, kills it within a time.
func (w *world) killed(within time.Duration, args ...string) *answer {
	w.t.Helper()
	cmd := w.command(nil, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	if rand.IntN(4) > 0 {
		timer := time.AfterFunc(rand.N(within), func() { cmd.Process.Kill() })
		defer timer.Stop()
	}
	err := cmd.Wait()
	return w.read(cmd, err, out.Bytes(), errs.String())
}

// TestNestingKilledAtEachStep has each effect of a workflow with a loop, branches and a child with a gate kill the program, before
// or after it took place.
func TestNestingKilledAtEachStep(t *testing.T) {
	for _, when := range []string{"before ", "after "} {
		for _, step := range nestedEffects {
			t.Run(when+step, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, "nested")
				kill := []string{"KILL=" + when + step}
				a := w.start(kill...)
				if a.request() != nil {
					a = w.do(kill, w.reply(a)...)
				}
				if !a.killed {
					t.Fatalf("it was not killed: %+v", a)
				}
				if a = w.settle(a); a.env.Status != "ok" {
					t.Errorf("%+v", a)
				}
				w.checkEffects(nestedEffects...)
				w.checkClean()
				if w.asked == 0 {
					t.Error("nobody was asked about the interrupted step")
				}
			})
		}
	}
}
