// Package graph draws workflows: from a workflow file as the reference does (mermaid, dot, ascii; the drawing itself is
// runtime/graph), and from a compiled program as SVG.
package graph

import (
	"github.com/lobsterc/lobsterc/runtime/graph"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// FromFile makes the graph of a workflow file that is sound. It works on the file's plain value and not on the program
// because labels show conditions and pipelines as the author wrote them. Arguments are args over the file's defaults.
func FromFile(file, args value.Value) *graph.Graph {
	arg := Arguments(file, args)
	steps := file.Get("steps")
	list := make([]graph.Step, 0, steps.Len())
	for _, s := range steps.Items() {
		list = append(list, fileStep(s, arg))
	}
	return graph.New(list)
}

// Arguments looks up the text of an argument: the caller's, else the default in the file.
func Arguments(file, args value.Value) func(name string) (string, bool) {
	return func(name string) (string, bool) {
		v := args.Get(name)
		if v.IsAbsent() {
			v = file.Get("args").Get(name).Get("default")
		}
		switch {
		case v.IsAbsent():
			return "", false
		case v.IsNull():
			return "null", true
		}
		return v.Text(), true
	}
}

func fileStep(s value.Value, arg func(string) (string, bool)) graph.Step {
	text := func(key string) string { return graph.Expand(s.Get(key).Text(), arg) }
	has := func(key string) bool { return !s.Get(key).IsAbsent() }
	out := graph.Step{Node: graph.Node{ID: s.Get("id").Text(), Gate: s.Get("approval").Truthy()}, Stdin: graph.Strings(s.Get("stdin"))}
	switch {
	case has("parallel"):
		wait := s.Path("parallel", "wait").Text()
		if wait == "" {
			wait = "all"
		}
		out.Kind, out.Detail = "parallel", "parallel ("+wait+")"
	case has("for_each"):
		out.ForEach = s.Get("for_each").Text()
		out.Kind, out.Detail = "for_each", "for_each: "+out.ForEach
	case has("workflow"):
		out.Kind, out.Detail = "workflow", "workflow: "+text("workflow")
	case has("pipeline"):
		out.Kind, out.Detail = "pipeline", "pipeline: "+text("pipeline")
	case has("run") || has("command"):
		key := "run"
		if !has("run") {
			key = "command"
		}
		out.Kind, out.Detail = "run", graph.RunDetail(text(key), out.Gate)
	case has("input"):
		out.Kind, out.Detail = "input", "input request"
	default:
		out.Kind, out.Detail = "approval", "approval gate"
	}
	when := s.Get("when")
	if when.IsAbsent() || when.IsNull() {
		when = s.Get("condition")
	}
	if when.Kind() == value.StringKind {
		out.When = when.Str()
	}
	return out
}
