package graph

import (
	"strings"

	"github.com/lobsterc/lobsterc/runtime/plain"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// FromIR makes the graph of a program's entry workflow from its IR as JSON (package ir, json.go). Arguments are shown by the
// text that arg gives. A program that is an inline pipeline has one node, "pipeline".
func FromIR(program value.Value, arg func(name string) (string, bool)) *Graph {
	t := texts{arg}
	if steps := program.Path("main", "steps"); steps.Len() > 0 {
		list := make([]Step, steps.Len())
		for i := range list {
			list[i] = t.step(steps.At(i))
		}
		return New(list)
	}
	pipeline := program.Get("pipeline")
	return New([]Step{{Node: Node{ID: "pipeline", Kind: "pipeline", Detail: "pipeline: " + pipeline.Get("source").Text()}}})
}

// texts spells templates and conditions of the IR as a workflow file would.
type texts struct {
	arg func(name string) (string, bool)
}

func (t texts) step(s value.Value) Step {
	out := Step{Node: Node{ID: s.Get("id").Text(), Gate: !s.Get("approval").IsAbsent()}}
	switch {
	case !s.Get("shell").IsAbsent():
		out.Kind, out.Detail = "run", RunDetail(t.template(s.Path("shell", "script")), out.Gate)
	case !s.Get("pipeline").IsAbsent():
		out.Kind, out.Detail = "pipeline", "pipeline: "+Expand(s.Path("pipeline", "source").Text(), t.arg)
	case !s.Get("call").IsAbsent():
		out.Kind, out.Detail = "workflow", "workflow: "+t.template(s.Path("call", "path"))
	case !s.Get("parallel").IsAbsent():
		wait := "all"
		if w := s.Path("parallel", "wait"); !w.IsAbsent() {
			wait = w.Text()
		}
		out.Kind, out.Detail = "parallel", "parallel ("+wait+")"
	case !s.Get("loop").IsAbsent():
		items := t.stdin(s.Path("loop", "items"))
		out.ForEach = strings.Join(items, "")
		out.Kind, out.Detail = "for_each", "for_each: "+out.ForEach
	case out.Gate:
		out.Kind, out.Detail = "approval", "approval gate"
	default:
		out.Kind, out.Detail = "input", "input request"
	}
	out.Stdin = t.stdin(s.Get("stdin"))
	if when := s.Get("when"); !when.IsAbsent() {
		out.When = t.expr(when, 0)
	}
	return out
}

// template spells a template; a reference stands as $id.path.
func (t texts) template(v value.Value) string {
	if v.Kind() != value.ArrayKind {
		return v.Text()
	}
	var b plain.Text
	for _, seg := range v.Items() {
		switch {
		case seg.Kind() == value.StringKind:
			b.Add(seg.Str())
		case !seg.Get("arg").IsAbsent():
			name := seg.Get("arg").Text()
			if text, ok := t.arg(name); ok {
				b.Add(text)
			} else {
				b.Add("${", name, "}")
			}
		case !seg.Get("ref").IsAbsent():
			b.Add("$", seg.Get("ref").Text())
		case !seg.Get("open").IsAbsent():
			b.Add(t.template(seg.Get("text")))
		case !seg.Get("raw").IsAbsent():
			b.Add(seg.Get("raw").Text())
		default:
			b.Add("$", seg.Get("env").Text())
		}
	}
	return string(b)
}

// stdin gives the texts of an input that may hold references.
func (t texts) stdin(v value.Value) []string {
	switch {
	case !v.Get("ref").IsAbsent():
		return []string{"$" + v.Get("ref").Text()}
	case !v.Get("text").IsAbsent():
		return []string{t.template(v.Get("text"))}
	}
	return Strings(v.Get("literal"))
}

// Strings gives all strings inside a value, in order, keys excepted.
func Strings(v value.Value) []string {
	switch v.Kind() {
	case value.StringKind:
		return []string{v.Str()}
	case value.ArrayKind:
		var list []string
		for _, item := range v.Items() {
			list = append(list, Strings(item)...)
		}
		return list
	case value.ObjectKind:
		var list []string
		for _, item := range v.Members() {
			list = append(list, Strings(item)...)
		}
		return list
	}
	return nil
}

// Binding strengths of conditions, from loose to tight.
const (
	bindOr = iota + 1
	bindAnd
	bindCompare
	bindNot
)

// expr spells a condition; it is in parentheses when it binds looser than outer.
func (t texts) expr(v value.Value, outer int) string {
	for key, x := range v.Members() {
		switch key {
		case "lit":
			return x.JSON()
		case "ref":
			return "$" + x.Text()
		case "not":
			return "!" + t.expr(x, bindNot)
		case "or":
			return group(t.expr(x.At(0), bindOr)+" || "+t.expr(x.At(1), bindAnd), bindOr, outer)
		case "and":
			return group(t.expr(x.At(0), bindAnd)+" && "+t.expr(x.At(1), bindCompare), bindAnd, outer)
		}
		if x.Kind() == value.ArrayKind {
			return group(t.expr(x.At(0), bindNot)+" "+key+" "+t.expr(x.At(1), bindNot), bindCompare, outer)
		}
	}
	return ""
}

func group(text string, own, outer int) string {
	if own < outer {
		return "(" + text + ")"
	}
	return text
}
