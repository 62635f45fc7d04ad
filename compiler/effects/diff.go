package effects

import (
	"fmt"
	"strings"

	"github.com/lobsterc/lobsterc/compiler/catalog"
	"github.com/lobsterc/lobsterc/ir"
)

// Diff compares what two programs can do: effects that came or went, and effects that were behind a gate and are not any
// more. It completes ir.Diff, which compares the gates themselves. A nil program can do nothing.
func Diff(from, to *ir.Program, stages *catalog.Catalogue) []ir.Change {
	was, is := gather(from, stages), gather(to, stages)
	var changes []ir.Change
	for _, name := range is.order {
		now, before := is.of[name], was.of[name]
		if before == nil {
			changes = append(changes, ir.Change{Group: ir.Effects, Kind: "effect-added", Workflow: now.workflow, Step: now.step,
				Message: "can now do " + name, New: behindText(now.gates), Pos: now.effect.Pos})
			continue
		}
		if lost := fewer(before.gates, now.gates); lost {
			changes = append(changes, ir.Change{Group: ir.Gates, Kind: "gate-weakened", Workflow: now.workflow, Step: now.step,
				Message: name + " is no longer behind an approval", Old: behindText(before.gates), New: behindText(now.gates), Weakens: true, Pos: now.effect.Pos})
		}
	}
	for _, name := range was.order {
		if gone := was.of[name]; is.of[name] == nil {
			changes = append(changes, ir.Change{Group: ir.Effects, Kind: "effect-removed", Workflow: gone.workflow, Step: gone.step,
				Message: "can no longer do " + name, Old: behindText(gone.gates), Pos: gone.effect.Pos})
		}
	}
	return changes
}

// ability is one kind of effect of a program, with the weakest protection that it has anywhere.
type ability struct {
	workflow, step string
	effect         *Effect
	gates          []Gate
}

type abilities struct {
	of    map[string]*ability
	order []string
}

func gather(p *ir.Program, stages *catalog.Catalogue) abilities {
	all := abilities{of: map[string]*ability{}}
	if p == nil {
		return all
	}
	r := Analyze(p, stages)
	for i := range r.Steps {
		s := &r.Steps[i]
		for j := range s.Effects {
			e := &s.Effects[j]
			name := fmt.Sprintf("%s (%s)", e.What, strings.Join(e.Kinds, ", "))
			a := all.of[name]
			if a == nil {
				all.of[name] = &ability{s.Workflow, s.ID, e, e.Gates}
				all.order = append(all.order, name)
			} else if fewer(a.gates, e.Gates) {
				*a = ability{s.Workflow, s.ID, e, e.Gates}
			}
		}
	}
	return all
}

// fewer tells whether the second protection lacks the approval that the first has.
func fewer(before, now []Gate) bool { return approvals(now) == 0 && approvals(before) > 0 }

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
