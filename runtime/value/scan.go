package value

import (
	"strings"
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
			i = skipSpaces(t, i)
			continue
		}
		switch s.state {
		case wantMore:
			switch {
			case c == ',' && s.object:
				s.state = wantKey
				if i+1 < len(t) && t[i+1] == '"' {
					i, st = s.member(t, i+1, final)
					continue
				}
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
				i, st = s.member(t, i, final)
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

// member scans a key and, when it comes at once, the value.
func (s *scanner) member(t string, i int, final bool) (int, status) {
	i, st := s.key(t, i)
	if s.state == wantValue && i < len(t) && t[i] > ' ' {
		return s.value(t, i, final)
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
