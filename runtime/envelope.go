package runtime

import (
	"github.com/lobsterc/lobsterc/runtime/plain"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// Statuses of an envelope.
const (
	statusOK            = "ok"
	statusNeedsApproval = "needs_approval"
	statusNeedsInput    = "needs_input"
	statusCancelled     = "cancelled"
)

// Further ends of a run, as its journal has them.
const (
	statusFailed = "failed"

	// What a run can be besides.
	statusRunning     = "running"
	statusWaiting     = "waiting"
	statusInterrupted = "interrupted"
)

// Exit codes (spec part 3, section 1).
const (
	exitOK       = 0
	exitFailed   = 1
	exitUsage    = 2
	exitApproval = 10 // these three only with --detailed-exit-codes
	exitInput    = 11
	exitCanceled = 12
)

// outcome is how a run ended: its answer, or its failure.
type outcome struct {
	status   string
	output   []value.Value
	approval value.Value // requiresApproval, Absent = null
	input    value.Value // requiresInput, Absent = null
	err      error
	silent   bool // human mode prints nothing
	always   bool // human mode prints the items even when there are none
}

// failed, and usage below, are functions of their own because a hundred copies of their three lines are not small.
//
//go:noinline
func failed(err error) *outcome { return &outcome{err: err} }

// code is the exit code.
func (o *outcome) code(detailed bool) int {
	if sig := plain.As[*signalError](o.err); sig != nil {
		return sig.exit()
	}
	switch {
	case plain.As[*usageError](o.err) != nil:
		return exitUsage
	case o.err != nil:
		return exitFailed
	case !detailed:
		return exitOK
	}
	switch o.status {
	case statusNeedsApproval:
		return exitApproval
	case statusNeedsInput:
		return exitInput
	case statusCancelled:
		return exitCanceled
	}
	return exitOK
}

// usageError is a fault of the caller: the command line, a token, an answer. It is a parse_error, exit 2.
type usageError struct{ message string }

// badArgsJSON is the one usage error that human mode prints bare (spec part 7, 12).
const badArgsJSON = "run --args-json must be valid JSON"

func (u *usageError) Error() string { return u.message }

//go:noinline
func usage(message string) error { return &usageError{message} }

func errorType(err error) string {
	if plain.As[*usageError](err) != nil {
		return "parse_error"
	}
	return "runtime_error"
}

// envelope is the one JSON object that tool mode prints; mask hides secrets in the error text.
func (o *outcome) envelope(meta value.Value, mask func(string) string) value.Value {
	m := o.envelopeHead()
	if o.err != nil {
		var fault value.Members
		fault.String("type", errorType(o.err))
		fault.String("message", mask(o.err.Error()))
		m.Add("error", fault.Object())
	} else {
		m = append(m, o.members()...)
	}
	m.Add("_meta", meta)
	return m.Object()
}

func (o *outcome) envelopeHead() value.Members {
	var m value.Members
	m.Int("protocolVersion", 1)
	m.Add("ok", value.Bool(o.err == nil))
	return m
}

// members are the fields of a good answer, as a human sees them off a terminal too.
func (o *outcome) members() value.Members {
	var m value.Members
	m.String("status", o.status)
	m.Add("output", value.Array(o.output...))
	m.Add("requiresApproval", orNull(o.approval))
	m.Add("requiresInput", orNull(o.input))
	return m
}

func orNull(v value.Value) value.Value {
	if v.IsAbsent() {
		return value.Null
	}
	return v
}
