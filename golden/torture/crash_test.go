package torture

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

var (
	gatesEffects  = []string{"one", "two", "three"}
	nestedEffects = []string{"before", "loop[0]/up", "loop[1]/up", "both/left", "both/right", "call/inner", "call/loop[0]/each", "call/loop[1]/each", "call/after", "last"}
)

// scene is a stretch of a run in which the process dies, or its writes fail, at each write point in turn.
type scene struct {
	name    string
	program string                                // and how it is started
	before  int                                   // how many commands come before it
	command func(w *world, last *answer) []string // nil: the next answer to the run
	effects []string                              // of the whole run
	ends    bool                                  // the command gives the run up
}

// scenes are all the ways in which state changes hands.
func scenes() []scene {
	cancel := func(w *world, _ *answer) []string { return []string{"--resume=" + w.token, "--cancel"} }
	reject := func(w *world, _ *answer) []string { return []string{"--resume=" + w.token, "--approve=no"} }
	allow := func(w *world, last *answer) []string {
		w.bin = program(w.t, "changed")
		return append(w.reply(last), "--allow-changed")
	}
	again := func(*world, *answer) []string { return []string{"--resume"} }
	return []scene{
		{"pause", "gates", 0, nil, gatesEffects, false},
		{"resume and second pause", "gates", 1, nil, gatesEffects, false},
		{"second resume and end", "gates", 2, nil, gatesEffects, false},
		{"show the gate again", "gates", 1, again, gatesEffects, false},
		{"cancel", "gates", 1, cancel, []string{"one"}, true},
		{"cancel an input", "gates", 2, cancel, []string{"one", "two"}, true},
		{"reject", "gates", 1, reject, []string{"one"}, true},
		{"pause in a child", "nested", 0, nil, nestedEffects, false},
		{"resume in a child and end", "nested", 1, nil, nestedEffects, false},
		{"cancel in a child", "nested", 1, cancel, nestedEffects[:8], true},
		{"resume without a journal", "gates --no-journal", 1, nil, gatesEffects, false},
		{"resume in a changed program", "gates > changed", 1, allow, gatesEffects, false},
	}
}

// upTo runs the commands before the scene.
func (s scene) upTo(w *world) *answer {
	if s.before == 0 {
		return nil
	}
	var a *answer
	if strings.HasSuffix(s.program, " --no-journal") {
		a = w.do(nil, "--no-journal", "--arg=log="+w.log)
	} else {
		a = w.start()
	}
	for range s.before - 1 {
		a = w.do(nil, w.reply(a)...)
	}
	if a.request() == nil {
		w.t.Fatalf("no gate: %+v", a)
	}
	return a
}

// play runs the scene's command.
func (s scene) play(w *world, last *answer, env []string) *answer {
	switch {
	case s.command != nil:
		return w.do(env, s.command(w, last)...)
	case last == nil:
		return w.start(env...)
	}
	return w.do(env, w.reply(last)...)
}

// after goes on with the run until it is over. Whoever has a token tries it once more first.
func (s scene) after(w *world, last, a *answer) {
	failed := a.killed || !a.env.OK
	if failed && last != nil {
		if again := s.play(w, last, nil); again.env.OK || again.message() != gone(s, again) {
			a = again
		}
	}
	if s.ends {
		if !a.killed && a.env.OK && a.env.Status == "cancelled" {
			return
		}
		// The cancel took effect before the process died.
		if len(w.effects()) != len(s.effects) {
			w.t.Errorf("it went on: %v", w.effects())
		}
		return
	}
	w.settle(a)
}

// gone is the error of a token that was used.
func gone(s scene, a *answer) string {
	for _, text := range []string{"Workflow resume state not found", "Resume state not found", "no unfinished run of " + s.program} {
		if a.message() == text {
			return text
		}
	}
	return "another error"
}

// TestCrashAtEachWrite kills the process at each write point of each scene, goes on, and wants every effect once and nothing left.
func TestCrashAtEachWrite(t *testing.T) {
	for _, s := range scenes() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			points := eachPoint(t, s, "LOBSTERC_CRASH_AT", func(a *answer) bool { return a.killed })
			t.Logf("%d write points", points)
		})
	}
}

// TestFullDiskAtEachWrite makes each write fail once as on a full disk, and then all from each one on.
func TestFullDiskAtEachWrite(t *testing.T) {
	for _, s := range scenes() {
		for _, stays := range []string{"", "+"} {
			t.Run(s.name+stays, func(t *testing.T) {
				t.Parallel()
				good := 0 // that many in a row did no harm: there are no more write points that can
				eachPoint(t, s, "LOBSTERC_FAIL_AT"+stays, func(a *answer) bool {
					if good++; !a.env.OK {
						good = 0
						if text := a.message(); !strings.Contains(text, "no space left on device") {
							t.Errorf("the error does not say what is wrong: %s", text)
						}
					}
					return good < 12 / *every + 2
				})
			})
		}
	}
}

var every = flag.Int("every", 4, "kill, or fail, at every N-th write point only, from a random one on")

// eachPoint plays the scene once for each write point until more says that there are no further ones.
func eachPoint(t *testing.T, s scene, variable string, more func(*answer) bool) int {
	suffix := ""
	if v, ok := cutPlus(variable); ok {
		variable, suffix = v, "+"
	}
	for n := 1 + rand.IntN(*every); ; n += *every {
		name, _, _ := strings.Cut(s.program, " ")
		w := newWorld(t, name)
		last := s.upTo(w)
		a := s.play(w, last, []string{fmt.Sprintf("%s=%d%s", variable, n, suffix)})
		goOn := more(a)
		s.after(w, last, a)
		if !s.ends || a.killed || a.env.OK {
			w.checkEffects(s.effects...)
		} else if len(w.effects()) > 0 { // a cancel that came to nothing
			w.checkEffects(s.effects...)
		}
		w.checkClean()
		if t.Failed() {
			t.Fatalf("at point %d: %+v\n%s", n, a, a.stderr)
		}
		if !goOn {
			return n - 1
		}
	}
}

func cutPlus(s string) (string, bool) {
	if n := len(s) - 1; s[n] == '+' {
		return s[:n], true
	}
	return s, false
}
