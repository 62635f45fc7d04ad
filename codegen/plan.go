package codegen

import (
	"regexp"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/lobsterc/lobsterc/ir"
)

// plan is what a dry run prints and cannot compute; nil when there is nothing.
func (g *generator) plan(s *ir.Step, scope []string, what string) *jen.Statement {
	var f fields
	if sh, ok := s.Do.(*ir.Shell); ok && hasRefs(sh.Script) {
		f.add("Refs", jen.True())
	}
	if s.Stdin != nil && (s.Stdin.Ref != nil || hasRefs(s.Stdin.Text)) {
		f.add("Stdin", jen.Lit(spelling(s.Stdin)))
	}
	switch do := s.Do.(type) {
	case *ir.Loop:
		f.add("ForEach", jen.Lit(spelling(do.Items)))
	case *ir.Pipeline:
		t := planTemplate(do.Source)
		if pipelineHasRefs(do) {
			f.add("Refs", jen.True())
		}
		f.add("Pipeline", g.planText(t, scope, "the text of the pipeline of "+what))
	case *ir.Call:
		f.add("Workflow", g.planText(do.Path, scope, "the path of the sub-workflow of "+what))
	}
	if len(f.items) == 0 {
		return nil
	}
	return jen.Op("&").Add(rt("Plan")).Add(f.lit())
}

// planText is text with its arguments expanded.
func (g *generator) planText(t ir.Template, scope []string, what string) jen.Code {
	if s, ok := constText(t); ok {
		return rt("Constant").Call(text(s))
	}
	return g.textFunc("plan", scope, t, what)
}

// hasRefs tells whether a template holds references to steps.
func hasRefs(t ir.Template) bool {
	return slices.ContainsFunc(t, func(seg ir.Segment) bool {
		switch seg.(type) {
		case ir.StepRef, ir.OpenRef:
			return true
		}
		return false
	})
}

func pipelineHasRefs(p *ir.Pipeline) bool {
	for _, st := range p.Stages {
		for _, f := range st.Flags {
			if hasRefs(f.Value) {
				return true
			}
		}
		for _, w := range st.Words {
			if hasRefs(w.Text) {
				return true
			}
		}
	}
	return false
}

var approvedRef = regexp.MustCompile(`\$[A-Za-z0-9_-]+\.approved\b`)

// planTemplate is the source text of a pipeline with what a dry run expands in it: arguments, and whether a step was approved.
func planTemplate(s string) ir.Template {
	t := ir.Template{}
	for {
		at := approvedRef.FindStringIndex(s)
		if at == nil {
			return append(t, argTemplate(s)...)
		}
		id, _, _ := strings.Cut(s[at[0]+1:at[1]], ".")
		t = append(append(t, argTemplate(s[:at[0]])...), ir.StepRef{ID: id, Path: []string{"approved"}})
		s = s[at[1]:]
	}
}

var argHole = regexp.MustCompile(`\$\{[A-Za-z0-9_-]+\}`)

// argTemplate is source text with its ${argument} holes found.
func argTemplate(s string) ir.Template {
	t := ir.Template{}
	for {
		at := argHole.FindStringIndex(s)
		if at == nil {
			return append(t, ir.Text(s))
		}
		t = append(t, ir.Text(s[:at[0]]), ir.ArgRef{Name: s[at[0]+2 : at[1]-1]})
		s = s[at[1]:]
	}
}

// spelling is a value as the file has it.
func spelling(s *ir.Stdin) string {
	if s.Ref != nil {
		return source(ir.Template{*s.Ref})
	}
	return source(s.Text)
}

// source is a template as the file has it.
func source(t ir.Template) string {
	var b strings.Builder
	for _, seg := range t {
		switch seg := seg.(type) {
		case ir.Text:
			b.WriteString(string(seg))
		case ir.ArgRef:
			b.WriteString("${" + seg.Name + "}")
		case ir.StepRef:
			b.WriteString("$" + seg.ID + "." + strings.Join(seg.Path, "."))
		case ir.OpenRef:
			b.WriteString(source(seg.Text))
		case ir.EnvRef:
			b.WriteString(seg.Raw)
		}
	}
	return b.String()
}

// stagePlans are what a dry run says of the stages of an inline pipeline: the name, then the words and flags as the reference
// keeps them.
func stagePlans(p *ir.Pipeline) []jen.Code {
	list := make([]jen.Code, len(p.Stages))
	for i, st := range p.Stages {
		var args []string
		for _, w := range st.Args.Get("_").Items() {
			args = append(args, w.Text())
		}
		for name, v := range st.Args.Members() {
			if name != "_" {
				args = append(args, name+"="+v.Text())
			}
		}
		line := st.Name
		if len(args) > 0 {
			line += "  args: " + strings.Join(args, ", ")
		}
		list[i] = jen.Line().Add(text(line))
	}
	return append(list, jen.Line())
}
