package drive

import (
	"context"
	"unicode/utf16"

	"github.com/lobsterc/lobsterc/runtime/value"
)

// previewLimit is how much of a step's output an approval shows when the file sets no preview, in UTF-16 units.
const previewLimit = 2000

// approve is the approval gate of a step that has run (or of a step that is only a gate).
func (m *machine) approve(ctx context.Context, st *Step, i int, path Path, res *Result) error {
	g := m.request(st.Approval(m.run), res)
	g.Path, g.ResumeAt = path, i+1
	res.InitiatedBy = g.Identity.InitiatedBy
	m.run.record(res)
	m.notify(Event{Kind: StepWaiting, Path: path, StepID: st.ID})
	ans, err := m.eng.Gate(ctx, g)
	if err != nil {
		if ctx.Err() != nil && !isPause(err) {
			err = context.Cause(ctx)
		}
		if !isPause(err) {
			m.notify(Event{Kind: StepFailed, Path: path, StepID: st.ID, Message: err.Error()})
		}
		return err
	}
	res.Approved, res.ApprovedBy = &ans.Approved, ans.ApprovedBy
	if ans.InitiatedBy != "" { // as it was when the run paused; the environment may be another one now
		res.InitiatedBy = ans.InitiatedBy
	}
	m.run.record(res)
	return nil
}

// request is the approval request by the rules of spec part 1, 2.3: what the step printed, else what the file says, else what
// can be shown of the step's output.
func (m *machine) request(a Approval, res *Result) *Gate {
	g := &Gate{Kind: GateApproval, StepID: res.ID, Run: m.run, Nested: !m.top()}
	g.Identity = Identity{InitiatedBy: a.InitiatedBy, RequiredApprover: a.RequiredApprover}
	different := a.DifferentApprover
	if own := ownRequest(res.JSON); !own.IsAbsent() {
		g.Prompt = own.Get("prompt").Text()
		g.Items = own.Get("items")
		g.Preview = own.Get("preview")
		if s := own.Get("initiatedBy"); s.Truthy() {
			g.Identity.InitiatedBy = s.Text()
		}
		if s := own.Get("requiredApprover"); s.Truthy() {
			g.Identity.RequiredApprover = s.Text()
		}
		if b := own.Get("requireDifferentApprover"); b.Kind() == value.BoolKind {
			is := b.Bool()
			different = &is
		}
	} else {
		g.Prompt, g.Items, g.Preview = a.Prompt, a.Items, a.Preview
		if g.Prompt == "" {
			g.Prompt = "Approve " + res.ID + "?"
		}
		if g.Preview.IsAbsent() {
			g.Preview = preview(res)
		}
	}
	if g.Items.IsAbsent() {
		g.Items = itemsOf(res.JSON)
	}
	if g.Identity.InitiatedBy == "" {
		g.Identity.InitiatedBy = m.identity.InitiatedBy
	}
	if g.Identity.RequiredApprover == "" {
		g.Identity.RequiredApprover = m.identity.RequiredApprover
	}
	g.Identity.DifferentApprover = m.identity.DifferentApprover
	if different != nil {
		g.Identity.DifferentApprover = *different
	}
	return g
}

// ownRequest is the request that a step's own json makes, or Absent.
func ownRequest(json value.Value) value.Value {
	if json.Kind() != value.ObjectKind {
		return value.Value{}
	}
	if own := json.Get("requiresApproval"); own.Kind() == value.ObjectKind && own.Get("prompt").Truthy() {
		return own
	}
	if json.Get("prompt").Truthy() {
		return json
	}
	return value.Value{}
}

func itemsOf(json value.Value) value.Value {
	switch json.Kind() {
	case value.Absent:
		return value.Array()
	case value.ArrayKind:
		return json
	}
	return value.Array(json)
}

func preview(res *Result) value.Value {
	text := ""
	if res.Stdout != nil {
		text = value.TrimSpace(*res.Stdout)
	}
	if text == "" && !res.JSON.IsAbsent() {
		text = res.JSON.JSON()
	}
	if text == "" {
		return value.Value{}
	}
	return value.String(Clip(text, previewLimit))
}

// Clip cuts s to at most n UTF-16 units, as JavaScript's slice does, without leaving half a pair.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	units := 0
	for i, r := range s {
		units += max(1, utf16.RuneLen(r))
		if units > n {
			return s[:i]
		}
	}
	return s
}

// input is a step that asks for input.
func (m *machine) input(ctx context.Context, st *Step, i int, path Path) (*Result, error) {
	in := st.Input(m.run)
	g := &Gate{
		Kind: GateInput, Path: path, StepID: st.ID, Prompt: in.Prompt, Schema: in.Schema, Defaults: in.Defaults,
		Subject: m.subject(st, i), Run: m.run, ResumeAt: i + 1, Nested: !m.top(),
	}
	m.notify(Event{Kind: StepWaiting, Path: path, StepID: st.ID})
	ans, err := m.eng.Gate(ctx, g)
	if err != nil {
		return nil, err
	}
	return &Result{ID: st.ID, Subject: g.Subject, Response: ans.Response}, nil
}

// subject is what an input is about: the step's stdin, else what the last completed step gave, else null.
func (m *machine) subject(st *Step, i int) value.Value {
	if st.Stdin != nil {
		return st.Stdin(m.run)
	}
	last, ok := m.lastCompleted(i)
	switch {
	case !ok:
		return value.Null
	case !last.JSON.IsAbsent():
		return last.JSON
	case !last.Response.IsAbsent():
		return last.Response
	case last.Stdout != nil:
		return value.String(*last.Stdout)
	}
	return value.Null
}

// exec runs a pipeline: stretch by stretch, with a gate where ask halts it.
func (s *Stages) exec(ctx context.Context, m *machine, st *Step, i int, path Path, resume *Resume) (*Result, error) {
	e := m.effect(m.run, st, path)
	id := st.ID
	stretch := 0
	if resume != nil {
		stretch, e.Resume = 1, resume
	}
	for ; ; stretch++ {
		e.Path = path.stretch(stretch)
		out, err := m.eng.Effect(ctx, e)
		res, err := m.settle(id, out, err)
		if err != nil || out.Halt == nil {
			return res, err
		}
		g := &Gate{
			Kind: GateAsk, Path: e.Path, StepID: id, Prompt: out.Halt.Prompt, Defaults: out.Halt.Defaults,
			Subject: out.Halt.Subject, Halt: out.Halt, Pipeline: e.Step.Stages(e.Run), Run: m.run, ResumeAt: i, Nested: !m.top(),
		}
		g.Saved = func() value.Value { return s.Saved(g.Halt, g.Pipeline) }
		m.notify(Event{Kind: StepWaiting, Path: path, StepID: id})
		ans, err := m.eng.Gate(ctx, g)
		if err != nil {
			return nil, err
		}
		e.Resume = &Resume{Stage: out.Halt.Stage, SameStage: out.Halt.SameStage, Response: ans.Response}
	}
}
