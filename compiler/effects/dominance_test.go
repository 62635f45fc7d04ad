package effects

import (
	"strings"
	"testing"

	"github.com/lobsterc/lobsterc/compiler/catalog"
	"github.com/lobsterc/lobsterc/ir"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// Short builders: programs in these tests are written as Go values, so that nothing but the analysis is under test.

func ref(path string) *ir.RefExpr {
	parts := strings.Split(path, ".")
	return &ir.RefExpr{Ref: ir.StepRef{ID: parts[0], Path: parts[1:]}}
}

func not(x ir.Expr) ir.Expr    { return &ir.Not{X: x} }
func and(x, y ir.Expr) ir.Expr { return &ir.Logic{X: x, Y: y} }
func or(x, y ir.Expr) ir.Expr  { return &ir.Logic{Or: true, X: x, Y: y} }

func is(x ir.Expr, op string, v value.Value) ir.Expr {
	return &ir.Compare{Op: op, X: x, Y: &ir.Lit{Value: v}}
}

func gate(id string) *ir.Step {
	return &ir.Step{ID: id, Approval: &ir.Approval{Prompt: ir.Template{ir.Text("ok?")}}}
}

func input(id string) *ir.Step {
	return &ir.Step{ID: id, Input: &ir.Input{Prompt: ir.Template{}, Schema: value.Bool(true)}}
}

func run(id, script string) *ir.Step {
	return &ir.Step{ID: id, Do: &ir.Shell{Script: ir.Template{ir.Text(script)}, Source: script}}
}

// send is the step whose gates the tests ask for.
func send() *ir.Step { return run("send", "gog gmail send --to a@b.c") }

func when(x ir.Expr, s *ir.Step) *ir.Step { s.When = x; return s }

func onError(p ir.OnError, s *ir.Step) *ir.Step { s.OnError = p; return s }

// approved puts an approval on an executing step.
func approved(s *ir.Step) *ir.Step { s.Approval = &ir.Approval{}; return s }

func loop(id string, steps ...*ir.Step) *ir.Step {
	return &ir.Step{ID: id, Do: &ir.Loop{Items: &ir.Stdin{Literal: value.Array()}, ItemVar: "item", IndexVar: "index", Batch: 1, Steps: steps}}
}

func parallel(id string, any bool, branches ...*ir.Step) *ir.Step {
	return &ir.Step{ID: id, Do: &ir.Parallel{Any: any, Branches: branches}}
}

func call(id string, paths ...string) *ir.Step {
	return &ir.Step{ID: id, Do: &ir.Call{Path: ir.Template{ir.Text(paths[0])}, Dir: ".", Candidates: paths}}
}

func program(steps ...*ir.Step) *ir.Program { return &ir.Program{Main: ir.Workflow{Steps: steps}} }

func child(p *ir.Program, path string, steps ...*ir.Step) *ir.Program {
	p.Children = append(p.Children, ir.Child{Path: path, Workflow: ir.Workflow{Steps: steps}})
	return p
}

func pipeline(stages ...string) *ir.Program {
	p := &ir.Program{Pipeline: &ir.Pipeline{Source: strings.Join(stages, " | ")}}
	for _, name := range stages {
		s := ir.Stage{Name: name}
		if name == "exec" {
			s.Words = []ir.Word{{Text: ir.Template{ir.Text("make")}}, {Text: ir.Template{ir.Text("deploy")}}}
		}
		p.Pipeline.Stages = append(p.Pipeline.Stages, s)
	}
	return p
}

// behindSend gives the gates of every mail that the program can send, joined by ";".
func behindSend(t *testing.T, p *ir.Program) string {
	t.Helper()
	if err := ir.Check(p); err != nil {
		t.Fatal(err)
	}
	var all []string
	r := Analyze(p, catalog.New())
	for i := range r.Steps {
		if r.Steps[i].Never {
			all = append(all, "never")
			continue
		}
		for _, e := range r.Steps[i].Effects {
			if e.Is(SendsEmail) {
				all = append(all, behind(e.Gates))
			}
		}
	}
	return strings.Join(all, ";")
}

func TestDominance(t *testing.T) {
	ok := value.Bool(true)
	tests := []struct {
		name string
		p    *ir.Program
		want string
	}{
		{"no gate", program(send()), "-"},
		{"a gate before", program(gate("g"), send()), "g"},
		{"a gate after", program(send(), gate("g")), "-"},
		{"an approval on the step itself comes after it ran", program(approved(send())), "-"},
		{"an approval on the step before", program(approved(run("draft", "make draft")), send()), "draft"},
		{"two gates", program(gate("g"), gate("h"), send()), "g, h"},
		{"the gate is skipped by its own condition", program(run("a", "x"), when(ref("a.json"), gate("g")), send()), "-"},
		{"the effect asks for the approval", program(run("a", "x"), when(ref("a.json"), gate("g")), when(ref("g.approved"), send())), "g"},
		{"the effect compares the approval", program(run("a", "x"), when(ref("a.json"), gate("g")), when(is(ref("g.approved"), "==", ok), send())), "g"},
		{"the effect runs when the gate was not skipped", program(run("a", "x"), when(ref("a.json"), gate("g")), when(not(ref("g.skipped")), send())), "g"},
		{"the effect runs when the gate was skipped", program(run("a", "x"), when(ref("a.json"), gate("g")), when(ref("g.skipped"), send())), "-"},
		{"gate and effect under the same condition", program(run("a", "x"), when(ref("a.json"), gate("g")), when(ref("a.json"), send())), "g"},
		{"a stronger condition on the effect", program(run("a", "x"), when(ref("a.json"), gate("g")), when(and(ref("a.stdout"), ref("a.json")), send())), "g"},
		{"a weaker condition on the effect", program(run("a", "x"), when(ref("a.json"), gate("g")), when(or(ref("a.stdout"), ref("a.json")), send())), "-"},
		{"the opposite condition on the effect", program(run("a", "x"), when(ref("a.json"), gate("g")), when(not(ref("a.json")), send())), "-"},
		{"either of two gates", program(run("a", "x"), when(ref("a.json"), gate("g")), when(not(ref("a.json")), gate("h")), when(or(ref("g.approved"), ref("h.approved")), send())), "-"},
		{"an approval or something else", program(run("a", "x"), when(ref("a.json"), gate("g")), when(or(ref("g.approved"), ref("a.stdout")), send())), "-"},
		{"approval in both arms", program(run("a", "x"), when(ref("a.json"), gate("g")), when(or(and(ref("g.approved"), ref("a.json")), and(ref("a.stdout"), ref("g.approved"))), send())), "g"},
		{"not(not approved or ...)", program(run("a", "x"), when(ref("a.json"), gate("g")), when(not(or(not(ref("g.approved")), ref("a.stdout"))), send())), "g"},
		{"on_error: continue goes past the gate of the step", program(onError(ir.Continue, approved(run("draft", "x"))), send()), "-"},
		{"on_error: continue, and the effect asks for the approval", program(onError(ir.Continue, approved(run("draft", "x"))), when(ref("draft.approved"), send())), "draft"},
		{"on_error: continue, and the effect asks for no error", program(onError(ir.Continue, approved(run("draft", "x"))), when(not(ref("draft.error")), send())), "draft"},
		{"on_error: continue, and the effect reads the result", program(onError(ir.Continue, approved(run("draft", "x"))), when(ref("draft.stdout"), send())), "-"},
		{"on_error: skip_rest ends the run instead", program(onError(ir.SkipRest, approved(run("draft", "x"))), send()), "draft"},
		{"on_error of another step changes nothing", program(gate("g"), onError(ir.Continue, run("a", "x")), send()), "g"},
		{"a gate between the conditions", program(run("a", "x"), when(ref("a.json"), gate("g")), when(ref("g.approved"), run("b", "y")), when(ref("b.json"), send())), "g"},
		{"a step that need not have run", program(run("a", "x"), when(ref("a.json"), gate("g")), when(ref("g.approved"), run("b", "y")), when(not(ref("b.json")), send())), "-"},
		{"an effect in a loop", program(gate("g"), loop("l", send())), "g"},
		{"an effect in a loop behind a gate that a condition skips", program(run("a", "x"), when(ref("a.json"), gate("g")), when(ref("g.approved"), loop("l", send()))), "g"},
		{"a loop variable hides the gate", program(run("a", "x"), when(ref("a.json"), gate("item")), loop("l", when(ref("item.approved"), send()))), "-"},
		{"a loop's approval comes after the loop", program(approved(loop("l", send()))), "-"},
		{"after a gated loop of no items", program(approved(loop("l", run("x", "x"))), send()), "l"},
		{"branches are behind what is before the step", program(gate("g"), parallel("p", false, send(), run("b", "x"))), "g"},
		{"a branch races the approval of its step", program(approved(parallel("p", true, send(), run("b", "x")))), "-"},
		{"after branches that race, the step's approval holds", program(approved(parallel("p", true, run("a", "x"), run("b", "x"))), send()), "p"},
		{"a branch ran, so its step ran, so the gate passed", program(run("a", "x"), when(ref("a.json"), gate("g")), when(ref("g.approved"), parallel("p", false, run("b", "x"))), when(ref("b.stdout"), send())), "g"},
		{"a child holds the gate", child(program(call("c", "k"), send()), "k", gate("g")), "k: g"},
		{"a child's gate is skipped", child(program(call("c", "k"), send()), "k", run("a", "x"), when(ref("a.json"), gate("g"))), "-"},
		{"the child ends before its gate", child(program(call("c", "k"), send()), "k", onError(ir.SkipRest, run("a", "x")), gate("g")), "-"},
		{"on_error: continue around the child", child(program(onError(ir.Continue, call("c", "k")), send()), "k", gate("g")), "-"},
		{"two candidates, one with a gate", child(child(program(call("c", "j", "k"), send()), "j", run("a", "x")), "k", gate("g")), "-"},
		{"the effect is in the child", child(program(gate("g"), call("c", "k")), "k", send()), "g"},
		{"the child is called twice, once from behind the gate", child(program(call("c", "k"), gate("g"), call("d", "k")), "k", send()), "-"},
		{"the child is called twice, both behind one gate", child(program(gate("f"), call("c", "k"), gate("g"), call("d", "k")), "k", send()), "f"},
		{"gate outside and inside", child(program(gate("g"), call("c", "k")), "k", gate("h"), send()), "g, k: h"},
		{"a grandchild holds the gate", child(child(program(call("c", "j"), send()), "j", call("d", "k")), "k", gate("g")), "k: g"},
		{"a condition that is never true", program(when(&ir.Lit{Value: value.Bool(false)}, send())), "never"},
		{"conditions that contradict each other", program(run("a", "x"), when(not(ref("a.json")), run("b", "x")), when(and(ref("b.stdout"), ref("a.json")), send())), "never"},
		{"a gate that is always open", program(when(&ir.Lit{Value: value.Bool(true)}, gate("g")), send()), "g"},
		{"an input request is a gate of another kind", program(input("i"), send()), "i (input)"},
		{"a pipeline's approve", pipeline("exec", "approve", "gog.gmail.send"), "pipeline"},
		{"a pipeline's approve after", pipeline("gog.gmail.send", "approve"), "-"},
		{"a pipeline's ask", pipeline("exec", "ask", "gog.gmail.send"), "pipeline (input)"},
	}
	for _, tt := range tests {
		if got := behindSend(t, tt.p); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestLarge: 500 conditional steps are looked at in a moment.
func TestLarge(t *testing.T) {
	steps := []*ir.Step{gate("g")}
	for i := range 500 {
		steps = append(steps, when(ref("g.approved"), run("s"+strings.Repeat("x", i%7)+strings.Repeat("y", i/7), "gog gmail send")))
	}
	p := program(steps...)
	for _, one := range strings.Split(behindSend(t, p), ";") {
		if one != "g" {
			t.Fatalf("got %q", one)
		}
	}
}
