// Package filter has the filters of templates ({{path | upper | truncate 20}}): one constructor each, which takes the filter's
// arguments and gives a function from value to value. A program links the filters that it names. See spec part 2, section 4
// (template), and part 7, 27.
package filter

import (
	"strings"
	"unicode/utf8"

	"github.com/lobsterc/lobsterc/runtime/value"
)

// Func is a filter whose arguments are known.
type Func = func(value.Value) value.Value

// text is the value as most filters see it: null and absent are empty, everything else is JavaScript's String.
func text(v value.Value) string {
	if v.IsNullish() {
		return ""
	}
	return v.JSString()
}

// Upper makes upper case, as JavaScript's toUpperCase.
func Upper() Func {
	return func(v value.Value) value.Value { return value.String(upper(text(v))) }
}

// Lower makes lower case, as JavaScript's toLowerCase.
func Lower() Func {
	return func(v value.Value) value.Value { return value.String(lower(text(v))) }
}

// Trim cuts white space at both ends.
func Trim() Func {
	return func(v value.Value) value.Value { return value.String(value.TrimSpace(text(v))) }
}

// Truncate cuts text that is longer than n UTF-16 units and appends "..."; a negative n counts from the end, as in
// JavaScript's slice.
func Truncate(n int) Func {
	return func(v value.Value) value.Value {
		s := text(v)
		size := value.LenUTF16(s)
		if size <= n {
			return value.String(s)
		}
		end := n
		if n < 0 {
			end = max(0, size+n)
		}
		return value.String(value.SliceUTF16(s, 0, end) + "...")
	}
}

// Replace replaces every occurrence of old. In replacement, $$, $&, $` and $' mean what they do in JavaScript.
func Replace(old, replacement string) Func {
	return func(v value.Value) value.Value { return value.String(replaceAll(text(v), old, replacement)) }
}

// Split gives the array of the parts between the separators; an empty one splits into UTF-16 units.
func Split(sep string) Func {
	return func(v value.Value) value.Value {
		s := text(v)
		if sep == "" {
			return units(s)
		}
		return value.Strings(strings.Split(s, sep)...)
	}
}

// First gives the first element of an array and everything else as it is.
func First() Func {
	return func(v value.Value) value.Value {
		if v.Kind() != value.ArrayKind {
			return v
		}
		if v.Len() == 0 {
			return value.Value{}
		}
		return v.At(0)
	}
}

// Last gives the last element of an array and everything else as it is.
func Last() Func {
	return func(v value.Value) value.Value {
		if v.Kind() != value.ArrayKind {
			return v
		}
		if v.Len() == 0 {
			return value.Value{}
		}
		return v.At(v.Len() - 1)
	}
}

// Length is the number of elements of an array or of UTF-16 units of a string, and 0 for everything else.
func Length() Func {
	return func(v value.Value) value.Value {
		switch v.Kind() {
		case value.ArrayKind:
			return value.Int(int64(v.Len()))
		case value.StringKind:
			return value.Int(int64(value.LenUTF16(v.Str())))
		}
		return value.Int(0)
	}
}

// Join joins the elements of an array; of anything else it gives the text.
func Join(sep string) Func {
	return func(v value.Value) value.Value {
		if v.Kind() != value.ArrayKind {
			return value.String(text(v))
		}
		return value.String(v.Join(sep))
	}
}

// JSON gives JSON text with two spaces.
func JSON() Func {
	return func(v value.Value) value.Value {
		if v.IsAbsent() {
			return value.Value{}
		}
		return value.String(v.Indent())
	}
}

// String gives JavaScript's String; null and absent are empty.
func String() Func {
	return func(v value.Value) value.Value { return value.String(text(v)) }
}

// Default gives fallback for null, absent and the empty string.
func Default(fallback string) Func {
	return func(v value.Value) value.Value {
		if v.IsNullish() || v.Kind() == value.StringKind && v.Str() == "" {
			return value.String(fallback)
		}
		return v
	}
}

// units is the array of the UTF-16 units of s.
func units(s string) value.Value {
	n := value.LenUTF16(s)
	items := make([]value.Value, n)
	if n == len(s) {
		for i := range items {
			items[i] = value.String(s[i : i+1])
		}
		return value.Array(items...)
	}
	at := 0
	for i, r := range s {
		// A character beyond U+FFFF is two units. The bytes of a lone surrogate come one by one and are no characters.
		switch size := utf8.RuneLen(r); {
		case size == 4:
			pair := s[i : i+4]
			items[at] = value.String(value.SliceUTF16(pair, 0, 1))
			items[at+1] = value.String(value.SliceUTF16(pair, 1, 2))
			at += 2
		case s[i] >= 0x80 && s[i] < 0xC0:
		default:
			items[at] = value.String(s[i:min(len(s), i+unitSize(s[i]))])
			at++
		}
	}
	return value.Array(items[:at]...)
}

// unitSize is how many bytes a character that begins with c takes.
func unitSize(c byte) int {
	switch {
	case c < 0xC0:
		return 1
	case c < 0xE0:
		return 2
	}
	return 3
}

// replaceAll is JavaScript's replaceAll with a text as pattern.
func replaceAll(s, old, replacement string) string {
	switch {
	case old == "":
		return replaceNothing(s, replacement)
	case !strings.Contains(replacement, "$"):
		return strings.ReplaceAll(s, old, replacement)
	}
	var b strings.Builder
	from := 0
	for {
		at := strings.Index(s[from:], old)
		if at < 0 {
			break
		}
		at += from
		b.WriteString(s[from:at])
		from = at + len(old)
		expand(&b, replacement, s[:at], old, s[from:])
	}
	b.WriteString(s[from:])
	return b.String()
}

// replaceNothing is replaceAll of the empty text, which stands around every UTF-16 unit.
func replaceNothing(s, replacement string) string {
	if replacement == "" {
		return s
	}
	var b strings.Builder
	around := strings.Contains(replacement, "$") // it may ask for what stands around
	n := value.LenUTF16(s)
	for i, unit := range units(s).Items() {
		if around {
			expand(&b, replacement, value.SliceUTF16(s, 0, i), "", value.SliceUTF16(s, i, n))
		} else {
			b.WriteString(replacement)
		}
		b.WriteString(unit.Str())
	}
	expand(&b, replacement, s, "", "")
	return b.String()
}

// expand writes the replacement of match, which stands between before and after.
func expand(b *strings.Builder, replacement, before, match, after string) {
	for i := 0; i < len(replacement); i++ {
		if replacement[i] != '$' || i+1 == len(replacement) {
			b.WriteByte(replacement[i])
			continue
		}
		i++
		switch replacement[i] {
		case '$':
			b.WriteByte('$')
		case '&':
			b.WriteString(match)
		case '`':
			b.WriteString(before)
		case '\'':
			b.WriteString(after)
		default:
			b.WriteByte('$')
			i--
		}
	}
}
