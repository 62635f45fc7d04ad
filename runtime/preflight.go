package runtime

import (
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/lobsterc/lobsterc/runtime/drive"
	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// Preflight: before the first step runs, each stage is asked whether what it needs is there: a gateway's address, a provider, an
// executable. What is surely missing for a step that will surely run ends the run before it did anything. For a step that may not run
// (it has a condition, it tolerates failure, it stands in a loop or in a race, or behind a step whose failure skips the rest) it is a
// warning. What depends on results is left to the step itself. Nothing is sent and nothing is connected to.

// maxCalls bounds how deep sub-workflows are followed: those that are chosen at run time may call each other.
const maxCalls = 16

// preflight collects what is missing.
type preflight struct {
	environ []string
	known   []*drive.Result // of the entry workflow's steps, in a resumed run
	missing []string        // of steps that will run
	notes   []string        // of steps that may run
}

// place is where in a workflow a stage stands.
type place struct {
	env   []drive.EnvLayer
	dir   string
	path  string // of the steps that lead here, "call/step"
	maybe bool   // it may not run
	depth int
}

// preflight checks what the steps from an index on need; known are the results so far. An error says what is missing for certain.
func (a *app) preflight(args value.Value, from int, known []*drive.Result) error {
	if a.program.Preflight == nil || a.opt.noPreflight {
		return nil
	}
	return a.program.Preflight(a, args, from, known)
}

// Preflight is the check, for the table of a program that has stages with needs. Others do not link it.
func Preflight(a *app, args value.Value, from int, known []*drive.Result) error {
	c := preflight{environ: a.environ, known: known}
	if a.program.Pipeline != nil {
		c.stages(drive.NewPlan(args), a.program.Pipeline.stages, place{})
	} else {
		c.workflow(&a.program.Workflow, from, args, place{})
	}
	for _, note := range c.notes {
		io.WriteString(a.report.masked(a.stderr), "warning: "+note+"\n")
	}
	if len(c.missing) == 0 {
		return nil
	}
	return errors.New(strings.Join(c.missing, "; "))
}

// plan is what is known before a step of the entry workflow (depth 0) or a sub-workflow.
func (c *preflight) plan(args value.Value, depth int) *Run {
	plan := drive.NewPlan(args)
	if depth == 0 {
		for _, r := range c.known {
			plan.Record(r)
		}
	}
	return plan
}

func (c *preflight) workflow(wf *Workflow, from int, args value.Value, at place) {
	plan := drive.NewPlan(args)
	at.env = append(at.env[:len(at.env):len(at.env)], drive.EnvLayer{Run: plan, Vars: wf.Env, Args: true})
	if wf.Cwd != nil {
		at.dir = wf.Cwd(plan)
	}
	for i := range wf.Steps {
		st := &wf.Steps[i]
		if i >= from {
			c.step(st, args, at)
		}
		at.maybe = at.maybe || st.OnError == drive.SkipRest
	}
}

// step looks at one step. Each gets a plan of its own, which tells whether anything about it depends on results.
func (c *preflight) step(st *Step, args value.Value, at place) {
	plan := c.plan(args, at.depth)
	if st.When != nil {
		runs := st.When(plan)
		if !runs && !plan.Unknown() {
			return
		}
		at.maybe = at.maybe || plan.Unknown()
		plan = c.plan(args, at.depth)
	}
	at.maybe = at.maybe || st.OnError != drive.Stop
	at.path += st.ID
	if len(st.Env) > 0 {
		at.env = append(at.env[:len(at.env):len(at.env)], drive.EnvLayer{Run: plan, Vars: st.Env})
	}
	if st.Cwd != nil {
		at.dir = st.Cwd(plan)
	}
	switch do := st.Do.(type) {
	case nil:
	case *drive.Stages:
		c.stages(plan, do.List, at)
	case *drive.Call:
		c.call(do, plan, at)
	case *drive.Parallel:
		at.maybe = at.maybe || do.Any
		c.inner(do.Branches, args, at)
	case *drive.Loop:
		at.maybe = true
		c.inner(do.Steps, args, at)
	}
}

func (c *preflight) inner(steps []Step, args value.Value, at place) {
	at.path += "/"
	for i := range steps {
		c.step(&steps[i], args, at)
	}
}

// call follows a sub-workflow unless it or its arguments depend on results.
func (c *preflight) call(call *drive.Call, plan *Run, at place) {
	wf, _ := call.Pick(plan)
	var given []NamedValue
	if call.Args != nil {
		given = call.Args(plan)
	}
	if wf == nil || plan.Unknown() || at.depth == maxCalls {
		return
	}
	at.depth++
	at.path += "/"
	c.workflow(wf, 0, drive.ResolveArgs(wf.Args, given), at)
}

// stages asks the stages of a pipeline.
func (c *preflight) stages(plan *Run, pipeline func(*Run) Pipeline, at place) {
	var env *flow.Env
	for _, s := range pipeline(plan).Stages {
		if s.Needs == nil {
			continue
		}
		if env == nil {
			env = &flow.Env{Environ: drive.Environ(c.environ, at.env), Dir: at.dir}
		}
		if plan.Unknown() {
			return
		}
		need := s.Needs(env)
		switch {
		case need == "":
		case at.maybe:
			c.notes = append(c.notes, "step "+at.path+", if it runs: "+need)
		case !slices.Contains(c.missing, need):
			c.missing = append(c.missing, need)
		}
	}
}

// preflight checks what a paused run needs to go on. One that waits inside a sub-workflow has no results at hand.
func (s *session) preflight(st *saved, reply drive.Answer) error {
	if st.nested() {
		return s.app.preflight(s.args, st.gateStep(), nil)
	}
	run := st.snapshot(s.app.program.Workflow.Steps, reply).Start(s.args).Run
	return s.app.preflight(s.args, st.ResumeAtIndex, run.Results())
}
