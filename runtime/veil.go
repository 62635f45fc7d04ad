package runtime

import (
	"strings"

	"github.com/lobsterc/lobsterc/runtime/drive"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// veil keeps the values of secret arguments out of what is written to disk, also where a step has printed them: each stands there as
// a mark with the argument's name. Whoever resumes the run gives the values again, and they take the place of the marks.
type veil []struct{ text, mark string }

// newVeil makes the veil of a run, which is empty when there is nothing to hide. Values shorter than those that are masked would hide
// half of what is written.
func newVeil(declared []Arg, args value.Value) veil {
	var v veil
	add := func(text, mark string) { v = append(v, struct{ text, mark string }{text, mark}) }
	for i := range declared {
		a := &declared[i]
		if !a.Secret {
			continue
		}
		text := drive.ArgText(args.Get(a.Name))
		if len(text) < minSecret {
			continue
		}
		add(text, "\x00secret "+a.Name+"\x00")
		// Within a text that is JSON itself the value may stand with escapes.
		if quoted := value.String(text).JSON(); quoted != `"`+text+`"` {
			add(quoted[1:len(quoted)-1], "\x00quoted "+a.Name+"\x00")
		}
	}
	// A value may be part of another one: the longest goes first.
	for i := range v {
		for j := i; j > 0 && len(v[j].text) > len(v[j-1].text); j-- {
			v[j], v[j-1] = v[j-1], v[j]
		}
	}
	return v
}

// hide puts marks in the place of secret values, for the disk.
func (v veil) hide(x value.Value) value.Value {
	return v.each(x, func(s string) string {
		for _, p := range v {
			s = strings.ReplaceAll(s, p.text, p.mark)
		}
		return s
	})
}

// show is the way back.
func (v veil) show(x value.Value) value.Value {
	return v.each(x, func(s string) string {
		for _, p := range v {
			s = strings.ReplaceAll(s, p.mark, p.text)
		}
		return s
	})
}

// each changes all texts in x.
func (v veil) each(x value.Value, f func(string) string) value.Value {
	if len(v) == 0 {
		return x
	}
	switch x.Kind() {
	case value.StringKind:
		return value.String(f(x.Str()))
	case value.ArrayKind:
		items := make([]value.Value, x.Len())
		for i := range items {
			items[i] = v.each(x.At(i), f)
		}
		return value.Array(items...)
	case value.ObjectKind:
		var members []value.Member
		for k, m := range x.Members() {
			members = append(members, value.M(f(k), v.each(m, f)))
		}
		return value.Object(members...)
	}
	return x
}
