package codegen

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dave/jennifer/jen"

	"github.com/lobsterc/lobsterc/ir"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// RuntimePath is the import path of the runtime; its packages lie below it.
const RuntimePath = "github.com/lobsterc/lobsterc/runtime"

const (
	valuePath  = RuntimePath + "/value"
	flowPath   = RuntimePath + "/flow"
	schemaPath = RuntimePath + "/schema"
)

// rt names something of package runtime.
func rt(name string) *jen.Statement { return jen.Qual(RuntimePath, name) }

// val names something of package value.
func val(name string) *jen.Statement { return jen.Qual(valuePath, name) }

// runParam is the parameter that the functions of steps have.
func runParam() *jen.Statement { return jen.Id("run").Op("*").Add(rt("Run")) }

// fields collects the fields of a composite literal in the order in which they are added (jen.Dict would sort them).
type fields struct {
	items []jen.Code
	multi bool
}

// add appends a field.
func (f *fields) add(name string, v jen.Code) { f.items = append(f.items, jen.Id(name).Op(":").Add(v)) }

// addMulti appends a field whose value has several lines, which makes the whole literal have several.
func (f *fields) addMulti(name string, v jen.Code) {
	f.add(name, v)
	f.multi = true
}

// lit is the literal: one line when it is short, else a line for each field.
func (f *fields) lit() *jen.Statement {
	if f.multi || len(f.items) > 5 {
		return lines(f.items)
	}
	return jen.Values(f.items...)
}

// lines is a composite literal's body with a line for each item.
func lines(items []jen.Code) *jen.Statement {
	if len(items) == 0 {
		return jen.Values()
	}
	return jen.Custom(jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}, items...)
}

// text is a string literal. Text of several lines that a raw literal can hold is written as one, since it is mostly shell
// script that a reader wants to see as it is.
func text(s string) *jen.Statement {
	if strings.Contains(strings.TrimSuffix(s, "\n"), "\n") && canBeRaw(s) {
		return jen.Op("`" + s + "`")
	}
	return jen.Lit(s)
}

// canBeRaw tells whether a raw string literal keeps s as it is: carriage returns would be dropped, and a reader could not see
// what is invisible.
func canBeRaw(s string) bool {
	if !utf8.ValidString(s) {
		return false
	}
	for _, r := range s {
		if r == '`' || r != '\n' && r != '\t' && !unicode.IsPrint(r) {
			return false
		}
	}
	// Blank ends of lines are invisible too.
	return !strings.Contains(s, " \n") && !strings.Contains(s, "\t\n")
}

// template is a template as a concatenation of literals and calls.
func template(t ir.Template) *jen.Statement {
	return concat(t, func(seg ir.Segment) *jen.Statement {
		panic(fmt.Sprintf("lobsterc bug: %T in a template that has no environment", seg))
	})
}

// envTemplate is the template of an environment variable, where lookup is in scope.
func envTemplate(t ir.Template) *jen.Statement {
	return concat(t, func(seg ir.Segment) *jen.Statement {
		e, ok := seg.(ir.EnvRef)
		if !ok {
			panic(fmt.Sprintf("lobsterc bug: unknown template segment %T", seg))
		}
		return jen.Id("run").Dot("EnvText").Call(jen.Id("lookup"), jen.Lit(e.Name), jen.Lit(e.Raw))
	})
}

// concat joins the segments with +; other renders the kinds that only some templates have.
func concat(t ir.Template, other func(ir.Segment) *jen.Statement) *jen.Statement {
	var parts []*jen.Statement
	literal := ""
	flush := func() {
		if literal != "" {
			parts = append(parts, text(literal))
			literal = ""
		}
	}
	for i := 0; i < len(t); i++ {
		switch seg := t[i].(type) {
		case ir.Text:
			literal += string(seg)
		case ir.ArgRef:
			flush()
			parts = append(parts, jen.Id("run").Dot("Arg").Call(jen.Lit(seg.Name)))
		case ir.StepRef:
			flush()
			n := follows(t[i+1:])
			if n > 0 {
				tail := concat(t[i+1:i+1+n], other)
				parts = append(parts, jen.Id("run").Dot("Extend").Call(append([]jen.Code{tail}, refArgs(seg)...)...))
				i += n
				continue
			}
			parts = append(parts, jen.Id("run").Dot("Text").Call(refArgs(seg)...))
		case ir.OpenRef:
			flush()
			parts = append(parts, jen.Id("run").Dot("OpenText").Call(concat(seg.Text, other)))
		default:
			flush()
			parts = append(parts, other(seg))
		}
	}
	flush()
	return sum(parts)
}

