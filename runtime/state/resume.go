package state

import (
	"errors"

	"github.com/lobsterc/lobsterc/runtime/value"
)

// Program names the program that paused; the reference's states have none.
type Program struct {
	Name string
	Hash string
}

func (p *Program) value() value.Value {
	if p == nil {
		return value.Value{}
	}
	return value.Object(value.M("name", value.String(p.Name)), value.M("hash", value.String(p.Hash)))
}

func programOf(v value.Value) *Program {
	if v.Kind() != value.ObjectKind {
		return nil
	}
	return &Program{v.Get("name").Str(), v.Get("hash").Str()}
}

// Identity is who asked for an approval and who may give it. Empty strings are unset.
type Identity struct {
	InitiatedBy       string
	RequiredApprover  string
	DifferentApprover *bool
}

func (id Identity) value() value.Value {
	var different value.Value
	if id.DifferentApprover != nil {
		different = value.Bool(*id.DifferentApprover)
	}
	return value.Object(value.M("initiatedBy", text(id.InitiatedBy)), value.M("requiredApprover", text(id.RequiredApprover)),
		value.M("requireDifferentApprover", different))
}

func identityOf(v value.Value) Identity {
	id := Identity{InitiatedBy: v.Get("initiatedBy").Str(), RequiredApprover: v.Get("requiredApprover").Str()}
	if d := v.Get("requireDifferentApprover"); d.Kind() == value.BoolKind {
		b := d.Bool()
		id.DifferentApprover = &b
	}
	return id
}

// text is a string value, Absent when empty.
func text(s string) value.Value {
	if s == "" {
		return value.Value{}
	}
	return value.String(s)
}

// The kinds of input that a workflow pauses for.
const (
	InputStep     = "workflow_step"
	InputPipeline = "pipeline_command"
)

// Workflow is the state of a paused workflow, in the reference's shape. Absent values and empty strings are members that the state does
// not have, except that an approval state always has its identity and every state its superseded keys.
type Workflow struct {
	FilePath       string // empty in pauses that the reference cannot resume
	ResumeAtIndex  int
	Steps          value.Value // object: results by step id
	Args           value.Value // object
	ApprovalStepID string
	Identity       Identity
	InputStepID    string
	InputKind      string // empty means InputStep
	InputSchema    value.Value
	InputSubject   value.Value
	PipelineInput  value.Value
	Cost           value.Value
	LLMSpend       value.Value
	LLMBilled      value.Value
	// Superseded are the keys of the earlier pauses of this run, whose marks are removed when the run ends.
	Superseded []string
	CreatedAt  string
	// Program, RunID and Path are our additions.
	Program *Program
	RunID   string
	Path    value.Value
}

// Value is the state as it is written.
func (w *Workflow) Value() value.Value {
	var identity value.Value
	if w.ApprovalStepID != "" {
		identity = w.Identity.value()
	}
	m := make(value.Members, 0, 16)
	m.Text("filePath", w.FilePath)
	m.Int("resumeAtIndex", int64(w.ResumeAtIndex))
	m.Add("steps", orEmpty(w.Steps))
	m.Add("args", orEmpty(w.Args))
	m.Text("approvalStepId", w.ApprovalStepID)
	m.Add("approvalIdentity", identity)
	m.Text("inputStepId", w.InputStepID)
	m.Text("inputKind", w.InputKind)
	m.Add("inputSchema", w.InputSchema)
	m.Add("inputSubject", w.InputSubject)
	m.Add("pipelineInput", w.PipelineInput)
	m.Add("cost", w.Cost)
	m.Add("llmSpend", w.LLMSpend)
	m.Add("llmBilled", w.LLMBilled)
	m.Add("supersededResumeStateKeys", value.Strings(w.Superseded...))
	m.String("createdAt", orNow(w.CreatedAt))
	m.Add("program", w.Program.value())
	m.Text("runId", w.RunID)
	m.Add("path", w.Path)
	return m.Object()
}

func orEmpty(v value.Value) value.Value {
	if v.IsAbsent() {
		return value.Object()
	}
	return v
}

func orNow(s string) string {
	if s == "" {
		return Now()
	}
	return s
}

// errWorkflow and errPipeline are the reference's texts.
var (
	errWorkflow = errors.New("Invalid workflow resume state")
	errPipeline = errors.New("Invalid pipeline resume state")
)

// WorkflowOf reads a state of ours or of the reference.
func WorkflowOf(v value.Value) (*Workflow, error) {
	index, ok := indexOf(v.Get("resumeAtIndex"))
	file, runID := v.Get("filePath").Str(), v.Get("runId").Str()
	steps, args := v.Get("steps"), v.Get("args")
	if !ok || file == "" && runID == "" || steps.Kind() != value.ObjectKind || args.Kind() != value.ObjectKind {
		return nil, errWorkflow
	}
	return &Workflow{
		FilePath: file, ResumeAtIndex: index, Steps: steps, Args: args,
		ApprovalStepID: v.Get("approvalStepId").Str(), Identity: identityOf(v.Get("approvalIdentity")),
		InputStepID: v.Get("inputStepId").Str(), InputKind: v.Get("inputKind").Str(),
		InputSchema: v.Get("inputSchema"), InputSubject: v.Get("inputSubject"), PipelineInput: v.Get("pipelineInput"),
		Cost: v.Get("cost"), LLMSpend: v.Get("llmSpend"), LLMBilled: v.Get("llmBilled"),
		Superseded: keysOf(v), CreatedAt: v.Get("createdAt").Str(),
		Program: programOf(v.Get("program")), RunID: runID, Path: v.Get("path"),
	}, nil
}

