package effects

import (
	"path"
	"slices"
	"strings"

	"github.com/lobsterc/lobsterc/compiler/catalog"
	"github.com/lobsterc/lobsterc/ir"
	"github.com/lobsterc/lobsterc/ir/diag"
)

// harmless effects are not meant by the requirement "effects".
var harmless = map[string]bool{"reads_state": true, "reads_email": true, "reads_file": true}

// Require checks that each of the named effects is behind an approval wherever it occurs: an error for each that is not, and a
// warning for a name that means nothing. A requirement is the name of an effect (sends_email), "effects" for all that change
// something, "cmd:PROGRAM [WORD ...]" for a command, "stage:NAME" for a stage, or "tool:NAME" for a tool of a gateway.
// A program's own x-require-approval counts too.
func Require(p *ir.Program, stages *catalog.Catalogue, names []string) diag.List {
	return RequireIn(Analyze(p, stages), p, stages, names)
}

// RequireIn is Require for a report that is already there.
func RequireIn(r *Report, p *ir.Program, stages *catalog.Catalogue, names []string) diag.List {
	var list diag.List
	global := slices.Concat(p.Main.RequireApproval, names)
	known := knownKinds(stages)
	check := func(name string, at diag.Pos) {
		if !strings.Contains(name, ":") && name != "effects" && !known[name] {
			d := list.Warnf(diag.UnknownEffect, diag.Span{Start: at}, "x-require-approval names an unknown effect %q", name)
			d.Hint = "known are: effects, " + strings.Join(sortedKeys(known), ", ") + ", cmd:PROGRAM, stage:NAME, tool:NAME"
			if near := catalog.Nearest(name, sortedKeys(known)); len(near) > 0 {
				d.Hint = "did you mean " + near[0] + "?"
			}
		}
	}
	own := map[string][]string{"": global}
	for _, name := range global {
		check(name, p.Main.Pos)
	}
	for i := range p.Children {
		c := &p.Children[i]
		own[c.Path] = slices.Concat(global, c.Workflow.RequireApproval)
		for _, name := range c.Workflow.RequireApproval {
			check(name, c.Workflow.Pos)
		}
	}
	for i := range r.Steps {
		s := &r.Steps[i]
		if s.Never {
			continue
		}
		for j := range s.Effects {
			list = append(list, ungated(s, &s.Effects[j], own[s.Workflow])...)
		}
	}
	return list
}

// ungated reports an effect that a requirement names and no approval holds back.
func ungated(s *Step, e *Effect, names []string) diag.List {
	if slices.ContainsFunc(e.Gates, func(g Gate) bool { return g.Kind == "approval" }) {
		return nil
	}
	var list diag.List
	for _, name := range names {
		if !e.Is(name) {
			continue
		}
		pos := e.Pos
		if !pos.IsValid() {
			pos = s.Pos
		}
		d := list.Errorf(diag.UngatedEffect, diag.Span{Start: pos}, "step %s can do %s (%s) and no approval stands before it on every path", s.ID, name, e.What)
		d.Hint = "put an approval step before it, and see that nothing skips the approval alone; `lobsterc effects` shows the paths"
		if len(e.Gates) > 0 {
			d.Notes = append(d.Notes, diag.Note{Span: diag.Span{Start: e.Gates[0].Pos}, Message: "an input request is no approval"})
		}
		break
	}
	return list
}

func knownKinds(stages *catalog.Catalogue) map[string]bool {
	known := map[string]bool{LocalExec: true, Network: true, WritesFiles: true, SendsEmail: true}
	for _, s := range stages.All() {
		for _, name := range s.AllEffects(func(string) bool { return true }) {
			known[name] = true
		}
	}
	return known
}

// Is tells whether the effect can be what a requirement names. Where the text does not say which command runs, it can be any.
func (e *Effect) Is(name string) bool {
	kind, rest, found := strings.Cut(name, ":")
	if !found {
		if name == "effects" {
			return slices.ContainsFunc(e.Kinds, func(k string) bool { return !harmless[k] })
		}
		return slices.Contains(e.Kinds, name)
	}
	rest = strings.TrimSpace(rest)
	switch kind {
	case "cmd":
		return e.runs(strings.Fields(rest))
	case "stage":
		return e.Stage == rest
	case "tool":
		return e.Stage != "" && strings.HasPrefix(e.What, e.Stage+" "+rest) || e.runs([]string{"openclaw.invoke", rest}) || e.runs([]string{"clawd.invoke", rest})
	}
	return false
}

// runs tells whether the command can be the given program with the given words among its own, in that order.
func (e *Effect) runs(want []string) bool {
	if len(want) == 0 || len(e.Command) == 0 {
		return false
	}
	if e.Command[0].Dynamic {
		return true
	}
	if path.Base(e.Command[0].Text) != want[0] && e.Command[0].Text != want[0] {
		return false
	}
	rest := want[1:]
	for _, w := range e.Command[1:] {
		if len(rest) > 0 && (w.Dynamic || w.Text == rest[0]) {
			rest = rest[1:]
			if w.Dynamic {
				return true // it may be split into any number of words
			}
		}
	}
	return len(rest) == 0
}
