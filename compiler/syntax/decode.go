package syntax

import (
	"math"
	"slices"
	"strings"

	"github.com/lobsterc/lobsterc/ir/diag"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// Parse reads and decodes a workflow file. The workflow is nil when the text has no structure; otherwise it holds all that is
// sound. Errors come in the order in which the reference implementation finds them, with its words, then warnings.
func Parse(src *Source) (*Workflow, diag.List) {
	root, diags := Read(src)
	if root == nil {
		return nil, diags
	}
	d := &decoder{src: src, ids: map[string]diag.Span{}}
	w := d.workflow(root)
	d.diags = append(diags, d.diags...)
	slices.SortStableFunc(d.diags, func(a, b diag.Diagnostic) int { return int(a.Severity) - int(b.Severity) })
	return w, d.diags
}

// decoder turns nodes into the typed tree.
type decoder struct {
	src   *Source
	diags diag.List
	ids   map[string]diag.Span // of steps and parallel branches
}

// fail reports an error at a node.
func (d *decoder) fail(code diag.Code, n *Node, format string, args ...any) *diag.Diagnostic {
	return d.diags.Errorf(code, n.Span, format, args...)
}

func (d *decoder) workflow(root *Node) *Workflow {
	w := &Workflow{Source: d.src, Root: root}
	if root.Kind == ScalarNode {
		d.fail(diag.BadFile, root, "Workflow file must be a JSON/YAML object").Hint = "a workflow starts with `steps:`"
		return w
	}
	steps := root.Get("steps")
	switch {
	case steps == nil:
		d.fail(diag.BadFile, root, "Workflow file requires a non-empty steps array").Hint = "add `steps:` with at least one step"
	case steps.Kind != ListNode || len(steps.Items) == 0:
		d.fail(diag.BadFile, steps, "Workflow file requires a non-empty steps array").Hint = "steps takes a list: each step starts with `- id: ...`"
		steps = nil
	}
	d.keys(root, "a workflow", workflowKeys)
	w.CostLimit = d.costLimit(root.Get("cost_limit"))
	w.Name = d.text(root, "name")
	w.Description = d.text(root, "description")
	w.Args = d.args(root.Get("args"))
	w.Env = d.env(root.Get("env"))
	w.Cwd = d.cwd(root)
	if n := root.Get("timeout_ms"); n != nil && !n.IsNull() {
		w.TimeoutMS = d.timeout(n, "Workflow timeout_ms")
	}
	w.RequireApproval = d.requireApproval(root.Get("x-require-approval"))
	if steps != nil {
		for _, n := range steps.Items {
			if s := d.step(n); s != nil {
				w.Steps = append(w.Steps, s)
			}
		}
	}
	return w
}

// text is a string that only describes; other values are ignored with a warning.
func (d *decoder) text(n *Node, key string) *Scalar {
	v := n.Get(key)
	switch {
	case v == nil || v.IsNull():
		return nil
	case v.IsString():
		return v.Scalar
	}
	d.diags.Warnf(diag.IgnoredValue, v.Span, "%s should be text; %s is ignored", key, v.describe())
	return nil
}

// cwd is the working directory of a workflow, step or branch. The reference crashes on other values when it gets there.
func (d *decoder) cwd(n *Node) *Scalar {
	v := n.Get("cwd")
	switch {
	case v == nil || v.IsNull():
		return nil
	case v.IsString():
		return v.Scalar
	}
	d.fail(diag.BadValue, v, "cwd must be a string")
	return nil
}

func (d *decoder) env(n *Node) []EnvVar {
	if n == nil || n.IsNull() {
		return nil
	}
	if n.Kind != MapNode {
		d.diags.Warnf(diag.IgnoredValue, n.Span, "env takes a mapping of names to strings; %s is ignored", n.describe())
		return nil
	}
	var out []EnvVar
	for _, e := range n.last() {
		if e.Value.IsString() {
			out = append(out, EnvVar{e.Key, e.Value.Scalar})
			continue
		}
		w := d.diags.Warnf(diag.IgnoredValue, e.Value.Span, "the value of %s is not a string and is ignored", e.Key.Text)
		if s := e.Value.Scalar; s != nil && s.Plain && s.Text != "" {
			w.Hint = "quote it: " + e.Key.Text + `: "` + s.Text + `"`
			w.Edits = []diag.Edit{{Span: e.Value.Span, NewText: `"` + s.Text + `"`}}
		}
	}
	return out
}

// last gives the entries of a mapping, of a repeated key the last one.
func (n *Node) last() []Entry {
	out := make([]Entry, 0, len(n.Entries))
	at := map[string]int{}
	for _, e := range n.Entries {
		if i, ok := at[e.Key.Text]; ok {
			out[i] = e
			continue
		}
		at[e.Key.Text] = len(out)
		out = append(out, e)
	}
	return out
}

var argTypes = []string{"string", "number", "integer", "boolean", "array", "object"}

func (d *decoder) args(n *Node) []*Arg {
	if n == nil || n.IsNull() {
		return nil
	}
	if n.Kind != MapNode {
		d.diags.Warnf(diag.IgnoredValue, n.Span, "args takes a mapping of names; %s is ignored", n.describe())
		return nil
	}
	var out []*Arg
	for _, e := range n.last() {
		arg := &Arg{Name: e.Key}
		out = append(out, arg)
		if e.Value.Kind != MapNode {
			if !e.Value.IsNull() {
				w := d.diags.Warnf(diag.IgnoredValue, e.Value.Span, "an argument takes a mapping with its default and description; %s is ignored", e.Value.describe())
				w.Hint = "write `default:` below the name"
				if s := e.Value.Scalar; s != nil && s.Plain && !strings.ContainsAny(s.Text, ",{}[]") {
					w.Hint = "did you mean {default: " + s.Text + "}?"
					w.Edits = []diag.Edit{{Span: e.Value.Span, NewText: "{default: " + s.Text + "}"}}
				}
			}
			continue
		}
		d.keys(e.Value, "an argument", argKeys)
		d.arg(e.Value, arg)
	}
	return out
}

func (d *decoder) arg(n *Node, arg *Arg) {
	if arg.Default = n.Get("default"); arg.Default != nil {
		d.yaml11(arg.Default)
	}
	if s := d.text(n, "description"); s != nil {
		arg.Description = s.Text
	}
	arg.Required = d.flag(n, "required")
	arg.Secret = d.flag(n, "secret")
	if s := d.text(n, "type"); s != nil {
		if slices.Contains(argTypes, s.Text) {
			arg.Type = s.Text
		} else {
			w := d.diags.Warnf(diag.IgnoredValue, s.Span, "unknown type %q is ignored", s.Text)
			w.Hint = "the types are " + strings.Join(argTypes, ", ")
		}
	}
}

// yaml11 warns of a word that YAML 1.1 takes for a boolean, at a place where a boolean may have been meant.
func (d *decoder) yaml11(n *Node) {
	if n.IsString() && n.Scalar.Plain && isYaml11Bool(n.Scalar.Text) {
		word := "true"
		if w := strings.ToLower(n.Scalar.Text); w == "no" || w == "off" {
			word = "false"
		}
		w := d.diags.Warnf(diag.Yaml11, n.Span, "%s is text, not a boolean", n.Scalar.Text)
		w.Hint = `write ` + word + `, or "` + n.Scalar.Text + `" when the text is meant`
	}
}

// flag is a boolean that is ours, so another value is only warned of.
func (d *decoder) flag(n *Node, key string) bool {
	v := n.Get(key)
	if v == nil || v.IsNull() {
		return false
	}
	if v.Kind != ScalarNode || v.Value.Kind() != value.BoolKind {
		d.diags.Warnf(diag.IgnoredValue, v.Span, "%s takes true or false; %s is ignored", key, v.describe())
		return false
	}
	return v.Value.Bool()
}

func (d *decoder) requireApproval(n *Node) []*Scalar {
	if n == nil || n.IsNull() {
		return nil
	}
	items := []*Node{n}
	if n.Kind == ListNode {
		items = n.Items
	}
	var out []*Scalar
	for _, item := range items {
		if !item.IsString() {
			d.fail(diag.BadValue, item, "x-require-approval takes a list of effects")
			continue
		}
		out = append(out, item.Scalar)
	}
	return out
}

func (d *decoder) costLimit(n *Node) *CostLimit {
	if n == nil {
		return nil
	}
	if n.Kind != MapNode {
		d.fail(diag.BadValue, n, "Workflow cost_limit must be an object")
		return nil
	}
	d.keys(n, "cost_limit", costKeys)
	c := &CostLimit{Node: n, Stop: true}
	at, max := n, math.NaN()
	if v := n.Get("max_usd"); v != nil {
		at, max = v, v.JSON().JSNumber()
	}
	if c.MaxUSD = max; math.IsNaN(max) || max < 0 || math.IsInf(max, 0) {
		d.fail(diag.BadValue, at, "Workflow cost_limit.max_usd must be a non-negative number")
	}
	if v := n.Get("action"); v != nil {
		c.Stop = v.IsString() && v.Scalar.Text == "stop"
		if !c.Stop && (!v.IsString() || v.Scalar.Text != "warn") {
			d.fail(diag.BadValue, v, `Workflow cost_limit.action must be "warn" or "stop"`)
		}
	}
	return c
}

// timeout is a timeout_ms; what names it in messages.
func (d *decoder) timeout(n *Node, what string) int64 {
	if f, ok := n.number(); ok && f == math.Trunc(f) && f >= 1 && f <= math.MaxInt32 {
		return int64(f)
	}
	d.fail(diag.BadValue, n, "%s must be a positive integer between 1 and 2147483647", what)
	return 0
}

// number is the number that a node is.
func (n *Node) number() (float64, bool) {
	if n.Kind != ScalarNode || n.Value.Kind() != value.NumberKind {
		return 0, false
	}
	return n.Value.Float(), true
}
