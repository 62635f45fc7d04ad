package syntax

import (
	"math"
	"strings"

	"github.com/lobsterc/lobsterc/ir/diag"
	"github.com/lobsterc/lobsterc/runtime/value"
)

func (l label) parallel(n *Node) *Parallel {
	if n == nil {
		return nil
	}
	if n.Kind != MapNode {
		l.fail(diag.BadValue, n, "parallel must be an object").Hint = "write `branches:` below parallel"
		return nil
	}
	branches := n.Get("branches")
	if branches == nil || branches.Kind != ListNode || len(branches.Items) == 0 {
		at := n
		if branches != nil {
			at = branches
		}
		l.fail(diag.BadValue, at, "parallel requires a non-empty branches array")
		return nil
	}
	l.d.keys(n, "parallel", parallelKeys)
	p := &Parallel{Node: n}
	if v := n.Get("wait"); v != nil {
		s := stringOf(v)
		p.Any = s != nil && s.Text == "any"
		if !p.Any && (s == nil || s.Text != "all") {
			l.fail(diag.BadValue, v, `parallel wait must be "all" or "any"`)
		}
	}
	if v := n.Get("timeout_ms"); v != nil {
		p.TimeoutMS = l.d.timeout(v, "Workflow step "+l.id+" parallel timeout_ms")
	}
	seen := map[string]diag.Span{}
	for _, b := range branches.Items {
		if s := l.branch(b, seen); s != nil {
			p.Branches = append(p.Branches, s)
		}
	}
	return p
}

// branch decodes a branch of a parallel step.
func (l label) branch(n *Node, seen map[string]diag.Span) *Step {
	if n.Kind == ScalarNode {
		l.fail(diag.BadStep, n, "parallel branches must be objects")
		return nil
	}
	id := stringOf(n.Get("id"))
	if id == nil || id.Text == "" {
		l.d.noID(n, "Workflow step "+l.id+" parallel branch requires an id")
		return nil
	}
	if id.Text == l.id {
		l.fail(diag.DuplicateID, n.Get("id"), "parallel branch id cannot match the step id")
	}
	if first, ok := seen[id.Text]; ok {
		l.fail(diag.DuplicateID, n.Get("id"), "duplicate parallel branch id: %s", id.Text).Notes =
			[]diag.Note{{Span: first, Message: "first here"}}
		return nil
	}
	seen[id.Text] = id.Span
	s := &Step{Node: n, ID: id}
	l.d.keys(n, "a branch", branchKeys)
	for _, e := range n.Entries {
		if ignoredInBranch[e.Key.Text] {
			l.d.diags.Warnf(diag.IgnoredKey, e.Key.Span, "%s does nothing on a parallel branch", e.Key.Text)
		}
	}
	switch shell, pipe := has(n, shellKey(n)), hasText(n, "pipeline"); {
	case !shell && !pipe:
		l.fail(diag.BadStep, n, "parallel branch %s requires run, command, or pipeline", id.Text)
		return s
	case shell && pipe:
		l.fail(diag.ManyExecs, n, "parallel branch %s can only define one of run, command, or pipeline", id.Text)
		return s
	}
	for _, key := range []string{"run", "command", "pipeline"} {
		if v := n.Get(key); v != nil && !v.IsString() {
			l.fail(diag.BadValue, v, "parallel branch %s %s must be a string", id.Text, key)
		}
	}
	takeExecution(n, s)
	l.d.common(n, s)
	s.When = nil
	return s
}

func (l label) loop(n *Node) *Loop {
	v := n.Get("for_each")
	if v == nil {
		return nil
	}
	loop := &Loop{Items: stringOf(v), ItemVar: "item", IndexVar: "index", Batch: 1}
	if loop.Items == nil {
		l.fail(diag.BadValue, v, "for_each must be a string (step reference expression)").Hint =
			"let a step above print the list as JSON, and write `for_each: $ID.json`"
		return nil
	}
	steps := n.Get("steps")
	if steps == nil || steps.Kind != ListNode || len(steps.Items) == 0 {
		at := v
		if steps != nil {
			at = steps
		}
		l.fail(diag.BadValue, at, "for_each requires a non-empty steps array")
		return nil
	}
	if v := n.Get("approval"); isGate(v) {
		l.fail(diag.BadGate, v, "for_each steps cannot define approval (use a separate step after the loop)").Hint =
			"give the approval a step of its own below, with `stdin: $" + l.id + ".json` to show what the loop gave"
	}
	if v := n.Get("stdin"); v != nil && !v.IsNull() {
		l.fail(diag.BadStep, v, "for_each steps cannot define stdin (loop input comes from the for_each expression)")
	}
	if v := n.Get("batch_size"); v != nil {
		f, ok := v.number()
		if !ok || f != math.Trunc(f) || f < 1 {
			l.fail(diag.BadValue, v, "batch_size must be a positive integer")
		}
		loop.Batch = int(min(f, math.MaxInt32))
	}
	if v := n.Get("pause_ms"); v != nil {
		loop.PauseMS = l.milliseconds(v, "pause_ms")
	}
	l.loopVars(n, loop)
	if len(executions(n)) > 1 {
		return loop // the step is rejected as a whole; its sub-steps would only repeat that
	}
	seen := map[string]diag.Span{}
	for _, item := range steps.Items {
		if s := l.subStep(item, loop, seen); s != nil {
			loop.Steps = append(loop.Steps, s)
		}
	}
	return loop
}

