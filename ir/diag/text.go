package diag

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// Lines gives the text of a line of a source; empty when it is not known.
type Lines func(file string, line int) string

// window is the most that is shown of a source line, in columns of the terminal.
const window = 120

// The colours of the text format: escape sequences, or nothing.
type palette struct{ errors, warnings, bold, dim, reset string }

var (
	plainText = palette{}
	coloured  = palette{errors: "\x1b[1;31m", warnings: "\x1b[1;33m", bold: "\x1b[1m", dim: "\x1b[36m", reset: "\x1b[0m"}
)

// Text prints for people:
//
//	triage.lobster:12:14: error[E0203]: unknown step "colect"
//	  12 |     stdin: $colect.stdout
//	     |            ^^^^^^^^^^^^^^ did you mean "collect"?
func Text(w io.Writer, list List, lines Lines, color bool) error {
	p := plainText
	if color {
		p = coloured
	}
	var b strings.Builder
	for _, d := range list {
		p.diagnostic(&b, d, lines)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (p palette) diagnostic(b *strings.Builder, d Diagnostic, lines Lines) {
	head := p.errors
	if d.Severity == Warning {
		head = p.warnings
	}
	if pos := d.Span.Start.String(); pos != "" {
		fmt.Fprintf(b, "%s%s:%s ", p.bold, pos, p.reset)
	}
	fmt.Fprintf(b, "%s%s[%s]:%s %s%s%s\n", head, d.Severity, d.Code, p.reset, p.bold, clean(d.Message), p.reset)
	if !p.excerpt(b, d.Span, lines, head, d.Hint) && d.Hint != "" {
		fmt.Fprintf(b, "    %s\n", clean(d.Hint))
	}
	for _, n := range d.Notes {
		fmt.Fprintf(b, "  %s: note: %s\n", n.Span.Start, clean(n.Message))
		p.excerpt(b, n.Span, lines, p.dim, "")
	}
}

// excerpt shows a source line with its place marked and the hint behind the mark.
func (p palette) excerpt(b *strings.Builder, s Span, lines Lines, mark, hint string) bool {
	if lines == nil || !s.Start.IsValid() {
		return false
	}
	line := []rune(clean(lines(s.Start.File, s.Start.Line)))
	if len(line) == 0 {
		return false
	}
	from := min(s.Start.Column-1, len(line))
	to := from + 1
	if s.End.Line == s.Start.Line && s.End.Column > s.Start.Column {
		to = min(s.End.Column-1, max(len(line), from+1))
	}
	cut, dots := 0, ""
	for dots == "" && len(line) > window && from-cut > window*2/3 { // a long line: show what stands around the place
		cut, dots = from-window/3, "…"
	}
	shown := line[cut:]
	if len(shown) > window {
		shown = append(shown[:window-1:window-1], '…')
	}
	pad := strings.Repeat(" ", displaywidth.String(dots+string(line[cut:from])))
	carets := "^"
	if end := min(to, len(line), cut+window); end > from {
		carets = strings.Repeat("^", max(1, displaywidth.String(string(line[from:end]))))
	}
	number := strconv.Itoa(s.Start.Line)
	gutter := strings.Repeat(" ", len(number))
	fmt.Fprintf(b, "  %s%s |%s %s%s\n", p.dim, number, p.reset, dots, string(shown))
	fmt.Fprintf(b, "  %s%s |%s %s%s%s%s", p.dim, gutter, p.reset, pad, mark, carets, p.reset)
	if hint != "" {
		fmt.Fprintf(b, " %s", clean(hint))
	}
	b.WriteByte('\n')
	return true
}

// clean makes text safe for one line of a terminal: a tab becomes a space, other control characters an escape.
func clean(s string) string {
	if !strings.ContainsFunc(s, isControl) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\t':
			b.WriteByte(' ')
		case r == '\n':
			b.WriteString("\\n")
		case isControl(r):
			b.WriteByte('?')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// isControl tells whether a terminal might act on r; the marks that turn the writing direction are among them.
func isControl(r rune) bool {
	return r < ' ' || 0x7f <= r && r < 0xa0 || 0x202a <= r && r <= 0x202e || 0x2066 <= r && r <= 0x2069
}
