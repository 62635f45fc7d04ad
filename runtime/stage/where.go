package stage

import (
	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// Predicate decides whether an item stays.
type Predicate func(value.Value) bool

// WhereOptions are the options of where.
type WhereOptions struct{ Keep Predicate }

// Where keeps the items for which the predicate holds.
func Where(o WhereOptions) flow.Stage {
	return each("where", func(v value.Value) (value.Value, bool) { return v, o.Keep(v) })
}

// Compare is the predicate `path op want`, with JavaScript's loose comparison. op is one of = == != < <= > >=. Unlike
// elsewhere, the path goes through objects and arrays only: a string has no length here.
func Compare(path Path, op string, want value.Value) Predicate {
	test := comparison(op, want)
	if len(path) == 1 {
		key := path[0]
		return func(v value.Value) bool { return test(whereProp(v, key)) }
	}
	return func(v value.Value) bool {
		for _, key := range path {
			v = whereProp(v, key)
		}
		return test(v)
	}
}

// whereProp is one step of the path.
func whereProp(v value.Value, key string) value.Value {
	switch v.Kind() {
	case value.ObjectKind:
		return v.Get(key)
	case value.ArrayKind:
		return v.Prop(key)
	}
	return value.Value{}
}

// comparison gives `x op want` as a function of x. Numbers, by far the most common, take a short way.
func comparison(op string, want value.Value) func(value.Value) bool {
	number, loose := looseComparison(op)
	if want.Kind() != value.NumberKind {
		return func(x value.Value) bool { return loose(x, want) }
	}
	n := want.Float()
	return func(x value.Value) bool {
		if x.Kind() == value.NumberKind {
			return number(x.Float(), n)
		}
		return loose(x, want)
	}
}

// looseComparison gives an operator for two numbers and for two values.
func looseComparison(op string) (func(x, y float64) bool, func(x, y value.Value) bool) {
	switch op {
	case "=", "==":
		return func(x, y float64) bool { return x == y }, value.LooseEqual
	case "!=":
		return func(x, y float64) bool { return x != y }, func(x, y value.Value) bool { return !value.LooseEqual(x, y) }
	case "<":
		return func(x, y float64) bool { return x < y }, value.LooseLess
	case "<=":
		return func(x, y float64) bool { return x <= y }, value.LooseLessEqual
	case ">":
		return func(x, y float64) bool { return x > y }, func(x, y value.Value) bool { return value.LooseLess(y, x) }
	case ">=":
		return func(x, y float64) bool { return x >= y }, func(x, y value.Value) bool { return value.LooseLessEqual(y, x) }
	}
	panic("lobsterc bug: where with operator " + op)
}
