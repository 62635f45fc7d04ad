package codegen

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/lobsterc/lobsterc/ir"
)

// A condition becomes a Go expression of type bool. Operands of a comparison are values: references and literals as they are,
// and a nested condition as the boolean that it gives. Go evaluates && and || from left to right and stops early, which nobody
// can tell from the reference's evaluating both sides, since all of it is pure.

// cond is the condition as a boolean expression. Every operand that has operators of its own gets parentheses: jennifer
// knows no precedence.
func cond(e ir.Expr) *jen.Statement {
	switch e := e.(type) {
	case *ir.Lit:
		return jen.Lit(e.Value.Truthy())
	case *ir.RefExpr:
		return ref(e.Ref).Dot("Truthy").Call()
	case *ir.Not:
		return jen.Op("!").Add(operand(e.X))
	case *ir.Logic:
		op := "&&"
		if e.Or {
			op = "||"
		}
		return operand(e.X).Op(op).Add(operand(e.Y))
	case *ir.Compare:
		return compare(e)
	}
	panic(fmt.Sprintf("lobsterc bug: unknown condition node %T", e))
}

// operand is cond, in parentheses when it would not bind tighter than !, && and ||.
func operand(e ir.Expr) *jen.Statement {
	if _, ok := e.(*ir.Logic); ok {
		return jen.Parens(cond(e))
	}
	return cond(e)
}

// compareFuncs are the ordering comparisons of conditions (runtime/drive/cond.go).
var compareFuncs = map[string]string{"<": "Less", "<=": "LessEqual", ">": "Greater", ">=": "GreaterEqual"}

func compare(e *ir.Compare) *jen.Statement {
	x, y := operandValue(e.X), operandValue(e.Y)
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
func operandValue(e ir.Expr) *jen.Statement {
	switch e := e.(type) {
	case *ir.Lit:
		return literal(e.Value)
	case *ir.RefExpr:
		return ref(e.Ref)
	}
	return val("Bool").Call(cond(e))
}

// ref is the value of a step reference.
func ref(r ir.StepRef) *jen.Statement { return jen.Id("run").Dot("Ref").Call(refArgs(r)...) }

// static tells whether the condition depends on no step's output.
func static(e ir.Expr) bool {
	switch e := e.(type) {
	case *ir.Lit:
		return true
	case *ir.RefExpr:
		return false
	case *ir.Not:
		return static(e.X)
	case *ir.Logic:
		return static(e.X) && static(e.Y)
	case *ir.Compare:
		return static(e.X) && static(e.Y)
	}
	panic(fmt.Sprintf("lobsterc bug: unknown condition node %T", e))
}
