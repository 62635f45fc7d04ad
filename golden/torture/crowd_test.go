package torture

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

// used are the answers that a token gives which somebody else has used.
var used = []string{"Workflow resume state not found", "Resume state not found"}

// crowd does all commands at once and gives their answers.
func crowd(t *testing.T, n int, do func(i int) *answer) []*answer {
	answers := make([]*answer, n)
	ready := make(chan struct{})
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			<-ready
			answers[i] = do(i)
		})
	}
	close(ready)
	wg.Wait()
	return answers
}

// TestManyResumesOfOneToken starts fifty resumes together: one goes on.
func TestManyResumesOfOneToken(t *testing.T) {
	w := newWorld(t, "gate")
	w.start()
	answers := crowd(t, 50, func(int) *answer { return w.do(nil, "--resume="+w.token, "--approve=yes") })
	good := 0
	for _, a := range answers {
		switch {
		case a.env.OK && a.env.Status == "ok":
			good++
		case a.code != 1 || a.message() != used[0]:
			t.Errorf("%+v %+v", a, a.env.Error)
		}
	}
	if good != 1 {
		t.Errorf("%d of them went on", good)
	}
	w.checkEffects("effect")
	w.checkClean()
}

// TestCrowdOfRuns has two hundred processes approve, reject and cancel twenty paused runs of one state directory at random.
func TestCrowdOfRuns(t *testing.T) {
	const runs, processes = 20, 200
	first := newWorld(t, "gate")
	worlds := make([]*world, runs)
	var tokens, ids [runs]string
	for i := range worlds {
		worlds[i] = &world{t: t, bin: first.bin, dir: first.dir, log: filepath.Join(t.TempDir(), "log")}
		a := worlds[i].start()
		tokens[i], ids[i] = a.request().ResumeToken, a.request().ApprovalID
	}
	answers := crowd(t, processes, func(i int) *answer {
		w := *worlds[i%runs]
		target := []string{tokens[i%runs], ids[i%runs]}[rand.IntN(2)]
		how := []string{"--approve=yes", "--approve=yes", "--approve=no", "--cancel"}[rand.IntN(4)]
		return w.do(nil, "--resume="+target, how)
	})
	ends := make([][]string, runs)
	for i, a := range answers {
		run := i % runs
		switch {
		case a.env.OK:
			ends[run] = append(ends[run], a.env.Status)
		case !slices.Contains(used, a.message()) && a.message() != fmt.Sprintf("Approval ID %q not found or expired", ids[run]):
			t.Errorf("%+v %+v", a, a.env.Error)
		}
	}
	for i, w := range worlds {
		switch {
		case len(ends[i]) != 1:
			t.Errorf("run %d ended %d times: %v", i, len(ends[i]), ends[i])
		case ends[i][0] == "ok":
			w.checkEffects("effect")
		default:
			w.checkEffects()
		}
	}
	first.checkClean()
}
