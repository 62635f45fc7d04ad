package sdk

import (
	"errors"

	"github.com/lobsterc/lobsterc/runtime/halt"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// Statuses of results.
const (
	StatusOK            = "ok"
	StatusNeedsApproval = "needs_approval"
	StatusNeedsInput    = "needs_input"
	StatusCancelled     = "cancelled"
	StatusError         = "error"
)

// Result is how a run ended or where it waits.
type Result struct {
	OK     bool
	Status string
	Output []Value
	// At most one of these is set.
	RequiresApproval *ApprovalRequest
	RequiresInput    *InputRequest
	Error            *Error
}

// ApprovalRequest is a gate that wants a yes or a no.
type ApprovalRequest struct {
	Prompt  string
	Items   []Value // what goes on when it is approved
	Preview Value
	Token   string // for Resume
	ID      string // a short name for the token
	members []value.Member
}

// InputRequest is a gate that wants a response.
type InputRequest struct {
	Prompt   string
	Schema   Value // the JSON Schema of the response
	Defaults Value
	Subject  Value
	Token    string // for Resume
	members  []value.Member
}

// Error is why a run failed. Type is parse_error for an answer or a token that is wrong, else runtime_error.
type Error struct {
	Type    string
	Message string
	Err     error
}

func (e *Error) Error() string { return e.Message }
func (e *Error) Unwrap() error { return e.Err }

// usageError is a fault of the caller.
type usageError struct{ error }

func failed(err error) *Result {
	kind := "runtime_error"
	var usage *usageError
	var unfit *halt.AnswerError
	if errors.As(err, &usage) || errors.As(err, &unfit) {
		kind = "parse_error"
	}
	return &Result{Status: StatusError, Error: &Error{Type: kind, Message: err.Error(), Err: err}}
}

// Value is the result as JSON: {ok, status, output, requiresApproval, requiresInput}, or with error.
func (r *Result) Value() Value {
	approval, input := value.Null, value.Null
	if q := r.RequiresApproval; q != nil {
		approval = value.Object(append(q.members, value.M("resumeToken", value.String(q.Token)), value.M("approvalId", value.String(q.ID)))...)
	}
	if q := r.RequiresInput; q != nil {
		input = value.Object(append(q.members, value.M("resumeToken", value.String(q.Token)))...)
	}
	members := []value.Member{
		value.M("ok", value.Bool(r.OK)), value.M("status", value.String(r.Status)), value.M("output", value.Array(r.Output...)),
		value.M("requiresApproval", approval), value.M("requiresInput", input),
	}
	if r.Error != nil {
		members = append(members, value.M("error", value.Object(
			value.M("type", value.String(r.Error.Type)), value.M("message", value.String(r.Error.Message)))))
	}
	return value.Object(members...)
}
