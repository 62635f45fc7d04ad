package local

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/lobsterc/lobsterc/runtime/drive"
	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/plain"
	"github.com/lobsterc/lobsterc/runtime/proc"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// Environment variables of approvals.
const (
	EnvApprovedBy        = "LOBSTER_APPROVAL_APPROVED_BY"
	EnvInitiatedBy       = "LOBSTER_APPROVAL_INITIATED_BY"
	EnvRequiredApprover  = "LOBSTER_APPROVAL_REQUIRED_APPROVER"
	EnvDifferentApprover = "LOBSTER_APPROVAL_REQUIRE_DIFFERENT_APPROVER"
)

// Gate answers from the record, asks on the terminal, or saves the run.
func (e *Engine) Gate(ctx context.Context, g *drive.Gate) (drive.Answer, error) {
	if a, ok := e.log.answer(g.Path); ok {
		return a, nil
	}
	if ctx.Err() != nil {
		return drive.Answer{}, context.Cause(ctx)
	}
	if e.Ask == nil {
		return drive.Answer{}, e.Pause(ctx, g)
	}
	a, err := e.ask(ctx, g)
	if err != nil {
		return a, err
	}
	if err := e.log.Answer(g.Path, a, ""); err != nil {
		return a, err
	}
	return a, e.log.Sync()
}

func (e *Engine) ask(ctx context.Context, g *drive.Gate) (drive.Answer, error) {
	if g.Kind == drive.GateApproval {
		return e.askApproval(ctx, g)
	}
	line, err := e.Ask(ctx, g.Prompt+"\nEnter JSON response: ")
	if err != nil {
		return drive.Answer{}, askError(err)
	}
	v, err := value.ParseString(line)
	if err != nil {
		return drive.Answer{}, &drive.Refused{Message: "Input response must be valid JSON"}
	}
	if err := CheckResponse(g.StepID, g.Schema, v); err != nil {
		return drive.Answer{}, &drive.Refused{Message: err.Error()}
	}
	return drive.Answer{Response: v}, nil
}

func (e *Engine) askApproval(ctx context.Context, g *drive.Gate) (drive.Answer, error) {
	if e.Show != nil {
		e.Show(g)
	}
	line, err := e.Ask(ctx, g.Prompt+" [y/N] ")
	if err != nil && !errors.Is(err, io.EOF) {
		return drive.Answer{}, askError(err)
	}
	if !isYes(line) {
		return drive.Answer{}, &drive.Refused{Message: "Not approved"}
	}
	by := e.Approver()
	if err := CheckApprover(g.StepID, g.Identity, by); err != nil {
		return drive.Answer{}, &drive.Refused{Message: err.Error()}
	}
	return drive.Answer{Approved: true, ApprovedBy: by}, nil
}

// askError is a failed question: the end of input is a no.
func askError(err error) error {
	if errors.Is(err, io.EOF) {
		return &drive.Refused{Message: "Not approved"}
	}
	return err
}

func isYes(line string) bool {
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return true
	}
	return false
}

// Approver is who approves, by the environment.
func (e *Engine) Approver() string {
	return strings.TrimSpace(lookup(e.Environ, EnvApprovedBy))
}

// IdentityFrom is what the environment says about approvals that leave it open.
func IdentityFrom(environ []string) drive.Identity {
	id := drive.Identity{
		InitiatedBy:      strings.TrimSpace(lookup(environ, EnvInitiatedBy)),
		RequiredApprover: strings.TrimSpace(lookup(environ, EnvRequiredApprover)),
	}
	switch strings.ToLower(strings.TrimSpace(lookup(environ, EnvDifferentApprover))) {
	case "1", "true", "yes", "y":
		id.DifferentApprover = true
	}
	return id
}

func lookup(environ []string, name string) string {
	env := flow.Env{Environ: environ}
	return env.Getenv(name)
}

// CheckApprover holds an approver against who may approve (spec part 1, 2.3).
func CheckApprover(stepID string, id drive.Identity, by string) error {
	if id.RequiredApprover == "" && !id.DifferentApprover {
		return nil
	}
	switch {
	case by == "":
		return errors.New("Workflow step " + stepID + " approval requires approver identity; set " + EnvApprovedBy)
	case id.RequiredApprover != "" && by != id.RequiredApprover:
		return errors.New("Workflow step " + stepID + " approval requires approver '" + id.RequiredApprover + "', got '" + by + "'")
	case id.DifferentApprover && id.InitiatedBy != "" && by == id.InitiatedBy:
		return errors.New("Workflow step " + stepID + " approval must be granted by someone other than '" + id.InitiatedBy + "'")
	}
	return nil
}

// CheckResponse holds a response against an input step's schema.
func CheckResponse(stepID string, schema flow.Schema, v value.Value) error {
	if schema == nil {
		return nil
	}
	var fault *flow.SchemaError
	if err := schema.Validate(v); errors.As(err, &fault) {
		return errors.New("Workflow input step " + stepID + " response failed schema validation at " + fault.Path + ": " + fault.Reason)
	} else if err != nil {
		return err
	}
	return nil
}

// doubt is the question about an effect in which an earlier process was interrupted.
func doubt(effect *drive.Effect) *drive.Gate {
	return &drive.Gate{
		Kind: drive.GateApproval, Path: effect.Path + "?", StepID: effect.Step.ID, Items: value.Array(), Nested: true, Run: effect.Run,
		Prompt: "Step '" + effect.Step.ID + "' was interrupted and may have taken effect. Run it again?",
	}
}

// resolve decides about an effect in which an earlier process was interrupted (spec part 3, 4): what is left of it is ended
// first; then it runs again when that is harmless or declared, else a person decides. done tells that the answer stands.
func (e *Engine) resolve(ctx context.Context, effect *drive.Effect, started *entry) (out drive.Outcome, done bool, err error) {
	if started.pid != 0 {
		if err := proc.KillGroup(ctx, started.pid, started.start); err != nil {
			return out, true, &drive.Broken{Err: plain.Wrap("an interrupted command of step "+effect.Step.ID+" cannot be ended", err)}
		}
	}
	if started.pure || effect.MayRepeat {
		return out, false, nil
	}
	switch e.InDoubt {
	case "rerun":
		return out, false, nil
	case "cancel":
		return out, true, &drive.Cancelled{}
	case "done":
		text := ""
		out.Stdout = &text
		return out, true, e.log.end(effect.Path, out, nil)
	}
	a, err := e.Gate(ctx, doubt(effect))
	if err != nil {
		return out, true, err
	}
	if !a.Approved {
		return out, true, &drive.Cancelled{}
	}
	return out, false, nil
}
