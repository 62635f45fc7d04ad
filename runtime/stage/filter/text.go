package filter

import (
	"strings"
	"unicode/utf8"

	"github.com/lobsterc/lobsterc/runtime/value"
)

// Strings are WTF-8: UTF-8 in which a lone surrogate stands as three bytes. JavaScript counts and cuts in UTF-16 units.

// isASCII tells whether every byte of s is one UTF-16 unit.
func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// next gives the size of the first character of s in bytes and in UTF-16 units.
func next(s string) (size, units int) {
	switch c := s[0]; {
	case c < 0x80:
		return 1, 1
	case c >= 0xF0 && len(s) >= 4:
		return 4, 2
	case c >= 0xE0 && len(s) >= 3:
		return 3, 1
	case c >= 0xC0 && len(s) >= 2:
		return 2, 1
	}
	return 1, 1
}

// len16 is the length of s in UTF-16 units.
func len16(s string) int {
	n := 0
	for len(s) > 0 {
		size, units := next(s)
		n += units
		s = s[size:]
	}
	return n
}

// slice16 gives the UTF-16 units from start up to end. A pair that is cut leaves a lone surrogate.
func slice16(s string, start, end int) string {
	if isASCII(s) {
		return s[min(start, len(s)):min(end, len(s))]
	}
	var b strings.Builder
	for at := 0; len(s) > 0 && at < end; {
		size, units := next(s)
		switch {
		case at >= start && at+units <= end:
			b.WriteString(s[:size])
		case units == 2:
			high, low := surrogates(s[:size])
			if at >= start {
				b.WriteString(high)
			} else if at+1 >= start && at+2 <= end {
				b.WriteString(low)
			}
		}
		at += units
		s = s[size:]
	}
	return b.String()
}

// surrogates gives both halves of a four-byte character, each as WTF-8.
func surrogates(s string) (high, low string) {
	r, _ := utf8.DecodeRuneInString(s)
	r -= 0x10000
	return wtf8(0xD800 + r>>10), wtf8(0xDC00 + r&0x3FF)
}

// wtf8 encodes a surrogate.
func wtf8(r rune) string {
	return string([]byte{0xE0 | byte(r>>12), 0x80 | byte(r>>6)&0x3F, 0x80 | byte(r)&0x3F})
}

// units gives every UTF-16 unit of s as a string of its own.
func units(s string) []value.Value {
	items := make([]value.Value, 0, len(s))
	for len(s) > 0 {
		size, n := next(s)
		if n == 2 {
			high, low := surrogates(s[:size])
			items = append(items, value.String(high), value.String(low))
		} else {
			items = append(items, value.String(s[:size]))
		}
		s = s[size:]
	}
	return items
}

// trim cuts what JavaScript's trim cuts.
func trim(s string) string {
	return strings.TrimFunc(s, func(r rune) bool {
		switch {
		case r >= '\t' && r <= '\r', r == ' ', r == 0xA0, r == 0x1680, r >= 0x2000 && r <= 0x200A,
			r == 0x2028, r == 0x2029, r == 0x202F, r == 0x205F, r == 0x3000, r == 0xFEFF:
			return true
		}
		return false
	})
}
