package value

import (
	"math/bits"
	"unicode/utf8"
)

// str scans a string value.
func (s *scanner) str(t string, i int) (int, status) {
	i++
	if i+8 <= len(t) {
		w := load8(t, i)
		if m := special(w); m != 0 && wideBefore(w, m) == 0 {
			if end := i + bits.TrailingZeros64(m)>>3; t[end] == '"' {
				s.state = wantMore
				return end + 1, scanDone
			}
		}
	}
	s.state, s.start, s.wide, s.odd = inString, i, false, false
	return s.stringEnd(t, i)
}

// key scans a key, and the colon when that comes next.
func (s *scanner) key(t string, i int) (int, status) {
	i++
	if s.depth <= maxKeyDepth {
		if n := s.keys[s.depth-1].expected(t, i); n > 0 {
			s.state = wantValue
			return i + n, scanDone
		}
	}
	if i+10 <= len(t) {
		w := load8(t, i)
		if m := special(w); m != 0 && wideBefore(w, m) == 0 {
			if n := bits.TrailingZeros64(m) >> 3; t[i+n] == '"' {
				s.addKey(shortSignature(w, n), t, i, i+n, false)
				return s.afterKey(t, i+n+1)
			}
		}
	}
	s.state, s.start, s.wide, s.odd = inKey, i, false, false
	return s.stringEnd(t, i)
}

func (s *scanner) afterKey(t string, i int) (int, status) {
	if i < len(t) && t[i] == ':' {
		s.state = wantValue
		return i + 1, scanDone
	}
	s.state = wantColon
	return i, scanDone
}

// addKey notes the key t[from:to] of the innermost object. odd says that its text alone may disturb the order of the keys.
func (s *scanner) addKey(sig uint64, t string, from, to int, odd bool) {
	if odd || s.depth > maxKeyDepth || from < to && isDigit(t[from]) || !s.keys[s.depth-1].add(sig, t, from, to) {
		s.flags |= flagOrder
	}
}

// stringEnd goes on with a string or key.
func (s *scanner) stringEnd(t string, i int) (int, status) {
	s.escape = noEscape
	for {
		var high uint64
		i, high = findSpecial(t, i)
		s.wide = s.wide || high != 0
		if i >= len(t) {
			return i, scanMore
		}
		if t[i] == '"' {
			break
		}
		if t[i] != '\\' {
			return i, scanBad
		}
		n, plain, ok := scanEscape(t, i)
		if !ok {
			s.escape = badEscape
			if n > 1 {
				s.escape = badUnicode
			}
			if i+n >= len(t) {
				return i, scanMore
			}
			return i + n, scanBad
		}
		s.odd = s.odd || !plain
		i += n
	}
	odd := s.odd
	if s.wide && !utf8.ValidString(t[s.start:i]) {
		odd, s.dirty = true, true
	}
	if odd {
		s.flags |= flagText
	}
	if s.state == inString {
		s.state = wantMore
		return i + 1, scanDone
	}
	s.addKey(signature(t, s.start, i), t, s.start, i, odd)
	return s.afterKey(t, i+1)
}

// scanEscape looks at the escape at i. n is its length, or where it goes wrong; plain that JSON.stringify writes it so.
func scanEscape(t string, i int) (n int, plain, ok bool) {
	if i+1 >= len(t) {
		return 1, false, false
	}
	switch t[i+1] {
	case '"', '\\', 'b', 'f', 'n', 'r', 't':
		return 2, true, true
	case '/':
		return 2, false, true
	case 'u':
		for k := 2; k < 6; k++ {
			if i+k >= len(t) || hexValue(t[i+k]) < 0 {
				return k, false, false
			}
		}
		return 6, plainUnicode(t[i+2 : i+6]), true
	}
	return 1, false, false
}

// plainUnicode reports whether JSON.stringify writes this \u escape: a control without a short form, in lower case. It
// is also true of no lone surrogate, though those are written so: whether one is alone takes a longer look.
func plainUnicode(hex string) bool {
	if hex[:2] != "00" || hex[2] > '1' {
		return false
	}
	c := hex[3]
	return (hex[2] == '1' || '0' <= c && c <= '7' || c == 'b' || c == 'e' || c == 'f') && (c < 'A' || c > 'F')
}

func hexValue(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

const (
	ones   = 0x0101010101010101
	high80 = 0x8080808080808080
)

// load8 is the eight bytes of t from i, the first one lowest.
func load8(t string, i int) uint64 {
	b := t[i : i+8]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// special has the top bit set of some bytes of w that are a quote, a backslash or a control character. The lowest one is
// exact; above it there may be more than there are such bytes.
func special(w uint64) uint64 {
	quote, back := w^ones*'"', w^ones*'\\'
	return ((w - ones*0x20) | (quote - ones) | (back - ones)) &^ w & high80
}

// wideBefore is not 0 when a byte of w below the lowest one marked in m is above ASCII.
func wideBefore(w, m uint64) uint64 { return w & high80 & ((m & -m) - 1) }

// findSpecial finds the next quote, backslash or control character, eight bytes at a time. wide is not 0 when a byte before
// it is above ASCII.
func findSpecial(t string, i int) (at int, wide uint64) {
	for i+8 <= len(t) {
		w := load8(t, i)
		m := special(w)
		if m != 0 {
			return i + bits.TrailingZeros64(m)>>3, wide&high80 | wideBefore(w, m)
		}
		wide |= w
		i += 8
	}
	for ; i < len(t); i++ {
		c := t[i]
		if c == '"' || c == '\\' || c < 0x20 {
			break
		}
		wide |= uint64(c)
	}
	return i, wide & high80
}
