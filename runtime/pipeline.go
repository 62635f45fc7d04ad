package runtime

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/lobsterc/lobsterc/runtime/drive"
	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/intent"
	"github.com/lobsterc/lobsterc/runtime/plain"
	"github.com/lobsterc/lobsterc/runtime/state"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// Programs that are an inline pipeline: one stretch of stages up to its end or its next halt. They keep no journal.

// pipelineRun is a pipeline in this process: the stages that are left, and the state that it came from.
type pipelineRun struct {
	app        *app
	stages     []flow.Stage
	store      *state.Store
	claim      *state.Claim
	superseded []string
}

// InlinePipeline is the pipeline that a whole program is. A program that is a workflow has none, and links nothing of this.
type InlinePipeline interface {
	start(ctx context.Context, a *app, args value.Value) *outcome
	resume(ctx context.Context, a *app, store *state.Store, key string, ans intent.Intent) *outcome
	plan(args value.Value) string
	stages(run *Run) Pipeline
}

// Inline makes a program of a pipeline.
func Inline(stages func(*Run) Pipeline) InlinePipeline { return inline(stages) }

type inline func(*Run) Pipeline

func (p inline) plan(args value.Value) string {
	return drive.PlanStages(p(drive.NewPlan(args)).Stages)
}

func (p inline) stages(run *Run) Pipeline { return p(run) }

