package runtime

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/lobsterc/lobsterc/runtime/drive"
	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// programs are what the test binary stands in for when programVar names one of them: real processes of compiled programs.
var programs = map[string]Program{}

const programVar = "LOBSTERC_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if name := os.Getenv(programVar); name != "" {
		os.Unsetenv(programVar)
		p, ok := programs[name]
		if !ok {
			panic("no such program: " + name)
		}
		Main(p)
	}
	os.Exit(m.Run())
}

// shell is a shell step.
func shell(id, script string) Step {
	return Step{ID: id, Shell: func(*Run) Command { return Command{Script: script} }}
}

// program is a workflow of steps.
func program(name string, steps ...Step) Program {
	return Program{Hash: "sha256:" + name, Preflight: Preflight, Workflow: Workflow{Name: name, File: name + ".lobster", Steps: steps}}
}

// process is a program to be run in a state directory of its own.
type process struct {
	t       *testing.T
	name    string
	dir     string
	environ []string
}

func start(t *testing.T, name string, environ ...string) *process {
	return &process{t: t, name: name, dir: t.TempDir(), environ: environ}
}

// command is a process that is not started yet.
func (p *process) command(stdin string, args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	p.t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), programVar+"="+p.name, "LOBSTER_STATE_DIR="+p.dir+"/state", "LOBSTER_MODE=tool")
	cmd.Env = append(cmd.Env, p.environ...)
	cmd.Stdin = strings.NewReader(stdin)
	return cmd
}

// answer is how a process ended.
type answer struct {
	value.Value
	stderr string
	exit   int
}

// run runs the program to its end and reads the one JSON document that it prints.
func (p *process) run(stdin string, args ...string) answer {
	p.t.Helper()
	cmd := p.command(stdin, args...)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	return p.answer(cmd.Run(), out.Bytes(), stderr.String())
}

func (p *process) answer(err error, out []byte, stderr string) answer {
	p.t.Helper()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		p.t.Fatal(err)
	}
	v, err := value.Parse(out)
	if err != nil {
		p.t.Fatalf("stdout is not one JSON document (%v): %q\nstderr: %s", err, out, stderr)
	}
	a := answer{Value: v, stderr: stderr}
	if exit != nil {
		a.exit = exit.ExitCode()
	}
	return a
}

// message is the error of an envelope, "" when it is ok.
func (a answer) message() string { return a.Path("error", "message").Text() }

// steps are the steps of _meta, "id:status" each.
func (a answer) steps() string {
	var list []string
	for _, s := range a.Path("_meta", "steps").Items() {
		list = append(list, s.Get("id").Text()+":"+s.Get("status").Text())
	}
	return strings.Join(list, " ")
}

func (p *process) expect(got answer, message, steps string, exit int) {
	p.t.Helper()
	if got.message() != message || got.steps() != steps || got.exit != exit {
		p.t.Errorf("got error %q, steps %q, exit %d\nwant %q, %q, %d\nstderr: %s", got.message(), got.steps(), got.exit, message, steps, exit, got.stderr)
	}
}

func (p *process) exists(name string) bool {
	_, err := os.Stat(p.dir + "/" + name)
	return err == nil
}

// needing is a pipeline step with a stage that needs GATEWAY to be set.
func needing(id string) Step {
	return Step{ID: id, Do: Stages(func(run *Run) Pipeline {
		return Pipeline{Stages: []flow.Stage{{
			Name: "needing", Effect: true,
			Needs: func(env *flow.Env) string {
				if env.Getenv("GATEWAY") == "" {
					return "needing requires GATEWAY"
				}
				return ""
			},
			Run: func(*flow.Env, flow.Stream) flow.Stream { return flow.Items(value.String("done")) },
		}}}
	})}
}

func with(s Step, change func(*Step)) Step {
	change(&s)
	return s
}

