package value

import (
	"math/bits"
	"strings"
	"unicode/utf8"
)

// MaxDepth is how deep arrays and objects may be nested in JSON text that is read.
const MaxDepth = 10000

// What the scanner has found out about a valid text. Without flags the text is what JSON.stringify would print.
const (
	// flagText: white space, or an escape, number or malformed UTF-8 that JavaScript would write differently.
	flagText = 1 << iota
	// flagOrder: a key may stand twice, or be integer-like, or be written in a way that hides either.
	flagOrder
)

// scanState is what the scanner expects next.
type scanState uint8

const (
	wantValue    scanState = iota
	wantFirst              // after [
	wantFirstKey           // after {
	wantKey                // after a comma in an object
	wantColon
	wantMore // after a value: comma or close
	inString
	inKey
)

// status is how a scan ended.
type status uint8

const (
	scanDone status = iota // the value ends before the position
	scanMore               // the text ends too early; scan on from the position with more of it
	scanBad                // at the position is what JSON does not allow
	scanDeep               // nested too deep
)

// escapeFault says what kind of escape a scan stopped in.
type escapeFault uint8

const (
	noEscape escapeFault = iota
	badEscape
	badUnicode
)

// scanner checks one JSON value, and can stop anywhere and go on when more of the text has come. It keeps no text.
type scanner struct {
	state  scanState
	flags  uint8
	object bool // the innermost container is an object
	wide   bool // the string that is being scanned has bytes above ASCII
	odd    bool // ... has an escape that JavaScript would not write
	dirty  bool // there has been malformed UTF-8
	escape escapeFault
	depth  int
	outer  int                       // levels outside of what is scanned, which count for MaxDepth
	start  int                       // where that string began
	kinds  [MaxDepth/64 + 1]uint64   // a bit per level: 1 for an object
	keys   [maxKeyDepth]keySignature // what is known of the objects that are open, per level
}

// reset makes the scanner ready for another value. Key signatures are kept: the next object often has the same keys.
func (s *scanner) reset() {
	s.state, s.flags, s.depth, s.escape = wantValue, 0, 0, noEscape
}

func (s *scanner) push(object bool) bool {
	if s.depth+s.outer >= MaxDepth {
		return false
	}
	w, b := s.depth>>6, uint(s.depth&63)
	s.kinds[w] &^= 1 << b
	s.state = wantFirst
	if object {
		s.kinds[w] |= 1 << b
		s.state = wantFirstKey
		if s.depth < maxKeyDepth {
			s.keys[s.depth].begin()
		}
	}
	s.object = object
	s.depth++
	return true
}

func (s *scanner) pop() {
	s.depth--
	s.state = wantMore
	if d := s.depth - 1; d >= 0 {
		s.object = s.kinds[d>>6]>>(uint(d)&63)&1 == 1
	}
}

// scan goes on at t[i]. final says that no more text will come.
func (s *scanner) scan(t string, i int, final bool) (int, status) {
	st := scanDone
	if s.state >= inString {
		i, st = s.stringEnd(t, i)
	}
	for st == scanDone && (s.state != wantMore || s.depth > 0) {
		if i >= len(t) {
			return i, scanMore
		}
		c := t[i]
		if c <= ' ' && isSpace(c) {
			s.flags |= flagText
			i++
			continue
		}
		switch s.state {
		case wantMore:
			switch {
			case c == ',' && s.object:
				s.state = wantKey
			case c == ',':
				s.state = wantValue
			case c == '}' && s.object, c == ']' && !s.object:
				s.pop()
			default:
				return i, scanBad
			}
			i++
		case wantKey, wantFirstKey:
			switch {
			case c == '"':
				i, st = s.key(t, i)
				if s.state == wantValue && i < len(t) && t[i] > ' ' {
					i, st = s.value(t, i, final)
				}
			case c == '}' && s.state == wantFirstKey:
				s.pop()
				i++
			default:
				return i, scanBad
			}
		case wantColon:
			if c != ':' {
				return i, scanBad
			}
			s.state = wantValue
			i++
		default:
			i, st = s.value(t, i, final)
		}
	}
	return i, st
}

