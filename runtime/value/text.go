package value

import (
	"math/bits"
	"unicode/utf8"
)

// Text is what a template shows: a string as it is, nothing for null and absent, numbers and booleans as JavaScript
// prints them, arrays and objects as compact JSON.
func (v Value) Text() string {
	switch v.Kind() {
	case Absent, NullKind:
		return ""
	case ArrayKind, ObjectKind:
		return v.JSON()
	}
	return v.JSString()
}

// JSString is JavaScript's String(v): arrays are joined by commas, objects are "[object Object]".
func (v Value) JSString() string {
	switch v.Kind() {
	case Absent:
		return "undefined"
	case StringKind:
		return v.Str()
	case ObjectKind:
		return "[object Object]"
	case ArrayKind:
		return string(v.full().appendJoined(nil, ","))
	case NumberKind:
		if v.isDouble() {
			return NumberText(v.Float())
		}
		return v.bytes()
	}
	return v.JSON()
}

// Join is JavaScript's Array.prototype.join: the items' JSString, nothing for null and absent ones.
func (v Value) Join(sep string) string { return string(v.appendJoined(nil, sep)) }

func (v Value) appendJoined(dst []byte, sep string) []byte {
	for i, x := range v.Items() {
		if i > 0 {
			dst = append(dst, sep...)
		}
		switch {
		case x.IsNullish():
		case x.Kind() == ArrayKind:
			dst = x.appendJoined(dst, ",")
		default:
			dst = append(dst, x.JSString()...)
		}
	}
	return dst
}

// TrimSpace is JavaScript's trim: white space and line ends, the byte order mark and Unicode's spaces included.
func TrimSpace(s string) string { return TrimSpaceEnd(TrimSpaceStart(s)) }

// TrimSpaceStart is JavaScript's trimStart.
func TrimSpaceStart(s string) string {
	for s != "" {
		r, n := utf8.DecodeRuneInString(s)
		if !isJSSpace(r) {
			break
		}
		s = s[n:]
	}
	return s
}

// TrimSpaceEnd is JavaScript's trimEnd.
func TrimSpaceEnd(s string) string {
	for s != "" {
		r, n := utf8.DecodeLastRuneInString(s)
		if !isJSSpace(r) {
			break
		}
		s = s[:len(s)-n]
	}
	return s
}

func isJSSpace(r rune) bool {
	switch r {
	case '\t', '\n', '\v', '\f', '\r', ' ', 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF:
		return true
	}
	return 0x2000 <= r && r <= 0x200A
}

// surrogate reads a WTF-8 surrogate at the start of s: three bytes, ED A0 80 to ED BF BF.
func surrogate(s string) (unit uint16, ok bool) {
	if len(s) < 3 || s[0] != 0xED || s[1] < 0xA0 || s[1] > 0xBF || s[2]&0xC0 != 0x80 {
		return 0, false
	}
	return 0xD000 | uint16(s[1]&0x3F)<<6 | uint16(s[2]&0x3F), true
}

func appendSurrogate(dst []byte, unit uint16) []byte {
	return append(dst, 0xED, 0x80|byte(unit>>6&0x3F), 0x80|byte(unit&0x3F))
}

// decodeUnit reads the next character of s: its code point (a lone surrogate is one of its own) and its length. A pair
// of surrogates that are written apart, as joining two strings can leave them, is one character.
func decodeUnit(s string) (r rune, n int) {
	if s[0] < utf8.RuneSelf {
		return rune(s[0]), 1
	}
	if hi, ok := surrogate(s); ok {
		if hi < 0xDC00 {
			if lo, ok := surrogate(s[3:]); ok && lo >= 0xDC00 {
				return 0x10000 + rune(hi-0xD800)<<10 + rune(lo-0xDC00), 6
			}
		}
		return rune(hi), 3
	}
	return utf8.DecodeRuneInString(s)
}

