package ir

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/lobsterc/lobsterc/ir/diag"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// Limits of numbers in IR.
const (
	maxMS   = math.MaxInt32
	maxSafe = 1<<53 - 1
)

var argTypes = []string{"string", "number", "integer", "boolean", "array", "object"}

// template reads an optional template; nil when it is not there.
func (d *decoder) template(o *object, key string) Template {
	v := o.get(key)
	switch v.Kind() {
	case value.Absent:
		return nil
	case value.StringKind:
		return Template{Text(v.Str())}.Normal()
	case value.ArrayKind:
		t := Template{}
		for i, item := range v.Items() {
			t = append(t, d.segment(fmt.Sprintf("%s[%d]", o.at(key), i), item))
		}
		return t.Normal()
	}
	d.fail(o.at(key), "must be a string or a list of segments")
	return nil
}

func (d *decoder) mustTemplate(o *object, key string) Template {
	t := d.template(o, key)
	if t == nil {
		d.fail(o.at(key), "is missing")
	}
	return t
}

func (d *decoder) segment(path string, v value.Value) Segment {
	if v.Kind() == value.StringKind {
		return Text(v.Str())
	}
	o := d.object(path, v)
	defer o.done()
	switch {
	case !o.get("arg").IsAbsent():
		return ArgRef{Name: o.mustText("arg"), Pos: o.pos()}
	case !o.get("ref").IsAbsent():
		r := d.ref(o.at("ref"), o.get("ref"))
		r.Pos = o.pos()
		return r
	case !o.get("open").IsAbsent():
		return OpenRef{ID: o.mustText("open"), Text: d.mustTemplate(o, "text"), Pos: o.pos()}
	case !o.get("env").IsAbsent():
		name := o.mustText("env")
		return EnvRef{Name: name, Raw: o.textOr("raw", "$"+name), Pos: o.pos()}
	}
	d.fail(path, "must be a text or have arg, ref, open or env")
	return Text("")
}

// ref reads "id.path".
func (d *decoder) ref(path string, v value.Value) StepRef {
	parts := strings.Split(d.string(path, v), ".")
	if len(parts) < 2 || slices.Contains(parts, "") {
		d.fail(path, "must be a reference such as fetch.json.title")
	}
	return StepRef{ID: parts[0], Path: parts[1:]}
}

var compareOps = []string{"==", "!=", "<", "<=", ">", ">="}

func (d *decoder) expr(path string, v value.Value) Expr {
	o := d.object(path, v)
	defer o.done()
	pos := o.pos()
	if lit := o.get("lit"); !lit.IsAbsent() {
		return &Lit{Value: decodeLiteral(lit), Pos: pos}
	}
	if ref := o.get("ref"); !ref.IsAbsent() {
		r := d.ref(o.at("ref"), ref)
		r.Pos = pos
		return &RefExpr{Ref: r}
	}
	if x := o.get("not"); !x.IsAbsent() {
		return &Not{X: d.expr(o.at("not"), x), Pos: pos}
	}
	for _, op := range append([]string{"and", "or"}, compareOps...) {
		pair := o.get(op)
		if pair.IsAbsent() {
			continue
		}
		if pair.Kind() != value.ArrayKind || pair.Len() != 2 {
			d.fail(o.at(op), "must be a list of two conditions")
			break
		}
		x, y := d.expr(o.at(op)+"[0]", pair.At(0)), d.expr(o.at(op)+"[1]", pair.At(1))
		if op == "and" || op == "or" {
			return &Logic{Or: op == "or", X: x, Y: y, Pos: pos}
		}
		return &Compare{Op: op, X: x, Y: y, Pos: pos}
	}
	d.fail(path, "must be a condition: lit, ref, not, and, or, or a comparison")
	return &Lit{Value: value.Null}
}

func (d *decoder) string(path string, v value.Value) string {
	if v.Kind() != value.StringKind {
		d.fail(path, "must be a string")
	}
	return v.Str()
}

// object reads one object's members and remembers which were asked for; done reports the others.
type object struct {
	d    *decoder
	path string
	v    value.Value
	used []string
}

func (d *decoder) object(path string, v value.Value) *object {
	if v.Kind() != value.ObjectKind {
		d.fail(path, "must be an object")
		v = value.Object()
	}
	return &object{d: d, path: path, v: v}
}

func (o *object) at(key string) string {
	if o.path == "" {
		return key
	}
	return o.path + "." + key
}

func (o *object) get(key string) value.Value {
	o.used = append(o.used, key)
	return o.v.Get(key)
}

// sub is an optional object.
func (o *object) sub(key string) *object {
	v := o.get(key)
	if v.IsAbsent() {
		return nil
	}
	return o.d.object(o.at(key), v)
}

func (o *object) text(key string) string { return o.textOr(key, "") }

func (o *object) textOr(key, def string) string {
	v := o.get(key)
	if v.IsAbsent() {
		return def
	}
	return o.d.string(o.at(key), v)
}

// name is a required text that may be empty, mustText one that may not.
func (o *object) name(key string) string { return o.d.string(o.at(key), o.get(key)) }

func (o *object) mustText(key string) string {
	s := o.name(key)
	if s == "" {
		o.d.fail(o.at(key), "must not be empty")
	}
	return s
}

// oneOf is an optional text from a list; the default has no name.
func (o *object) oneOf(key string, names ...string) string {
	v := o.get(key)
	if v.IsAbsent() {
		return ""
	}
	if v.Kind() != value.StringKind || !slices.Contains(names, v.Str()) {
		o.d.fail(o.at(key), "must be one of: %s", strings.Join(names, ", "))
	}
	return v.Str()
}

func (o *object) flag(key string) bool {
	v := o.get(key)
	if !v.IsAbsent() && v.Kind() != value.BoolKind {
		o.d.fail(o.at(key), "must be true or false")
	}
	return v.Bool()
}

func (o *object) number(key string) float64 {
	v := o.get(key)
	if v.Kind() != value.NumberKind {
		o.d.fail(o.at(key), "must be a number")
		return 0
	}
	return v.Float()
}

func (o *object) int(key string, def, low, high int64) int64 {
	v := o.get(key)
	if v.IsAbsent() {
		return def
	}
	f := v.Float()
	if v.Kind() != value.NumberKind || f != math.Trunc(f) || f < float64(low) || f > float64(high) {
		o.d.fail(o.at(key), "must be an integer from %d to %d", low, high)
		return def
	}
	return int64(f)
}

// pos reads the optional position.
func (o *object) pos() diag.Pos {
	text := o.text("pos")
	if text == "" {
		return diag.Pos{}
	}
	return o.d.position(o.at("pos"), text)
}

// list ranges over an optional list with the path of each item.
func (o *object) list(key string) iter.Seq2[string, value.Value] {
	v := o.get(key)
	if !v.IsAbsent() && v.Kind() != value.ArrayKind {
		o.d.fail(o.at(key), "must be a list")
	}
	return func(yield func(string, value.Value) bool) {
		for i := range v.Len() {
			if v.Kind() != value.ArrayKind || !yield(fmt.Sprintf("%s[%d]", o.at(key), i), v.At(i)) {
				return
			}
		}
	}
}

// done reports members that nobody asked for.
func (o *object) done() {
	for key := range o.v.Members() {
		if !slices.Contains(o.used, key) {
			o.d.fail(o.at(key), "unknown key")
		}
	}
}
