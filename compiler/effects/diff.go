package effects

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lobsterc/lobsterc/compiler/catalog"
	"github.com/lobsterc/lobsterc/ir"
)

// Diff compares what two programs can do: effects that came or went, and effects that were behind a gate and are not any
// more. It completes ir.Diff, which compares the gates themselves. A nil program can do nothing.
func Diff(from, to *ir.Program, stages *catalog.Catalogue) []ir.Change {
	was, is := gather(from, stages), gather(to, stages)
	changes := was.weakened(is)
	for _, name := range is.order {
		if now := is.of[name]; was.of[name] == nil {
			changes = append(changes, ir.Change{Group: ir.Effects, Kind: "effect-added", Workflow: now.workflow, Step: now.step,
				Message: "can now do " + name, New: behindText(now.effect.Gates), Pos: now.effect.Pos})
		}
	}
	for _, name := range was.order {
		if gone := was.of[name]; is.of[name] == nil {
			changes = append(changes, ir.Change{Group: ir.Effects, Kind: "effect-removed", Workflow: gone.workflow, Step: gone.step,
				Message: "can no longer do " + name, Old: behindText(gone.effect.Gates), Pos: gone.effect.Pos})
		}
	}
	return changes
}

// weakened are the effects that lost an approval that they were behind. An effect is found again by its text, wherever it stands, as one of the same
// kind on the step of the same name, or as one of the same kind; where there were several, the one with the least protection counts.
func (was abilities) weakened(is abilities) (changes []ir.Change) {
	said := map[string]bool{}
	for _, now := range is.all {
		before := was.byText[now.text()]
		if before == nil {
			before = was.onStep[now.place()]
		}
		if before == nil {
			before = was.of[now.kind()]
		}
		if before == nil || said[now.text()] {
			continue
		}
		old, next := before.effect.Gates, now.effect.Gates
		message := ""
		switch gate := lostGate(old, next, is.gates); {
		case approvals(old) > 0 && approvals(next) == 0:
			message = now.text() + " is no longer behind an approval"
		case gate != "":
			message = now.text() + " is no longer behind " + gate
		default:
			continue
		}
		said[now.text()] = true
		changes = append(changes, ir.Change{Group: ir.Gates, Kind: "gate-weakened", Workflow: now.workflow, Step: now.step,
			Message: message, Old: behindText(old), New: behindText(next), Weakens: true, Pos: now.effect.Pos})
	}
	return changes
}

// lostGate is an approval that stood before an effect, still stands in the program, and stands before the effect no more.
func lostGate(old, next, all []Gate) string {
	for _, g := range old {
		if g.Kind == "approval" && slices.ContainsFunc(all, g.same) && !slices.ContainsFunc(next, g.same) {
			return g.Name()
		}
	}
	return ""
}

// ability is one effect of a program.
type ability struct {
	workflow, step string
	effect         *Effect
}

// text is the effect with all its words, as far as they are known.
func (a *ability) text() string {
	if len(a.effect.Command) == 0 {
		return a.effect.What
	}
	var b strings.Builder
	for _, w := range a.effect.Command {
		b.WriteString(w.Text + " ")
	}
	return strings.TrimSpace(b.String())
}

// kind is the effect for people.
func (a *ability) kind() string {
	return fmt.Sprintf("%s (%s)", a.effect.What, strings.Join(a.effect.Kinds, ", "))
}

// place names the step with the kind of effect.
func (a *ability) place() string { return a.workflow + "\x00" + a.step + "\x00" + a.effect.What }

// abilities are the effects of a program: all, those of each kind (the first), of each text and of each kind on each step (the one with
// the fewest approvals before it).
type abilities struct {
	all                []*ability
	of, byText, onStep map[string]*ability
	order              []string // the keys of of
	gates              []Gate
}

func gather(p *ir.Program, stages *catalog.Catalogue) abilities {
	out := abilities{of: map[string]*ability{}, byText: map[string]*ability{}, onStep: map[string]*ability{}}
	if p == nil {
		return out
	}
	least := func(m map[string]*ability, key string, a *ability) {
		if m[key] == nil || approvals(a.effect.Gates) < approvals(m[key].effect.Gates) {
			m[key] = a
		}
	}
	r := Analyze(p, stages)
	out.gates = r.Gates
	for i := range r.Steps {
		s := &r.Steps[i]
		for j := range s.Effects {
			a := &ability{s.Workflow, s.ID, &s.Effects[j]}
			name := a.kind()
			if out.of[name] == nil {
				out.order = append(out.order, name)
			}
			least(out.of, name, a)
			least(out.byText, a.text(), a)
			least(out.onStep, a.place(), a)
			out.all = append(out.all, a)
		}
	}
	return out
}

func approvals(gates []Gate) int {
	n := 0
	for _, g := range gates {
		if g.Kind == "approval" {
			n++
		}
	}
	return n
}

func behindText(gates []Gate) string {
	if len(gates) == 0 {
		return "behind no gate"
	}
	return "behind " + behind(gates)
}