// value scans a scalar, or enters an array or object.
func (s *scanner) value(t string, i int, final bool) (int, status) {
	switch c := t[i]; c {
	case '"':
		return s.str(t, i)
	case '{', '[':
		if !s.push(c == '{') {
			return i, scanDeep
		}
		return i + 1, scanDone
	case ']':
		if s.state != wantFirst {
			return i, scanBad
		}
		s.pop()
		return i + 1, scanDone
	case 't':
		return s.word(t, i, "true")
	case 'f':
		return s.word(t, i, "false")
	case 'n':
		return s.word(t, i, "null")
	}
	return s.number(t, i, final)
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

func (s *scanner) word(t string, i int, w string) (int, status) {
	if strings.HasPrefix(t[i:], w) {
		s.state = wantMore
		return i + len(w), scanDone
	}
	for k := range len(w) {
		if i+k >= len(t) {
			break
		}
		if t[i+k] != w[k] {
			return i + k, scanBad
		}
	}
	return i, scanMore
}

// number scans a number. At the end of the text it may go on, so it counts only before another byte or when final.
func (s *scanner) number(t string, i int, final bool) (int, status) {
	// Most are short integers.
	if c := t[i]; '1' <= c && c <= '9' {
		k := i + 1
		for k < len(t) && isDigit(t[k]) {
			k++
		}
		if k < len(t) && k-i <= 15 && (t[k] == ',' || t[k] == '}' || t[k] == ']') {
			s.state = wantMore
			return k, scanDone
		}
	}
	k, canonical, ok := scanNumber(t, i)
	if k >= len(t) && (!final || !ok) {
		return i, scanMore
	}
	if !ok {
		return k, scanBad
	}
	if !canonical {
		s.flags |= flagText
	}
	s.state = wantMore
	return k, scanDone
}

// scanNumber finds the end of the number at i. canonical is only true when JavaScript prints it the same way; for some
// of those it is false.
func scanNumber(t string, i int) (end int, canonical, ok bool) {
	start := i
	if i < len(t) && t[i] == '-' {
		i++
	}
	first := i
	i = digitsEnd(t, i)
	n := i - first
	if n == 0 {
		return i, false, false
	}
	if t[first] == '0' {
		i, n = first+1, 1 // a digit after it is for the caller to refuse
	}
	// Up to 21 digits are printed as digits, the literal's own ones (see integerLiteral).
	canonical = n <= 21 && (t[first] != '0' || first == start)
	if i < len(t) && t[i] == '.' {
		point := i
		i = digitsEnd(t, i+1)
		if i == point+1 {
			return i, false, false
		}
		// Fifteen significant digits always survive a double; 0.00000 and less prints with an exponent.
		canonical = n+i-point-1 <= 15 && t[i-1] != '0' && (t[first] != '0' || fractionBig(t[point+1:i]))
	}
	if i < len(t) && t[i]|0x20 == 'e' {
		canonical = false
		i++
		if i < len(t) && (t[i] == '+' || t[i] == '-') {
			i++
		}
		first = i
		if i = digitsEnd(t, i); i == first {
			return i, false, false
		}
	}
	return i, canonical, true
}

// fractionBig reports whether 0.digits is at least 0.000001.
func fractionBig(digits string) bool {
	for k := range min(len(digits), 6) {
		if digits[k] != '0' {
			return true
		}
	}
	return false
}

func digitsEnd(t string, i int) int {
	for i < len(t) && t[i]-'0' <= 9 {
		i++
	}
	return i
}

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
	if i+10 <= len(t) {
		w := load8(t, i)
		if m := special(w); m != 0 && wideBefore(w, m) == 0 {
			if n := bits.TrailingZeros64(m) >> 3; t[i+n] == '"' {
				s.addKey(shortSignature(w, n), n > 0 && isDigit(t[i]))
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

// addKey notes a key of the innermost object. odd says that its text alone may disturb the order of the keys.
func (s *scanner) addKey(sig uint64, odd bool) {
	if odd || s.depth > maxKeyDepth || !s.keys[s.depth-1].add(sig) {
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
	s.addKey(signature(t, s.start, i), odd || i > s.start && isDigit(t[s.start]))
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
		if m := special(w); m != 0 {
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
