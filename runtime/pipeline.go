package runtime

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/lobsterc/lobsterc/runtime/drive"
	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/halt"
	"github.com/lobsterc/lobsterc/runtime/intent"
	"github.com/lobsterc/lobsterc/runtime/plain"
	"github.com/lobsterc/lobsterc/runtime/proc"
	"github.com/lobsterc/lobsterc/runtime/state"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// Programs that are an inline pipeline: one stretch of stages up to its end or its next halt. They keep no journal. A resume that dies
// leaves the state in its mark, so that its token can be used again; when stages with effects were to come, only with a
// decision about them.

// pipelineRun is a pipeline in this process: the stages that are left, and the state that it came from.
type pipelineRun struct {
	app        *app
	stages     []flow.Stage
	store      *state.Store
	claim      *state.Claim
	superseded []string
	left       bool // the state is what a resume left that died
}

// InlinePipeline is the pipeline that a whole program is. A program that is a workflow has none, and links nothing of this.
type InlinePipeline interface {
	start(ctx context.Context, a *app, args value.Value) *outcome
	resume(ctx context.Context, a *app, store *state.Store, key string, ans intent.Intent) *outcome
	plan(args value.Value) (string, error)
	stages(run *Run) Pipeline
}

// Inline makes a program of a pipeline. plan is what a dry run says, a line for each stage as the pipeline was written.
func Inline(stages func(*Run) Pipeline, plan ...string) InlinePipeline { return inline{stages, plan} }

type inline struct {
	make  func(*Run) Pipeline
	lines []string
}

// plan fails when a stage can only fail, as the reference's plan does for a stage that it does not know.
func (p inline) plan(args value.Value) (string, error) {
	for _, s := range p.make(drive.NewPlan(args)).Stages {
		if s.Fault != nil {
			return "", s.Fault
		}
	}
	return drive.PlanStages(p.lines), nil
}

func (p inline) stages(run *Run) Pipeline { return p.make(run) }

func (p inline) start(ctx context.Context, a *app, args value.Value) *outcome {
	if err := a.preflight(args, 0, nil); err != nil {
		return failed(err)
	}
	r := &pipelineRun{app: a, stages: p.make(drive.NewRun(args)).Stages}
	if a.tool && r.halts() {
		dir, err := a.stateDir()
		if err == nil {
			r.store = state.Open(dir)
			err = r.store.Check()
		}
		if err != nil {
			return failed(plain.Wrap("nothing was run: this pipeline can stop for a person, and there is no place to keep it", err))
		}
	}
	return r.run(ctx, 0, nil)
}

func (r *pipelineRun) halts() bool {
	for _, s := range r.stages {
		if s.Schema != nil || s.Name == "approve" {
			return true
		}
	}
	return false
}

// run runs the stages from an index on the given items.
func (r *pipelineRun) run(ctx context.Context, from int, items flow.Stream) *outcome {
	a := r.app
	var rendered bytes.Buffer
	var stdout io.Writer = &departing{w: a.stdout}
	if a.tool {
		stdout = &rendered
	}
	started := false
	environ := a.environ
	if r.claim != nil {
		environ = append(environ[:len(environ):len(environ)], pipelineTag(r.claim.Key))
	}
	env := &flow.Env{
		Ctx: ctx, Environ: environ, Stdout: stdout, Stderr: a.report.masked(a.stderr), Passthrough: a.tool,
		LoginShell: a.program.LoginShell, StateDir: a.stateDir, NoteDispatch: func() { started = true }, NoteUsage: a.noteUsage,
		Started: func(int, string) error { started = true; return nil },
	}
	if a.terminal != nil {
		env.Ask = a.ask
	}
	out, err := flow.Run(env, r.stages, from, items)
	if wait := plain.As[*flow.Halt](err); wait != nil {
		return r.halted(wait, flow.Printed(r.stages[from:wait.Stage]))
	}
	switch {
	case err != nil && ctx.Err() != nil:
		if r.claim != nil && !started {
			if err := r.claim.Restore(context.Background()); err != nil {
				a.warn("the pipeline could not be put back as it was: " + err.Error())
			}
			return failed(context.Cause(ctx))
		}
		return r.ended(failed(context.Cause(ctx)))
	case err != nil:
		return r.ended(failed(err))
	}
	return r.ended(&outcome{status: statusOK, output: out.Items, silent: out.Rendered, always: true})
}

// ended removes what the pipeline kept, once its answer is out.
func (r *pipelineRun) ended(o *outcome) *outcome {
	r.app.afterwards(func(int) { r.retire() })
	return o
}

func (r *pipelineRun) retire() {
	if len(r.superseded) == 0 {
		return
	}
	if err := r.store.Remove(context.Background(), r.superseded...); err != nil {
		r.app.warn(err.Error())
	}
}

