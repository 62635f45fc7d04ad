package codegen

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/lobsterc/lobsterc/ir"
)

const (
	costPath = "github.com/lobsterc/lobsterc/runtime/cost"
	mcpPath  = "github.com/lobsterc/lobsterc/runtime/mcp"
)

// bills tells whether a program needs a meter: it has a limit to hold, or calls models. Others do not link one.
func (g *generator) bills(prog *ir.Program) bool {
	limited := func(c ir.Child) bool { return c.Workflow.CostLimit != nil }
	return prog.Main.CostLimit != nil || slices.ContainsFunc(prog.Children, limited) || g.hasStage(prog, g.callsModel)
}

// hasStage tells whether any stage of a program is such a one.
func (g *generator) hasStage(prog *ir.Program, is func(ir.Stage) bool) bool {
	if prog.Pipeline != nil {
		return slices.ContainsFunc(prog.Pipeline.Stages, is)
	}
	var inStep func(s *ir.Step) bool
	inStep = func(s *ir.Step) bool {
		if p, ok := s.Do.(*ir.Pipeline); ok {
			return slices.ContainsFunc(p.Stages, is)
		}
		return slices.ContainsFunc(ir.Inner(s), inStep)
	}
	inChild := func(c ir.Child) bool { return slices.ContainsFunc(c.Workflow.Steps, inStep) }
	return slices.ContainsFunc(prog.Main.Steps, inStep) || slices.ContainsFunc(prog.Children, inChild)
}

func (g *generator) callsModel(s ir.Stage) bool {
	given := func(flag string) bool {
		return slices.ContainsFunc(s.Flags, func(f ir.Flag) bool { return f.Name == flag })
	}
	spec, ok := g.opt.Catalogue.Lookup(s.Name)
	return ok && slices.Contains(spec.AllEffects(given), "calls_llm")
}

// checks tells whether a stage can say beforehand that it lacks something.
func (g *generator) checks(s ir.Stage) bool {
	spec, ok := g.opt.Catalogue.Lookup(s.Name)
	return ok && spec.Checks
}

// meter makes the program's meter.
func meter() jen.Code {
	getenv := jen.Id("getenv").Func().Params(jen.String()).String()
	return jen.Func().Params(getenv).Add(rt("Meter")).Block(jen.Return(jen.Qual(costPath, "NewMeter").Call(jen.Id("getenv"))))
}
