// Package diag holds source positions and diagnostics: what every phase of the compiler reports and every printer shows.
//
// A phase never panics on user input and never prints: it returns a value and a List. Printers (text, JSON, SARIF,
// GitHub annotations) live beside this file, one each.
package diag

import (
	"cmp"
	"fmt"
	"slices"
)

// Pos is a place in a source file. Line and Column are 1-based; Column counts Unicode code points. The zero Pos means "unknown".
type Pos struct {
	File   string
	Line   int
	Column int
}

// IsValid tells whether p names a place.
func (p Pos) IsValid() bool { return p.Line > 0 }

// String gives file:line:column, leaving out what is unknown.
func (p Pos) String() string {
	switch {
	case !p.IsValid():
		return p.File
	case p.File == "":
		return fmt.Sprintf("%d:%d", p.Line, p.Column)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Span is the range [Start, End) of source text; End is on the same line as Start, or zero when only the start is known.
type Span struct {
	Start Pos
	End   Pos
}

// Severity orders diagnostics: an Error stops the build, a Warning does not (unless --strict).
type Severity uint8

// The severities.
const (
	Error Severity = iota
	Warning
)

// String is the word that printers use.
func (s Severity) String() string {
	if s == Warning {
		return "warning"
	}
	return "error"
}

// Code names a kind of diagnostic, such as "E0203"; `lobsterc explain CODE` tells more. Codes are declared in codes.go
// with their explanation and never change their meaning.
type Code string

// Note points to another place that matters for a diagnostic ("first declared here").
type Note struct {
	Span    Span
	Message string
}

// Edit replaces the text of Span by NewText. Safe edits change no meaning that the author can have wanted, and
// `check --fix` applies them; the others are only shown.
type Edit struct {
	Span    Span
	NewText string
	Safe    bool
}

// Diagnostic is one thing to tell the author.
type Diagnostic struct {
	Code     Code
	Severity Severity
	Span     Span
	// Message says what is wrong in one line. Where the reference has a message for the same fault, it is that text.
	Message string
	// Hint says what to do, in one line; may be empty.
	Hint  string
	Notes []Note
	Edits []Edit
}

// Error makes a Diagnostic usable as an error: file:line:column: severity[code]: message.
func (d Diagnostic) Error() string {
	prefix := ""
	if pos := d.Span.Start.String(); pos != "" {
		prefix = pos + ": "
	}
	return fmt.Sprintf("%s%s[%s]: %s", prefix, d.Severity, d.Code, d.Message)
}

// List collects diagnostics of one or more phases.
type List []Diagnostic

// Add appends d.
func (l *List) Add(d Diagnostic) { *l = append(*l, d) }

// Errorf appends an error at span.
func (l *List) Errorf(code Code, span Span, format string, args ...any) *Diagnostic {
	l.Add(Diagnostic{Code: code, Severity: Error, Span: span, Message: fmt.Sprintf(format, args...)})
	return &(*l)[len(*l)-1]
}

// Warnf appends a warning at span.
func (l *List) Warnf(code Code, span Span, format string, args ...any) *Diagnostic {
	l.Add(Diagnostic{Code: code, Severity: Warning, Span: span, Message: fmt.Sprintf(format, args...)})
	return &(*l)[len(*l)-1]
}

// HasErrors tells whether any diagnostic is an error.
func (l List) HasErrors() bool {
	return slices.ContainsFunc(l, func(d Diagnostic) bool { return d.Severity == Error })
}

// Sort orders by file, place, severity and code, keeping the order of report among equals.
func (l List) Sort() {
	slices.SortStableFunc(l, func(a, b Diagnostic) int {
		p, q := a.Span.Start, b.Span.Start
		return cmp.Or(cmp.Compare(p.File, q.File), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Column, q.Column),
			cmp.Compare(a.Severity, b.Severity), cmp.Compare(a.Code, b.Code))
	})
}
