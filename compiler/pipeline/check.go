package pipeline

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/lobsterc/lobsterc/compiler/catalog"
	"github.com/lobsterc/lobsterc/ir"
	"github.com/lobsterc/lobsterc/ir/diag"
	"github.com/lobsterc/lobsterc/runtime/schema"
	"github.com/lobsterc/lobsterc/runtime/stage/parse"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// checker checks a value against its type. Values with holes are checked as far as they can be.
type checker struct {
	*reader
	typ     catalog.Type
	message string        // the reference's text for a bad value, or ""
	what    string        // what messages of ours call it
	flag    *catalog.Flag // nil for a word
}

// check reports a bad value and tells whether the value can be kept. A value that is neither kept nor makes the stage fail is
// one that the reference ignores.
func (c checker) check(w *word) bool {
	text, static := w.constant()
	switch c.typ {
	case catalog.Int, catalog.Number:
		return !static || c.number(w, text)
	case catalog.Enum:
		return !static || c.enum(w, text)
	case catalog.JSON, catalog.Schema:
		return c.json(w)
	case catalog.Predicate:
		if static {
			_, err := parse.Where(text)
			return c.literal(w, err)
		}
	case catalog.Template:
		_, err := parse.Template(filled(w.text, func(int) string { return "x" }))
		if !static && err != nil {
			err = errors.New(err.Error()) // its offset means nothing in the source
		}
		return c.literal(w, err)
	case catalog.Assignments:
		if !strings.Contains(w.prefix(), "=") || strings.HasPrefix(parse.Trim(w.prefix()), "=") {
			d := c.diags.Errorf(diag.UnexpectedWord, w.span(c.src), "%s has no use for %q", c.spec.Name, c.src.Text[w.from:w.to])
			d.Hint = "fields are written KEY=TEXT"
			return false
		}
	}
	return true
}

// bad reports a value that its type refuses. A %s in the reference's message is the value; without a message the reference
// takes no offence.
func (c checker) bad(w *word, text, rule string) *diag.Diagnostic {
	if c.message == "" {
		return c.diags.Errorf(diag.BadFlag, w.span(c.src), "%s %s", c.what, rule)
	}
	message := strings.Replace(c.message, "%s", text, 1)
	d := c.diags.Errorf(diag.BadFlag, w.span(c.src), "%s", message)
	d.Hint = "it " + rule
	c.fault(message)
	return d
}

func (c checker) enum(w *word, text string) bool {
	if slices.Contains(c.flag.Values, text) {
		return true
	}
	d := c.bad(w, text, "must be one of "+strings.Join(c.flag.Values, ", "))
	if near := catalog.Nearest(text, c.flag.Values); len(near) > 0 {
		d.Hint = "did you mean " + near[0] + "?"
	}
	return false
}

func (c checker) number(w *word, text string) bool {
	n := value.StringNumber(text)
	switch {
	case c.typ == catalog.Int && (n != math.Trunc(n) || n < 0 || n > 1<<31-1):
		c.bad(w, text, "must be a whole number, not negative")
	case c.flag.NonNegative && !(n >= 0 && !math.IsInf(n, 0)):
		c.bad(w, text, "must be a number, not negative")
	case math.IsNaN(n) || math.IsInf(n, 0):
		c.bad(w, text, "must be a number")
	default:
		return true
	}
	return false
}

// literal turns the error of a literal into a diagnostic at its place.
func (c checker) literal(w *word, err error) bool {
	if err == nil {
		return true
	}
	c.fault(err.Error())
	span := w.span(c.src)
	var at *parse.Error
	if errors.As(err, &at) {
		src := w.source(c.src)
		span = src.Span(at.Offset, len(src.Text))
	}
	d := c.diags.Errorf(diag.BadLiteral, span, "%s", err.Error())
	if name, ok := strings.CutPrefix(err.Error(), "Unknown template filter: "); ok {
		d.Hint = "there is " + strings.Join(parse.FilterNames, ", ")
		if near := catalog.Nearest(name, parse.FilterNames); len(near) > 0 && name != "" {
			d.Hint = "did you mean " + near[0] + "?"
		}
	} else if c.typ == catalog.Predicate {
		d.Hint = "write PATH OP VALUE, with one of == != < <= > >=; PATH is made of letters, digits, _ and dots"
	}
	return false
}

// json checks JSON and JSON Schema texts. Holes inside quotes stand for any text, others for any JSON.
func (c checker) json(w *word) bool {
	text, static := w.constant()
	if !static {
		text = c.probe(w)
	}
	v, err := value.ParseString(text)
	switch {
	case err != nil:
		c.badJSON(w, text, "must be valid JSON: "+err.Error(), "ask --schema must be valid JSON")
		return false
	case !static && len(w.text) == 1:
		return true // all of it is one hole
	case c.flag.Object && v.Kind() != value.ObjectKind:
		c.badJSON(w, text, "must be a JSON object", "ask --schema must decode to a JSON schema object")
		return false
	case c.flag.Array && v.Kind() != value.ArrayKind:
		c.badJSON(w, text, "must be a JSON array", "")
		return false
	case c.typ == catalog.Schema && static:
		return c.schema(w, v)
	}
	return true
}

// probe fills the holes of a JSON text, so that the rest can be checked.
func (c checker) probe(w *word) string {
	inside := catalog.InJSONString(w.text)
	if len(w.text) > 1 {
		c.holesInJSON(w, inside)
	}
	return filled(w.text, func(i int) string {
		if inside[i] {
			return "x"
		}
		return "null"
	})
}

// holesInJSON says what becomes of the first hole in a JSON text, which the reference puts in as it is.
func (c checker) holesInJSON(w *word, inside []bool) {
	for i, seg := range w.text {
		span := w.span(c.src)
		switch seg := seg.(type) {
		case ir.Text:
			continue
		case ir.ArgRef:
			span = diag.Span{Start: seg.Pos}
		case ir.StepRef:
			span = diag.Span{Start: seg.Pos}
		}
		if len(w.text) > 1 && span.Start != w.span(c.src).Start {
			span.End = span.Start
			span.End.Column += len(ir.Template{seg}.String())
		}
		d := c.diags.Warnf(diag.HoleInJSON, span, "a value is put into JSON text here")
		if d.Hint = "it must be JSON itself; inside quotes it would be escaped as text"; inside[i] {
			d.Hint = "its quotes and backslashes are escaped, so it stays one text (the reference implementation takes it as it is)"
		}
		return
	}
}

func (c checker) schema(w *word, v value.Value) bool {
	_, err := schema.Compile(v)
	if err == nil {
		return true
	}
	d := c.diags.Errorf(diag.BadSchema, w.span(c.src), "schema is invalid: %s", err.Error())
	if c.spec.Name == "ask" {
		d.Message, d.Hint = "ask response schema is invalid", err.Error()
	}
	c.fault(d.Message)
	return false
}

func (c checker) badJSON(w *word, text, rule, ask string) {
	if c.spec.Name == "ask" && ask != "" {
		c.message = ask
	}
	c.bad(w, text, rule).Code = diag.BadLiteral
}

// filled is the text of a template with its holes filled; fill gets the index of the segment.
func filled(t ir.Template, fill func(i int) string) string {
	var out strings.Builder
	for i, seg := range t {
		switch seg := seg.(type) {
		case ir.Text:
			out.WriteString(string(seg))
		case ir.ArgRef, ir.StepRef, ir.OpenRef, ir.EnvRef:
			out.WriteString(fill(i))
		default:
			panic(fmt.Sprintf("lobsterc bug: template segment %T", seg))
		}
	}
	return out.String()
}
