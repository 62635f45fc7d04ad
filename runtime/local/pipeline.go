package local

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/lobsterc/lobsterc/runtime/drive"
	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/halt"
	"github.com/lobsterc/lobsterc/runtime/plain"
)

// Stages makes a step of a pipeline. Only programs that have one link what runs it.
func Stages(list func(*drive.Run) drive.Pipeline) *drive.Stages {
	return &drive.Stages{List: list, Perform: pipeline, Saved: halt.Input}
}

// pipeline runs a pipeline up to its end or its next halt.
func pipeline(ctx context.Context, engine drive.Engine, effect *drive.Effect, stages []flow.Stage) (drive.Outcome, error) {
	e := engine.(*Engine)
	var printed strings.Builder
	out := drive.Outcome{}
	env := e.flowEnv(ctx, effect, &printed, &out)
	from, items := 0, flow.Input(effect.Stdin)
	if r := effect.Resume; r != nil {
		from, items = r.Stage+1, flow.Items(r.Response)
	}
	got, err := flow.Run(env, stages, from, items)
	if h := plain.As[*flow.Halt](err); h != nil {
		if err := e.refuseHalt(effect, stages, from, h); err != nil {
			return out, err
		}
		out.Halt = h
		return out, nil
	}
	if err != nil {
		return out, err
	}
	text, json := flow.StepResult(got, printed.String())
	out.Stdout, out.JSON = &text, json
	return out, nil
}

// refuseHalt says where a halted pipeline cannot wait, in the words of the reference (spec part 7, 8).
func (e *Engine) refuseHalt(effect *drive.Effect, stages []flow.Stage, from int, h *flow.Halt) error {
	id, stage := effect.Step.ID, stages[h.Stage].Name
	switch {
	case h.Kind == flow.HaltApproval:
		return errors.New("Workflow step " + id + " halted for approval inside pipeline stage " + stage + ". Use a separate approval step in the workflow file.")
	case effect.Nested:
		return errors.New("requestInput is not supported in this pipeline context")
	case e.HumanMode || !h.SameStage:
		return errors.New("Workflow step " + id + " halted before completion at pipeline stage " + stage)
	case flow.Printed(stages[from:h.Stage]):
		return flow.ErrPrinted
	}
	return nil
}

func (e *Engine) flowEnv(ctx context.Context, effect *drive.Effect, printed io.Writer, out *drive.Outcome) *flow.Env {
	return &flow.Env{
		Ctx: ctx, Environ: e.environ(effect), Dir: e.dir(effect), StepID: effect.Step.ID,
		Stdout: printed, Stderr: e.Stderr, ChildStderr: e.live(effect), LoginShell: e.LoginShell, StateDir: e.StateDir, Ask: e.Ask,
		Started:      func(pid int, start string) error { return e.log.process(effect.Path, pid, start) },
		NoteDispatch: func() { out.Dispatched = true },
		NoteUsage:    func(u flow.Usage) { out.Usage = append(out.Usage, u) },
	}
}
