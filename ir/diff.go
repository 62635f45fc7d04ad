package ir

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lobsterc/lobsterc/ir/diag"
)

// Group is what a change is about; reports show the groups in this order.
type Group uint8

// The groups of changes.
const (
	Gates Group = iota
	Effects
	Commands
	Conditions
	Arguments
	Order
	Policies
	Data
	Renames
)

var groupNames = []string{"gates", "effects", "commands", "conditions", "arguments", "order", "policies", "data", "renames"}

// String is the group's heading.
func (g Group) String() string { return groupNames[g] }

// Change is one difference in meaning between two programs.
type Change struct {
	Group Group
	// Kind is a fixed word for machines: "gate-removed", "command-changed", ...
	Kind string
	// Workflow is the path of a sub-workflow, empty in the entry file. Step is the step's id in the new program (in the
	// old one when it is gone), LOOP.SUB in a loop, empty for the workflow as a whole.
	Workflow string
	Step     string
	Message  string
	// Old and New are what stood and stands there; empty when there is nothing.
	Old, New string
	// Weakens: a gate is gone, or lets through what it held back.
	Weakens bool
	Pos     diag.Pos
}

// Diff tells what changed in meaning from one program to another; a nil program is an empty one. Descriptions, comments and
// layout are no meaning. Renamed steps are recognised and their references followed. What the programs can do to the
// world is compared by compiler/effects.
func Diff(from, to *Program) []Change {
	d := &differ{}
	from, to = orEmpty(from), orEmpty(to)
	d.program(from, to)
	slices.SortStableFunc(d.changes, func(a, b Change) int { return int(a.Group) - int(b.Group) })
	return d.changes
}

func orEmpty(p *Program) *Program {
	if p == nil {
		return &Program{}
	}
	return p
}

type differ struct {
	changes  []Change
	workflow string
	ids      map[string]string // old id -> new id
	prefix   string            // "LOOP." inside a loop
}

func (d *differ) add(c Change) {
	c.Workflow = d.workflow
	if c.Step != "" {
		c.Step = d.prefix + c.Step
	}
	d.changes = append(d.changes, c)
}

func (d *differ) program(from, to *Program) {
	if from.LoginShell != to.LoginShell {
		d.add(Change{Group: Policies, Kind: "login-shell-changed", Message: "commands run in a login shell", Old: yesNo(from.LoginShell), New: yesNo(to.LoginShell)})
	}
	d.inline(from.Pipeline, to.Pipeline)
	d.compare(&from.Main, &to.Main)
	moved := movedChildren(from, to)
	for i := range from.Children {
		c := &from.Children[i]
		d.workflow = c.Path
		switch next := to.child(c.Path); {
		case next != nil:
			d.compare(&c.Workflow, next)
		case moved[c.Path] != "":
			d.workflow = moved[c.Path]
			d.add(Change{Group: Renames, Kind: "workflow-renamed", Message: "sub-workflow renamed", Old: c.Path, New: moved[c.Path], Pos: c.Workflow.Pos})
		default:
			d.add(Change{Group: Commands, Kind: "workflow-removed", Message: "sub-workflow removed", Old: c.Path, Pos: c.Workflow.Pos})
			d.compare(&c.Workflow, &Workflow{})
		}
	}
	renamed := map[string]bool{}
	for _, name := range moved {
		renamed[name] = true
	}
	for i := range to.Children {
		c := &to.Children[i]
		if from.child(c.Path) == nil && !renamed[c.Path] {
			d.workflow = c.Path
			d.add(Change{Group: Commands, Kind: "workflow-added", Message: "sub-workflow added", New: c.Path, Pos: c.Workflow.Pos})
			d.compare(&Workflow{}, &c.Workflow)
		}
	}
}

