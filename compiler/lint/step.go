package lint

import (
	"strings"

	"github.com/lobsterc/lobsterc/compiler/syntax"
	"github.com/lobsterc/lobsterc/ir/diag"
)

// stdin checks the input of a step.
func (l *linter) stdin(s *syntax.Step) {
	if s.Stdin == nil || !s.Stdin.IsString() {
		return
	}
	scalar := s.Stdin.Scalar
	if m := wholeID.FindStringSubmatch(scalar.Text); m != nil && l.ids[m[1]] && l.args[m[1]] == nil {
		start := strings.Index(scalar.Text, "$")
		span := scalar.SpanAt(start, start+len(strings.TrimSpace(scalar.Text)))
		d := l.warn(diag.BareStdin, span, "the step gets the text %q, not the result of %s", strings.TrimSpace(scalar.Text), m[1])
		d.Hint = "write $" + m[1] + ".json for its data, $" + m[1] + ".stdout for its text"
		replace(d, span, "$"+m[1]+".stdout", false)
		return
	}
	l.text(scalar, textFull)
}

// oddPrompts are words that are no question.
var oddPrompts = map[string]string{
	"optional": "the gate always stops the run; there are no optional ones", "false": "the gate is there, with the prompt \"false\"; leave approval out for none",
	"no": "the gate is there, with the prompt \"no\"; leave approval out for none", "none": "the gate is there, with the prompt \"none\"; leave approval out for none",
	"never": "the gate is there, with the prompt \"never\"; leave approval out for none", "skip": "the gate is there, with the prompt \"skip\"; leave approval out for none",
	"off": "the gate is there, with the prompt \"off\"; leave approval out for none", "auto": "the gate always stops the run; nothing is approved by itself",
	"automatic": "the gate always stops the run; nothing is approved by itself", "true": "the prompt is \"true\"; write true without quotes for the usual one",
	"yes": "the prompt is \"yes\"; write true for the usual one", "on": "the prompt is \"on\"; write true for the usual one",
	"manual": "the prompt is \"manual\"; write true for the usual one", "require": "the prompt is \"require\"; write required or true for the usual one",
	"always": "the prompt is \"always\"; write true for the usual one",
}

// approval checks a gate's texts.
func (l *linter) approval(a *syntax.Approval) {
	if a == nil {
		return
	}
	if a.Node != nil && a.Node.IsString() && a.Prompt != nil {
		word := strings.ToLower(strings.TrimSpace(a.Prompt.Text))
		if says, ok := oddPrompts[word]; ok {
			d := l.warn(diag.OddPrompt, a.Prompt.Span, "%s", says)
			switch word {
			case "true", "yes", "on", "manual", "require", "always":
				replace(d, a.Node.Span, "true", true)
			}
		}
	}
	for _, s := range []*syntax.Scalar{a.Prompt, a.Preview, a.InitiatedBy, a.RequiredApprover} {
		if s != nil {
			l.text(s, textFull)
		}
	}
}
