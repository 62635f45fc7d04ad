package local

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/lobsterc/lobsterc/runtime/drive"
	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/plain"
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
	if err := e.log.Answer(g.Path, a, "", ""); err != nil {
		return a, err
	}
	return a, e.log.Sync()
}

// ask asks on the terminal. The end of input is an empty answer.
func (e *Engine) ask(ctx context.Context, g *drive.Gate) (drive.Answer, error) {
	if g.Kind == drive.GateApproval {
		return e.askApproval(ctx, g)
	}
	line, err := e.Ask(ctx, g.Prompt+"\nEnter JSON response: ")
	if err != nil && !errors.Is(err, io.EOF) {
		return drive.Answer{}, err
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
		return drive.Answer{}, err
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

func isYes(line string) bool {
	switch plain.Lower(strings.TrimSpace(line)) {
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
	switch plain.Lower(strings.TrimSpace(lookup(environ, EnvDifferentApprover))) {
	case "1", "true", "yes", "y":
		id.DifferentApprover = true
	}
	return id
}

//go:noinline
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
	err := schema.Validate(v)
	if fault := plain.As[*flow.SchemaError](err); fault != nil {
		return errors.New("Workflow input step " + stepID + " response failed schema validation at " + fault.Path + ": " + fault.Reason)
	}
	return err
}

// doubtPath is the path of the question about an effect in which an earlier process was interrupted. Ids cannot hold a bare "?".
func doubtPath(effect drive.Path) drive.Path { return effect + "?" }

// IsDoubt tells the gates that ask about an interrupted effect.
func IsDoubt(gate drive.Path) bool { return strings.HasSuffix(string(gate), "?") }

func doubt(effect *drive.Effect) *drive.Gate {
	return &drive.Gate{
		Kind: drive.GateApproval, Path: doubtPath(effect.Path), StepID: effect.Step.ID, Items: value.Array(), Nested: true, Run: effect.Run,
		Prompt: "Step '" + effect.Step.ID + "' was interrupted and may have taken effect. Run it again?",
	}
}

// Done is the answer to a doubt by which the effect has happened, and left nothing.
var Done = drive.Answer{Approved: true, Response: value.String("done")}

// resolve decides about an effect in which an earlier process was interrupted (spec part 3, 4). What was left of it has been ended
// (Reap). It runs again when that is harmless or declared, else a person decides.
func (e *Engine) resolve(ctx context.Context, effect *drive.Effect) error {
	started, ok := e.log.interrupted(effect.Path)
	if !ok {
		return nil
	}
	if started.pure || effect.MayRepeat {
		e.log.clear(effect.Path)
		return nil
	}
	a, err := e.decide(ctx, effect)
	switch {
	case err != nil:
		return err
	case !a.Approved:
		return &drive.Cancelled{}
	case a.Response.Str() == Done.Response.Str():
		text := ""
		return e.log.end(effect.Path, drive.Outcome{Stdout: &text}, nil, nil)
	}
	e.log.clear(effect.Path)
	return nil
}

// decide gets the answer about an interrupted effect: from the record, the command line, or a person.
func (e *Engine) decide(ctx context.Context, effect *drive.Effect) (drive.Answer, error) {
	g := doubt(effect)
	if a, ok := e.log.answer(g.Path); ok {
		return a, nil
	}
	a := drive.Answer{ApprovedBy: e.Approver()}
	switch e.InDoubt {
	case "":
		a, err := e.Gate(ctx, g)
		if plain.As[*drive.Refused](err) != nil {
			err = &drive.Cancelled{}
		}
		return a, err
	case "rerun":
		a.Approved = true
	case "done":
		a.Approved, a.Response = true, Done.Response
	}
	return a, e.log.Answer(g.Path, a, "", "")
}