// movedChildren finds sub-workflows that only changed their path.
func movedChildren(from, to *Program) map[string]string {
	moved := map[string]string{}
	taken := map[string]bool{}
	for i := range from.Children {
		old := &from.Children[i]
		if to.child(old.Path) != nil {
			continue
		}
		text := encoder{meaning: true}.workflow(&old.Workflow).JSON()
		for j := range to.Children {
			next := &to.Children[j]
			if from.child(next.Path) == nil && !taken[next.Path] && (encoder{meaning: true}).workflow(&next.Workflow).JSON() == text {
				moved[old.Path], taken[next.Path] = next.Path, true
				break
			}
		}
	}
	return moved
}

func (d *differ) inline(from, to *Pipeline) {
	var old, next string
	var pos diag.Pos
	if from != nil {
		old, pos = encoder{}.pipeline(from).JSON(), from.Pos
	}
	if to != nil {
		next, pos = encoder{}.pipeline(to).JSON(), to.Pos
	}
	if old == next {
		return
	}
	c := Change{Group: Commands, Kind: "command-changed", Message: "pipeline changed", Pos: pos}
	if from != nil {
		c.Old = from.Source
	}
	if to != nil {
		c.New = to.Source
	}
	d.add(c)
}

// compare compares two workflows.
func (d *differ) compare(from, to *Workflow) {
	d.ids, d.prefix = map[string]string{}, ""
	if from.Name != to.Name && len(from.Steps) > 0 && len(to.Steps) > 0 {
		d.add(Change{Group: Renames, Kind: "workflow-name-changed", Message: "name changed", Old: from.Name, New: to.Name, Pos: to.Pos})
	}
	d.args(from, to)
	d.envs("", from.Env, to.Env, to.Pos)
	d.text(Change{Group: Data, Kind: "cwd-changed", Message: "working directory changed", Pos: to.Pos}, d.spell(from.Cwd), to.Cwd.String())
	d.text(Change{Group: Policies, Kind: "timeout-changed", Message: "time limit of the whole run changed", Pos: to.Pos}, millisText(from.TimeoutMS), millisText(to.TimeoutMS))
	d.text(Change{Group: Policies, Kind: "cost-limit-changed", Message: "cost limit changed", Pos: to.Pos}, costText(from.CostLimit), costText(to.CostLimit))
	for _, name := range from.RequireApproval {
		if !slices.Contains(to.RequireApproval, name) {
			d.add(Change{Group: Gates, Kind: "requirement-removed", Message: "approval is no longer required for " + name, Old: name, Weakens: true, Pos: to.Pos})
		}
	}
	for _, name := range to.RequireApproval {
		if !slices.Contains(from.RequireApproval, name) {
			d.add(Change{Group: Gates, Kind: "requirement-added", Message: "approval is now required for " + name, New: name, Pos: to.Pos})
		}
	}
	d.steps(from.Steps, to.Steps)
}

func (d *differ) args(from, to *Workflow) {
	find := func(w *Workflow, name string) *Arg {
		for i := range w.Args {
			if w.Args[i].Name == name {
				return &w.Args[i]
			}
		}
		return nil
	}
	for i := range from.Args {
		old := &from.Args[i]
		if next := find(to, old.Name); next == nil {
			d.add(Change{Group: Arguments, Kind: "argument-removed", Message: "argument removed", Old: FormatArg(old), Pos: old.Pos})
		} else {
			d.text(Change{Group: Arguments, Kind: "argument-changed", Message: "argument changed", Pos: next.Pos}, FormatArg(old), FormatArg(next))
		}
	}
	for i := range to.Args {
		if find(from, to.Args[i].Name) == nil {
			d.add(Change{Group: Arguments, Kind: "argument-added", Message: "argument added", New: FormatArg(&to.Args[i]), Pos: to.Args[i].Pos})
		}
	}
}

