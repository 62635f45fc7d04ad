package ir

import (
	"strings"
	"testing"

	"github.com/lobsterc/lobsterc/runtime/value"
)

func gate(id string) *Step { return &Step{ID: id, Approval: &Approval{}} }

func when(s *Step, id string) *Step {
	s.When = &RefExpr{Ref: ref(id, "json")}
	return s
}

func loop(id string, steps ...*Step) *Step {
	return &Step{ID: id, Do: &Loop{Items: &Stdin{Literal: value.Array()}, ItemVar: "item", IndexVar: "index", Batch: 1, Steps: steps}}
}

func parallel(id string, branches ...*Step) *Step {
	return &Step{ID: id, Do: &Parallel{Branches: branches}}
}

func call(id string, paths ...string) *Step {
	return &Step{ID: id, Do: &Call{Path: Template{Text(paths[0])}, Dir: ".", Candidates: paths}}
}

func TestCheck(t *testing.T) {
	self := gate("a")
	self.Approval.Prompt = Template{ref("a", "json")}
	both := gate("a")
	both.Input = &Input{Prompt: Template{}, Schema: value.Bool(true)}
	policy := shell("b", "true")
	policy.OnError = Continue
	children := func(workflows ...*Step) *Program {
		p := minimal(call("m", "c0"))
		for i, s := range workflows {
			p.Children = append(p.Children, Child{Path: "c" + string(rune('0'+i)), Workflow: Workflow{Steps: []*Step{s}}})
		}
		return p
	}
	compat := minimal(when(gate("a"), "nobody"))
	compat.Compat = true
	tests := []struct {
		name string
		p    *Program
		want string // "" = sound
	}{
		{"an approval may name its own step", minimal(self), ""},
		{"a condition may not", minimal(when(gate("a"), "a")), "main.steps[0].when"},
		{"later branches are known after the step", minimal(parallel("p", shell("x", "")), when(gate("b"), "x")), ""},
		{"a branch is not known in its step", minimal(when(parallel("p", shell("x", "")), "x")), "main.steps[0].when"},
		{"a branch id is taken", minimal(gate("x"), parallel("p", shell("x", ""))), `id: must be unique`},
		{"a branch with a policy", minimal(parallel("p", policy)), "main.steps[0].parallel.branches[0]: a branch has no condition"},
		{"a gate in a branch", minimal(parallel("p", gate("x"))), "must run a command or a pipeline"},
		{"a loop variable", minimal(loop("l", when(shell("s", ""), "item"))), ""},
		{"a loop variable after the loop", minimal(loop("l", shell("s", "")), when(gate("b"), "item")), `"$item.json" names no earlier step`},
		{"a loop's step after the loop", minimal(loop("l", shell("s", "")), when(gate("b"), "s")), `"$s.json" names no earlier step`},
		{"a loop's step may hide a step", minimal(gate("s"), loop("l", shell("s", ""))), ""},
		{"the same id twice in a loop", minimal(loop("l", shell("s", ""), shell("s", ""))), "must be unique in the loop"},
		{"input with approval", minimal(both), "main.steps[0].input: stands alone"},
		{"children", children(gate("x")), ""},
		{"a cycle", children(call("x", "c1"), call("y", "c0")), `children: "c0" can call itself`},
		{"a diamond is no cycle", children(call("x", "c1", "c2"), call("y", "c2"), gate("z")), ""},
		{"compat allows unknown references", compat, ""},
		{"a pipeline with steps", &Program{Main: Workflow{Steps: []*Step{gate("a")}}, Pipeline: &Pipeline{}}, "an inline pipeline has no steps"},
		{"flags out of order", &Program{Pipeline: &Pipeline{Stages: []Stage{{Name: "exec", Flags: []Flag{{Name: "b"}, {Name: "a"}}}}}}, "flags must be ordered"},
		{"alone with text", &Program{Pipeline: &Pipeline{Stages: []Stage{{Name: "exec", Words: []Word{{Text: Template{Text("x")}, Alone: true}}}}}}, "is one hole"},
	}
	for _, tt := range tests {
		err := Check(tt.p)
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s: %v", tt.name, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
		}
	}
}
