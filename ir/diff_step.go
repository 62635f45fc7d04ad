package ir

import (
	"fmt"
	"slices"
	"strings"
)

// steps matches two lists of steps and compares the pairs. Steps are matched by id first; then what is left over on
// both sides is matched by what it does, which finds renames.
func (d *differ) steps(from, to []*Step) {
	pairs := d.match(from, to)
	partner := map[*Step]*Step{}
	for _, p := range pairs {
		partner[p.from], partner[p.to] = p.to, p.from
		if p.from.ID != p.to.ID {
			d.add(Change{Group: Renames, Kind: "step-renamed", Step: p.to.ID, Message: "step renamed", Old: p.from.ID, New: p.to.ID, Pos: p.to.Pos})
		}
	}
	for _, s := range from {
		if partner[s] == nil {
			d.gone(s)
		}
	}
	for _, s := range to {
		if partner[s] == nil {
			d.come(s)
		} else {
			d.step(partner[s], s)
		}
	}
	d.order(pairs)
}

// pair is a step with its counterpart; i and j are their places.
type pair struct {
	from, to *Step
	i, j     int
}

// match gives the pairs in the order of from, and fills d.ids with the renames. Each round of guesses is bolder than the
// one before: equal in all but the id, equal in what is executed, gates with the same prompt.
func (d *differ) match(from, to []*Step) []pair {
	partner := make([]int, len(from)) // index in to, or -1
	taken := make([]bool, len(to))
	byID := map[string]int{}
	for j, s := range to {
		byID[s.ID] = j
	}
	for i, a := range from {
		partner[i] = -1
		if j, ok := byID[a.ID]; ok && !taken[j] {
			partner[i], taken[j] = j, true
		}
	}
	now := &differ{} // spells the new program: no renames to follow
	for _, same := range []func(a, b *Step) bool{
		func(a, b *Step) bool { return d.fingerprint(a) == now.fingerprint(b) },
		func(a, b *Step) bool {
			return a.Do != nil && b.Do != nil && d.spellExec(a.Do) == now.spellExec(b.Do) && len(Inner(a)) == len(Inner(b))
		},
		func(a, b *Step) bool {
			return gateKind(a) != "" && gateKind(a) == gateKind(b) && a.Do == nil && b.Do == nil && gateText(a) == gateText(b)
		},
	} {
		for i, a := range from {
			for j, b := range to {
				if partner[i] < 0 && !taken[j] && same(a, b) {
					partner[i], taken[j] = j, true
					d.ids[a.ID] = b.ID
				}
			}
		}
	}
	var pairs []pair
	for i, j := range partner {
		if j >= 0 {
			pairs = append(pairs, pair{from[i], to[j], i, j})
		}
	}
	return pairs
}

// fingerprint is all that a step means except its id.
func (d *differ) fingerprint(s *Step) string {
	parts := []string{d.spellExec(s.Do), d.spellExpr(s.When), d.spellStdin(s.Stdin), onErrorText(s.OnError), gateKind(s), retryText(s.Retry)}
	if s.Approval != nil {
		parts = append(parts, d.spell(s.Approval.Prompt), s.Approval.Items.JSON())
	}
	if s.Input != nil {
		parts = append(parts, d.spell(s.Input.Prompt))
	}
	for _, v := range s.Env {
		parts = append(parts, v.Name, d.spell(v.Value))
	}
	for _, inner := range Inner(s) {
		parts = append(parts, d.fingerprint(inner))
	}
	return strings.Join(parts, "\x00")
}

// gone and come report a step that only one side has.
func (d *differ) gone(s *Step) {
	d.presence(s, "removed", func(c *Change, text string) { c.Old, c.Weakens = text, c.Group == Gates })
}

func (d *differ) come(s *Step) {
	d.presence(s, "added", func(c *Change, text string) { c.New = text })
}

