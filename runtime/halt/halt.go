// Package halt is what a pipeline leaves on disk when it stops for a person, and how an answer brings it back. Compiled pipelines and
// the SDK share it, so that either can go on with what the same stages paused.
package halt

import (
	"errors"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/plain"
	"github.com/lobsterc/lobsterc/runtime/state"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// Request is what a halted pipeline asks of a person, as an envelope shows it; the token comes after.
func Request(h *flow.Halt) []value.Member {
	if h.Kind == flow.HaltInput {
		return []value.Member{
			value.M("type", value.String("input_request")), value.M("prompt", value.String(h.Prompt)), value.M("responseSchema", h.Schema),
			value.M("defaults", h.Defaults), value.M("subject", h.Subject),
		}
	}
	return []value.Member{
		value.M("type", value.String("approval_request")), value.M("prompt", value.String(h.Prompt)),
		value.M("items", value.Array(h.Items...)), value.M("preview", h.Preview),
	}
}

// Stages is what saved states keep of stages.
func Stages(stages []flow.Stage) []state.PipelineStage {
	list := make([]state.PipelineStage, len(stages))
	for i, s := range stages {
		list[i] = state.PipelineStage{Name: s.Name, Args: s.Args, Raw: s.Raw}
	}
	return list
}

// CommandInput is how the reference keeps a stage that waits: the request with a signature over it (spec part 7, 18).
func CommandInput(h *flow.Halt) value.Value {
	metadata := value.Object(value.M("prompt", value.String(h.Prompt)), value.M("responseSchema", h.Schema),
		value.M("defaults", h.Defaults), value.M("subject", h.Subject))
	signed := metadata.With("signature", value.String(metadata.SortedJSON()))
	return value.Object(
		value.M("pending", value.Object(
			value.M("requestIndex", value.Int(0)), value.M("metadata", signed),
			value.M("suspendedState", value.Object(value.M("type", value.String("ask")), value.M("subject", h.Subject))),
		)),
		value.M("history", value.Array()),
	)
}

// Input is what the state of a workflow keeps of a pipeline step that waits for input.
func Input(h *flow.Halt, stages []flow.Stage) value.Value {
	return value.Object(
		value.M("pipeline", state.StagesValue(Stages(stages))),
		value.M("resumeAtIndex", value.Int(int64(h.Stage))),
		value.M("items", value.Array()),
		value.M("commandInput", CommandInput(h)),
	)
}

// State is the state file of a pipeline that waits at h. superseded are the keys of the states before it.
func State(stages []flow.Stage, h *flow.Halt, superseded []string, program *state.Program) *state.Pipeline {
	p := &state.Pipeline{
		Stages: Stages(stages), ResumeAtIndex: h.Stage + 1, HaltType: state.HaltApproval, Prompt: h.Prompt, Items: h.Items,
		Superseded: superseded, Program: program,
	}
	if h.Kind == flow.HaltApproval {
		return p
	}
	p.HaltType, p.ResumeMode, p.InputSchema, p.Items = state.HaltInput, state.NextStage, h.Schema, nil
	if h.SameStage {
		p.ResumeMode, p.ResumeAtIndex, p.CommandInput = state.SameStage, h.Stage, CommandInput(h)
	}
	return p
}

// Rest gives the stages that are left of a program's, which must be those that the state was saved with.
func Rest(st *state.Pipeline, stages []flow.Stage) ([]flow.Stage, error) {
	own := Stages(stages)
	fits := len(st.Stages) <= len(own)
	for i := range st.Stages {
		fits = fits && own[len(own)-len(st.Stages)+i].Raw == st.Stages[i].Raw
	}
	if !fits || st.ResumeAtIndex > len(st.Stages) {
		return nil, errors.New("pipeline changed since this run paused: its stages are not those of this program")
	}
	return stages[len(stages)-len(st.Stages):], nil
}

// AnswerError is an answer that does not fit the question; the run stays paused.
type AnswerError struct{ message string }

func (e *AnswerError) Error() string { return e.message }

// Answered checks a response against the stage that asked and says from which stage the pipeline goes on.
func Answered(st *state.Pipeline, stages []flow.Stage, response value.Value) (from int, err error) {
	from = st.ResumeAtIndex
	asking := from - 1
	if st.ResumeMode == state.SameStage {
		asking = from
		from++
	}
	if asking < 0 || asking >= len(stages) || stages[asking].Schema == nil {
		return 0, errors.New("pipeline changed since this run paused: it does not ask where the state says")
	}
	err = stages[asking].Schema.Validate(response)
	if fault := plain.As[*flow.SchemaError](err); fault != nil {
		err = &AnswerError{"pipeline input response failed schema validation at " + fault.Path + ": " + fault.Reason}
	}
	return from, err
}

// Texts of the reference.
var (
	ErrWantsResponse = &AnswerError{"pipeline input resumes require response"}
	ErrWantsApproval = &AnswerError{"approval resumes require approved=true|false, not response"}
	ErrNoPipeline    = errors.New("Pipeline resume state not found")
)