// halted answers for a pipeline that waits: in tool mode it is saved, in human mode only shown (spec part 7, 13).
//
// printed: a renderer before the halt has printed. Then human mode shows that alone, and tool mode cannot pause in an ask.
func (r *pipelineRun) halted(h *flow.Halt, printed bool) *outcome {
	members := halt.Request(h)
	if r.app.tool && printed && h.SameStage {
		return r.ended(failed(flow.ErrPrinted))
	}
	if !r.app.tool {
		if h.Kind == flow.HaltInput {
			members = append(members, value.M("items", value.Array(h.Items...)))
		}
		return r.ended(&outcome{status: statusOK, output: []value.Value{value.Object(members...)}, silent: printed})
	}
	token, id, err := r.store.Pause(state.PipelineResume, halt.State(r.stages, h, r.superseded, r.app.identity()).Value(), h.Kind == flow.HaltApproval)
	if err != nil {
		return failed(plain.Wrap("the pipeline cannot be saved, so it does not go on", err))
	}
	if r.claim != nil {
		if err := r.claim.Advance(context.Background(), token.Key); err != nil {
			r.app.warn(err.Error())
		}
		r.app.afterwards(func(int) { r.retire() })
	}
	members = append(members, value.M("resumeToken", value.String(token.Encode())))
	if h.Kind == flow.HaltInput {
		return &outcome{status: statusNeedsInput, input: value.Object(members...)}
	}
	members = append(members, value.M("approvalId", value.String(id)))
	return &outcome{status: statusNeedsApproval, approval: value.Object(members...)}
}

// resume answers a waiting pipeline.
func (p inline) resume(ctx context.Context, a *app, store *state.Store, key string, ans intent.Intent) *outcome {
	r := &pipelineRun{app: a, store: store}
	paused, err := store.Paused(key)
	if err == nil && paused.State.IsAbsent() {
		paused.State, r.left = paused.Left, true
	}
	missing := errors.Is(err, state.ErrGone) || err == nil && paused.State.IsAbsent()
	switch {
	case r.left && !missing:
		if err := proc.KillTagged(ctx, pipelineTag(key)); err != nil {
			return failed(err)
		}
	}
	switch {
	case ans.Cancel && missing:
		return failed(errNoStateCancel)
	case missing && r.waitsAgain(paused.Next):
		token := state.Token{Kind: state.PipelineResume, Key: paused.Next}
		return failed(errors.New("this halt was answered, and the pipeline waits again: its token is now " + token.Encode()))
	case missing:
		return failed(halt.ErrNoPipeline)
	case ans.Cancel && (err == nil || plain.As[*state.CorruptError](err) != nil):
		return r.giveUp(ctx, key, nil)
	case err != nil:
		return failed(err)
	}
	st, err := state.PipelineOf(paused.State)
	if err != nil {
		return failed(err)
	}
	if st.Program != nil && st.Program.Hash != a.program.Hash && !a.opt.allowChanged {
		return failed(changedError(st.Program.Hash, a.program.Hash))
	}
	if r.stages, err = halt.Rest(st, p.make(drive.NewRun(value.Object())).Stages); err != nil {
		return failed(err)
	}
	return r.answer(ctx, st, key, ans)
}

// answer holds the answer against the halt, uses the token up, and runs the rest.
func (r *pipelineRun) answer(ctx context.Context, st *state.Pipeline, key string, ans intent.Intent) *outcome {
	items := st.Items
	from := st.ResumeAtIndex
	switch {
	case st.HaltType == state.HaltInput && !ans.Answered:
		return failed(usage(halt.ErrWantsResponse.Error()))
	case st.HaltType == state.HaltInput:
		var err error
		if from, err = halt.Answered(st, r.stages, ans.Response); plain.As[*halt.AnswerError](err) != nil {
			return failed(usage(err.Error()))
		} else if err != nil {
			return failed(err)
		}
		items = []value.Value{ans.Response}
	case ans.Answered:
		return failed(usage(halt.ErrWantsApproval.Error()))
	case !ans.Approve:
		return r.giveUp(ctx, key, st.Superseded)
	}
	if err := r.doubt(from); err != nil {
		return failed(err)
	}
	if r.left && r.app.opt.inDoubt == "done" {
		if o := r.giveUp(ctx, key, st.Superseded); o.err != nil {
			return o
		}
		return &outcome{status: statusOK, always: true}
	}
	claim, err := r.store.Borrow(ctx, key, state.NewClaimID(), r.left)
	if err != nil {
		return failed(pipelineGone(err))
	}
	r.claim, r.superseded = claim, append(st.Superseded, key)
	return r.run(ctx, from, flow.Items(items...))
}

// waitsAgain tells that the pipeline has come to its next halt, whose token may never have been seen.
func (r *pipelineRun) waitsAgain(next string) bool {
	if next == "" {
		return false
	}
	p, err := r.store.Paused(next)
	return err == nil && !p.State.IsAbsent()
}

// pipelineTag marks the processes of a pipeline that was resumed, see local.Engine.
func pipelineTag(key string) string { return "LOBSTERC_EFFECT=" + key + "/pipeline" }

// doubt wants a decision where a resume died in whose stages an effect may have happened.
func (r *pipelineRun) doubt(from int) error {
	o := r.app.opt
	switch {
	case !r.left && o.inDoubt != "" && o.approve == "" && !o.answered:
		return usage("--in-doubt answers the question about an interrupted pipeline, and this one waits for something else")
	case !r.left || o.inDoubt != "":
		return nil
	}
	for _, s := range r.stages[from:] {
		if s.Effect || s.Dispatch {
			return errors.New("The pipeline was interrupted after its halt was answered, and may have taken effect. " +
				"--in-doubt rerun runs it again from there, --in-doubt done takes it as done, --cancel gives it up")
		}
	}
	return nil
}

// giveUp ends a waiting pipeline at the word of a person.
func (r *pipelineRun) giveUp(ctx context.Context, key string, earlier []string) *outcome {
	if err := r.store.Cancel(ctx, key); err != nil {
		return failed(pipelineGone(err))
	}
	r.superseded = earlier
	return r.ended(&outcome{status: statusCancelled})
}

func pipelineGone(err error) error {
	if errors.Is(err, state.ErrGone) {
		return halt.ErrNoPipeline
	}
	return err
}
