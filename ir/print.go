package ir

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/lobsterc/lobsterc/runtime/value"
)

// FormatExpr spells a condition as a workflow file would: with single spaces, and parentheses only where they are needed.
func FormatExpr(x Expr) string {
	var b strings.Builder
	writeExpr(&b, x, 0)
	return b.String()
}

// Binding strengths of the condition language, from loose to tight.
const (
	bindOr = iota + 1
	bindAnd
	bindCompare
	bindNot
)

func writeExpr(b *strings.Builder, x Expr, outer int) {
	own := binding(x)
	if own < outer {
		b.WriteByte('(')
		defer b.WriteByte(')')
	}
	switch x := x.(type) {
	case *Lit:
		b.WriteString(x.Value.JSON())
	case *RefExpr:
		b.WriteString(x.Ref.String())
	case *Not:
		b.WriteByte('!')
		writeExpr(b, x.X, bindNot)
	case *Logic:
		op := " && "
		if x.Or {
			op = " || "
		}
		writeExpr(b, x.X, own)
		b.WriteString(op)
		writeExpr(b, x.Y, own+1)
	case *Compare:
		writeExpr(b, x.X, bindNot)
		b.WriteString(" " + x.Op + " ")
		writeExpr(b, x.Y, bindNot)
	default:
		panic(fmt.Sprintf("lobsterc bug: print: unknown condition %T", x))
	}
}

func binding(x Expr) int {
	switch x := x.(type) {
	case *Logic:
		if x.Or {
			return bindOr
		}
		return bindAnd
	case *Compare:
		return bindCompare
	}
	return bindNot
}

// String is the program for people: one line for each step, inner steps indented. It is meant for reading while debugging and
// in reports; the exact form is Encode's.
func (p *Program) String() string {
	var b strings.Builder
	if p.Pipeline != nil {
		fmt.Fprintf(&b, "pipeline %s\n", p.Pipeline.Source)
	} else {
		printWorkflow(&b, "workflow "+p.Main.Name, &p.Main)
	}
	for i := range p.Children {
		printWorkflow(&b, "child "+p.Children[i].Path, &p.Children[i].Workflow)
	}
	return b.String()
}

func printWorkflow(b *strings.Builder, title string, w *Workflow) {
	fmt.Fprintf(b, "%s\n", strings.TrimSpace(title))
	for i := range w.Args {
		fmt.Fprintf(b, "  arg %s\n", FormatArg(&w.Args[i]))
	}
	for _, v := range w.Env {
		fmt.Fprintf(b, "  env %s=%s\n", v.Name, v.Value)
	}
	printSteps(b, "  ", w.Steps)
}

func printSteps(b *strings.Builder, indent string, steps []*Step) {
	for _, s := range steps {
		fmt.Fprintf(b, "%s%s: %s", indent, s.ID, DescribeExec(s))
		if s.When != nil {
			fmt.Fprintf(b, " when %s", FormatExpr(s.When))
		}
		if s.Stdin != nil {
			fmt.Fprintf(b, " < %s", s.Stdin)
		}
		if s.Approval != nil && s.Do != nil {
			b.WriteString(" then approval")
		}
		b.WriteByte('\n')
		printSteps(b, indent+"  ", Inner(s))
	}
}

// Inner gives the branches of a parallel step or the steps of a loop.
func Inner(s *Step) []*Step {
	switch do := s.Do.(type) {
	case *Parallel:
		return do.Branches
	case *Loop:
		return do.Steps
	}
	return nil
}

// DescribeExec says in one line what a step does.
func DescribeExec(s *Step) string {
	switch do := s.Do.(type) {
	case *Shell:
		return "run " + oneLine(do.Script.String())
	case *Pipeline:
		return "pipeline " + oneLine(do.Source)
	case *Call:
		return "workflow " + do.Path.String()
	case *Parallel:
		if do.Any {
			return "parallel (any)"
		}
		return "parallel (all)"
	case *Loop:
		return "for_each " + do.Items.String()
	}
	if s.Input != nil {
		return "input " + quoteText(s.Input.Prompt.String())
	}
	if s.Approval != nil {
		return "approval " + quoteText(s.Approval.Prompt.String())
	}
	return "nothing"
}

// String spells a step's input as a workflow file would.
func (s *Stdin) String() string {
	switch {
	case s == nil:
		return ""
	case s.Ref != nil:
		return s.Ref.String()
	case s.Text != nil:
		return s.Text.String()
	}
	return s.Literal.JSON()
}

// FormatArg says what a declared argument is: its name, type and default.
func FormatArg(a *Arg) string {
	text := a.Name
	if a.Type != "" {
		text += " " + a.Type
	}
	if a.Required {
		text += " required"
	}
	if a.Secret {
		text += " secret"
	}
	if !a.Default.IsAbsent() {
		text += " = " + a.Default.JSON()
	}
	return text
}

func quoteText(s string) string { return value.String(s).JSON() }

// oneLine shows the first line of a text, cut to what a terminal line can hold.
func oneLine(s string) string {
	s = strings.TrimSpace(s)
	line, _, more := strings.Cut(s, "\n")
	const limit = 100
	if utf8.RuneCountInString(line) > limit {
		line, more = string([]rune(line)[:limit]), true
	}
	if more {
		return line + " …"
	}
	return line
}
