package graph

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/lobsterc/lobsterc/compiler/catalog"
	"github.com/lobsterc/lobsterc/ir"
	"github.com/lobsterc/lobsterc/runtime/value"
)

func shell(id, script string) *ir.Step {
	return &ir.Step{ID: id, Do: &ir.Shell{Script: ir.Template{ir.Text(script)}, Source: script}}
}

// drawn is a program with every kind of step, with texts that would break XML.
func drawn() *ir.Program {
	yes := true
	gate := &ir.Step{ID: "gate", Approval: &ir.Approval{Prompt: ir.Template{ir.Text("Send <all> & \"more\"?")}, RequiredApprover: ir.Template{ir.Text("ann")}, DifferentApprover: &yes}}
	cond := shell("cond", "gog gmail send\nline two\nline three\nline four\nline \x01 five")
	cond.When = &ir.RefExpr{Ref: ir.StepRef{ID: "gate", Path: []string{"approved"}}}
	return &ir.Program{
		Main: ir.Workflow{Name: "a <b> & c", Description: "what it does", Steps: []*ir.Step{
			shell("fetch", "curl https://x.test/"), gate, cond,
			{ID: "loop", Do: &ir.Loop{Items: &ir.Stdin{Literal: value.Array()}, ItemVar: "it", IndexVar: "index", Batch: 1, Steps: []*ir.Step{shell("in", "date")}}},
			{ID: "par", Do: &ir.Parallel{Any: true, Branches: []*ir.Step{shell("b1", "date"), shell("b2", "make x > out")}}},
			{ID: "ask", Input: &ir.Input{Prompt: ir.Template{ir.Text("Say")}, Schema: value.Bool(true)}},
			{ID: "call", Do: &ir.Call{Path: ir.Template{ir.Text("c.lobster")}, Dir: ".", Candidates: []string{"c.lobster"}}},
		}},
		Children: []ir.Child{{Path: "c.lobster", Workflow: ir.Workflow{Steps: []*ir.Step{shell("kid", "git push")}}}},
	}
}

func TestSVG(t *testing.T) {
	pipeline := &ir.Program{Pipeline: &ir.Pipeline{Source: "exec x | approve | json", Stages: []ir.Stage{{Name: "exec", Raw: "exec x", Words: []ir.Word{{Text: ir.Template{ir.Text("x")}}}}, {Name: "approve"}, {Name: "json"}}}}
	tests := []struct {
		p    *ir.Program
		want []string
	}{
		{drawn(), []string{"a <b> & c", "what it does", "curl https://x.test/", "Send <all> & \"more\"?", "by ann, not by who started the run", "when $gate.approved", "line three", "…",
			"loop  ·  for each [] as it", "par  ·  the first of these to finish", "ask  ·  input", "call  ·  c.lobster", "git push", "sends email", "an approval stands before this on every path", "no approval stands before this"}},
		{pipeline, []string{"workflow", "exec x", "approve  ·  approval", "json"}},
	}
	for _, tt := range tests {
		svg := SVG(tt.p, catalog.New())
		if svg != SVG(tt.p, catalog.New()) {
			t.Error("two drawings differ")
		}
		var texts strings.Builder
		for d := xml.NewDecoder(strings.NewReader(svg)); ; {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%v\n%s", err, svg)
			}
			if chars, ok := token.(xml.CharData); ok {
				texts.Write(chars)
				texts.WriteByte('\n')
			}
		}
		for _, want := range tt.want {
			if !strings.Contains(texts.String(), want) {
				t.Errorf("%q is not in the drawing:\n%s", want, texts.String())
			}
		}
	}
}
