// Package late reads the texts of stages that are not known before the program runs, because they hold arguments or results, and
// templates that lie in files. Generated code makes one Values for a pipeline and asks it for each such option; programs whose texts
// are all known do not link it. The reading itself is runtime/stage/parse's, which the compiler uses too.
//
//	var late late.Values
//	late.Stage(stage.Head(stage.HeadOptions{N: late.Number("head --n", "", run.Arg("n"))}))
//
// A text that cannot be read makes its stage fail when it starts, with the reference's message.
package late

import (
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/stage"
	"github.com/lobsterc/lobsterc/runtime/stage/parse"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// Values collects the first fault of the options of one stage. The zero value is ready.
type Values struct{ err error }

// Stage gives s, or when one of its options could not be read a stage that fails in its place. The options of a stage are
// evaluated before it, so the fault is its own.
func (l *Values) Stage(s flow.Stage) flow.Stage {
	if l.err == nil {
		return s
	}
	err := l.err
	l.err = nil
	failing := stage.Failing(s.Name, err)
	failing.Raw, failing.Args = s.Raw, s.Args
	return failing
}

func (l *Values) fail(err error) {
	if l.err == nil {
		l.err = err
	}
}

// bad reports a value. A %s in the reference's message is the value; without a message, label and rule make one.
func (l *Values) bad(label, message, text, rule string) {
	if message == "" {
		message = label + " " + rule + " (got " + text + ")"
	}
	l.fail(errors.New(strings.Replace(message, "%s", text, 1)))
}

// Bool reads a switch: false, 0, no, off and nothing are off, anything else is on.
func (l *Values) Bool(text string) bool {
	switch strings.ToLower(parse.Trim(text)) {
	case "", "false", "0", "no", "off":
		return false
	}
	return true
}

// Number reads a number as JavaScript's Number does.
func (l *Values) Number(label, message, text string) float64 {
	n := value.StringNumber(text)
	if math.IsNaN(n) || math.IsInf(n, 0) {
		l.bad(label, message, text, "must be a number")
	}
	return n
}

// NumberPtr reads a number that may be missing: nothing gives nil.
func (l *Values) NumberPtr(label, message, text string) *float64 {
	if parse.Trim(text) == "" {
		return nil
	}
	n := l.Number(label, message, text)
	return &n
}

// Int reads a whole number that is not negative.
func (l *Values) Int(label, message, text string) int {
	n := value.StringNumber(text)
	if n != math.Trunc(n) || n < 0 || n > 1<<31-1 {
		l.bad(label, message, text, "must be a whole number, not negative")
		return 0
	}
	return int(n)
}

// IntPtr reads a whole number that may be missing: nothing gives nil.
func (l *Values) IntPtr(label, message, text string) *int {
	if parse.Trim(text) == "" {
		return nil
	}
	n := l.Int(label, message, text)
	return &n
}

// Enum reads one of some words.
func (l *Values) Enum(label, message, text string, words ...string) string {
	if !slices.Contains(words, text) {
		l.bad(label, message, text, "must be one of "+strings.Join(words, ", "))
	}
	return text
}

// JSON reads a JSON text. Nothing gives Absent.
func (l *Values) JSON(label, message, text string) value.Value {
	if text == "" {
		return value.Value{}
	}
	v, err := value.ParseString(text)
	if err != nil {
		l.bad(label, message, text, "must be valid JSON")
	}
	return v
}

// Quoted escapes text for a place inside a JSON string.
func Quoted(text string) string {
	quoted := value.String(text).JSON()
	return quoted[1 : len(quoted)-1]
}

// Schema reads a JSON Schema; compile makes it. Nothing gives nil.
func (l *Values) Schema(label, message, text string, compile func(value.Value) flow.Schema) flow.Schema {
	if text == "" {
		return nil
	}
	v := l.JSON(label, message, text)
	if v.Kind() != value.ObjectKind {
		l.bad(label, message, text, "must be a JSON schema object")
		return nil
	}
	return compile(v)
}

// Path reads a path. No keys mean the whole item, and no text no path.
func (l *Values) Path(text string) stage.Path {
	if text == "" {
		return nil
	}
	return append(stage.Path{}, parse.Path(text)...)
}

// Names reads names joined by commas.
func (l *Values) Names(text string) []string {
	if text == "" {
		l.fail(errors.New("pick requires a comma-separated field list"))
	}
	return parse.Names(text)
}

// Predicate reads a comparison.
func (l *Values) Predicate(label, message, text string) stage.Predicate {
	if text == "" {
		l.fail(errors.New("where requires an expression (e.g. field=value)"))
		return nil
	}
	c, err := parse.Where(text)
	if err != nil {
		l.fail(err)
		return nil
	}
	return stage.Compare(c.Path, c.Op, c.Value)
}

// Template reads text with {{path | filter}}.
func (l *Values) Template(label, message, text string) stage.Text {
	if text == "" {
		l.fail(errors.New("template requires --text or --file (or positional text)"))
	}
	t, err := templateText(text)
	if err != nil {
		l.fail(err)
	}
	return t
}

// Words splits text into words by the rules of pipelines.
func (l *Values) Words(text string) []string {
	words, err := parse.Words(text)
	if err != nil {
		l.fail(err)
	}
	return words
}

// Assign reads key=text.
func (l *Values) Assign(word string) stage.Assign {
	a, err := parse.Assignment(word)
	if err != nil {
		l.fail(err)
	}
	return stage.Assign{Key: a.Key, Text: plainText(a.Text)}
}