// keysOf reads the superseded keys. Others than those of paused runs are left out: they will be deleted.
func keysOf(v value.Value) []string {
	var keys []string
	for _, k := range v.Get("supersededResumeStateKeys").Items() {
		if _, ok := KeyKind(k.Str()); ok {
			keys = append(keys, k.Str())
		}
	}
	return keys
}

// indexOf reads an index, which must be a whole number.
func indexOf(v value.Value) (int, bool) {
	f := v.Float()
	if v.Kind() != value.NumberKind || f < 0 || f > 1<<31-1 || f != float64(int(f)) {
		return 0, false
	}
	return int(f), true
}

// The kinds of halt that a pipeline pauses at, and how it goes on.
const (
	HaltApproval = "approval_request"
	HaltInput    = "input_request"
	SameStage    = "same_stage"
	NextStage    = "next_stage"
)

// PipelineStage is a stage of a paused pipeline as the reference parses it.
type PipelineStage struct {
	Name string
	Args value.Value
	Raw  string
}

// StagesValue is a list of stages as states have it.
func StagesValue(stages []PipelineStage) value.Value {
	items := make([]value.Value, len(stages))
	for i, st := range stages {
		items[i] = value.Object(value.M("name", value.String(st.Name)), value.M("args", orEmpty(st.Args)), value.M("raw", value.String(st.Raw)))
	}
	return value.Array(items...)
}

// StagesOf reads what StagesValue wrote.
func StagesOf(v value.Value) (stages []PipelineStage, ok bool) {
	if v.Kind() != value.ArrayKind {
		return nil, false
	}
	for _, st := range v.Items() {
		name, args, raw := st.Get("name"), st.Get("args"), st.Get("raw")
		if name.Kind() != value.StringKind || args.Kind() != value.ObjectKind || raw.Kind() != value.StringKind {
			return nil, false
		}
		stages = append(stages, PipelineStage{name.Str(), args, raw.Str()})
	}
	return stages, true
}

// Pipeline is the state of a paused pipeline, in the reference's shape.
type Pipeline struct {
	Stages        []PipelineStage
	ResumeAtIndex int
	Items         []value.Value
	HaltType      string
	ResumeMode    string // empty in approvals
	InputSchema   value.Value
	Prompt        string
	CommandInput  value.Value
	// More are further members; they stand before the superseded keys.
	More       []value.Member
	Superseded []string
	CreatedAt  string
	// Program and RunID are our additions.
	Program *Program
	RunID   string
}

// Value is the state as it is written.
func (p *Pipeline) Value() value.Value {
	m := make(value.Members, 0, 16)
	m.Add("pipeline", StagesValue(p.Stages))
	m.Int("resumeAtIndex", int64(p.ResumeAtIndex))
	m.Add("items", value.Array(p.Items...))
	m.Text("haltType", p.HaltType)
	m.Text("resumeMode", p.ResumeMode)
	m.Add("inputSchema", p.InputSchema)
	m.Text("prompt", p.Prompt)
	m.Add("commandInput", p.CommandInput)
	m = append(m, p.More...)
	m.Add("supersededResumeStateKeys", value.Strings(p.Superseded...))
	m.String("createdAt", orNow(p.CreatedAt))
	m.Add("program", p.Program.value())
	m.Text("runId", p.RunID)
	return m.Object()
}

// pipelineMembers are the members that have a field of their own.
var pipelineMembers = map[string]bool{
	"pipeline": true, "resumeAtIndex": true, "items": true, "haltType": true, "resumeMode": true, "inputSchema": true, "prompt": true,
	"commandInput": true, "supersededResumeStateKeys": true, "createdAt": true, "program": true, "runId": true,
}

// PipelineOf reads a state of ours or of the reference.
func PipelineOf(v value.Value) (*Pipeline, error) {
	stages, ok := StagesOf(v.Get("pipeline"))
	index, whole := indexOf(v.Get("resumeAtIndex"))
	items, halt, schema := v.Get("items"), v.Get("haltType").Str(), v.Get("inputSchema")
	if !ok || !whole || index > len(stages) || items.Kind() != value.ArrayKind || halt == HaltInput && schema.Kind() != value.ObjectKind {
		return nil, errPipeline
	}
	if halt == "" {
		halt = HaltApproval
	}
	p := &Pipeline{
		Stages: stages, ResumeAtIndex: index, Items: items.Items(), HaltType: halt, ResumeMode: v.Get("resumeMode").Str(),
		InputSchema: schema, Prompt: v.Get("prompt").Str(), CommandInput: v.Get("commandInput"),
		Superseded: keysOf(v), CreatedAt: v.Get("createdAt").Str(), Program: programOf(v.Get("program")), RunID: v.Get("runId").Str(),
	}
	for k, m := range v.Members() {
		if !pipelineMembers[k] {
			p.More = append(p.More, value.M(k, m))
		}
	}
	return p, nil
}
