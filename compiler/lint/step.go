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
		d := l.warn(diag.BareStdin, span, "the step gets the text %s, not the result of %s", strings.TrimSpace(scalar.Text), m[1])
		d.Hint = "write $" + m[1] + ".json for its data, $" + m[1] + ".stdout for its text"
		replace(d, span, "$"+m[1]+".stdout", false)
		return
	}
	l.text(scalar, textFull)
}

// oddPrompts are words that are no question.
var oddPrompts = map[string]string{
	"optional": sometimes, "if-needed": sometimes, "auto": sometimes, "automatic": sometimes,
	"false": noGate, "no": noGate, "none": noGate, "never": noGate, "skip": noGate, "off": noGate,
	"true": usual, "yes": usual, "on": usual, "manual": usual, "require": usual, "always": usual,
}

const (
	sometimes = "every approval stops the run; to ask only in some runs, give the step a condition (`when:`)"
	noGate    = "leave approval out when there is to be no gate"
	usual     = "write true for a gate with the usual prompt"
)

// approval checks a gate's texts.
func (l *linter) approval(a *syntax.Approval) {
	if a == nil {
		return
	}
	if a.Node != nil && a.Node.IsString() && a.Prompt != nil {
		word := strings.ToLower(strings.TrimSpace(a.Prompt.Text))
		if says, ok := oddPrompts[word]; ok {
			d := l.warn(diag.OddPrompt, a.Prompt.Span, "this is a gate that stops the run and asks %q", a.Prompt.Text)
			if d.Hint = says; says == usual {
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
