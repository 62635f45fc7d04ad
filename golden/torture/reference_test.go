package torture

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The states of paused runs are shared with the reference. These tests pause in one program and resume in the other; without
// LOBSTER_REFERENCE, which names the reference, ours plays both parts.

// party is a program that can start something and resume it.
type party struct {
	name   string
	start  func(w *world) *exec.Cmd
	resume func(w *world, token string, answer ...string) *exec.Cmd
}

// shared is something that pauses and can be resumed by both.
type shared struct {
	name    string
	file    string // a workflow, or
	text    string // a pipeline; LOG stands for the log
	answer  []string
	effects []string
	wrong   []string // an answer that leaves it paused
}

var sharedRuns = []shared{
	{"workflow approval", "approval", "", []string{"--approve", "yes"}, []string{"one", "two"}, []string{"--response-json", "{}"}},
	{"workflow input", "input", "", []string{"--response-json", `{"n":3}`}, []string{"one", "two"}, []string{"--response-json", `{"n":"x"}`}},
	{"ask in a step", "asking", "", []string{"--response-json", `{"n":3}`}, []string{"one", "before", "two"}, []string{"--approve", "yes"}},
	{"pipeline approval", "", `exec --json --shell 'echo before >> LOG; echo "[1,2]"' | approve --prompt 'Go on?' | exec --stdin json --shell 'echo after >> LOG; cat'`,
		[]string{"--approve", "yes"}, []string{"before", "after"}, []string{"--response-json", "{}"}},
	{"two halts", "", `exec --json --shell 'echo before >> LOG; echo "[1,2]"' | ask --prompt 'How many?' --schema '{"type":"object"}' | map --wrap v | ask --prompt 'Sure?' --schema '{"type":"object"}' | exec --stdin json --shell 'echo after >> LOG; cat'`,
		[]string{"--response-json", `{"n":3}`}, []string{"before", "after"}, []string{"--approve", "yes"}},
	{"pipeline ask", "", `exec --json --shell 'echo before >> LOG; echo "[1,2]"' | ask --prompt 'How many?' --schema '{"type":"object"}' | exec --stdin json --shell 'echo after >> LOG; cat'`,
		[]string{"--response-json", `{"n":3}`}, []string{"before", "after"}, []string{"--approve", "yes"}},
}

func (s shared) pipeline(w *world) string { return strings.ReplaceAll(s.text, "LOG", w.log) }

