package effects

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/lobsterc/lobsterc/ir"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// facts are what must hold when a condition is true. A fact is a word and a step's index, or a word and the key of an
// expression:
//
//	ran N       step N was not skipped
//	approved N  step N was approved
//	sound N     step N did not fail
//	true KEY    the expression KEY is true; false KEY likewise
//
// Results never change once a step has ended, so an expression has the same value wherever it can be evaluated.
type facts map[string]bool

// scope is what a reference can name at a place, the newest name last. A nil step is a loop variable.
type scope struct {
	names []named
	// keys remembers the keys of expressions; each expression stands in one place, so in one scope.
	keys map[ir.Expr]string
}

type named struct {
	id   string
	step *stepInfo
}

// with adds a name; the old scope stays as it is.
func (sc scope) with(id string, s *stepInfo) scope {
	sc.names = append(sc.names[:len(sc.names):len(sc.names)], named{id, s})
	return sc
}

// find gives the step that a name means, nil for a loop variable and for what is unknown.
func (sc scope) find(id string) *stepInfo {
	for i := len(sc.names) - 1; i >= 0; i-- {
		if sc.names[i].id == id {
			return sc.names[i].step
		}
	}
	return nil
}

// factsOf gives what holds whenever a step executes: its own condition and those of the steps around it are true, and all
// that follows from that.
func (f *flow) factsOf(s *stepInfo) facts {
	known := facts{}
	for at := s; at != nil; at = at.outer {
		if at.step.When != nil {
			f.learn(known, derive(at.step.When, true, at.scope))
		}
	}
	return known
}

// learn adds facts and their consequences: a step that ran had a true condition.
func (f *flow) learn(known, more facts) {
	for name := range more {
		if known[name] {
			continue
		}
		known[name] = true
		index, ok := strings.CutPrefix(name, "ran ")
		if !ok {
			continue
		}
		i, _ := strconv.Atoi(index)
		s := f.steps[i]
		if s.step.When != nil {
			f.learn(known, derive(s.step.When, true, s.scope))
		}
		if s.outer != nil {
			f.learn(known, facts{s.outer.ran: true})
		}
	}
}

// derive gives what follows from x being true (want) or false.
func derive(x ir.Expr, want bool, sc scope) facts {
	out := facts{}
	switch x := x.(type) {
	case *ir.Lit:
	case *ir.RefExpr:
		out.note(x, want, sc)
		out.reference(x.Ref, want, sc)
	case *ir.Not:
		return derive(x.X, !want, sc)
	case *ir.Logic:
		a, b := derive(x.X, want, sc), derive(x.Y, want, sc)
		if x.Or != want { // both sides hold
			for name := range b {
				a[name] = true
			}
			return a
		}
		for name := range a { // one of them holds
			if !b[name] {
				delete(a, name)
			}
		}
		return a
	case *ir.Compare:
		out.note(x, want, sc)
		out.comparison(x, want, sc)
	default:
		panic(fmt.Sprintf("lobsterc bug: effects: unknown condition %T", x))
	}
	return out
}

// note keeps the expression itself.
func (out facts) note(x ir.Expr, want bool, sc scope) {
	if k, ok := key(x, sc); ok {
		out[strconv.FormatBool(want)+" "+k] = true
	}
}

// reference says what a true or false field tells of its step.
func (out facts) reference(r ir.StepRef, want bool, sc scope) {
	s := sc.find(r.ID)
	if s == nil {
		return
	}
	if !want {
		switch {
		case len(r.Path) == 1 && r.Path[0] == "skipped":
			out[s.ran] = true
		case len(r.Path) == 1 && r.Path[0] == "error":
			out[s.sound] = true
		}
		return
	}
	out.present(r, s)
	if len(r.Path) == 1 && (r.Path[0] == "approved" || r.Path[0] == "approvedBy") {
		out[s.approved] = true
	}
}

// present says what follows when a field is there at all: a skipped step has only id and skipped, and what failed is
// not approved.
func (out facts) present(r ir.StepRef, s *stepInfo) {
	switch r.Path[0] {
	case "approved", "approvedBy":
		out[s.sound] = true
		out[s.ran] = true
	case "json", "stdout", "subject", "response", "error", "errorMessage":
		out[s.ran] = true
	}
}

// comparison: == with a literal and < > say that the field is there; == true says that it is true.
func (out facts) comparison(x *ir.Compare, want bool, sc scope) {
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
	k, cached := sc.keys[x]
	if !cached {
		var ok bool
		if k, ok = makeKey(x, sc); !ok {
			k = ""
		}
		sc.keys[x] = k
	}
	return k, k != ""
}

func makeKey(x ir.Expr, sc scope) (string, bool) {
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
func (known facts) implied(x ir.Expr, want bool, sc scope) bool {
	switch x := x.(type) {
	case *ir.Lit:
		return x.Value.Truthy() == want
	case *ir.Not:
		return known.implied(x.X, !want, sc)
	case *ir.Logic:
		a, b := known.implied(x.X, want, sc), known.implied(x.Y, want, sc)
		if x.Or != want {
			return a && b
		}
		return a || b
	}
	if k, ok := key(x, sc); ok && known[strconv.FormatBool(want)+" "+k] {
		return true
	}
	if r, ok := x.(*ir.RefExpr); ok && want && len(r.Ref.Path) == 1 && r.Ref.Path[0] == "approved" {
		s := sc.find(r.Ref.ID)
		return s != nil && known[s.approved]
	}
	return false
}

// pruned tells whether no run for which the facts hold takes the edge.
func (f *flow) pruned(e edge, known facts) bool {
	switch e.kind {
	case skip:
		return known[e.step.ran] || known[e.step.approved] || known.implied(e.step.step.When, true, e.step.scope)
	case take:
		return e.step.step.When != nil && known.implied(e.step.step.When, false, e.step.scope)
	case fail:
		return known[e.step.approved] || known[e.step.sound]
	}
	return false
}
