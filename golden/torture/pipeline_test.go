package torture

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

const haltingPipeline = `exec --json --shell 'echo before >> $LOG; echo "[1]"' | approve --prompt 'Go on?' | ` +
	`exec --json --stdin json --shell 'echo between >> $LOG; cat' | ask --prompt 'How many?' --schema '{"type":"object"}' | ` +
	`exec --json --stdin json --shell 'echo after >> $LOG; cat'`

// haltingAnswers are the answers to its halts, and haltingEffects what stands before and between them.
var (
	haltingAnswers = [][]string{{"--approve=yes"}, {`--response-json={"n":3}`}}
	haltingEffects = []string{"before", "between", "after"}
)

// TestPipelineKilledAtEachWrite kills the resume of an inline pipeline at each write point: no token is lost, and nothing happens
// twice without a decision.
func TestPipelineKilledAtEachWrite(t *testing.T) {
	bin := expression(t, "halting", haltingPipeline)
	for stage := range haltingAnswers {
		t.Run(fmt.Sprint("resume ", stage+1), func(t *testing.T) {
			t.Parallel()
			for n := 1 + rand.IntN(*every); ; n += *every {
				w := worldOf(t, bin)
				log := "LOG=" + w.log
				w.do([]string{log})
				for i := range stage {
					w.do([]string{log}, append([]string{"--resume", w.token}, haltingAnswers[i]...)...)
				}
				token := w.token
				a := w.do([]string{log, fmt.Sprintf("LOBSTERC_CRASH_AT=%d", n)}, append([]string{"--resume", token}, haltingAnswers[stage]...)...)
				survived := !a.killed
				w.endPipeline(log, token, a, stage)
				if t.Failed() {
					t.Fatalf("at point %d", n)
				}
				if survived {
					t.Logf("%d write points", n-1)
					return
				}
			}
		})
	}
}

// endPipeline goes on after a, which answered the halt of that number by that token, to the end. What a process that was killed has
// printed counts as lost as long as the old token is good for something.
func (w *world) endPipeline(log, token string, a *answer, halt int) {
	w.t.Helper()
	reruns := map[string]int{}
	for {
		if a.killed { // the token is still good, or its effect is in doubt, or all has been done
			printed := a.request()
			again := append([]string{"--resume", token}, haltingAnswers[halt]...)
			a = w.do([]string{log}, again...)
			if printed != nil && a.message() == "Pipeline resume state not found" {
				token, halt = printed.ResumeToken, halt+1
				again = append([]string{"--resume", token}, haltingAnswers[halt]...)
				a = w.do([]string{log}, again...)
			}
			if _, next, ok := strings.Cut(a.message(), "the pipeline waits again: its token is now "); ok {
				w.token, halt = next, halt+1
				again = append([]string{"--resume", next}, haltingAnswers[halt]...)
				token = next
				a = w.do([]string{log}, again...)
			}
			if strings.HasPrefix(a.message(), "The pipeline was interrupted after its halt was answered") {
				reruns[haltingEffects[halt+1]]++
				a = w.do([]string{log}, append(again, "--in-doubt=rerun")...)
			}
		}
		if a.request() == nil {
			break
		}
		token, halt = w.token, halt+1
		a = w.do([]string{log}, append([]string{"--resume", token}, haltingAnswers[halt]...)...)
	}
	if !a.env.OK && (a.message() != "Pipeline resume state not found" || !slices.Contains(w.effects(), "after")) {
		w.t.Fatalf("%+v %+v", a, a.env.Error)
	}
	for _, effect := range haltingEffects {
		n := 0
		for _, e := range w.effects() {
			if e == effect {
				n++
			}
		}
		if n < 1 || n > 1+reruns[effect] {
			w.t.Errorf("%s happened %d times, decided %d times: %v", effect, n, reruns[effect], w.effects())
		}
	}
}

func TestPipelineInDoubt(t *testing.T) {
	for how, want := range map[string]string{"rerun": "ok", "done": "ok", "cancel": "cancelled"} {
		w := worldOf(t, expression(t, "killing", `exec --json --shell 'echo "[1]"' | approve --prompt 'Go on?' | exec --stdin json --shell 'echo x >> $LOG; if [ -n "$KILL" ]; then kill -9 $PPID; sleep 30; fi'`))
		log := "LOG=" + w.log
		w.do([]string{log})
		if a := w.do([]string{log}, "--resume", w.token, "--in-doubt=rerun"); a.env.OK {
			t.Fatalf("a halt was answered by --in-doubt: %+v", a)
		}
		if a := w.do([]string{log, "KILL=1"}, "--resume", w.token, "--approve=yes"); !a.killed {
			t.Fatalf("%+v", a)
		}
		if a := w.do([]string{log}, "--resume", w.token, "--approve=yes"); a.env.OK {
			t.Fatalf("nobody was asked: %+v", a)
		}
		w.want(w.do([]string{log}, "--resume", w.token, "--in-doubt="+how), want, "")
		if n := len(w.effects()); n != 1 && how != "rerun" || how == "rerun" && n != 2 {
			t.Errorf("%s: %v", how, w.effects())
		}
		w.checkClean()
	}
}