// ours is the compiled program.
func (s shared) ours(t *testing.T, w *world) party {
	if s.file != "" {
		w.bin = program(t, s.file)
	} else {
		w.bin = filepath.Join(filepath.Dir(w.log), "pipeline")
		if out, err := lobsterc("build", "-e", s.pipeline(w), "-o", w.bin).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	return party{
		"ours",
		func(w *world) *exec.Cmd {
			if s.text != "" {
				return w.command(nil)
			}
			source, err := filepath.Abs(filepath.Join("testdata", s.file+".lobster"))
			if err != nil {
				t.Fatal(err)
			}
			return w.command([]string{"LOBSTERC_SOURCE=" + source}, "--arg=log="+w.log)
		},
		func(w *world, token string, answer ...string) *exec.Cmd {
			return w.command(nil, append([]string{"--resume", token}, answer...)...)
		},
	}
}

// theirs is the reference.
func (s shared) theirs(reference string) party {
	command := func(w *world, args ...string) *exec.Cmd {
		cmd := exec.Command(reference, args...)
		cmd.Env = append(os.Environ(), "LOBSTER_STATE_DIR="+w.dir)
		return cmd
	}
	return party{
		"theirs",
		func(w *world) *exec.Cmd {
			if s.text != "" {
				return command(w, "run", "--mode", "tool", s.pipeline(w))
			}
			args, _ := json.Marshal(map[string]string{"log": w.log})
			return command(w, "run", "--mode", "tool", "--file", filepath.Join("testdata", s.file+".lobster"), "--args-json", string(args))
		},
		func(w *world, token string, answer ...string) *exec.Cmd {
			return command(w, append([]string{"resume", "--token", token}, answer...)...)
		},
	}
}

// names are the programs that take part.
func names(t *testing.T) []string {
	if os.Getenv("LOBSTER_REFERENCE") != "" {
		return []string{"ours", "theirs"}
	}
	t.Log("LOBSTER_REFERENCE is not set: ours plays both parts")
	return []string{"ours"}
}

// party is one of them in the world w, which is asked by ours about what is left.
func (s shared) party(t *testing.T, w *world, name string) party {
	ours := s.ours(t, w)
	if name == "ours" {
		return ours
	}
	return s.theirs(os.Getenv("LOBSTER_REFERENCE"))
}

// eachPair calls f for each pair of programs that pause and resume, in a world of its own.
func (s shared) eachPair(t *testing.T, f func(w *world, from, to party)) {
	for _, from := range names(t) {
		for _, to := range names(t) {
			w := newWorld(t, "gate")
			f(w, s.party(t, w, from), s.party(t, w, to))
		}
	}
}

// TestInterchange pauses in one program and resumes in the other, after a wrong answer that must leave the run paused.
func TestInterchange(t *testing.T) {
	for _, s := range sharedRuns {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			var want string // the output, whoever gave it
			s.eachPair(t, func(w *world, from, to party) {
				a := w.finish(from.start(w))
				if a.request() == nil {
					t.Fatalf("%s: no gate: %+v %+v", from.name, a, a.env.Error)
				}
				if no := w.finish(to.resume(w, w.token, s.wrong...)); no.env.OK || no.code != 2 {
					t.Errorf("%s to %s: a wrong answer: %+v", from.name, to.name, no)
				}
				end := w.finish(to.resume(w, w.token, s.answer...))
				if end.request() != nil { // once more, back in the first program
					end = w.finish(from.resume(w, w.token, s.answer...))
				}
				if end.env.Status != "ok" {
					t.Fatalf("%s to %s: %+v %+v", from.name, to.name, end, end.env.Error)
				}
				if want == "" {
					want = string(end.env.Output)
				}
				if string(end.env.Output) != want {
					t.Errorf("%s to %s: output %s, want %s", from.name, to.name, end.env.Output, want)
				}
				if twice := w.finish(to.resume(w, w.token, s.answer...)); twice.env.OK {
					t.Errorf("%s to %s: the token was good twice", from.name, to.name)
				}
				w.checkEffects(s.effects...)
				w.checkClean()
			})
		})
	}
}

// TestInterchangeCancel pauses in one program and cancels in the other.
func TestInterchangeCancel(t *testing.T) {
	for _, s := range sharedRuns {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			s.eachPair(t, func(w *world, from, to party) {
				w.finish(from.start(w))
				if end := w.finish(to.resume(w, w.token, "--cancel")); end.env.Status != "cancelled" {
					t.Fatalf("%s to %s: %+v %+v", from.name, to.name, end, end.env.Error)
				}
				w.checkClean()
			})
		})
	}
}

// TestMixedCrowd lets both programs resume the same tokens at once: each token is good once.
func TestMixedCrowd(t *testing.T) {
	s := sharedRuns[0]
	for round := range 3 {
		w := newWorld(t, "gate")
		var all []party
		for _, name := range names(t) {
			all = append(all, s.party(t, w, name))
		}
		w.finish(all[round%len(all)].start(w))
		good := 0
		answers := crowd(t, 20, func(i int) *answer { return w.finish(all[i%len(all)].resume(w, w.token, s.answer...)) })
		for _, a := range answers {
			if a.env.OK {
				good++
			} else if a.message() != used[0] {
				t.Errorf("%+v", a.env.Error)
			}
		}
		if good != 1 {
			t.Errorf("%d resumes went on", good)
		}
		w.checkEffects(s.effects...)
		w.checkClean()
	}
}

// TestNestedPauseIsRefused shows that the reference leaves alone what only the program that paused can resume.
func TestNestedPauseIsRefused(t *testing.T) {
	reference := os.Getenv("LOBSTER_REFERENCE")
	w := newWorld(t, "nested")
	a := w.start()
	if reference == "" {
		t.Log("LOBSTER_REFERENCE is not set: only resumed by ours")
	} else {
		cmd := shared{}.theirs(reference).resume(w, w.token, "--approve", "yes")
		if no := w.finish(cmd); no.env.OK || !strings.Contains(no.message(), "Invalid workflow resume state") {
			t.Errorf("%+v", no.env.Error)
		}
	}
	w.settle(a)
	w.checkEffects(nestedEffects...)
	w.checkClean()
}