func (d *differ) presence(s *Step, verb string, set func(*Change, string)) {
	if s.Do != nil {
		c := Change{Group: Commands, Kind: "step-" + verb, Step: s.ID, Message: "step " + verb, Pos: s.Pos}
		set(&c, DescribeExec(s))
		d.add(c)
	}
	if kind := gateKind(s); kind != "" {
		c := Change{Group: Gates, Kind: "gate-" + verb, Step: s.ID, Message: kind + " gate " + verb, Pos: s.Pos}
		set(&c, gateText(s))
		d.add(c)
	}
	outer := d.prefix
	if _, loop := s.Do.(*Loop); loop {
		d.prefix += s.ID + "."
	}
	for _, inner := range Inner(s) {
		d.presence(inner, verb, set)
	}
	d.prefix = outer
}

func gateKind(s *Step) string {
	switch {
	case s.Approval != nil:
		return "approval"
	case s.Input != nil:
		return "input"
	}
	return ""
}

func gateText(s *Step) string {
	if s.Input != nil {
		return s.Input.Prompt.String()
	}
	if s.Approval.Prompt == nil {
		return "Approve " + s.ID + "?"
	}
	return s.Approval.Prompt.String()
}

// step compares two steps that are the same one.
func (d *differ) step(from, to *Step) {
	at := func(g Group, kind, message string) Change {
		return Change{Group: g, Kind: kind, Step: to.ID, Message: message, Pos: to.Pos}
	}
	d.gate(from, to)
	old, next := d.spellExpr(from.When), (&differ{}).spellExpr(to.When)
	if gateKind(from) != "" && gateKind(to) != "" && to.When != nil && old != next {
		d.add(Change{Group: Gates, Kind: "gate-weakened", Step: to.ID, Message: "the gate is skipped under another condition", Old: orAlways(old), New: next, Weakens: true, Pos: to.Pos})
	} else {
		d.text(at(Conditions, "condition-changed", "condition changed"), orAlways(old), orAlways(next))
	}
	d.exec(from, to)
	d.text(at(Data, "stdin-changed", "input of the step changed"), d.spellStdin(from.Stdin), (&differ{}).spellStdin(to.Stdin))
	d.text(at(Data, "cwd-changed", "working directory changed"), d.spell(from.Cwd), to.Cwd.String())
	d.envs(to.ID, from.Env, to.Env, to.Pos)
	d.text(at(Policies, "timeout-changed", "time limit changed"), millisText(from.TimeoutMS), millisText(to.TimeoutMS))
	d.text(at(Policies, "retry-changed", "retry changed"), retryText(from.Retry), retryText(to.Retry))
	policy := at(Policies, "on-error-changed", "what a failure does changed")
	if to.OnError == Continue && to.Do != nil && to.Approval != nil {
		policy.Group, policy.Kind, policy.Weakens = Gates, "gate-weakened", true
		policy.Message = "a failure of the step now skips its gate"
	}
	d.text(policy, onErrorText(from.OnError), onErrorText(to.OnError))
}

func orAlways(text string) string {
	if text == "" {
		return "always"
	}
	return text
}

func onErrorText(o OnError) string {
	if o == Stop {
		return "stop"
	}
	return onErrorNames[o]
}

func retryText(r *Retry) string {
	if r == nil || r.Max <= 1 {
		return ""
	}
	backoff := "fixed"
	if r.Exponential {
		backoff = "exponential"
	}
	text := fmt.Sprintf("%d attempts, %s from %d ms up to %d ms", r.Max, backoff, r.DelayMS, r.MaxDelayMS)
	if r.Jitter {
		text += ", jitter"
	}
	return text
}

// exec compares what two steps execute.
func (d *differ) exec(from, to *Step) {
	old, next := d.spellExec(from.Do), (&differ{}).spellExec(to.Do)
	if old != next {
		d.add(Change{Group: Commands, Kind: "command-changed", Step: to.ID, Message: "what the step executes changed", Old: old, New: next, Pos: to.Pos})
	}
	_, wasLoop := from.Do.(*Loop)
	_, isLoop := to.Do.(*Loop)
	outer, ids := d.prefix, d.ids
	if wasLoop || isLoop {
		d.prefix += to.ID + "."
		d.ids = map[string]string{} // a loop's ids are its own
		for a, b := range ids {
			d.ids[a] = b
		}
	}
	d.steps(Inner(from), Inner(to))
	d.prefix, d.ids = outer, ids
}

