package drive

import (
	"strings"

	"github.com/lobsterc/lobsterc/runtime/plain"
	"github.com/lobsterc/lobsterc/runtime/value"
)

const unknownRefs = "  [contains step output refs — unknown at plan time]"

// planner writes what a run would do, in the reference's words (spec part 7, 15). The steps' functions are pure, so it calls
// them with no result at hand: references stay as they are spelled.
//
// Conditions are decided by what the reference takes for granted: each step ran and printed nothing, each approval was given,
// each input was answered with an empty object.
type planner struct {
	run   *Run
	facts *Run
	text  plain.Text
}

//go:noinline
func (p *planner) line(text string) { p.text.Add(text, "\n") }

// PlanText is the plan of a workflow with the given arguments.
func (wf *Workflow) PlanText(args value.Value) string {
	p := &planner{run: NewPlan(args), facts: NewPlan(args)}
	p.line("[DRY RUN] Would execute " + plain.Count(len(wf.Steps), "step") + ":")
	p.line("")
	for i := range wf.Steps {
		p.step(i+1, &wf.Steps[i])
	}
	return string(p.text)
}

func (p *planner) step(n int, st *Step) {
	plan := st.Plan
	if plan == nil {
		plan = &Plan{}
	}
	if st.When != nil && !st.When(p.facts) {
		p.facts.record(&Result{ID: st.ID, Skipped: true})
		p.run.granted[st.ID] = false
		p.line("  " + plain.Int(n) + ". " + st.ID + "  [skipped — condition: false]")
		return
	}
	p.assume(st)
	p.line("  " + plain.Int(n) + ". " + st.ID + "  [" + kindOf(st) + "]")
	p.body(st, plan)
	if plan.Stdin != "" {
		p.stdin(plan.Stdin)
	}
	if st.Timeout > 0 {
		p.line("     timeout: " + plain.Millis(st.Timeout) + "ms")
	}
	switch st.OnError {
	case Continue:
		p.line("     on_error: continue")
	case SkipRest:
		p.line("     on_error: skip_rest")
	}
	p.retry(st.Retry)
	if st.Approval != nil {
		p.line("     [approval required]")
	}
	if st.Input != nil {
		p.line("     [input required]")
	}
}

// assume records what later conditions see of a step that is not skipped.
func (p *planner) assume(st *Step) {
	res := &Result{ID: st.ID}
	p.run.granted[st.ID] = st.Approval != nil
	if st.Approval != nil {
		yes := true
		res.Approved = &yes
	}
	if st.Input != nil {
		res.Response = value.Object()
	}
	if par, ok := st.Do.(*Parallel); ok {
		for i := range par.Branches {
			p.facts.record(&Result{ID: par.Branches[i].ID})
			p.run.granted[par.Branches[i].ID] = false
		}
	}
	p.facts.record(res)
}

func kindOf(st *Step) string {
	switch {
	case st.Shell != nil:
		return "shell"
	case st.Do != nil:
		return st.Do.kind()
	case st.Input != nil:
		return "input"
	}
	return "no-op"
}

func (p *planner) body(st *Step, plan *Plan) {
	switch {
	case st.Shell != nil:
		p.line("     run: " + flagged(st.Shell(p.run).Script))
	case st.Do != nil:
		st.Do.plan(p, plan)
	case st.Input != nil:
		p.line("     prompt: " + st.Input(p.run).Prompt)
	}
}

func (*Stages) kind() string { return "pipeline" }

func (*Stages) plan(p *planner, plan *Plan) {
	p.line("     pipeline: " + flagged(plan.Pipeline(p.run)))
}

func (*Call) kind() string { return "workflow" }

func (c *Call) plan(p *planner, plan *Plan) {
	p.line("     workflow: " + plan.Workflow(p.run))
	if c.Args == nil {
		return
	}
	var names []string
	for _, a := range c.Args(p.run) {
		names = append(names, a.Name)
	}
	p.line("     args: " + strings.Join(names, ", "))
}

func (*Parallel) kind() string { return "parallel" }

func (par *Parallel) plan(p *planner, _ *Plan) {
	wait := "all"
	if par.Any {
		wait = "any"
	}
	p.line("     wait: " + wait)
	if par.Timeout > 0 {
		p.line("     timeout: " + plain.Millis(par.Timeout) + "ms")
	}
	for i := range par.Branches {
		b := &par.Branches[i]
		p.line("     branch " + b.ID + ": [" + kindOf(b) + "] " + flagged(p.command(b)))
	}
}

// command is the command or pipeline of a branch or sub-step.
func (p *planner) command(st *Step) string {
	switch {
	case st.Shell != nil:
		return st.Shell(p.run).Script
	case st.Do != nil && st.Plan != nil:
		return st.Plan.Pipeline(p.run)
	}
	return ""
}

func (*Loop) kind() string { return "for_each" }

func (l *Loop) plan(p *planner, plan *Plan) {
	p.line("     for_each: " + flagged(plan.ForEach))
	p.line("     item_var: " + l.ItemVar + ", index_var: " + l.IndexVar)
	if l.Batch > 1 {
		p.line("     batch_size: " + plain.Int(l.Batch))
	}
	if l.Pause > 0 {
		p.line("     pause_ms: " + plain.Millis(l.Pause))
	}
	p.line("     sub-steps: " + plain.Int(len(l.Steps)))
	for i := range l.Steps {
		sub := &l.Steps[i]
		word := "run"
		if sub.Do != nil {
			word = "pipeline"
		}
		p.line("       " + plain.Int(i+1) + ". " + sub.ID + "  [" + kindOf(sub) + "] " + word + ": " + p.command(sub))
	}
}

// stdin is shown only when it refers to a step's output: whole, or somewhere in its text.
func (p *planner) stdin(text string) {
	trimmed := strings.TrimSpace(text)
	if id, field, ok := strings.Cut(strings.TrimPrefix(trimmed, "$"), "."); ok && len(trimmed) > 0 && trimmed[0] == '$' && isWord(id) && (field == "stdout" || field == "json") {
		p.line("     stdin: " + trimmed + "  [output unknown at plan time]")
		return
	}
	if flagged(text) != text {
		p.line("     stdin: " + flagged(trimmed))
	}
}

func isWord(s string) bool {
	for _, c := range []byte(s) {
		if !isWordByte(c) {
			return false
		}
	}
	return s != ""
}

func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}

// flagged adds the note that a text depends on outputs: it holds $id.stdout or $id.json.
func flagged(text string) string {
	for i := 0; i < len(text); i++ {
		if text[i] != '$' {
			continue
		}
		j := i + 1
		for j < len(text) && isWordByte(text[j]) {
			j++
		}
		if j > i+1 && (strings.HasPrefix(text[j:], ".stdout") || strings.HasPrefix(text[j:], ".json")) {
			return text + unknownRefs
		}
	}
	return text
}

func (p *planner) retry(r *Retry) {
	if r == nil || r.Max <= 1 {
		return
	}
	backoff, jitter := "fixed", ""
	if r.Exponential {
		backoff = "exponential"
	}
	if r.Jitter {
		jitter = ", jitter"
	}
	p.line("     retry: up to " + plain.Int(r.Max) + " attempts, " + backoff + " backoff (base: " + plain.Millis(r.Delay) + "ms" + jitter + ")")
}

// PlanStages is the plan of an inline pipeline: a line a stage.
func PlanStages(stages []string) string {
	p := &planner{}
	p.line("[DRY RUN] Pipeline (" + plain.Count(len(stages), "stage") + "):")
	for i, s := range stages {
		p.line("  " + plain.Int(i+1) + ". " + s)
	}
	return string(p.text)
}
