package syntax

import (
	"strings"

	"github.com/lobsterc/lobsterc/ir/diag"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// input decodes an input gate. Its schema is compiled later.
func (l label) input(n *Node) *Input {
	v := n.Get("input")
	if v == nil {
		return nil
	}
	if v.Kind != MapNode {
		if !l.reported(v) {
			l.fail(diag.BadGate, v, "input must be an object").Hint = "input takes prompt and responseSchema"
		}
		return nil
	}
	l.d.keys(v, "input", inputKeys)
	if keys := executions(n); len(keys) > 0 {
		l.fail(diag.BadGate, n.Get(keys[0]), "input steps cannot define run, command, pipeline, workflow, parallel, or for_each").Hint =
			"make two steps of it"
	}
	if isGate(n.Get("approval")) {
		l.fail(diag.BadGate, n.Get("approval"), "cannot define both approval and input").Hint = "make two steps of it"
	}
	in := &Input{Node: v, Prompt: stringOf(v.Get("prompt")), Schema: v.Get("responseSchema"), Defaults: v.Get("defaults")}
	if in.Prompt == nil {
		at := v
		if p := v.Get("prompt"); p != nil {
			at = p
		}
		l.fail(diag.BadValue, at, "input.prompt must be a string")
	}
	switch s := in.Schema; {
	case s == nil:
		l.fail(diag.BadValue, v, "input.responseSchema must be an object")
	case s.Kind == ScalarNode:
		l.fail(diag.BadValue, s, "input.responseSchema must be an object")
		in.Schema = nil
	}
	if in.Prompt == nil || in.Schema == nil {
		return nil
	}
	return in
}

// reported tells whether an error stands at the node already.
func (l label) reported(n *Node) bool {
	for _, d := range l.d.diags {
		if d.Span.Start == n.Span.Start && d.Severity == diag.Error {
			return true
		}
	}
	return false
}

// approval decodes an approval gate; it is nil when there is none.
func (l label) approval(v *Node, step *Node) *Approval {
	if !isGate(v) {
		l.noGate(v)
		return nil
	}
	a := &Approval{Node: v}
	l.d.yaml11(v)
	switch {
	case v.IsString():
		if v.Scalar.Text != "required" {
			a.Prompt = v.Scalar
		}
		return a
	case v.Kind != MapNode:
		return a
	}
	l.d.keys(v, "approval", approvalKeys)
	a.Prompt, a.Preview = l.d.text(v, "prompt"), l.d.text(v, "preview")
	if items := v.Get("items"); items != nil && items.Kind == ListNode {
		a.Items = items
	} else if items != nil && !items.IsNull() {
		l.d.diags.Warnf(diag.IgnoredValue, items.Span, "items takes a list; %s is ignored", items.describe())
	}
	a.InitiatedBy = l.identity(v, "initiated_by", "initiatedBy")
	a.RequiredApprover = l.identity(v, "required_approver", "requiredApprover")
	for _, key := range []string{"require_different_approver", "requireDifferentApprover"} {
		if b := v.Get(key); b != nil {
			if b.Kind != ScalarNode || b.Value.Kind() != value.BoolKind {
				l.fail(diag.BadValue, b, "approval.%s must be a boolean", key).Hint = booleanHint(b)
				continue
			}
			different := b.Value.Bool()
			a.DifferentApprover = &different
		}
	}
	return a
}

// identity is a name in one of two spellings; the second wins.
func (l label) identity(v *Node, keys ...string) (out *Scalar) {
	for _, key := range keys {
		if n := v.Get(key); n != nil {
			if !n.IsString() {
				l.fail(diag.BadValue, n, "approval.%s must be a string", key)
				continue
			}
			if out == nil || strings.TrimSpace(n.Scalar.Text) != "" {
				out = n.Scalar
			}
		}
	}
	return out
}

// booleanHint says what to write where a boolean is wanted.
func booleanHint(n *Node) string {
	if n.IsString() && isYaml11Bool(n.Scalar.Text) {
		return "YAML 1.2 booleans are true and false"
	}
	return "write true or false"
}

// noGate reports an approval that looks like a gate and is none.
func (l label) noGate(v *Node) {
	if v == nil || v.IsNull() || v.IsString() && v.Scalar.Text == "" || v.Kind == ScalarNode && v.Value.Kind() == value.BoolKind {
		return
	}
	if !l.reported(v) {
		l.fail(diag.NoSuchGate, v, "approval must be true, the prompt as text, or an object; this is no gate").Hint =
			"write `approval: true`, or leave it out"
	}
}
