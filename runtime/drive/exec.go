package drive

import (
	"context"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// Exec is what a step executes when that is more than a shell command: *Stages, *Call, *Parallel or *Loop. Each brings the part
// of the driver that runs it, so a program links only what its steps use: the driver reaches these types through this interface
// or by assertion alone.
type Exec interface {
	// exec runs one attempt at the step with index i. A pipeline goes on from resume when that is not nil.
	exec(ctx context.Context, m *machine, st *Step, i int, path Path, resume *Resume) (*Result, error)
	// waits tells whether a person can be asked in it; run is a plan.
	waits(run *Run) bool
	// kind is the word for it in the plan of a dry run, and plan prints the rest of it.
	kind() string
	plan(p *planner, plan *Plan)
}

// Stages is a pipeline.
type Stages struct {
	List func(*Run) Pipeline
	// Perform is how the engine that the program is linked with runs stages, up to their end or their next halt.
	Perform func(ctx context.Context, engine Engine, e *Effect, stages []flow.Stage) (Outcome, error)
	// Saved is what the state of a run that waits at h keeps of the pipeline.
	Saved func(h *flow.Halt, stages []flow.Stage) value.Value
}

// Stages are the stages of a step's pipeline; nil when it has none.
func (st *Step) Stages(run *Run) []flow.Stage {
	if s, ok := st.Do.(*Stages); ok {
		return s.List(run).Stages
	}
	return nil
}

// Waits tells whether a workflow can wait for a person.
func (wf *Workflow) Waits() bool {
	plan := NewPlan(ResolveArgs(wf.Args, nil))
	for i := range wf.Steps {
		st := &wf.Steps[i]
		if st.Approval != nil || st.Input != nil || st.Do != nil && st.Do.waits(plan) {
			return true
		}
	}
	return false
}

func (s *Stages) waits(run *Run) bool {
	for _, stage := range s.List(run).Stages {
		if stage.Schema != nil {
			return true
		}
	}
	return false
}

// waits of a call: a path that depends on the run may lead anywhere.
func (c *Call) waits(run *Run) bool {
	child, _ := c.Pick(run)
	return child == nil || child.Waits()
}

func (*Parallel) waits(*Run) bool { return false }
func (*Loop) waits(*Run) bool     { return false }
