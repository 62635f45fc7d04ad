// Package sdk builds and runs pipelines from Go code, with gates that outlive the process: what a compiled pipeline can do, a Go
// program can do with its own functions among the stages (spec part 4, section 6).
//
//	p := sdk.New(
//		sdk.ExecJSON("cat drafts.json"),
//		sdk.Map("shorten", func(draft sdk.Value) (sdk.Value, error) { ... }),
//		sdk.Approve("Send these?"),
//		sdk.Effect("send", func(ctx context.Context, drafts []sdk.Value) ([]sdk.Value, error) { ... }),
//	)
//	res := p.Run(ctx)
//	// res.Status is "needs_approval": show res.RequiresApproval, keep its Token. Later, perhaps in another process:
//	res = p.Resume(ctx, token, sdk.Approved)
//
// All stages of package runtime/stage and its siblings can be used too: a Stage is a flow.Stage. Tokens and state files are those of
// compiled programs and of the reference.
package sdk

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/halt"
	"github.com/lobsterc/lobsterc/runtime/plain"
	"github.com/lobsterc/lobsterc/runtime/state"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// Value is a JSON value; package runtime/value makes and reads them.
type Value = value.Value

// Stage is a stage of a pipeline.
type Stage = flow.Stage

// Pipeline is a pipeline with its surroundings. It may be run many times, also at the same time.
type Pipeline struct {
	// Name stands in saved states, for people.
	Name   string
	Stages []Stage
	// StateDir keeps paused runs and the state of stages; empty: LOBSTER_STATE_DIR, else .lobster/state in the home directory.
	StateDir string
	// Environ is the environment of stages and of the processes they start; nil: this process's.
	Environ []string
	// Dir is the working directory of processes; empty: this process's.
	Dir string
	// Stdout takes what the renderers json and table print, Stderr warnings and what processes print to theirs; nil: nothing.
	Stdout, Stderr io.Writer
}

// New gives a pipeline of stages.
func New(stages ...Stage) *Pipeline { return &Pipeline{Name: "pipeline", Stages: stages} }

// Pipe adds stages at the end.
func (p *Pipeline) Pipe(stages ...Stage) *Pipeline {
	p.Stages = append(p.Stages, stages...)
	return p
}

// Run runs the pipeline on some items (usually none) to its end or to its first gate.
func (p *Pipeline) Run(ctx context.Context, items ...Value) *Result {
	dir, err := state.FindDir(p.StateDir, p.environ())
	if err != nil {
		return failed(err)
	}
	r := &run{pipeline: p, store: state.Open(dir), stages: p.Stages}
	return r.run(ctx, 0, flow.Items(items...))
}

func (p *Pipeline) environ() []string {
	if p.Environ == nil {
		return os.Environ()
	}
	return p.Environ
}

// run is a pipeline on its way.
type run struct {
	pipeline   *Pipeline
	store      *state.Store
	stages     []Stage
	superseded []string // keys of the states that the run came through
}

// run runs the stages from an index on.
func (r *run) run(ctx context.Context, from int, items flow.Stream) *Result {
	p := r.pipeline
	env := &flow.Env{
		Ctx: ctx, Environ: p.environ(), Dir: p.Dir, Stdout: orDiscard(p.Stdout), Stderr: orDiscard(p.Stderr),
		StateDir: func() (string, error) { return r.store.Dir(), nil }, NoteDispatch: func() {}, NoteUsage: func(flow.Usage) {},
	}
	out, err := flow.Run(env, r.stages, from, items)
	var wait *flow.Halt
	if errors.As(err, &wait) {
		return r.pause(wait)
	}
	if gone := r.forget(ctx); err == nil {
		err = gone
	}
	if err != nil {
		return failed(err)
	}
	return &Result{OK: true, Status: StatusOK, Output: out.Items}
}

// pause saves the run that waits.
func (r *run) pause(h *flow.Halt) *Result {
	st := halt.State(r.stages, h, r.superseded, &state.Program{Name: r.pipeline.Name})
	token, id, err := r.store.Pause(state.PipelineResume, st.Value(), h.Kind == flow.HaltApproval)
	if err != nil {
		return failed(plain.Wrap("the pipeline cannot be saved, so it does not go on", err))
	}
	if h.Kind == flow.HaltInput {
		return &Result{OK: true, Status: StatusNeedsInput, RequiresInput: &InputRequest{
			Prompt: h.Prompt, Schema: h.Schema, Defaults: h.Defaults, Subject: h.Subject, Token: token.Encode(), members: halt.Request(h),
		}}
	}
	return &Result{OK: true, Status: StatusNeedsApproval, RequiresApproval: &ApprovalRequest{
		Prompt: h.Prompt, Items: h.Items, Preview: h.Preview, Token: token.Encode(), ID: id, members: halt.Request(h),
	}}
}

// forget removes the states that the run came through.
func (r *run) forget(ctx context.Context) error {
	if len(r.superseded) == 0 {
		return nil
	}
	return r.store.Remove(context.WithoutCancel(ctx), r.superseded...)
}

func orDiscard(w io.Writer) io.Writer {
	if w == nil {
		return io.Discard
	}
	return w
}

// ReadState gives the value that is kept under a key, Absent when there is none. dir is as in Pipeline.StateDir.
func ReadState(dir, key string) (Value, error) {
	dir, err := state.FindDir(dir, os.Environ())
	if err != nil {
		return Value{}, err
	}
	v, _, err := state.Open(dir).Read(key)
	return v, err
}

// WriteState keeps a value under a key. It is on disk when it returns.
func WriteState(dir, key string, v Value) error {
	dir, err := state.FindDir(dir, os.Environ())
	if err != nil {
		return err
	}
	return state.Open(dir).Write(key, v)
}
