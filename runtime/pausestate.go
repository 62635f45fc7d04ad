package runtime

import (
	"github.com/lobsterc/lobsterc/runtime/drive"
	"github.com/lobsterc/lobsterc/runtime/local"
	"github.com/lobsterc/lobsterc/runtime/state"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// stateOf is the state file of a run that waits at g. A pause that the reference cannot have is written without a file path,
// which the reference refuses (spec part 6, 9).
func (s *session) stateOf(g *drive.Gate) *state.Workflow {
	a := s.app
	w := &state.Workflow{
		ResumeAtIndex: g.ResumeAt, Steps: resultsValue(g.Run), Args: s.publicArgs(), Superseded: s.superseded, RunID: s.id,
		Program: a.identity(), Path: value.String(string(g.Path)),
	}
	if s.file == nil {
		w.RunID = "" // there is no journal to go on with
	}
	if !g.Nested {
		w.FilePath = a.sourcePath()
	}
	if s.meter != nil {
		s.meter.Save(w)
	}
	switch g.Kind {
	case drive.GateApproval:
		w.ApprovalStepID, w.Identity = g.StepID, identityOf(g.Identity)
		return w
	case drive.GateAsk:
		w.InputKind = state.InputPipeline
		w.PipelineInput = g.Saved()
	}
	w.InputStepID, w.InputSchema, w.InputSubject = g.StepID, g.SchemaValue(), g.Subject
	return w
}

func resultsValue(run *drive.Run) value.Value {
	var members []value.Member
	for _, r := range run.Results() {
		members = append(members, value.M(r.ID, r.Value()))
	}
	return value.Object(members...)
}

// identity is how saved states name this program.
func (a *app) identity() *state.Program {
	return &state.Program{Name: a.program.name(), Hash: a.program.Hash}
}

func identityOf(id drive.Identity) state.Identity {
	out := state.Identity{InitiatedBy: id.InitiatedBy, RequiredApprover: id.RequiredApprover}
	if id.DifferentApprover {
		yes := true
		out.DifferentApprover = &yes
	}
	return out
}

func driveIdentity(id state.Identity) drive.Identity {
	return drive.Identity{
		InitiatedBy: id.InitiatedBy, RequiredApprover: id.RequiredApprover,
		DifferentApprover: id.DifferentApprover != nil && *id.DifferentApprover,
	}
}

// saved is a paused workflow that was read back.
type saved struct {
	*state.Workflow
	key  string
	kind drive.GateKind
	step string
	path drive.Path
}

// savedOf understands the state of a paused workflow.
func savedOf(key string, v value.Value) (*saved, error) {
	w, err := state.WorkflowOf(v)
	if err != nil {
		return nil, err
	}
	st := &saved{Workflow: w, key: key, path: drive.Path(w.Path.Text())}
	switch {
	case w.ApprovalStepID != "":
		st.kind, st.step = drive.GateApproval, w.ApprovalStepID
	case w.InputKind == state.InputPipeline:
		st.kind, st.step = drive.GateAsk, w.InputStepID
	default:
		st.kind, st.step = drive.GateInput, w.InputStepID
	}
	if st.step == "" {
		return nil, errBadState
	}
	return st, nil
}

// nested tells a pause that has no snapshot of its own: it resumes by replay.
func (st *saved) nested() bool { return st.FilePath == "" }

// gateStep is the index of the entry workflow's step that waits.
func (st *saved) gateStep() int {
	if st.kind == drive.GateAsk {
		return st.ResumeAtIndex
	}
	return st.ResumeAtIndex - 1
}

// askStage is the index of the stage that waits in a pipeline of n stages. A second pause stores only the remaining stages, so it
// counts from the end.
func (st *saved) askStage(n int) int {
	i := n - st.PipelineInput.Get("pipeline").Len() + int(st.PipelineInput.Get("resumeAtIndex").Float())
	return min(max(i, 0), n-1) // -1 when there is none
}

// snapshot is the state with the answer given: where a run without a journal goes on.
func (st *saved) snapshot(steps []Step, reply drive.Answer) *local.Snapshot {
	spend := value.Object(value.M("cost", st.Cost), value.M("llmSpend", st.LLMSpend), value.M("llmBilled", st.LLMBilled))
	snap := &local.Snapshot{Index: st.ResumeAtIndex, Spend: spend}
	if st.kind == drive.GateApproval && st.Steps.Get(st.step).IsAbsent() {
		st.Steps = st.Steps.With(st.step, value.Object(value.M("id", value.String(st.step))))
	}
	snap.Keys = st.Superseded
	for id, v := range st.Steps.Members() {
		r := drive.ResultOf(v)
		r.ID = id
		if st.kind == drive.GateApproval && id == st.step {
			r.Approved, r.ApprovedBy = &reply.Approved, reply.ApprovedBy
			if reply.InitiatedBy != "" {
				r.InitiatedBy = reply.InitiatedBy
			}
		}
		snap.Results = append(snap.Results, r)
	}
	switch st.kind {
	case drive.GateInput:
		snap.Results = append(snap.Results, &drive.Result{ID: st.step, Subject: st.InputSubject, Response: reply.Response})
	case drive.GateAsk:
		n := len(steps[st.ResumeAtIndex].Stages(drive.NewPlan(st.Args)))
		snap.Ask = &drive.Resume{Stage: st.askStage(n), SameStage: true, Response: reply.Response}
	}
	return snap
}
