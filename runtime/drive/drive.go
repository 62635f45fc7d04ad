package drive

import (
	"context"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/plain"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// Start says where a run begins. The zero Index is the beginning; a snapshot (a state file) starts later.
type Start struct {
	Run   *Run
	Index int
	// Ask answers the ask stage in which the step at Index waits; nil otherwise.
	Ask *Resume
	// Identity fills what approval gates leave unset (LOBSTER_APPROVAL_*).
	Identity Identity
	// Meter counts spend; nil counts nothing.
	Meter Meter
	// Failed is set to the path of the step whose failure ends the run, the innermost one; "" when it is no step's. It may be nil.
	Failed *Path
}

// Meter counts what model calls cost. Warnings are texts for stderr.
type Meter interface {
	// Bill counts live calls of a step; Step counts what a finished step's json reports. Neither counts a call twice.
	Bill(stepID string, calls []flow.Usage) (warnings []string)
	Step(stepID string, json value.Value) (warnings []string)
	// Check holds the spend against a limit: warnings for stderr, and the text of the failure when the limit stops the run.
	Check(limit CostLimit) (warnings []string, failure string)
	// Child is the meter of a sub-workflow. Its live calls count here too; what its steps report counts there alone, for what it
	// gives is this workflow's to count.
	Child() Meter
}

// Execute runs wf from start and gives its output items.
func Execute(ctx context.Context, eng Engine, wf *Workflow, start Start) ([]value.Value, error) {
	if wf.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = eng.Timeout(ctx, wf.Timeout, workflowLimit(wf))
		defer cancel()
	}
	m := &machine{eng: eng, wf: wf, run: start.Run, identity: start.Identity, meter: start.Meter, failedAt: start.Failed}
	if m.failedAt == nil {
		m.failedAt = new(Path)
	}
	m.env = []EnvLayer{{Run: m.run, Vars: wf.Env, Args: true}}
	if wf.Cwd != nil {
		m.dir = wf.Cwd(m.run)
	}
	return m.steps(ctx, start.Index, start.Ask)
}

func workflowLimit(wf *Workflow) *TimeoutError {
	return &TimeoutError{Message: "Workflow timed out after " + plain.Millis(wf.Timeout) + "ms"}
}

// machine runs the steps of one workflow instance.
type machine struct {
	eng      Engine
	wf       *Workflow
	run      *Run
	prefix   Path // of a child workflow
	env      []EnvLayer
	dir      string
	identity Identity
	meter    Meter
	// mayRepeat: a step around this workflow declares retry.
	mayRepeat bool
	failedAt  *Path // of the run, see Start.Failed
}

func (m *machine) top() bool { return m.prefix == "" }

// steps runs the workflow's steps from index on.
func (m *machine) steps(ctx context.Context, index int, ask *Resume) ([]value.Value, error) {
	for i := index; i < len(m.wf.Steps); i++ {
		stop, err := m.step(ctx, i, ask)
		if err != nil {
			return nil, err
		}
		if stop {
			break
		}
		ask = nil
	}
	if err := m.checkCost(); err != nil {
		return nil, err
	}
	return m.output(), nil
}

// output is the run output: of the last step, in file order, that completed.
func (m *machine) output() []value.Value {
	last, ok := m.lastCompleted(len(m.wf.Steps))
	switch {
	case !ok:
		return nil
	case !last.JSON.IsAbsent():
		return spread(last.JSON)
	case !last.Response.IsAbsent():
		return spread(last.Response)
	case last.Stdout != nil && *last.Stdout != "":
		return []value.Value{value.String(*last.Stdout)}
	}
	return nil
}

// lastCompleted is the last result before step index end that was neither skipped nor failed.
func (m *machine) lastCompleted(end int) (*Result, bool) {
	for i := end - 1; i >= 0; i-- {
		res, ok := m.run.results[m.wf.Steps[i].ID]
		if ok && !res.Skipped && !res.Error {
			return res, true
		}
	}
	return nil, false
}

func spread(v value.Value) []value.Value {
	if v.Kind() == value.ArrayKind {
		return v.Items()
	}
	return []value.Value{v}
}

// step does what part 1, section 2 says, in that order. stop ends the run well (on_error: skip_rest).
func (m *machine) step(ctx context.Context, i int, ask *Resume) (stop bool, err error) {
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	st := &m.wf.Steps[i]
	path := m.prefix.join(st.ID)
	if ask == nil && st.When != nil {
		run, err := m.condition(st)
		if err != nil {
			return false, err
		}
		if !run {
			m.run.record(&Result{ID: st.ID, Skipped: true})
			m.notify(Event{Kind: StepSkipped, Path: path, StepID: st.ID})
			return false, nil
		}
	}
	m.notify(Event{Kind: StepStarted, Path: path, StepID: st.ID})
	res, err := m.perform(ctx, st, i, path, ask)
	if err != nil {
		return m.failed(ctx, st, path, res, err)
	}
	m.run.record(res)
	if err := m.account(st.ID, res.JSON); err != nil {
		return false, err
	}
	if st.Approval != nil {
		if err := m.approve(ctx, st, i, path, res); err != nil {
			return false, err
		}
	}
	m.notify(Event{Kind: StepFinished, Path: path, StepID: st.ID})
	return false, nil
}

// condition evaluates when; a condition that cannot be evaluated (only in programs built with --compat) panics with a
// *Failure, which on_error never covers.
func (m *machine) condition(st *Step) (ok bool, err error) {
	defer RecoverFailure(&err)
	return st.When(m.run), nil
}

