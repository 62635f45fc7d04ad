package effects

import (
	"fmt"

	"github.com/lobsterc/lobsterc/ir"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// facts are what must hold when a condition is true: a set of numbered statements (flow.fact gives the number).
//
//	ran N       step N was not skipped
//	approved N  step N was approved
//	sound N     step N did not fail
//	true KEY    the expression KEY is true; false KEY likewise
//
// Results never change once a step has ended, so an expression has the same value wherever it can be evaluated.
type facts []uint64

func (s facts) has(i int) bool { return i >= 0 && i/64 < len(s) && s[i/64]&(1<<(i%64)) != 0 }

func (s *facts) set(i int) {
	for len(*s) <= i/64 {
		*s = append(*s, 0)
	}
	(*s)[i/64] |= 1 << (i % 64)
}

// add puts all of more in.
func (s *facts) add(more facts) {
	for len(*s) < len(more) {
		*s = append(*s, 0)
	}
	for i, word := range more {
		(*s)[i] |= word
	}
}

// common keeps what more has too.
func (s facts) common(more facts) facts {
	out := make(facts, min(len(s), len(more)))
	for i := range out {
		out[i] = s[i] & more[i]
	}
	return out
}

// fact numbers a statement.
func (f *flow) fact(name string) int {
	n, ok := f.numbers[name]
	if !ok {
		n = len(f.numbers)
		f.numbers[name] = n
	}
	return n
}

// scope is what a reference can name at a place: a list of names from the newest to the oldest. A nil step is a loop variable.
type scope struct{ newest *named }

type named struct {
	id    string
	step  *stepInfo
	older *named
}

// with adds a name; the old scope stays as it is.
func (sc scope) with(id string, s *stepInfo) scope { return scope{&named{id, s, sc.newest}} }

// find gives the step that a name means, nil for a loop variable and for what is unknown.
func (sc scope) find(id string) *stepInfo {
	for n := sc.newest; n != nil; n = n.older {
		if n.id == id {
			return n.step
		}
	}
	return nil
}

// keyed holds the numbers of the statements that an expression is true, and is false; -1 for none.
type keyed struct{ isTrue, isFalse int }

// keyOf numbers an expression. Each expression stands in one place, so in one scope, and is looked at once.
func (f *flow) keyOf(x ir.Expr, sc scope) keyed {
	k, ok := f.keys[x]
	if !ok {
		k = keyed{-1, -1}
		if text, ok := key(x, sc); ok {
			k = keyed{f.fact("true " + text), f.fact("false " + text)}
		}
		f.keys[x] = k
	}
	return k
}

// factsOf gives what holds whenever a step executes: its own condition and those of the steps around it are true, and all
// that follows from that.
func (f *flow) factsOf(s *stepInfo) facts {
	var known facts
	if s.outer != nil {
		known.add(s.outer.implies)
	}
	if s.step.When != nil {
		known.add(f.derive(s.step.When, true, s.scope))
	}
	// A step that ran had a true condition. Its consequences are complete: it came before.
	for _, earlier := range f.steps {
		if known.has(earlier.ran) && earlier != s {
			known.add(earlier.implies)
		}
	}
	return known
}

// derive gives what follows from x being true (want) or false.
func (f *flow) derive(x ir.Expr, want bool, sc scope) facts {
	var out facts
	switch x := x.(type) {
	case *ir.Lit:
	case *ir.RefExpr:
		f.note(&out, x, want, sc)
		out.reference(x.Ref, want, sc)
	case *ir.Not:
		return f.derive(x.X, !want, sc)
	case *ir.Logic:
		a, b := f.derive(x.X, want, sc), f.derive(x.Y, want, sc)
		if x.Or == want { // one of the sides holds
			return a.common(b)
		}
		a.add(b)
		return a
	case *ir.Compare:
		f.note(&out, x, want, sc)
		out.comparison(x, want, sc)
	default:
		panic(fmt.Sprintf("lobsterc bug: effects: unknown condition %T", x))
	}
	return out
}

// note keeps the expression itself.
func (f *flow) note(out *facts, x ir.Expr, want bool, sc scope) {
	if k := f.keyOf(x, sc); want && k.isTrue >= 0 {
		out.set(k.isTrue)
	} else if !want && k.isFalse >= 0 {
		out.set(k.isFalse)
	}
}

// reference says what a true or false field tells of its step.
func (out *facts) reference(r ir.StepRef, want bool, sc scope) {
	s := sc.find(r.ID)
	if s == nil {
		return
	}
	if !want {
		switch {
		case len(r.Path) == 1 && r.Path[0] == "skipped":
			out.set(s.ran)
		case len(r.Path) == 1 && r.Path[0] == "error":
			out.set(s.sound)
		}
		return
	}
	out.present(r, s)
	if len(r.Path) == 1 && (r.Path[0] == "approved" || r.Path[0] == "approvedBy") {
		out.set(s.approved)
	}
}

// present says what follows when a field is there at all: a skipped step has only id and skipped, and what failed is
// not approved.
func (out *facts) present(r ir.StepRef, s *stepInfo) {
	switch r.Path[0] {
	case "approved", "approvedBy":
		out.set(s.sound)
		out.set(s.ran)
	case "json", "stdout", "subject", "response", "error", "errorMessage":
		out.set(s.ran)
	}
}

// comparison: == with a literal and < > say that the field is there; == true says that it is true.
func (out *facts) comparison(x *ir.Compare, want bool, sc scope) {
	equal := x.Op == "==" && want || x.Op == "!=" && !want
	unequal := x.Op == "!=" && want || x.Op == "==" && !want
	ordered := x.Op != "==" && x.Op != "!=" && want
	for _, side := range [][2]ir.Expr{{x.X, x.Y}, {x.Y, x.X}} {
		ref, ok := side[0].(*ir.RefExpr)
		if !ok {
			continue
		}
		s := sc.find(ref.Ref.ID)
		if s == nil {
			continue
		}
		lit, isLit := side[1].(*ir.Lit)
		if ordered || equal && isLit {
			out.present(ref.Ref, s)
		}
		if !isLit || lit.Value.Kind() != value.BoolKind || !lit.Value.Bool() {
			continue
		}
		switch field := ref.Ref.Path[0]; {
		case equal:
			out.reference(ref.Ref, true, sc)
		case unequal && (field == "skipped" || field == "error"):
			out.reference(ref.Ref, false, sc) // these are true or absent
		}
	}
}

// key names an expression by the steps that it means, so that equal keys have equal values. It fails for loop variables.
func key(x ir.Expr, sc scope) (string, bool) {
	switch x := x.(type) {
	case *ir.Lit:
		return x.Value.JSON(), true
	case *ir.RefExpr:
		s := sc.find(x.Ref.ID)
		if s == nil {
			return "", false
		}
		return fmt.Sprintf("$%d.%q", s.index, x.Ref.Path), true
	case *ir.Not:
		k, ok := key(x.X, sc)
		return "!(" + k + ")", ok
	case *ir.Logic:
		a, okA := key(x.X, sc)
		b, okB := key(x.Y, sc)
		op := "&&"
		if x.Or {
			op = "||"
		}
		return "(" + a + op + b + ")", okA && okB
	case *ir.Compare:
		a, okA := key(x.X, sc)
		b, okB := key(x.Y, sc)
		return "(" + a + x.Op + b + ")", okA && okB
	}
	panic(fmt.Sprintf("lobsterc bug: effects: unknown condition %T", x))
}

// implied tells whether x must be true (want) or false, given the facts.
func (f *flow) implied(known facts, x ir.Expr, want bool, sc scope) bool {
	switch x := x.(type) {
	case *ir.Lit:
		return x.Value.Truthy() == want
	case *ir.Not:
		return f.implied(known, x.X, !want, sc)
	case *ir.Logic:
		a, b := f.implied(known, x.X, want, sc), f.implied(known, x.Y, want, sc)
		if x.Or != want {
			return a && b
		}
		return a || b
	}
	k := f.keyOf(x, sc)
	if want && known.has(k.isTrue) || !want && known.has(k.isFalse) {
		return true
	}
	if r, ok := x.(*ir.RefExpr); ok && want && len(r.Ref.Path) == 1 && r.Ref.Path[0] == "approved" {
		s := sc.find(r.Ref.ID)
		return s != nil && known.has(s.approved)
	}
	return false
}

// pruned tells whether no run for which the facts hold takes the edge.
func (f *flow) pruned(e *edge, known facts) bool {
	switch e.kind {
	case skip:
		return known.has(e.step.ran) || known.has(e.step.approved) || f.implied(known, e.step.step.When, true, e.step.scope)
	case take:
		return e.step.step.When != nil && f.implied(known, e.step.step.When, false, e.step.scope)
	case fail:
		return known.has(e.step.approved) || known.has(e.step.sound)
	}
	return false
}
