package runtime

import (
	"io"
	"strings"

	"github.com/lobsterc/lobsterc/runtime/drive"
	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/plain"
	"github.com/lobsterc/lobsterc/runtime/value"
)

const unknownRefs = "  [contains step output refs — unknown at plan time]"

// planner prints what a run would do, in the reference's words (spec part 7, 15). The steps' functions are pure, so it calls
// them with no result at hand: references print as they are spelled.
type planner struct {
	w   io.Writer
	run *Run
}

func (p planner) line(text string) { plain.Print(p.w, text, "\n") }

// workflow prints the plan of a workflow.
func (p planner) workflow(wf *Workflow) {
	p.line("[DRY RUN] Would execute " + plural(len(wf.Steps), "step") + ":")
	p.line("")
	for i := range wf.Steps {
		p.step(i+1, &wf.Steps[i])
	}
}

// plural counts something.
func plural(n int, word string) string {
	if n != 1 {
		word += "s"
	}
	return plain.Int(n) + " " + word
}

func (p planner) step(n int, st *Step) {
	plan := st.Plan
	if plan == nil {
		plan = &Plan{}
	}
	if st.When != nil && plan.StaticWhen && !st.When(p.run) {
		p.line("  " + plain.Int(n) + ". " + st.ID + "  [skipped — condition: false]")
		return
	}
	condition := ""
	if st.When != nil && !plan.StaticWhen {
		condition = "  [condition: decided at run time]"
	}
	p.line("  " + plain.Int(n) + ". " + st.ID + "  [" + kindOf(st) + "]" + condition)
	p.body(st, plan)
	if plan.Stdin != "" {
		p.stdin(plan.Stdin)
	}
	if st.Timeout > 0 {
		p.line("     timeout: " + plain.Millis(st.Timeout) + "ms")
	}
	switch st.OnError {
	case drive.Continue:
		p.line("     on_error: continue")
	case drive.SkipRest:
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

func kindOf(st *Step) string {
	switch {
	case st.Shell != nil:
		return "shell"
	case st.Pipeline != nil:
		return "pipeline"
	case st.Call != nil:
		return "workflow"
	case st.Parallel != nil:
		return "parallel"
	case st.Loop != nil:
		return "for_each"
	case st.Input != nil:
		return "input"
	}
	return "no-op"
}

func (p planner) body(st *Step, plan *Plan) {
	switch {
	case st.Shell != nil:
		p.line("     run: " + flagged(st.Shell(p.run).Script))
	case st.Pipeline != nil:
		p.line("     pipeline: " + flagged(plan.Pipeline(p.run)))
	case st.Call != nil:
		p.line("     workflow: " + plan.Workflow(p.run))
		if st.Call.Args != nil {
			p.line("     args: " + strings.Join(argNames(st.Call.Args(p.run)), ", "))
		}
	case st.Parallel != nil:
		p.parallel(st.Parallel)
	case st.Loop != nil:
		p.loop(st.Loop, plan)
	case st.Input != nil:
		p.line("     prompt: " + st.Input(p.run).Prompt)
	}
}

func argNames(list []NamedValue) []string {
	names := make([]string, len(list))
	for i, a := range list {
		names[i] = a.Name
	}
	return names
}

func (p planner) parallel(par *Parallel) {
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
		p.line("     branch " + b.ID + ": [" + kindOf(b) + "] " + flagged(p.text(b)))
	}
}

// text is the command or pipeline of a branch or sub-step.
func (p planner) text(st *Step) string {
	switch {
	case st.Shell != nil:
		return st.Shell(p.run).Script
	case st.Pipeline != nil && st.Plan != nil:
		return st.Plan.Pipeline(p.run)
	}
	return ""
}

func (p planner) loop(l *Loop, plan *Plan) {
	p.line("     for_each: " + flagged(plan.ForEach))
	p.line("     item_var: " + l.ItemVar + ", index_var: " + l.IndexVar)
	if l.Batch > 0 {
		p.line("     batch_size: " + plain.Int(l.Batch))
	}
	if l.Pause > 0 {
		p.line("     pause_ms: " + plain.Millis(l.Pause))
	}
	p.line("     sub-steps: " + plain.Int(len(l.Steps)))
	for i := range l.Steps {
		sub := &l.Steps[i]
		word := "run"
		if sub.Pipeline != nil {
			word = "pipeline"
		}
		p.line("       " + plain.Int(i+1) + ". " + sub.ID + "  [" + kindOf(sub) + "] " + word + ": " + p.text(sub))
	}
}

// stdin is shown only when it refers to a step's output: whole, or somewhere in its text.
func (p planner) stdin(text string) {
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

func (p planner) retry(r *Retry) {
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

// pipeline prints the plan of an inline pipeline.
func (p planner) pipeline(stages []flow.Stage) {
	p.line("[DRY RUN] Pipeline (" + plural(len(stages), "stage") + "):")
	for i, s := range stages {
		args := planArgs(s.Args)
		if args != "" {
			args = "  args: " + args
		}
		p.line("  " + plain.Int(i+1) + ". " + s.Name + args)
	}
}

// planArgs lists a stage's words, then its flags, as the reference keeps them.
func planArgs(args value.Value) string {
	var list []string
	for _, w := range args.Get("_").Items() {
		list = append(list, w.Text())
	}
	for name, v := range args.Members() {
		if name != "_" {
			list = append(list, name+"="+v.Text())
		}
	}
	return strings.Join(list, ", ")
}
