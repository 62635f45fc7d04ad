package lower

import (
	"strconv"
	"strings"

	"github.com/lobsterc/lobsterc/compiler/expr"
	"github.com/lobsterc/lobsterc/compiler/pipeline"
	"github.com/lobsterc/lobsterc/compiler/syntax"
	"github.com/lobsterc/lobsterc/ir"
	"github.com/lobsterc/lobsterc/ir/diag"
	"github.com/lobsterc/lobsterc/runtime/schema"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// step lowers a step of a workflow.
func (f *file) step(s *syntax.Step) *ir.Step {
	sc := f.scope()
	out := f.common(s, sc)
	switch {
	case s.Loop != nil:
		f.loop(s, out, sc)
	case s.Parallel != nil:
		f.parallel(s, out, sc)
	case s.Workflow != nil:
		out.Do = f.call(s, sc)
	default:
		f.leaf(s, out, sc, false)
	}
	f.policies(s, out)
	out.Input = f.input(s, sc)
	if s.Approval != nil {
		var own []string
		for _, id := range stepIDs(s) {
			own = append(own, id.Text)
		}
		out.Approval = f.approval(s.Approval, with(sc, own...)) // a gate stands behind its step and sees its result
	}
	return out
}

// common lowers what every kind of step may have.
func (f *file) common(s *syntax.Step, sc *expr.Scope) *ir.Step {
	out := &ir.Step{Pos: s.Pos(), ID: s.ID.Text, Description: text(s.Description)}
	out.When = f.condition(s.When, sc)
	if s.Loop == nil {
		out.Env = f.env(s.Env, sc)
	}
	out.Cwd = f.template(s.Cwd, sc, expr.ArgsOnly)
	switch {
	case s.Stdin == nil:
	case s.Stdin.IsString():
		out.Stdin = expr.Stdin(source(s.Stdin.Scalar), sc, &f.diags)
	default:
		out.Stdin = &ir.Stdin{Pos: s.Stdin.Pos(), Literal: s.Stdin.JSON()}
	}
	return out
}

// leaf lowers run and pipeline. nested: the step is a branch or stands in a loop.
func (f *file) leaf(s *syntax.Step, out *ir.Step, sc *expr.Scope, nested bool) {
	switch {
	case s.Run != nil:
		out.Do = &ir.Shell{Pos: s.Run.PosAt(0), Script: f.template(s.Run, sc, expr.Full), Source: s.Run.Text, Dispatch: dispatches(s.Run.Text)}
	case s.Pipeline != nil:
		ctx := pipeline.Context{Catalogue: f.opt.Catalogue, Scope: sc, StepID: s.ID.Text, Nested: nested, HasInput: out.Stdin != nil}
		if p := pipeline.Parse(source(s.Pipeline), ctx, &f.diags); p != nil { // a nil *Pipeline must not become a non-nil Exec
			out.Do = p
		}
	}
}

func (f *file) condition(e *syntax.Entry, sc *expr.Scope) ir.Expr {
	if e == nil {
		return nil
	}
	switch n := e.Value; {
	case n.IsString():
		return expr.Condition(source(n.Scalar), sc, &f.diags)
	case n.Kind == syntax.ScalarNode && n.Value.Kind() == value.BoolKind:
		return &ir.Lit{Pos: n.Pos(), Value: n.Value}
	default:
		f.diags.Errorf(diag.BadConditionType, n.Span, "Unsupported condition type").Hint =
			e.Key.Text + " takes true, false or an expression"
		return nil
	}
}

// policies lowers timeout_ms, on_error and retry.
func (f *file) policies(s *syntax.Step, out *ir.Step) {
	out.TimeoutMS = s.TimeoutMS
	switch s.OnError {
	case "continue":
		out.OnError = ir.Continue
	case "skip_rest":
		out.OnError = ir.SkipRest
	}
	if r := s.Retry; r != nil {
		out.Retry = &ir.Retry{Pos: r.Node.Pos(), Max: r.Max, Exponential: r.Exponential, Jitter: r.Jitter,
			DelayMS: milliseconds(r.DelayMS), MaxDelayMS: milliseconds(r.MaxDelayMS)}
	}
}

// maxDelay is the longest pause; a timer of the reference holds no longer one.
const maxDelay = 1<<31 - 1

// milliseconds cuts fractions off, as timers do.
func milliseconds(f float64) int64 { return int64(min(f, maxDelay)) }

func (f *file) parallel(s *syntax.Step, out *ir.Step, sc *expr.Scope) {
	p := &ir.Parallel{Pos: s.Parallel.Node.Pos(), Any: s.Parallel.Any, TimeoutMS: s.Parallel.TimeoutMS}
	for _, b := range s.Parallel.Branches {
		branch := f.common(b, sc)
		f.leaf(b, branch, sc, true)
		p.Branches = append(p.Branches, branch)
	}
	out.Do = p
}

func (f *file) loop(s *syntax.Step, out *ir.Step, sc *expr.Scope) {
	l := s.Loop
	loop := &ir.Loop{Pos: l.Items.PosAt(0), ItemVar: l.ItemVar, IndexVar: l.IndexVar, Batch: l.Batch, PauseMS: milliseconds(l.PauseMS)}
	if l.ItemVar == "" {
		f.diags.Errorf(diag.BadValue, s.Key("item_var"), "item_var must not be empty")
	}
	if l.IndexVar == "" {
		f.diags.Errorf(diag.BadValue, s.Key("index_var"), "index_var must not be empty")
	}
	loop.Items = expr.Stdin(source(l.Items), sc, &f.diags)
	if loop.Items.Ref == nil {
		d := f.diags.Errorf(diag.BadForEach, l.Items.SpanAt(0, len(l.Items.Text)), "Workflow step %s for_each: expected array, got string", s.ID.Text)
		d.Hint = "for_each takes exactly one reference, such as $fetch.json.items"
	} else {
		f.noList(s.ID.Text, loop.Items.Ref, l.Items)
	}
	inner := with(sc, l.ItemVar, l.IndexVar)
	for _, sub := range l.Steps {
		inner.Later[sub.ID.Text] = sub.ID.Span.Start
	}
	// env of the loop is evaluated for each sub-step, and so may name the loop's variables and sub-steps.
	var ids []string
	for _, sub := range l.Steps {
		ids = append(ids, sub.ID.Text)
	}
	if len(s.Env) > 0 {
		out.Env = f.env(s.Env, with(inner, ids...))
	}
	for _, sub := range l.Steps {
		step := f.common(sub, inner)
		f.leaf(sub, step, inner, true)
		f.policies(sub, step)
		loop.Steps = append(loop.Steps, step)
		inner.Known[sub.ID.Text] = true
		delete(inner.Later, sub.ID.Text)
	}
	out.Do = loop
}

func (f *file) input(s *syntax.Step, sc *expr.Scope) *ir.Input {
	in := s.Input
	if in == nil {
		return nil
	}
	out := &ir.Input{Pos: in.Node.Pos(), Prompt: f.template(in.Prompt, sc, expr.Full), Schema: in.Schema.JSON()}
	if in.Defaults != nil {
		out.Defaults = in.Defaults.JSON()
	}
	if _, err := schema.Compile(out.Schema); err != nil {
		f.diags.Errorf(diag.BadSchema, schemaPlace(in.Schema, err.Error()), "Workflow step %s input.responseSchema is invalid: %s", s.ID.Text, err)
	}
	return out
}

// schemaPlace is the part of a schema that a message about it names: "schema is invalid: data/a/b must be ...".
func schemaPlace(n *syntax.Node, message string) diag.Span {
	_, rest, _ := strings.Cut(message, "schema is invalid: data/")
	pointer, _, _ := strings.Cut(rest, " ")
	for _, part := range strings.Split(pointer, "/") {
		part = strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")
		next := n.Get(part)
		if i, err := strconv.Atoi(part); err == nil && i < len(n.Items) {
			next = n.Items[i]
		}
		if next == nil {
			break
		}
		n = next
	}
	return n.Span
}

func (f *file) approval(a *syntax.Approval, sc *expr.Scope) *ir.Approval {
	out := &ir.Approval{
		Pos:               a.Node.Pos(),
		Prompt:            f.template(a.Prompt, sc, expr.Full),
		Preview:           f.template(a.Preview, sc, expr.Full),
		InitiatedBy:       f.template(a.InitiatedBy, sc, expr.Full),
		RequiredApprover:  f.template(a.RequiredApprover, sc, expr.Full),
		DifferentApprover: a.DifferentApprover,
	}
	if a.Items != nil {
		out.Items = a.Items.JSON()
	}
	return out
}

// noList reports a loop over a result that is text or a boolean, never a list.
func (f *file) noList(step string, ref *ir.StepRef, items *syntax.Scalar) {
	kind := ""
	switch ref.Path[0] {
	case "stdout", "errorMessage", "approvedBy", "initiatedBy", "id":
		kind = "string"
	case "approved", "skipped", "error":
		kind = "boolean"
	}
	if kind == "" || len(ref.Path) > 1 {
		return
	}
	from, to := strings.Index(items.Text, "$"), len(strings.TrimSpace(items.Text))
	d := f.diags.Errorf(diag.BadForEach, items.SpanAt(from, from+to), "Workflow step %s for_each: expected array, got %s", step, kind)
	d.Hint = "did you mean $" + ref.ID + ".json?"
	if ref.Path[0] == "stdout" {
		d.Edits = []diag.Edit{{Span: d.Span, NewText: "$" + ref.ID + ".json", Safe: true}}
	}
}