// envs compares variables by name; their order has no meaning.
func (d *differ) envs(step string, from, to []EnvVar, pos diag.Pos) {
	find := func(vars []EnvVar, name string) *EnvVar {
		i := slices.IndexFunc(vars, func(v EnvVar) bool { return v.Name == name })
		if i < 0 {
			return nil
		}
		return &vars[i]
	}
	for i := range from {
		old, next := &from[i], find(to, from[i].Name)
		text := old.Name + "=" + d.spell(old.Value)
		if next == nil {
			d.add(Change{Group: Data, Kind: "env-removed", Step: step, Message: "variable removed", Old: text, Pos: pos})
		} else {
			d.text(Change{Group: Data, Kind: "env-changed", Step: step, Message: "variable changed", Pos: next.Pos}, text, next.Name+"="+next.Value.String())
		}
	}
	for i := range to {
		if find(from, to[i].Name) == nil {
			d.add(Change{Group: Data, Kind: "env-added", Step: step, Message: "variable added", New: to[i].Name + "=" + to[i].Value.String(), Pos: to[i].Pos})
		}
	}
}

// text adds c when two spellings differ.
func (d *differ) text(c Change, old, next string) {
	if old != next {
		c.Old, c.New = old, next
		d.add(c)
	}
}

func yesNo(on bool) string {
	if on {
		return "yes"
	}
	return "no"
}

func millisText(ms int64) string {
	if ms == 0 {
		return ""
	}
	return fmt.Sprintf("%d ms", ms)
}

func costText(c *CostLimit) string {
	if c == nil {
		return ""
	}
	action := "warn"
	if c.Stop {
		action = "stop"
	}
	return fmt.Sprintf("$%g, then %s", c.MaxUSD, action)
}

// spell is the old program's template with renamed steps under their new names.
func (d *differ) spell(t Template) string {
	out := make(Template, len(t))
	for i, seg := range t {
		switch r := seg.(type) {
		case StepRef:
			seg = d.follow(r)
		case OpenRef:
			seg = d.followOpen(r)
		}
		out[i] = seg
	}
	return out.String()
}

func (d *differ) follow(r StepRef) StepRef {
	if id, ok := d.ids[r.ID]; ok {
		r.ID = id
	}
	return r
}

func (d *differ) followOpen(r OpenRef) OpenRef {
	id, renamed := d.ids[r.ID]
	if start, ok := r.Text[0].(Text); ok && renamed {
		text := slices.Clone(r.Text)
		text[0] = Text("$" + id + strings.TrimPrefix(string(start), "$"+r.ID))
		return OpenRef{ID: id, Text: text}
	}
	return r
}

// spellExpr is spell for conditions.
func (d *differ) spellExpr(x Expr) string {
	if x == nil {
		return ""
	}
	return FormatExpr(d.followExpr(x))
}

func (d *differ) followExpr(x Expr) Expr {
	switch x := x.(type) {
	case *RefExpr:
		return &RefExpr{Ref: d.follow(x.Ref)}
	case *Not:
		return &Not{X: d.followExpr(x.X)}
	case *Logic:
		return &Logic{Or: x.Or, X: d.followExpr(x.X), Y: d.followExpr(x.Y)}
	case *Compare:
		return &Compare{Op: x.Op, X: d.followExpr(x.X), Y: d.followExpr(x.Y)}
	}
	return x
}

// spellStdin is spell for inputs; a literal is told from the text that looks like it.
func (d *differ) spellStdin(s *Stdin) string {
	switch {
	case s == nil:
		return ""
	case s.Ref != nil:
		return d.follow(*s.Ref).String()
	case s.Text != nil:
		return quoteText(d.spell(s.Text))
	}
	return "literal " + encodeLiteral(s.Literal).JSON()
}

// Weakens tells whether any change removes or weakens a gate: the caller's exit code 3.
func Weakens(changes []Change) bool {
	return slices.ContainsFunc(changes, func(c Change) bool { return c.Weakens })
}

// where names a change's place for people.
func (c *Change) where() string {
	return strings.Trim(c.Workflow+": "+c.Step, ": ")
}
