package sdk

import (
	"context"
	"errors"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/halt"
	"github.com/lobsterc/lobsterc/runtime/state"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// Answer is what a person answers to a gate.
type Answer struct {
	kind     answerKind
	response Value
}

type answerKind uint8

const (
	answerApproved answerKind = iota + 1
	answerRejected
	answerResponse
	answerCancel
)

// The answers to an approval, and the one that gives a run up at any gate.
var (
	Approved = Answer{kind: answerApproved}
	Rejected = Answer{kind: answerRejected}
	Cancel   = Answer{kind: answerCancel}
)

// Response answers a request for input.
func Response(v Value) Answer { return Answer{kind: answerResponse, response: v} }

// Resume goes on with a paused run by its token or its short approval id. Of many that try, one gets the run. An answer that
// does not fit leaves it paused.
func (p *Pipeline) Resume(ctx context.Context, token string, answer Answer) *Result {
	dir, err := state.FindDir(p.StateDir, p.environ())
	if err != nil {
		return failed(err)
	}
	r := &run{pipeline: p, store: state.Open(dir)}
	t, err := r.token(token)
	if err != nil {
		return failed(&usageError{err})
	}
	st, err := r.load(t.Key)
	if err != nil {
		return failed(err)
	}
	if answer.kind == answerCancel {
		return r.giveUp(ctx, t.Key, st)
	}
	if r.stages, err = halt.Rest(st, p.Stages); err != nil {
		return failed(err)
	}
	return r.answer(ctx, t.Key, st, answer)
}

// token reads a token or finds the one of an approval id.
func (r *run) token(text string) (state.Token, error) {
	var t state.Token
	var err error
	if state.IsApprovalID(text) {
		t, err = r.store.Approval(text)
	} else {
		t, err = state.ParseToken(text)
	}
	if err == nil && t.Kind != state.PipelineResume {
		err = errors.New("this token belongs to a workflow, not to a pipeline")
	}
	return t, err
}

func (r *run) load(key string) (*state.Pipeline, error) {
	p, err := r.store.Paused(key)
	switch {
	case errors.Is(err, state.ErrGone) || err == nil && p.State.IsAbsent():
		return nil, halt.ErrNoPipeline
	case err != nil:
		return nil, err
	}
	return state.PipelineOf(p.State)
}

// answer holds the answer against the question, uses the token up and goes on.
func (r *run) answer(ctx context.Context, key string, st *state.Pipeline, answer Answer) *Result {
	from, items := st.ResumeAtIndex, st.Items
	switch asks := st.HaltType == state.HaltInput; {
	case asks && answer.kind != answerResponse:
		return failed(halt.ErrWantsResponse)
	case asks:
		var err error
		if from, err = halt.Answered(st, r.stages, answer.response); err != nil {
			return failed(err)
		}
		items = []value.Value{answer.response}
	case answer.kind == answerRejected:
		return r.giveUp(ctx, key, st)
	case answer.kind != answerApproved:
		return failed(halt.ErrWantsApproval)
	}
	if _, err := r.store.Consume(ctx, key, state.NewClaimID()); err != nil {
		return failed(gone(err))
	}
	r.superseded = append(st.Superseded, key)
	return r.run(ctx, from, flow.Items(items...))
}

// giveUp ends a paused run.
func (r *run) giveUp(ctx context.Context, key string, st *state.Pipeline) *Result {
	if err := r.store.Cancel(ctx, key); err != nil {
		return failed(gone(err))
	}
	r.superseded = st.Superseded
	if err := r.forget(ctx); err != nil {
		return failed(err)
	}
	return &Result{OK: true, Status: StatusCancelled}
}

func gone(err error) error {
	if errors.Is(err, state.ErrGone) {
		return halt.ErrNoPipeline
	}
	return err
}