func (l label) loopVars(n *Node, loop *Loop) {
	at := n.Get("for_each")
	if s := stringOf(n.Get("index_var")); s != nil {
		loop.IndexVar, at = s.Text, n.Get("index_var")
	}
	if s := stringOf(n.Get("item_var")); s != nil {
		loop.ItemVar, at = s.Text, n.Get("item_var")
	}
	for _, key := range []string{"item_var", "index_var"} {
		if v := n.Get(key); v != nil && !v.IsString() {
			l.fail(diag.BadValue, v, "%s must be a string", key)
			return
		}
	}
	if loop.ItemVar == loop.IndexVar {
		l.fail(diag.ShadowedName, at, "item_var and index_var cannot be the same")
	}
}

// milliseconds is a number of milliseconds.
func (l label) milliseconds(v *Node, key string) float64 {
	f, ok := v.number()
	if !ok || f < 0 || math.IsInf(f, 0) || math.IsNaN(f) {
		l.fail(diag.BadValue, v, "%s must be a finite non-negative number", key)
		return 0
	}
	return f
}

// subStep decodes a sub-step of a loop.
func (l label) subStep(n *Node, loop *Loop, seen map[string]diag.Span) *Step {
	id := stringOf(n.Get("id"))
	if id == nil || id.Text == "" {
		l.d.noID(n, "Workflow step "+l.id+" for_each sub-step requires an id")
		return nil
	}
	if id.Text == loop.ItemVar || id.Text == loop.IndexVar {
		l.fail(diag.ShadowedName, n.Get("id"), "for_each sub-step id '%s' conflicts with loop variable", id.Text)
		return nil
	}
	if first, ok := seen[id.Text]; ok {
		l.fail(diag.DuplicateID, n.Get("id"), "duplicate for_each sub-step id: %s", id.Text).Notes =
			[]diag.Note{{Span: first, Message: "first here"}}
		return nil
	}
	seen[id.Text] = id.Span
	s := &Step{Node: n, ID: id}
	l.d.keys(n, "a sub-step", subStepKeys)
	for _, key := range []string{"approval", "input"} {
		if v := n.Get(key); v != nil && (key == "approval" && isGate(v) || key == "input" && v.Kind != ScalarNode) {
			l.fail(diag.BadGate, v, "for_each sub-steps cannot contain approval or input steps").Hint =
				"put the gate before or after the loop"
			return s
		}
	}
	if !l.subExecution(n, id.Text) {
		return s
	}
	takeExecution(n, s)
	l.subPolicies(n, s)
	l.d.common(n, s)
	return s
}

func (l label) subExecution(n *Node, id string) bool {
	sound := true
	for _, key := range []string{"run", "command", "pipeline"} {
		if v := n.Get(key); v != nil && !v.IsString() {
			l.fail(diag.BadValue, v, "for_each sub-step %s %s must be a string", id, key)
			sound = false
		}
	}
	for _, key := range []string{"workflow", "parallel", "for_each"} {
		if v := n.Get(key); v != nil && v.Truthy() && sound {
			l.fail(diag.BadStep, v, "for_each sub-step %s cannot define workflow, parallel, or for_each", id)
			sound = false
		}
	}
	notBlank := func(key string) bool {
		s := stringOf(n.Get(key))
		return s != nil && strings.TrimSpace(s.Text) != ""
	}
	switch shell, pipe := notBlank(shellKey(n)), notBlank("pipeline"); {
	case !sound:
	case !shell && !pipe:
		l.fail(diag.BadStep, n, "for_each sub-step %s requires run, command, or pipeline", id)
		sound = false
	case shell && pipe:
		l.fail(diag.ManyExecs, n, "for_each sub-step %s can only define one of run, command, or pipeline", id)
		sound = false
	}
	return sound
}

// subPolicies decodes the policies of a sub-step, which the reference ignores: what it accepts there is only warned of.
func (l label) subPolicies(n *Node, s *Step) {
	sub := &decoder{src: l.d.src}
	label{sub, s.ID.Text}.policies(n, s)
	for _, e := range sub.diags {
		e.Severity, e.Code = diag.Warning, diag.IgnoredValue
		l.d.diags.Add(e)
	}
}

func (l label) retry(n *Node) *Retry {
	if n == nil {
		return nil
	}
	if n.Kind != MapNode {
		l.fail(diag.BadValue, n, "retry must be an object").Hint = "write `retry: {max: 3}` for three attempts"
		return nil
	}
	l.d.keys(n, "retry", retryKeys)
	r := &Retry{Node: n, Max: 1, DelayMS: 1000, MaxDelayMS: 30000}
	if v := n.Get("max"); v != nil {
		f, ok := v.number()
		if !ok || f != math.Trunc(f) || f < 1 {
			l.fail(diag.BadValue, v, "retry.max must be a positive integer")
		}
		r.Max = int(min(f, math.MaxInt32))
	}
	if v := n.Get("backoff"); v != nil {
		s := stringOf(v)
		r.Exponential = s != nil && s.Text == "exponential"
		if !r.Exponential && (s == nil || s.Text != "fixed") {
			l.fail(diag.BadValue, v, `retry.backoff must be "fixed" or "exponential"`)
		}
	}
	if v := n.Get("delay_ms"); v != nil {
		r.DelayMS = l.milliseconds(v, "retry.delay_ms")
	}
	if v := n.Get("max_delay_ms"); v != nil {
		r.MaxDelayMS = l.milliseconds(v, "retry.max_delay_ms")
	}
	if v := n.Get("jitter"); v != nil {
		if v.Kind != ScalarNode || v.Value.Kind() != value.BoolKind {
			l.fail(diag.BadValue, v, "retry.jitter must be a boolean").Hint = booleanHint(v)
		} else {
			r.Jitter = v.Value.Bool()
		}
	}
	return r
}
