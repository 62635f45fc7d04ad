package ir

import (
	"github.com/lobsterc/lobsterc/runtime/value"
)

// Canonical JSON: keys in a fixed order, everything that equals its default left out, no positions. It is written with
// runtime/value, so its text is what JSON.stringify would give. A default never changes within one Version; so a new
// field changes no old text and no old hash.
//
//   - A template is a string, or a list of strings, {"arg": name}, {"ref": "id.path"}, {"open": id, "text": template} and {"env": name, "raw": text}.
//   - A condition is {"lit": v}, {"ref": "id.path"}, {"not": x}, {"and": [x, y]}, {"or": [x, y]} or {OP: [x, y]}.
//   - A literal is itself, except for the numbers that JSON cannot hold (literal.go).
//
// Decoding (decode.go) is the exact inverse: Encode(Decode(text)) is canonical, and canonical text comes back unchanged.

// Encode gives the canonical JSON of p, compact, without a newline at the end.
func Encode(p *Program) []byte { return encode(p, encoder{}).AppendJSON(nil) }

// EncodeIndent gives canonical JSON for people, indented by two spaces, with positions when positions is set.
func EncodeIndent(p *Program, positions bool) []byte {
	return encode(p, encoder{positions: positions}).AppendIndent(nil, "  ")
}

// encoder holds what an encoding includes.
type encoder struct {
	positions bool
	meaning   bool   // leave out descriptions: the form that is hashed
	file      string // of the workflow being encoded; positions leave it out
}

func encode(p *Program, e encoder) value.Value {
	o := fields{}
	o.add("ir", value.Int(Version))
	if p.Pipeline == nil || hasMain(&p.Main) {
		o.add("main", e.workflow(&p.Main))
	}
	if p.Pipeline != nil {
		e.file = p.Main.Pos.File
		o.add("pipeline", e.pipeline(p.Pipeline))
	}
	var children []value.Value
	for _, c := range p.Children {
		children = append(children, value.Object(value.M("path", value.String(c.Path)), value.M("workflow", e.workflow(&c.Workflow))))
	}
	o.list("children", children)
	o.flag("login_shell", p.LoginShell)
	o.flag("compat", p.Compat)
	return o.object()
}

// hasMain tells whether the workflow of an inline pipeline says anything.
func hasMain(w *Workflow) bool {
	return w.Name != "" || w.Description != "" || len(w.Args) > 0 || len(w.Env) > 0 || w.Cwd != nil || w.TimeoutMS != 0 ||
		w.CostLimit != nil || len(w.RequireApproval) > 0 || len(w.Steps) > 0
}

func (e encoder) workflow(w *Workflow) value.Value {
	e.file = w.Pos.File
	o := fields{}
	o.text("name", w.Name)
	if !e.meaning {
		o.text("description", w.Description)
	}
	if e.positions {
		o.text("file", w.Pos.File)
	}
	var args []value.Value
	for i := range w.Args {
		args = append(args, e.arg(&w.Args[i]))
	}
	o.list("args", args)
	o.list("env", e.env(w.Env))
	o.add("cwd", e.template(w.Cwd))
	o.int("timeout_ms", w.TimeoutMS, 0)
	if c := w.CostLimit; c != nil {
		l := fields{}
		l.add("max_usd", value.Number(c.MaxUSD))
		if !c.Stop {
			l.text("action", "warn")
		}
		l.pos(e, c.Pos)
		o.add("cost_limit", l.object())
	}
	var effects []value.Value
	for _, name := range w.RequireApproval {
		effects = append(effects, value.String(name))
	}
	o.list("require_approval", effects)
	o.list("steps", e.steps(w.Steps))
	o.pos(e, w.Pos)
	return o.object()
}

func (e encoder) arg(a *Arg) value.Value {
	o := fields{}
	o.add("name", value.String(a.Name))
	if !e.meaning {
		o.text("description", a.Description)
	}
	o.add("default", encodeLiteral(a.Default))
	o.flag("required", a.Required)
	o.text("type", a.Type)
	o.flag("secret", a.Secret)
	o.pos(e, a.Pos)
	return o.object()
}

func (e encoder) env(vars []EnvVar) []value.Value {
	var list []value.Value
	for _, v := range vars {
		o := fields{}
		o.add("name", value.String(v.Name))
		o.add("value", e.template(emptyIfNil(v.Value)))
		o.pos(e, v.Pos)
		list = append(list, o.object())
	}
	return list
}

func (e encoder) steps(steps []*Step) []value.Value {
	var list []value.Value
	for _, s := range steps {
		list = append(list, e.step(s))
	}
	return list
}

func (e encoder) step(s *Step) value.Value {
	o := fields{}
	o.add("id", value.String(s.ID))
	if !e.meaning {
		o.text("description", s.Description)
	}
	if s.When != nil {
		o.add("when", e.expr(s.When))
	}
	if s.Do != nil {
		kind, body := e.exec(s.Do)
		o.add(kind, body)
	}
	o.list("env", e.env(s.Env))
	o.add("cwd", e.template(s.Cwd))
	o.add("stdin", e.stdin(s.Stdin))
	o.int("timeout_ms", s.TimeoutMS, 0)
	o.text("on_error", onErrorNames[s.OnError])
	o.add("retry", e.retry(s.Retry))
	o.add("input", e.input(s.Input))
	o.add("approval", e.approval(s.Approval))
	o.pos(e, s.Pos)
	return o.object()
}

var onErrorNames = map[OnError]string{Stop: "", Continue: "continue", SkipRest: "skip_rest"}

// The defaults of retry and for_each.
const (
	defaultDelayMS    = 1000
	defaultMaxDelayMS = 30000
	defaultItemVar    = "item"
	defaultIndexVar   = "index"
)

func (e encoder) retry(r *Retry) value.Value {
	if r == nil {
		return value.Value{}
	}
	o := fields{}
	o.int("max", int64(r.Max), 1)
	if r.Exponential {
		o.text("backoff", "exponential")
	}
	o.int("delay_ms", r.DelayMS, defaultDelayMS)
	o.int("max_delay_ms", r.MaxDelayMS, defaultMaxDelayMS)
	o.flag("jitter", r.Jitter)
	o.pos(e, r.Pos)
	return o.object()
}

func (e encoder) input(in *Input) value.Value {
	if in == nil {
		return value.Value{}
	}
	o := fields{}
	o.add("prompt", e.template(emptyIfNil(in.Prompt)))
	o.add("schema", encodeLiteral(in.Schema))
	o.add("defaults", encodeLiteral(in.Defaults))
	o.pos(e, in.Pos)
	return o.object()
}

func (e encoder) approval(a *Approval) value.Value {
	if a == nil {
		return value.Value{}
	}
	o := fields{}
	o.add("prompt", e.template(a.Prompt))
	o.add("items", encodeLiteral(a.Items))
	o.add("preview", e.template(a.Preview))
	o.add("initiated_by", e.template(a.InitiatedBy))
	o.add("required_approver", e.template(a.RequiredApprover))
	if a.DifferentApprover != nil {
		o.add("different_approver", value.Bool(*a.DifferentApprover))
	}
	o.pos(e, a.Pos)
	return o.object()
}

func (e encoder) stdin(s *Stdin) value.Value {
	if s == nil {
		return value.Value{}
	}
	o := fields{}
	switch {
	case s.Ref != nil:
		o.text("ref", s.Ref.spelled())
	case s.Text != nil:
		o.add("text", e.template(s.Text))
	default:
		o.add("literal", encodeLiteral(s.Literal))
	}
	o.pos(e, s.Pos)
	return o.object()
}