func init() {
	touch := shell("touch", "touch touched")
	inner := program("inner", needing("send")).Workflow
	skip := program("args", with(needing("send"), func(s *Step) { s.When = func(run *Run) bool { return run.Args().Get("go").Truthy() } }))
	skip.Workflow.Args = []Arg{{Name: "go", Default: value.Bool(false)}}
	programs["needs"] = program("needs", touch, needing("send"))
	programs["needs-env"] = program("needs-env", touch, with(needing("send"), func(s *Step) { s.Env = []drive.EnvVar{{Name: "GATEWAY", Text: "x"}} }))
	programs["needs-result"] = program("needs-result", touch, with(needing("send"), func(s *Step) {
		s.Env = []drive.EnvVar{{Name: "GATEWAY", Value: func(run *Run, _ drive.Lookup) string { return run.Text("touch", "stdout") }}}
	}))
	programs["needs-when"] = program("needs-when", touch, with(needing("send"), func(s *Step) { s.When = func(run *Run) bool { return run.Ref("touch", "json").Truthy() } }))
	programs["needs-args"] = skip
	programs["needs-continue"] = program("needs-continue", touch, with(needing("send"), func(s *Step) { s.OnError = drive.Continue }))
	programs["needs-behind"] = program("needs-behind", with(shell("touch", "touch touched; exit 1"), func(s *Step) { s.OnError = drive.SkipRest }), needing("send"))
	programs["needs-loop"] = program("needs-loop", touch, Step{ID: "each", Do: &Loop{Items: func(*Run) value.Value { return value.Array() }, Steps: []Step{needing("send")}}})
	programs["needs-parallel"] = program("needs-parallel", touch, Step{ID: "both", Do: &Parallel{Branches: []Step{needing("send")}}})
	programs["needs-any"] = program("needs-any", touch, Step{ID: "race", Do: &Parallel{Any: true, Branches: []Step{needing("send"), shell("b", "sleep 5")}}})
	programs["needs-call"] = program("needs-call", touch, Step{ID: "call", Do: &drive.Call{Pick: func(*Run) (*Workflow, string) { return &inner, "" }}})
	programs["needs-gate"] = program("needs-gate", Step{ID: "ok", Approval: Prompt("Go?")}, with(needing("send"), func(s *Step) {
		s.When = func(run *Run) bool { return run.Ref("ok", "approved").Truthy() }
	}))
}

func TestPreflight(t *testing.T) {
	const need = "needing requires GATEWAY"
	for _, tt := range []struct {
		program, message, note string
		args, environ          []string
		ran                    bool
	}{
		{program: "needs", message: need},
		{program: "needs", environ: []string{"GATEWAY=x"}, ran: true},
		{program: "needs", args: []string{"--no-preflight"}, ran: true},
		{program: "needs-env", ran: true},
		{program: "needs-result", ran: true},
		{program: "needs-when", ran: true, note: "warning: step send, if it runs: " + need + "\n"},
		{program: "needs-args"},
		{program: "needs-args", args: []string{"--args-json", `{"go":true}`}, message: need},
		{program: "needs-continue", ran: true, note: "warning: step send, if it runs: " + need + "\n"},
		{program: "needs-behind", ran: true, note: "warning: step send, if it runs: " + need + "\n"},
		{program: "needs-loop", ran: true, note: "warning: step each/send, if it runs: " + need + "\n"},
		{program: "needs-parallel", message: need},
		{program: "needs-any", ran: true, note: "warning: step race/send, if it runs: " + need + "\n"},
		{program: "needs-call", message: need},
	} {
		t.Run(strings.Join(append([]string{tt.program}, append(tt.args, tt.environ...)...), " "), func(t *testing.T) {
			p := start(t, tt.program, tt.environ...)
			got := p.run("", tt.args...)
			if got.message() != tt.message || p.exists("touched") != tt.ran || !strings.HasPrefix(got.stderr, tt.note) {
				t.Errorf("got %s\nstderr: %s\ntouched: %v", got.JSON(), got.stderr, p.exists("touched"))
			}
		})
	}
}

// TestPreflightResume: what is missing for an approved step keeps the token usable.
func TestPreflightResume(t *testing.T) {
	p := start(t, "needs-gate")
	paused := p.run("")
	id := paused.Path("requiresApproval", "approvalId").Text()
	p.expect(p.run("", "--resume", id, "--approve", "yes"), "needing requires GATEWAY", "ok:waiting", 1)
	p.environ = []string{"GATEWAY=x"}
	p.expect(p.run("", "--resume", id, "--approve", "yes"), "", "ok:ok send:ok", 0)
}
