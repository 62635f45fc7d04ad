package drive

import (
	"context"
	"strings"
	"time"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/plain"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// Engine is the world of a run: everything that takes time, can fail or must not happen twice. runtime/local is the engine of
// one process on one machine. An engine records its answers under the path that it was asked with; asked again with that path (by the same
// run, continued in another process) it gives the recorded answer and does nothing.
//
// Errors of type *Paused, and any error once ctx is cancelled, end the run whatever the workflow says about errors.
type Engine interface {
	// Effect performs one effect: a shell command, or a pipeline up to its end or its next halt.
	Effect(ctx context.Context, e *Effect) (Outcome, error)
	// Fork performs effects at the same time. With any, it returns as soon as one has settled and cancels the others; the
	// answer then holds that one alone. Otherwise the answer has one entry for each effect, in order.
	Fork(ctx context.Context, path Path, effects []*Effect, any bool) ([]Settled, error)
	// Gate waits for a person's answer. An engine that cannot wait saves the run and returns a *Paused.
	Gate(ctx context.Context, g *Gate) (Answer, error)
	// Sleep waits before the next attempt or batch. Jitter asks for a delay within 10 % of d, at most max.
	Sleep(ctx context.Context, s Sleep) (time.Duration, error)
	// Timeout bounds a context by the engine's clock; context.Cause is then the given error.
	Timeout(ctx context.Context, d time.Duration, cause error) (context.Context, context.CancelFunc)
	// Notify reports progress. It must not fail and must not change what happens.
	Notify(e Event)
}

// Path names an effect or a gate within a run: "deploy", "loop[3]/upload", "both/left", "call/child-step", a later attempt
// "deploy@2", the part of a pipeline after its first halt "triage+1". Paths are what a journal is keyed by.
type Path string

// join adds an id, without the characters of the path's own grammar.
func (p Path) join(id string) Path {
	id = plain.Escape(id, "%", "%25", "/", "%2F", "[", "%5B", "@", "%40", "+", "%2B", "?", "%3F")
	if p == "" {
		return Path(id)
	}
	return p + "/" + Path(id)
}

// Within tells whether p belongs to the step at base: it is the step's own, of one of its attempts, or of something inside.
func (p Path) Within(base Path) bool {
	rest, ok := strings.CutPrefix(string(p), string(base))
	return ok && (rest == "" || strings.IndexByte("/[@+", rest[0]) >= 0)
}

func (p Path) item(i int) Path { return p + Path("["+plain.Int(i)+"]") }

func (p Path) attempt(n int) Path {
	if n == 1 {
		return p
	}
	return p + Path("@"+plain.Int(n))
}

func (p Path) stretch(n int) Path {
	if n == 0 {
		return p
	}
	return p + Path("+"+plain.Int(n))
}

// Effect is one effect to perform, as data: the engine evaluates Step's functions against Run.
type Effect struct {
	Path Path
	// Step has Shell set, or Do is a *Stages.
	Step  *Step
	Run   *Run
	Stdin value.Value // Absent = none
	// Env are the variables of workflow, step and branch, outermost first; Dir is the working directory ("" = the caller's).
	Env []EnvLayer
	Dir string
	// MayRepeat: when an earlier process was interrupted in this effect it runs again without asking (retry is declared).
	MayRepeat bool
	// Resume continues a halted pipeline.
	Resume *Resume
	// Nested effects stand in a loop or a branch: there ask cannot pause.
	Nested bool
}

// EnvLayer is one `env:` map with the scope in which its values are evaluated.
type EnvLayer struct {
	Run  *Run
	Vars []EnvVar
	// Args marks the layer that also sets LOBSTER_ARGS_JSON and LOBSTER_ARG_*, before Vars.
	Args bool
}

// Resume says where a halted pipeline goes on: at stage Stage, which gets the answer (SameStage), or after it.
type Resume struct {
	Stage     int
	SameStage bool
	Response  value.Value
}

// Outcome is what an effect left. Stdout is nil, and JSON Absent, where there is none. After a failure both hold what
// came before it, and Dispatched tells whether something has gone out.
type Outcome struct {
	Stdout     *string
	JSON       value.Value
	Halt       *flow.Halt
	Dispatched bool
	Usage      []flow.Usage
	// Exit is the exit code of a shell command; nil when there is none.
	Exit *int
}

// Settled is the outcome of one effect of a Fork.
type Settled struct {
	Index   int
	Outcome Outcome
	Err     error
}

// Sleep is a wait that is part of the run.
type Sleep struct {
	Path   Path
	D      time.Duration
	Max    time.Duration // 0 = none
	Jitter bool
	// Before is called with the actual delay before the wait, when the wait really takes place.
	Before func(time.Duration)
}

// GateKind says what a gate asks for.
type GateKind uint8

// The kinds of gate.
const (
	GateApproval GateKind = iota
	GateInput             // an `input` step
	GateAsk               // an `ask` stage inside a pipeline step
)

// Identity says who may approve.
type Identity struct {
	InitiatedBy       string
	RequiredApprover  string
	DifferentApprover bool
}

// Gate is a question to a person together with what a saved state needs.
type Gate struct {
	Kind   GateKind
	Path   Path
	StepID string
	// Prompt, Items (an array), Preview, Identity belong to approvals; Prompt, Schema, Defaults, Subject to inputs.
	Prompt   string
	Items    value.Value
	Preview  value.Value
	Identity Identity
	Schema   flow.Schema
	Defaults value.Value
	Subject  value.Value
	// Halt is the halted pipeline of a GateAsk, Pipeline its stages, and Saved gives what a saved state keeps of them.
	Saved    func() value.Value
	Halt     *flow.Halt
	Pipeline []flow.Stage
	// Run and ResumeAt are the snapshot: results so far and the index of the step to go on with. Nested gates (in a child)
	// have no snapshot of their own and resume by replay.
	Run      *Run
	ResumeAt int
	Nested   bool
}

// SchemaValue is the schema that a response must satisfy, as JSON; Absent for approvals.
func (g *Gate) SchemaValue() value.Value {
	switch {
	case g.Halt != nil:
		return g.Halt.Schema
	case g.Schema != nil:
		return g.Schema.Source()
	}
	return value.Value{}
}

// Answer is what a person said.
type Answer struct {
	Approved    bool
	ApprovedBy  string
	InitiatedBy string
	Response    value.Value
}

// Paused ends a run that waits for a person in another process. Details is the engine's own.
type Paused struct{ Details any }

func (*Paused) Error() string { return "paused" }

// Refused is a person's no where it fails the run: `Not approved` on a terminal. No on_error covers it.
type Refused struct{ Message string }

func (r *Refused) Error() string { return r.Message }

// Cancelled ends a run that a person has given up, without a failure.
type Cancelled struct{}

func (*Cancelled) Error() string { return "cancelled" }

// Broken ends a run whose engine cannot go on: it could not keep its record. No on_error covers it.
type Broken struct{ Err error }

func (b *Broken) Error() string { return b.Err.Error() }
func (b *Broken) Unwrap() error { return b.Err }

// Failure is an ordinary failure of a step. NoRetry: trying again cannot help or must not happen.
type Failure struct {
	Message string
	NoRetry bool
}

func (f *Failure) Error() string { return f.Message }

// TimeoutError is the cause of a context that the driver bounded. Processes are killed at once. An engine that answers from its
// record gives it again where the limit had cut an effect off.
type TimeoutError struct {
	Message string
	NoRetry bool // something had gone out
}

func (t *TimeoutError) Error() string { return t.Message }

// stopped tells whether the limit t, which bounds ctx, made err: here, or in the run that is being replayed.
func (t *TimeoutError) stopped(ctx context.Context, err error) bool {
	was := timeoutOf(err)
	return context.Cause(ctx) == error(t) || was != nil && was.Message == t.Message
}

// timeoutOf is the limit that made err; nil when none did. Every limit turns its own into a *Failure, so one that arrives
// somewhere else belongs to something around it and is no step's failure there.
//
//go:noinline
func timeoutOf(err error) *TimeoutError {
	return plain.As[*TimeoutError](err)
}

// KillAtOnce tells runtime/proc that no grace is due (spec part 1, 2.1).
func (*TimeoutError) KillAtOnce() bool { return true }

// EventKind names an event as --events prints it.
type EventKind string

// The events.
const (
	StepStarted  EventKind = "step.started"
	StepFinished EventKind = "step.finished"
	StepSkipped  EventKind = "step.skipped"
	StepFailed   EventKind = "step.failed"
	StepRetry    EventKind = "step.retry"
	StepWaiting  EventKind = "gate.waiting"
	LoopItem     EventKind = "loop.item"
	Warning      EventKind = "warning"
)

// Event is something to show. Top marks the steps of the entry workflow.
type Event struct {
	Kind    EventKind
	Path    Path
	StepID  string
	Top     bool
	Message string // StepFailed, StepRetry, Warning
	Attempt int    // StepRetry
	Max     int    // StepRetry; LoopItem: number of items
	Index   int    // LoopItem
	Delay   time.Duration
}
