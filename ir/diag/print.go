package diag

import (
	"fmt"
	"io"
	"strings"

	"github.com/lobsterc/lobsterc/runtime/value"
)

// object makes an object of the members that have a value.
func object(members ...value.Member) value.Value {
	kept := make([]value.Member, 0, len(members))
	for _, m := range members {
		if !m.Value.IsAbsent() {
			kept = append(kept, m)
		}
	}
	return value.Object(kept...)
}

func optional(s string) value.Value {
	if s == "" {
		return value.Value{}
	}
	return value.String(s)
}

func number(n int) value.Value {
	if n == 0 {
		return value.Value{}
	}
	return value.Int(int64(n))
}

func array(items []value.Value) value.Value {
	if len(items) == 0 {
		return value.Value{}
	}
	return value.Array(items...)
}

func spanMembers(s Span) []value.Member {
	return []value.Member{
		value.M("file", optional(s.Start.File)), value.M("line", number(s.Start.Line)), value.M("column", number(s.Start.Column)),
		value.M("endLine", number(s.End.Line)), value.M("endColumn", number(s.End.Column)),
	}
}

// JSON is the diagnostic as JSON: code, severity, message, hint, file, line, column, endLine, endColumn, notes, edits; what is
// unknown or empty is left out.
func (d Diagnostic) JSON() value.Value {
	members := []value.Member{
		value.M("code", value.String(string(d.Code))), value.M("severity", value.String(d.Severity.String())),
		value.M("message", value.String(d.Message)), value.M("hint", optional(d.Hint)),
	}
	members = append(members, spanMembers(d.Span)...)
	var notes, edits []value.Value
	for _, n := range d.Notes {
		notes = append(notes, object(append([]value.Member{value.M("message", value.String(n.Message))}, spanMembers(n.Span)...)...))
	}
	for _, e := range d.Edits {
		edits = append(edits, object(append(spanMembers(e.Span), value.M("newText", value.String(e.NewText)), value.M("safe", value.Bool(e.Safe)))...))
	}
	return object(append(members, value.M("notes", array(notes)), value.M("edits", array(edits)))...)
}

// JSON is the list as a JSON array.
func (l List) JSON() value.Value {
	items := make([]value.Value, len(l))
	for i, d := range l {
		items[i] = d.JSON()
	}
	return value.Array(items...)
}

// JSON prints {"diagnostics": [...], "errors": N, "warnings": N}.
func JSON(w io.Writer, list List) error {
	errors := 0
	for _, d := range list {
		if d.Severity == Error {
			errors++
		}
	}
	v := value.Object(value.M("diagnostics", list.JSON()), value.M("errors", value.Int(int64(errors))),
		value.M("warnings", value.Int(int64(len(list)-errors))))
	_, err := io.WriteString(w, v.Indent()+"\n")
	return err
}

// GitHub prints workflow commands that GitHub Actions shows as annotations.
func GitHub(w io.Writer, list List) error {
	var b strings.Builder
	for _, d := range list {
		props := []string{}
		add := func(key string, val any) { props = append(props, key+"="+property(fmt.Sprint(val))) }
		if s := d.Span; s.Start.File != "" {
			add("file", s.Start.File)
			if s.Start.IsValid() {
				add("line", s.Start.Line)
				add("col", s.Start.Column)
			}
			if s.End.IsValid() {
				add("endLine", s.End.Line)
				add("endColumn", s.End.Column)
			}
		}
		add("title", d.Code)
		message := d.Message
		if d.Hint != "" {
			message += "\n" + d.Hint
		}
		fmt.Fprintf(&b, "::%s %s::%s\n", d.Severity, strings.Join(props, ","), data(message))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

var (
	dataEscapes     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func data(s string) string     { return dataEscapes.Replace(s) }
func property(s string) string { return propertyEscapes.Replace(s) }
