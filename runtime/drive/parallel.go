package drive

import (
	"context"

	"github.com/lobsterc/lobsterc/runtime/plain"
	"github.com/lobsterc/lobsterc/runtime/value"
)

const branchFailed = "Parallel branch failed: "

// exec runs the branches at the same time.
func (p *Parallel) exec(ctx context.Context, m *machine, st *Step, _ int, path Path, _ *Resume) (*Result, error) {
	inner := *m
	inner.mayRepeat = m.mayRepeat || st.Retry != nil
	if len(st.Env) > 0 {
		inner.env = append(m.env[:len(m.env):len(m.env)], EnvLayer{Run: m.run, Vars: st.Env})
	}
	if st.Cwd != nil {
		inner.dir = st.Cwd(m.run)
	}
	effects := make([]*Effect, len(p.Branches))
	for i := range p.Branches {
		b := &p.Branches[i]
		effects[i] = inner.effect(m.run, b, path.join(b.ID))
		effects[i].Nested = true
	}
	forkCtx := ctx
	var timeout *TimeoutError
	if p.Timeout > 0 {
		timeout = &TimeoutError{Message: "Parallel step " + st.ID + " timed out after " + plain.Millis(p.Timeout) + "ms"}
		var cancel context.CancelFunc
		forkCtx, cancel = m.eng.Timeout(ctx, p.Timeout, timeout)
		defer cancel()
	}
	settled, err := m.eng.Fork(forkCtx, path, effects, p.Any)
	if err != nil {
		return nil, err
	}
	return p.join(forkCtx, m, st.ID, settled, timeout)
}

// join makes the parallel step's result of its branches' outcomes; the first failure in declaration order fails it.
func (p *Parallel) join(ctx context.Context, m *machine, id string, settled []Settled, timeout *TimeoutError) (*Result, error) {
	var failure error
	dispatched := false
	results := make([]*Result, 0, len(settled))
	for _, s := range settled {
		branch := &p.Branches[s.Index]
		res, err := m.settle(branch.ID, s.Outcome, s.Err)
		dispatched = dispatched || s.Outcome.Dispatched || branch.Dispatch
		if err != nil && failure == nil {
			failure = err
		}
		results = append(results, res)
	}
	if failure != nil {
		message := failure.Error()
		switch {
		case isFinal(failure):
			return nil, failure
		case timeout != nil && timeout.stopped(ctx, failure):
			message = timeout.Message
		case timeoutOf(failure) != nil:
			return nil, &TimeoutError{message, dispatched}
		case !p.Any:
			message = branchFailed + message
		}
		return nil, &Failure{Message: message, NoRetry: dispatched}
	}
	members := make([]value.Member, 0, len(results))
	for _, res := range results {
		m.run.record(res)
		m.bill(res.ID, res.JSON) // the limit is checked once, after the step
		members = append(members, value.M(res.ID, res.JSON))
	}
	json := value.Object(members...)
	text := json.JSON()
	if p.Any && len(results) == 1 {
		text = ""
		if results[0].Stdout != nil {
			text = *results[0].Stdout
		}
	}
	return &Result{ID: id, JSON: json, Stdout: &text, jsonFirst: true}, nil
}