func (p inline) start(ctx context.Context, a *app, args value.Value) *outcome {
	if err := a.preflight(args, 0, nil); err != nil {
		return failed(err)
	}
	r := &pipelineRun{app: a, stages: p(drive.NewRun(args)).Stages}
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
	env := &flow.Env{
		Ctx: ctx, Environ: a.environ, Stdout: stdout, Stderr: a.report.masked(a.stderr), Passthrough: a.tool,
		LoginShell: a.program.LoginShell, StateDir: a.stateDir, NoteDispatch: func() { started = true }, NoteUsage: a.noteUsage,
		Started: func(int, string) error { started = true; return nil },
	}
	if a.terminal != nil {
		env.Ask = a.ask
	}
	out, err := flow.Run(env, r.stages, from, items)
	if halt := plain.As[*flow.Halt](err); halt != nil {
		return r.halted(halt)
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

// ended removes what the pipeline kept.
func (r *pipelineRun) ended(o *outcome) *outcome {
	if len(r.superseded) > 0 {
		if err := r.store.Remove(context.Background(), r.superseded...); err != nil {
			r.app.warn(err.Error())
		}
	}
	return o
}

// halted answers for a pipeline that waits: in tool mode it is saved, in human mode only shown (spec part 7, 13).
func (r *pipelineRun) halted(h *flow.Halt) *outcome {
	members := haltMembers(h)
	if !r.app.tool {
		if h.Kind == flow.HaltInput {
			members = append(members, value.M("items", value.Array(h.Items...)))
		}
		return r.ended(&outcome{status: statusOK, output: []value.Value{value.Object(members...)}})
	}
	token, id, err := r.store.Pause(state.PipelineResume, r.stateOf(h).Value(), h.Kind == flow.HaltApproval)
	if err != nil {
		return failed(plain.Wrap("the pipeline cannot be saved, so it does not go on", err))
	}
	members = append(members, value.M("resumeToken", value.String(token.Encode())))
	if h.Kind == flow.HaltInput {
		return &outcome{status: statusNeedsInput, input: value.Object(members...)}
	}
	members = append(members, value.M("approvalId", value.String(id)))
	return &outcome{status: statusNeedsApproval, approval: value.Object(members...)}
}

func haltMembers(h *flow.Halt) []value.Member {
	if h.Kind == flow.HaltInput {
		return []value.Member{
			value.M("type", value.String("input_request")), value.M("prompt", value.String(h.Prompt)), value.M("responseSchema", h.Schema),
			value.M("defaults", h.Defaults), value.M("subject", h.Subject),
		}
	}
	return []value.Member{
		value.M("type", value.String("approval_request")), value.M("prompt", value.String(h.Prompt)),
		value.M("items", value.Array(h.Items...)), value.M("preview", h.Preview),
	}
}

// stateOf is the state file of a waiting pipeline.
func (r *pipelineRun) stateOf(h *flow.Halt) *state.Pipeline {
	p := &state.Pipeline{
		Stages: stagesOf(r.stages), ResumeAtIndex: h.Stage + 1, HaltType: state.HaltApproval, Prompt: h.Prompt, Items: h.Items,
		Superseded: r.superseded, Program: &state.Program{Name: r.app.program.name(), Hash: r.app.program.Hash},
	}
	if h.Kind == flow.HaltApproval {
		return p
	}
	p.HaltType, p.ResumeMode, p.InputSchema, p.Items = state.HaltInput, state.NextStage, h.Schema, nil
	if h.SameStage {
		p.ResumeMode, p.ResumeAtIndex, p.CommandInput = state.SameStage, h.Stage, commandInput(h)
	}
	return p
}

// resume answers a waiting pipeline.
func (p inline) resume(ctx context.Context, a *app, store *state.Store, key string, ans intent.Intent) *outcome {
	r := &pipelineRun{app: a, store: store}
	paused, err := store.Paused(key)
	missing := errors.Is(err, state.ErrGone) || err == nil && paused.State.IsAbsent()
	switch {
	case ans.Cancel && missing:
		return failed(errNoStateCancel)
	case missing:
		return failed(errNoPipeline)
	case ans.Cancel && (err == nil || plain.As[*state.CorruptError](err) != nil):
		return r.giveUp(ctx, key, nil)
	case err != nil:
		return failed(err)
	}
	st, err := state.PipelineOf(paused.State)
	if err != nil {
		return failed(err)
	}
	stages := p(drive.NewRun(value.Object())).Stages
	if err := a.pipelineFits(st, stages); err != nil {
		return failed(err)
	}
	r.stages = stages[len(stages)-len(st.Stages):]
	return r.answer(ctx, st, key, ans)
}

var errNoPipeline = errors.New("Pipeline resume state not found")

// pipelineFits holds a state against this program: its stages must be the last ones of the program's.
func (a *app) pipelineFits(st *state.Pipeline, stages []flow.Stage) error {
	if st.Program != nil && st.Program.Hash != a.program.Hash && !a.opt.allowChanged {
		return changedError(st.Program.Hash, a.program.Hash)
	}
	own := stagesOf(stages)
	fits := len(st.Stages) <= len(own)
	for i := range st.Stages {
		fits = fits && own[len(own)-len(st.Stages)+i].Raw == st.Stages[i].Raw
	}
	if !fits || st.ResumeAtIndex > len(st.Stages) {
		return errors.New("pipeline changed since this run paused: its stages are not those of this program")
	}
	return nil
}

// answer holds the answer against the halt, uses the token up, and runs the rest.
func (r *pipelineRun) answer(ctx context.Context, st *state.Pipeline, key string, ans intent.Intent) *outcome {
	items := st.Items
	from := st.ResumeAtIndex
	switch {
	case st.HaltType == state.HaltInput && !ans.Answered:
		return failed(usage("pipeline input resumes require response"))
	case st.HaltType == state.HaltInput:
		asking := from
		if st.ResumeMode == state.SameStage {
			from++
		} else {
			asking--
		}
		if err := checkPipelineResponse(r.stages, asking, ans.Response); err != nil {
			return failed(err)
		}
		items = []value.Value{ans.Response}
	case ans.Answered:
		return failed(usage("approval resumes require approved=true|false, not response"))
	case !ans.Approve:
		return r.giveUp(ctx, key, st.Superseded)
	}
	claim, err := r.store.Consume(ctx, key, state.NewClaimID())
	if err != nil {
		return failed(pipelineGone(err))
	}
	r.claim, r.superseded = claim, append(st.Superseded, key)
	return r.run(ctx, from, flow.Items(items...))
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
		return errNoPipeline
	}
	return err
}

func checkPipelineResponse(stages []flow.Stage, asking int, v value.Value) error {
	if asking < 0 || asking >= len(stages) || stages[asking].Schema == nil {
		return errors.New("pipeline changed since this run paused: it does not ask where the state says")
	}
	err := stages[asking].Schema.Validate(v)
	if fault := plain.As[*flow.SchemaError](err); fault != nil {
		return usage("pipeline input response failed schema validation at " + fault.Path + ": " + fault.Reason)
	}
	return err
}
