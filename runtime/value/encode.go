package value

import (
	"slices"
	"unicode/utf8"
	"unsafe"
)

// JSON is JSON.stringify(v). Absent, which JSON.stringify leaves out, is null here.
//
//go:noinline
func (v Value) JSON() string { return bytesString(v.AppendJSON(nil)) }

// bytesString makes a string of bytes that nobody else holds.
func bytesString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// AppendJSON appends JSON.stringify(v).
func (v Value) AppendJSON(dst []byte) []byte {
	switch v.Kind() {
	case ArrayKind:
		if v.is(repRawArray) {
			return v.appendRaw(dst)
		}
		dst = append(slices.Grow(dst, roomFor(v.Items())), '[')
		for i, x := range v.Items() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = x.AppendJSON(dst)
		}
		return append(dst, ']')
	case ObjectKind:
		if v.is(repRawObject) {
			return v.appendRaw(dst)
		}
		dst = append(dst, '{')
		start := len(dst)
		for _, m := range v.MemberList() {
			if m.Value.IsAbsent() {
				continue
			}
			if len(dst) > start {
				dst = append(dst, ',')
			}
			dst = AppendQuoted(dst, m.Key)
			dst = append(dst, ':')
			dst = m.Value.AppendJSON(dst)
		}
		return append(dst, '}')
	}
	return v.appendScalar(dst)
}

// roomFor guesses how long an array with these items gets, from what costs nothing to know.
func roomFor(items []Value) int {
	n := 2
	for _, x := range items {
		n += 2
		if x.isRaw() || x.is(repString) {
			n += x.size()
		}
	}
	return n
}

func (v Value) appendScalar(dst []byte) []byte {
	switch v.Kind() {
	case BoolKind:
		if v.Bool() {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	case NumberKind:
		if !v.isDouble() {
			return append(dst, v.bytes()...)
		}
		if f := v.Float(); f-f == 0 {
			return AppendNumber(dst, f)
		}
	case StringKind:
		return AppendQuoted(dst, v.Str())
	}
	return append(dst, "null"...) // null, absent, NaN, infinities
}

// Indent is JSON.stringify(v, null, 2).
func (v Value) Indent() string { return bytesString(v.AppendIndent(nil, "  ")) }

// AppendIndent appends JSON.stringify(v, null, indent).
//
//go:noinline
func (v Value) AppendIndent(dst []byte, indent string) []byte {
	return v.AppendIndentAt(dst, indent, 0)
}

// AppendIndentAt is AppendIndent for a value that stands inside depth others: its inner lines are indented that much more. Compact text is
// what it starts from, also of values that were never text: one printer does for both.
func (v Value) AppendIndentAt(dst []byte, indent string, depth int) []byte {
	if indent == "" {
		return v.AppendJSON(dst)
	}
	if v.isRaw() && v.rawFlags()&flagOrder == 0 {
		return appendIndented(dst, v.bytes(), indent, depth)
	}
	return appendIndented(dst, v.JSON(), indent, depth)
}

const spaces = "\n                                                                "

// appendLine begins a new line.
//
//go:noinline
func appendLine(dst []byte, comma bool, indent string, depth int) []byte {
	if comma {
		dst = append(dst, ',')
	}
	if n := 1 + 2*depth; indent == "  " && n <= len(spaces) {
		return append(dst, spaces[:n]...)
	}
	dst = append(dst, '\n')
	for range depth {
		dst = append(dst, indent...)
	}
	return dst
}

// SortedJSON is compact JSON with the keys of every object sorted by UTF-16 units (integer-like keys still come first, as
// JavaScript has them).
func (v Value) SortedJSON() string { return v.Sorted().JSON() }

// Sorted is v with the keys of every object sorted by UTF-16 units (under JavaScript's key rule).
func (v Value) Sorted() Value {
	switch v.Kind() {
	case ArrayKind:
		items := slices.Clone(v.full().Items())
		for i := range items {
			items[i] = items[i].Sorted()
		}
		return Array(items...)
	case ObjectKind:
		members := slices.Clone(v.full().MemberList())
		for i := range members {
			members[i].Value = members[i].Value.Sorted()
		}
		SortStable(members, func(a, b *Member) bool { return CompareUTF16(a.Key, b.Key) < 0 })
		return ObjectOwned(members)
	}
	return v
}

const hexDigits = "0123456789abcdef"

// plainByte marks bytes that JSON strings hold as they are: all but controls, the quote, the backslash, and those above
// ASCII, which need a look.
var plainByte = func() (t [256]bool) {
	for c := 0x20; c < 0x80; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

// AppendQuoted appends JSON.stringify(s).
func AppendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if plainByte[c] {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			n := malformed(s[i:])
			if n == 0 {
				_, n = utf8.DecodeRuneInString(s[i:])
				i += n
				continue
			}
			dst = append(dst, s[start:i]...)
			if r, w := decodeUnit(s[i:]); w == 6 {
				dst, n = utf8.AppendRune(dst, r), w
			} else if w == 3 {
				dst, n = appendEscape(dst, uint16(r)), w
			} else {
				dst = utf8.AppendRune(dst, utf8.RuneError)
			}
			i += n
			start = i
			continue
		}
		dst = append(dst, s[start:i]...)
		dst = appendControl(dst, c)
		i++
		start = i
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

func appendEscape(dst []byte, u uint16) []byte {
	return append(dst, '\\', 'u', hexDigits[u>>12], hexDigits[u>>8&15], hexDigits[u>>4&15], hexDigits[u&15])
}

// appendControl appends the escape of a control character, quote or backslash.
func appendControl(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, '\\', 'b')
	case '\t':
		return append(dst, '\\', 't')
	case '\n':
		return append(dst, '\\', 'n')
	case '\f':
		return append(dst, '\\', 'f')
	case '\r':
		return append(dst, '\\', 'r')
	}
	return appendEscape(dst, uint16(c))
}