// follows counts the segments behind a reference that can continue its path: an argument directly behind it, and what follows
// that up to the next reference.
func follows(t ir.Template) int {
	if len(t) == 0 {
		return 0
	}
	if _, ok := t[0].(ir.Text); ok {
		return 0
	}
	n := slices.IndexFunc(t, func(seg ir.Segment) bool {
		switch seg.(type) {
		case ir.StepRef, ir.OpenRef:
			return true
		}
		return false
	})
	if n < 0 {
		return len(t)
	}
	return n
}

// sum joins text expressions with +.
func sum(parts []*jen.Statement) *jen.Statement {
	if len(parts) == 0 {
		return jen.Lit("")
	}
	out := parts[0]
	for _, p := range parts[1:] {
		out = out.Op("+").Add(p)
	}
	return out
}

// refArgs are the arguments of run.Ref and run.Text.
func refArgs(ref ir.StepRef) []jen.Code {
	args := []jen.Code{jen.Lit(ref.ID)}
	for _, p := range ref.Path {
		args = append(args, jen.Lit(p))
	}
	return args
}

// constText gives the text of a template that has no holes.
func constText(t ir.Template) (string, bool) {
	var b strings.Builder
	for _, seg := range t {
		s, ok := seg.(ir.Text)
		if !ok {
			return "", false
		}
		b.WriteString(string(s))
	}
	return b.String(), true
}

// literal is an expression that builds v: no JSON is parsed when the program runs.
func literal(v value.Value) *jen.Statement {
	switch v.Kind() {
	case value.Absent:
		return val("Value").Values()
	case value.NullKind:
		return val("Null")
	case value.BoolKind:
		return val("Bool").Call(jen.Lit(v.Bool()))
	case value.NumberKind:
		return number(v)
	case value.StringKind:
		return val("String").Call(text(v.Str()))
	case value.ArrayKind, value.ObjectKind:
		if deep(v, maxNesting) {
			return val("Literal").Call(text(v.JSON()))
		}
	}
	switch v.Kind() {
	case value.ArrayKind:
		items := make([]jen.Code, 0, v.Len())
		for item := range v.All() {
			items = append(items, literal(item))
		}
		return val("Array").Custom(callLayout(v), items...)
	case value.ObjectKind:
		var items []jen.Code
		for key, member := range v.Members() {
			items = append(items, val("M").Call(jen.Lit(key), literal(member)))
		}
		return val("Object").Custom(callLayout(v), items...)
	}
	panic(fmt.Sprintf("lobsterc bug: value of unknown kind %d", v.Kind()))
}

// maxNesting is how deep a value's constructors may stand in each other. The Go compiler takes time that grows with the square
// of the depth, and nobody reads such code; deeper values are JSON text that is read when the program needs it.
const maxNesting = 24

// deep tells whether a value is nested more than n levels.
func deep(v value.Value, n int) bool {
	if n < 0 {
		return true
	}
	switch v.Kind() {
	case value.ArrayKind:
		return slices.ContainsFunc(v.Items(), func(x value.Value) bool { return deep(x, n-1) })
	case value.ObjectKind:
		for _, x := range v.Members() {
			if deep(x, n-1) {
				return true
			}
		}
	}
	return false
}

// callLayout writes the arguments of a constructor on one line, or one a line when the value is long.
func callLayout(v value.Value) jen.Options {
	return jen.Options{Open: "(", Close: ")", Separator: ",", Multi: len(v.JSON()) > 80}
}

// number is a number's constructor; one that a double cannot hold keeps its digits.
func number(v value.Value) *jen.Statement {
	digits := v.JSON()
	f := v.Float()
	switch i, err := strconv.ParseInt(digits, 10, 64); {
	case err == nil:
		return val("Int").Call(jen.Op(strconv.FormatInt(i, 10)))
	case math.IsInf(f, 0):
		return val("Number").Call(jen.Qual("math", "Inf").Call(jen.Lit(int(math.Copysign(1, f)))))
	case math.IsNaN(f):
		return val("Number").Call(jen.Qual("math", "NaN").Call())
	case digits != value.NumberText(f):
		return rt("Digits").Call(jen.Lit(digits))
	}
	return val("Number").Call(float(f))
}

// float is a float64 literal.
func float(f float64) *jen.Statement { return jen.Op(strconv.FormatFloat(f, 'g', -1, 64)) }

// millis is a duration given in milliseconds.
func millis(ms int64) *jen.Statement {
	unit, n := "Millisecond", ms
	if ms%1000 == 0 {
		unit, n = "Second", ms/1000
	}
	if n == 1 {
		return jen.Qual("time", unit)
	}
	return jen.Op(fmt.Sprint(n)).Op("*").Qual("time", unit)
}