// LenUTF16 is JavaScript's length of a string: a unit for each character, two for those of four bytes.
func LenUTF16(s string) int {
	n, i := len(s), 0
	for ; i+32 <= len(s); i += 32 {
		b := s[i : i+32]
		if (load8(b, 0)|load8(b, 8)|load8(b, 16)|load8(b, 24))&high80 == 0 {
			continue
		}
		for k := 0; k < 32; k += 8 {
			w := load8(b, k)
			n -= bits.OnesCount64(w & ^(w << 1) & high80) // 10xxxxxx
			if four := w & (w << 1) & (w << 2) & (w << 3) & high80; four != 0 {
				n += bits.OnesCount64(four)
			}
		}
	}
	for ; i < len(s); i++ {
		if s[i]&0xC0 == 0x80 {
			n--
		} else if s[i] >= 0xF0 {
			n++
		}
	}
	return n
}

// SliceUTF16 is JavaScript's s.slice(from, to) for from and to not below 0, counted in UTF-16 units. Half of a pair is a lone surrogate.
func SliceUTF16(s string, from, to int) string {
	if from >= to {
		return ""
	}
	pos, start := 0, -1
	var head []byte // the second half of a pair that from cuts through
	for i := 0; i < len(s); {
		if pos == from && start < 0 {
			start = i
		}
		if pos >= to {
			return string(head) + s[max(start, 0):i]
		}
		r, w := decodeUnit(s[i:])
		if r > 0xFFFF {
			if pos+1 == from {
				head, start = appendSurrogate(nil, uint16(0xDC00+(r-0x10000)&0x3FF)), i+w
			}
			if pos+1 == to && start >= 0 {
				return string(head) + string(appendSurrogate([]byte(s[start:i]), uint16(0xD800+(r-0x10000)>>10)))
			}
			pos++
		}
		pos++
		i += w
	}
	if start < 0 {
		return ""
	}
	return string(head) + s[start:]
}

// unitAt is the string of the one UTF-16 unit at i, or Absent.
func unitAt(s string, i int) Value {
	if u := SliceUTF16(s, i, i+1); u != "" {
		return String(u)
	}
	return Value{}
}

// ToUTF8 is s as Node writes it: every lone surrogate and every malformed byte sequence becomes U+FFFD.
func ToUTF8(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	dst := make([]byte, 0, len(s)+8)
	for i := 0; i < len(s); {
		if unit, ok := surrogate(s[i:]); ok {
			r, n := decodeUnit(s[i:])
			if n == 3 {
				_, r = unit, utf8.RuneError
			}
			dst = utf8.AppendRune(dst, r)
			i += n
			continue
		}
		n := malformed(s[i:])
		if n > 0 {
			dst = utf8.AppendRune(dst, utf8.RuneError)
			i += n
			continue
		}
		_, n = utf8.DecodeRuneInString(s[i:])
		dst = append(dst, s[i:i+n]...)
		i += n
	}
	return string(dst)
}

// malformed is the length of the malformed UTF-8 at the start of s that a decoder (Node's, WHATWG's) replaces by one
// U+FFFD, or 0 when s starts well: the longest start of some well-formed character, at least one byte.
func malformed[T string | []byte](s T) int {
	c := s[0]
	if c < utf8.RuneSelf {
		return 0
	}
	lo, hi, need := byte(0x80), byte(0xBF), 0
	switch {
	case 0xC2 <= c && c <= 0xDF:
		need = 1
	case 0xE0 <= c && c <= 0xEF:
		need = 2
		if c == 0xE0 {
			lo = 0xA0
		} else if c == 0xED {
			hi = 0x9F
		}
	case 0xF0 <= c && c <= 0xF4:
		need = 3
		if c == 0xF0 {
			lo = 0x90
		} else if c == 0xF4 {
			hi = 0x8F
		}
	default:
		return 1
	}
	for n := 1; n <= need; n++ {
		if n >= len(s) || s[n] < lo || s[n] > hi {
			return n
		}
		lo, hi = 0x80, 0xBF
	}
	return 0
}
