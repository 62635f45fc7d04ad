package drive

import (
	"context"
	"time"

	"github.com/lobsterc/lobsterc/runtime/plain"
)

// attempts runs once until it succeeds or the step's policy is spent. The timeout is for each attempt; a retry of a loop or of a
// child starts it anew under a path of its own.
func (m *machine) attempts(ctx context.Context, st *Step, path Path, once func(context.Context, Path) (*Result, error)) (*Result, error) {
	most := 1
	if st.Retry != nil {
		most = max(1, st.Retry.Max)
	}
	for n := 1; ; n++ {
		res, err := m.bounded(ctx, st, path.attempt(n), once)
		if err == nil {
			return res, nil
		}
		if ctx.Err() != nil && !isPause(err) {
			err = context.Cause(ctx)
		}
		if n == most || ctx.Err() != nil || isFinal(err) || timeoutOf(err) != nil || m.noRetry(st, err) {
			if *m.failedAt == "" {
				*m.failedAt = path
			}
			return res, err
		}
		*m.failedAt = ""
		if err := m.wait(ctx, st, path, n, most, err.Error()); err != nil {
			return res, err
		}
	}
}

// bounded runs one attempt within the step's timeout.
func (m *machine) bounded(ctx context.Context, st *Step, path Path, once func(context.Context, Path) (*Result, error)) (*Result, error) {
	if st.Timeout == 0 {
		return once(ctx, path)
	}
	timeout := &TimeoutError{Message: "Step '" + st.ID + "' timed out after " + plain.Millis(st.Timeout) + "ms"}
	inner, cancel := m.eng.Timeout(ctx, st.Timeout, timeout)
	defer cancel()
	res, err := once(inner, path)
	if err == nil || isFinal(err) || !timeout.stopped(inner, err) {
		return res, err
	}
	if p, ok := st.Do.(*Parallel); ok && !p.Any {
		return res, &Failure{Message: branchFailed + timeout.Message, NoRetry: noRetry(err)}
	}
	// Whatever the cut-off effect said, the step's failure is the timeout; a dispatch stays one.
	return res, &Failure{Message: timeout.Message, NoRetry: noRetry(err)}
}

// noRetry tells whether a failure must not be tried again: something has gone out, or the cost limit stopped it.
func noRetry(err error) bool {
	if t := timeoutOf(err); t != nil {
		return t.NoRetry
	}
	if f := plain.As[*Failure](err); f != nil && f.NoRetry {
		return true
	}
	return plain.As[*costError](err) != nil
}

func (m *machine) noRetry(st *Step, err error) bool { return st.Dispatch || noRetry(err) }

// wait sleeps before attempt n+1 and says so.
func (m *machine) wait(ctx context.Context, st *Step, path Path, n, most int, message string) error {
	_, err := m.eng.Sleep(ctx, Sleep{
		Path:   path.attempt(n),
		D:      st.Retry.delay(n - 1),
		Max:    st.Retry.MaxDelay,
		Jitter: st.Retry.Jitter,
		Before: func(d time.Duration) {
			m.notify(Event{Kind: StepRetry, Path: path, StepID: st.ID, Message: message, Attempt: n, Max: most, Delay: d})
		},
	})
	return err
}

// delay is the wait after attempt n, counted from 0. The maximum does not bound fixed delays.
func (r *Retry) delay(n int) time.Duration {
	if !r.Exponential {
		return r.Delay
	}
	d := r.Delay
	for ; n > 0 && d < r.MaxDelay; n-- {
		d *= 2
	}
	return min(d, r.MaxDelay)
}
