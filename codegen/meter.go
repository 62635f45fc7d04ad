package codegen

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/lobsterc/lobsterc/ir"
)

const costPath = "github.com/lobsterc/lobsterc/runtime/cost"

// bills tells whether a program needs a meter: it has a limit to hold, or calls models. Others do not link one.
func (g *generator) bills(prog *ir.Program) bool {
	if prog.Pipeline != nil {
		return g.callsModel(prog.Pipeline)
	}
	if g.workflowBills(&prog.Main) {
		return true
	}
	for i := range prog.Children {
		if g.workflowBills(&prog.Children[i].Workflow) {
			return true
		}
	}
	return false
}

func (g *generator) workflowBills(w *ir.Workflow) bool {
	return w.CostLimit != nil || slices.ContainsFunc(w.Steps, g.stepBills)
}

func (g *generator) stepBills(s *ir.Step) bool {
	if p, ok := s.Do.(*ir.Pipeline); ok {
		return g.callsModel(p)
	}
	return slices.ContainsFunc(ir.Inner(s), g.stepBills)
}

func (g *generator) callsModel(p *ir.Pipeline) bool {
	return slices.ContainsFunc(p.Stages, func(s ir.Stage) bool {
		given := func(flag string) bool {
			return slices.ContainsFunc(s.Flags, func(f ir.Flag) bool { return f.Name == flag })
		}
		spec, ok := g.opt.Catalogue.Lookup(s.Name)
		return ok && slices.Contains(spec.AllEffects(given), "calls_llm")
	})
}

// meter makes the program's meter.
func meter() jen.Code {
	getenv := jen.Id("getenv").Func().Params(jen.String()).String()
	return jen.Func().Params(getenv).Add(rt("Meter")).Block(jen.Return(jen.Qual(costPath, "NewMeter").Call(jen.Id("getenv"))))
}