// RecoverFailure turns a panic with a *Failure, by which generated functions report what only --compat lets through, into an error.
func RecoverFailure(err *error) {
	switch p := recover().(type) {
	case nil:
	case *Failure:
		*err = p
	default:
		panic(p)
	}
}

// Fail reports from a generated function that the program cannot go on; the run fails with the message.
func Fail(message string) { panic(&Failure{Message: message, NoRetry: true}) }

// perform runs what the step executes, with its policies, and gives its result.
func (m *machine) perform(ctx context.Context, st *Step, i int, path Path, ask *Resume) (res *Result, err error) {
	defer RecoverFailure(&err)
	switch {
	case st.Input != nil:
		return m.input(ctx, st, i, path)
	case st.Shell == nil && st.Do == nil:
		return m.synthetic(st)
	}
	return m.attempts(ctx, st, path, func(ctx context.Context, path Path) (*Result, error) {
		if st.Do != nil {
			resume := ask
			ask = nil // a retry starts the pipeline anew
			return st.Do.exec(ctx, m, st, i, path, resume)
		}
		out, err := m.eng.Effect(ctx, m.effect(m.run, st, path))
		return m.settle(st.ID, out, err)
	})
}

// effect is the effect of a shell or pipeline step in the scope run.
func (m *machine) effect(run *Run, st *Step, path Path) *Effect {
	e := &Effect{Path: path, Step: st, Run: run, Env: m.env, Dir: m.dir, MayRepeat: m.mayRepeat || st.Retry != nil}
	if len(st.Env) > 0 {
		e.Env = append(e.Env[:len(e.Env):len(e.Env)], EnvLayer{Run: run, Vars: st.Env})
	}
	if st.Cwd != nil {
		e.Dir = st.Cwd(run)
	}
	if st.Stdin != nil {
		e.Stdin = st.Stdin(run)
	}
	return e
}

// settle turns an effect's outcome into a result and bills it.
func (m *machine) settle(id string, out Outcome, err error) (*Result, error) {
	if m.meter != nil && len(out.Usage) > 0 {
		m.warn(m.meter.Bill(id, out.Usage))
	}
	if err != nil && out.Dispatched && !isFinal(err) {
		if t := timeoutOf(err); t != nil {
			err = &TimeoutError{t.Message, true}
		} else if f := plain.As[*Failure](err); f == nil || !f.NoRetry {
			err = &Failure{Message: err.Error(), NoRetry: true}
		}
	}
	return &Result{ID: id, Stdout: out.Stdout, JSON: out.JSON}, err
}

// synthetic is a step that executes nothing: its stdin is its result.
func (m *machine) synthetic(st *Step) (*Result, error) {
	res := &Result{ID: st.ID}
	if st.Stdin == nil {
		return res, nil
	}
	v := st.Stdin(m.run)
	switch v.Kind() {
	case value.Absent, value.NullKind:
	case value.StringKind:
		text := v.Str()
		res.Stdout = &text
		res.JSON = flow.TextJSON(text)
	default:
		text := v.JSON()
		res.Stdout, res.JSON = &text, v
	}
	return res, nil
}

// failed applies on_error. Cancelling, refusals and pauses are not errors in this sense.
func (m *machine) failed(ctx context.Context, st *Step, path Path, res *Result, err error) (stop bool, _ error) {
	if ctx.Err() != nil && !isPause(err) {
		err = context.Cause(ctx)
		m.notify(Event{Kind: StepFailed, Path: path, StepID: st.ID, Message: err.Error()})
		return false, err
	}
	if isFinal(err) || timeoutOf(err) != nil {
		if !isPause(err) {
			m.notify(Event{Kind: StepFailed, Path: path, StepID: st.ID, Message: err.Error()})
		}
		return false, err
	}
	m.notify(Event{Kind: StepFailed, Path: path, StepID: st.ID, Message: err.Error()})
	if plain.As[*costError](err) != nil || st.OnError == Stop {
		return false, err
	}
	*m.failedAt = ""
	if res == nil {
		res = &Result{}
	}
	res.ID, res.Error, res.ErrorMessage, res.JSON = st.ID, true, err.Error(), value.Value{}
	m.run.record(res)
	if err := m.checkCost(); err != nil {
		return false, err
	}
	return st.OnError == SkipRest, nil
}

//go:noinline
func isPause(err error) bool { return plain.As[*Paused](err) != nil }

// isFinal tells errors that end the run whatever on_error and retry say.
func isFinal(err error) bool {
	return isPause(err) || plain.As[*Refused](err) != nil || plain.As[*Cancelled](err) != nil || plain.As[*Broken](err) != nil
}

//go:noinline
func (m *machine) notify(e Event) {
	e.Top = m.top()
	m.eng.Notify(e)
}

func (m *machine) warn(texts []string) {
	for _, t := range texts {
		m.eng.Notify(Event{Kind: Warning, Message: t})
	}
}

// costError is a cost limit that stops the run; neither on_error nor retry covers it.
type costError struct{ message string }

func (c *costError) Error() string { return c.message }

// account counts a finished step's spend and checks the limit.
func (m *machine) account(stepID string, json value.Value) error {
	m.bill(stepID, json)
	return m.checkCost()
}

// bill counts a finished step's spend.
func (m *machine) bill(stepID string, json value.Value) {
	if m.meter != nil {
		m.warn(m.meter.Step(stepID, json))
	}
}

func (m *machine) checkCost() error {
	if m.meter == nil || m.wf.CostLimit == nil {
		return nil
	}
	warnings, failure := m.meter.Check(*m.wf.CostLimit)
	m.warn(warnings)
	if failure != "" {
		return &costError{failure}
	}
	return nil
}
