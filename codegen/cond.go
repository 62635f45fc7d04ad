package codegen

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/lobsterc/lobsterc/ir"
)

// A condition becomes a Go expression of type bool. Operands of a comparison are values: references and literals as they are,
// and a nested condition as the boolean that it gives. Go evaluates && and || from left to right and stops early, which nobody
// can tell from the reference's evaluating both sides, since all of it is pure. Only in programs built with --compat can a
// reference lead nowhere, which fails the run; they evaluate both.

// cond is the condition as a boolean expression. Every operand that has operators of its own gets parentheses: jennifer
// knows no precedence.
func (g *generator) cond(e ir.Expr) *jen.Statement {
	switch e := e.(type) {
	case *ir.Lit:
		return jen.Lit(e.Value.Truthy())
	case *ir.RefExpr:
		return g.ref(e.Ref).Dot("Truthy").Call()
	case *ir.Not:
		return jen.Op("!").Add(g.operand(e.X))
	case *ir.Logic:
		op, both := "&&", "And"
		if e.Or {
			op, both = "||", "Or"
		}
		if g.compat {
			return rt(both).Call(g.cond(e.X), g.cond(e.Y))
		}
		return g.operand(e.X).Op(op).Add(g.operand(e.Y))
	case *ir.Compare:
		return g.compare(e)
	}
	panic(fmt.Sprintf("lobsterc bug: unknown condition node %T", e))
}

// operand is cond, in parentheses when it would not bind tighter than !, && and ||.
func (g *generator) operand(e ir.Expr) *jen.Statement {
	if _, ok := e.(*ir.Logic); ok {
		return jen.Parens(g.cond(e))
	}
	return g.cond(e)
}

// compareFuncs are the ordering comparisons of conditions (runtime/drive/cond.go).
var compareFuncs = map[string]string{"<": "Less", "<=": "LessEqual", ">": "Greater", ">=": "GreaterEqual"}

func (g *generator) compare(e *ir.Compare) *jen.Statement {
	x, y := g.operandValue(e.X), g.operandValue(e.Y)
	switch e.Op {
	case "==":
		return val("StrictEqual").Call(x, y)
	case "!=":
		return jen.Op("!").Add(val("StrictEqual").Call(x, y))
	}
	name, ok := compareFuncs[e.Op]
	if !ok {
		panic(fmt.Sprintf("lobsterc bug: unknown comparison %q at %v", e.Op, e.Pos))
	}
	return rt(name).Call(x, y)
}

// operandValue is an operand of a comparison, as a value.
func (g *generator) operandValue(e ir.Expr) *jen.Statement {
	switch e := e.(type) {
	case *ir.Lit:
		return literal(e.Value)
	case *ir.RefExpr:
		return g.ref(e.Ref)
	}
	return val("Bool").Call(g.cond(e))
}

// ref is the value of a step reference.
func (g *generator) ref(r ir.StepRef) *jen.Statement {
	if g.compat {
		return jen.Id("run").Dot("Need").Call(refArgs(r)...)
	}
	return jen.Id("run").Dot("Ref").Call(refArgs(r)...)
}