// spellExec is everything that an execution says, without its inner steps.
func (d *differ) spellExec(x Exec) string {
	switch x := x.(type) {
	case *Shell:
		return "run " + d.spell(x.Script)
	case *Pipeline:
		return "pipeline " + d.spellPipeline(x)
	case *Call:
		text := "workflow " + d.spell(x.Path)
		for _, a := range x.Args {
			if a.Text != nil {
				text += fmt.Sprintf(" %s=%s", a.Name, quoteText(d.spell(a.Text)))
			} else {
				text += fmt.Sprintf(" %s=%s", a.Name, encodeLiteral(a.Literal).JSON())
			}
		}
		if len(x.Candidates) > 1 {
			text += " of " + strings.Join(x.Candidates, ", ")
		}
		return text
	case *Parallel:
		wait := "all"
		if x.Any {
			wait = "any"
		}
		return strings.TrimSpace("parallel " + wait + " " + millisText(x.TimeoutMS))
	case *Loop:
		text := "for_each " + d.spellStdin(x.Items) + " as " + x.ItemVar + ", " + x.IndexVar
		if x.PauseMS > 0 {
			text += fmt.Sprintf(", pause %d ms every %d", x.PauseMS, x.Batch)
		}
		return text
	}
	return "nothing"
}

// spellPipeline follows renames inside stages; the text as written cannot be used for that.
func (d *differ) spellPipeline(p *Pipeline) string {
	stages := make([]string, len(p.Stages))
	for i := range p.Stages {
		s := &p.Stages[i]
		parts := []string{s.Name}
		for _, f := range s.Flags {
			if f.Bare {
				parts = append(parts, "--"+f.Name)
			} else {
				parts = append(parts, "--"+f.Name+" "+quoteWord(d.spell(f.Value)))
			}
		}
		for _, w := range s.Words {
			parts = append(parts, quoteWord(d.spell(w.Text)))
		}
		stages[i] = strings.Join(parts, " ")
	}
	return strings.Join(stages, " | ")
}

func quoteWord(s string) string {
	if s == "" || strings.ContainsAny(s, " \t\n|'\"\\") {
		return quoteText(s)
	}
	return s
}

// order reports steps that stand in another place among the steps that both programs have: those outside the longest
// common sequence.
func (d *differ) order(pairs []pair) {
	slices.SortFunc(pairs, func(a, b pair) int { return a.j - b.j })
	keep := longestRise(pairs)
	for n, p := range pairs {
		if keep[n] {
			continue
		}
		place := "to the start"
		if n > 0 {
			place = "after " + pairs[n-1].to.ID
		}
		d.add(Change{Group: Order, Kind: "step-moved", Step: p.to.ID, Message: "step moved " + place, Pos: p.to.Pos})
	}
}

// longestRise marks a longest run of pairs whose old places rise (patience sorting).
func longestRise(pairs []pair) []bool {
	var tails []int // tails[k] is the pair that ends the best run of length k+1
	before := make([]int, len(pairs))
	for n, p := range pairs {
		k, _ := slices.BinarySearchFunc(tails, p.i, func(m, i int) int { return pairs[m].i - i })
		before[n] = -1
		if k > 0 {
			before[n] = tails[k-1]
		}
		if k == len(tails) {
			tails = append(tails, n)
		} else {
			tails[k] = n
		}
	}
	keep := make([]bool, len(pairs))
	if len(tails) > 0 {
		for n := tails[len(tails)-1]; n >= 0; n = before[n] {
			keep[n] = true
		}
	}
	return keep
}
