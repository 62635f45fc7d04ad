package ir

import (
	"fmt"
	"strconv"

	"github.com/lobsterc/lobsterc/ir/diag"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// exec gives the key and the value of what a step executes.
func (e encoder) exec(x Exec) (string, value.Value) {
	switch x := x.(type) {
	case *Shell:
		o := fields{}
		o.add("script", e.template(emptyIfNil(x.Script)))
		o.textUnless("source", x.Source, x.Script.String())
		o.flag("dispatch", x.Dispatch)
		o.pos(e, x.Pos)
		return "shell", o.object()
	case *Pipeline:
		return "pipeline", e.pipeline(x)
	case *Call:
		o := fields{}
		o.add("path", e.template(emptyIfNil(x.Path)))
		o.textUnless("dir", x.Dir, ".")
		var names, args []value.Value
		for _, c := range x.Candidates {
			names = append(names, value.String(c))
		}
		o.list("candidates", names)
		for _, a := range x.Args {
			args = append(args, e.callArg(a))
		}
		o.list("args", args)
		o.pos(e, x.Pos)
		return "call", o.object()
	case *Parallel:
		o := fields{}
		if x.Any {
			o.text("wait", "any")
		}
		o.int("timeout_ms", x.TimeoutMS, 0)
		o.list("branches", e.steps(x.Branches))
		o.pos(e, x.Pos)
		return "parallel", o.object()
	case *Loop:
		o := fields{}
		o.add("items", e.stdin(x.Items))
		o.textUnless("item_var", x.ItemVar, defaultItemVar)
		o.textUnless("index_var", x.IndexVar, defaultIndexVar)
		o.int("batch_size", int64(x.Batch), 1)
		o.int("pause_ms", x.PauseMS, 0)
		o.list("steps", e.steps(x.Steps))
		o.pos(e, x.Pos)
		return "loop", o.object()
	}
	panic(fmt.Sprintf("lobsterc bug: encode: unknown execution %T", x))
}

func (e encoder) callArg(a CallArg) value.Value {
	o := fields{}
	o.add("name", value.String(a.Name))
	if a.Text != nil {
		o.add("text", e.template(a.Text))
	} else {
		o.add("literal", encodeLiteral(a.Literal))
	}
	o.pos(e, a.Pos)
	return o.object()
}

func (e encoder) pipeline(p *Pipeline) value.Value {
	var stages []value.Value
	for i := range p.Stages {
		stages = append(stages, e.stage(&p.Stages[i]))
	}
	o := fields{}
	o.text("source", p.Source)
	o.list("stages", stages)
	o.pos(e, p.Pos)
	return o.object()
}

func (e encoder) stage(s *Stage) value.Value {
	o := fields{}
	o.add("name", value.String(s.Name))
	var flags, words []value.Value
	for _, f := range s.Flags {
		fo := fields{}
		fo.add("name", value.String(f.Name))
		if !f.Bare {
			fo.add("value", e.template(emptyIfNil(f.Value)))
		}
		fo.pos(e, f.Pos)
		flags = append(flags, fo.object())
	}
	o.list("flags", flags)
	for _, w := range s.Words {
		wo := fields{}
		wo.add("text", e.template(emptyIfNil(w.Text)))
		wo.flag("alone", w.Alone)
		wo.pos(e, w.Pos)
		words = append(words, wo.object())
	}
	o.list("words", words)
	o.text("raw", s.Raw)
	o.add("args", encodeLiteral(s.Args))
	o.text("fault", s.Fault)
	o.pos(e, s.Pos)
	return o.object()
}

// template gives Absent for nil, a string for plain text, else the list of segments. Neighbouring texts are joined and
// empty ones dropped, so one meaning has one form.
func (e encoder) template(t Template) value.Value {
	if t == nil {
		return value.Value{}
	}
	t = t.Normal()
	if text, ok := t.Constant(); ok {
		return value.String(text)
	}
	list := make([]value.Value, len(t))
	for i, seg := range t {
		list[i] = e.segment(seg)
	}
	return value.Array(list...)
}

func (e encoder) segment(seg Segment) value.Value {
	o := fields{}
	switch seg := seg.(type) {
	case Text:
		return value.String(string(seg))
	case ArgRef:
		o.add("arg", value.String(seg.Name))
		o.pos(e, seg.Pos)
	case StepRef:
		o.add("ref", value.String(seg.spelled()))
		o.pos(e, seg.Pos)
	case OpenRef:
		o.add("open", value.String(seg.ID))
		o.add("text", e.template(emptyIfNil(seg.Text)))
		o.pos(e, seg.Pos)
	case EnvRef:
		o.add("env", value.String(seg.Name))
		o.textUnless("raw", seg.Raw, "$"+seg.Name)
		o.pos(e, seg.Pos)
	default:
		panic(fmt.Sprintf("lobsterc bug: encode: unknown segment %T", seg))
	}
	return o.object()
}

func (e encoder) expr(x Expr) value.Value {
	o := fields{}
	switch x := x.(type) {
	case *Lit:
		o.add("lit", encodeLiteral(x.Value))
		o.pos(e, x.Pos)
	case *RefExpr:
		o.text("ref", x.Ref.spelled())
		o.pos(e, x.Ref.Pos)
	case *Not:
		o.add("not", e.expr(x.X))
		o.pos(e, x.Pos)
	case *Logic:
		op := "and"
		if x.Or {
			op = "or"
		}
		o.add(op, value.Array(e.expr(x.X), e.expr(x.Y)))
		o.pos(e, x.Pos)
	case *Compare:
		o.add(x.Op, value.Array(e.expr(x.X), e.expr(x.Y)))
		o.pos(e, x.Pos)
	default:
		panic(fmt.Sprintf("lobsterc bug: encode: unknown condition %T", x))
	}
	return o.object()
}

// fields builds an object; its methods leave out what equals the default.
type fields struct{ members []value.Member }

func (f *fields) add(key string, v value.Value) {
	if !v.IsAbsent() {
		f.members = append(f.members, value.M(key, v))
	}
}

func (f *fields) text(key, s string) { f.textUnless(key, s, "") }

func (f *fields) textUnless(key, s, def string) {
	if s != def && s != "" {
		f.add(key, value.String(s))
	}
}

func (f *fields) flag(key string, on bool) {
	if on {
		f.add(key, value.Bool(true))
	}
}

// int leaves out the default, and zero where zero means "not given".
func (f *fields) int(key string, n, def int64) {
	if n != def {
		f.add(key, value.Int(n))
	}
}

func (f *fields) list(key string, items []value.Value) {
	if len(items) > 0 {
		f.add(key, value.Array(items...))
	}
}

// pos adds a position as "line:column", or "file:line:column" when it is in another file than the workflow.
func (f *fields) pos(e encoder, p diag.Pos) {
	if !e.positions || !p.IsValid() {
		return
	}
	text := strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Column)
	if p.File != e.file {
		text = p.File + ":" + text
	}
	f.add("pos", value.String(text))
}

func (f *fields) object() value.Value { return value.Object(f.members...) }
