package filter

import "strings"

// loose reads the loose format.
func (d *date) loose(s string) bool {
	sc := dateScanner{s: s}
	numberRead := false
	for {
		tok := sc.next()
		switch {
		case tok.kind == endToken:
			return true
		case tok.kind == numberToken:
			numberRead = true
			if !d.number(&sc, tok) {
				return false
			}
		case tok.kind == wordToken:
			if !d.word(&sc, tok.text, numberRead) {
				return false
			}
		case tok.is('(') && sc.skipParens():
		case (tok.is('+') || tok.is('-')) && (d.zoned || len(d.clock) > 0):
			d.setSign(tok.text[0])
			if !d.offset(&sc) {
				return false
			}
		case (tok.is('+') || tok.is('-') || tok.is(')')) && numberRead:
			return false
		}
	}
}

// number takes a number: part of the clock, of a zone or of the day.
func (d *date) number(sc *dateScanner, tok dateToken) bool {
	n := tok.number
	switch {
	case sc.skip(':'):
		if len(d.clock) >= 4 {
			return false
		}
		d.clock = append(d.clock, n)
		return true
	case sc.peek().is('.') && d.expects(n):
		sc.next()
		frac := sc.next()
		if frac.kind != numberToken {
			return false
		}
		d.clock = append(d.clock, n)
		for len(d.clock) < 3 {
			d.clock = append(d.clock, 0)
		}
		d.clock = append(d.clock[:3], thousandths(frac.text))
		return true
	case d.mins < 0:
		d.mins = n
		return true
	case d.expects(n):
		for d.clock = append(d.clock, n); len(d.clock) < 4; {
			d.clock = append(d.clock, 0)
		}
		next := sc.peek()
		return next.kind == endToken || next.kind == spaceToken || next.is('+') || next.is('-') || strings.EqualFold(next.text, "z")
	case len(d.parts) == 3:
		return false
	}
	sc.skip('.') // as in 1.2.2003
	d.parts = append(d.parts, n)
	sc.skip('-')
	return true
}

// expects tells whether n can go on a clock that has begun.
func (d *date) expects(n int) bool {
	switch len(d.clock) {
	case 1, 2:
		return n < 60
	case 3:
		return n < 1000
	}
	return false
}

// offset reads the number of a zone: hours, hours and minutes, or hours before a colon.
func (d *date) offset(sc *dateScanner) bool {
	if sc.peek().kind != numberToken {
		return true
	}
	tok := sc.next()
	switch n := len(tok.text); {
	case sc.skip(':'):
		d.hours, d.mins = tok.number, -1
	case n <= 2:
		d.hours, d.mins = tok.number, 0
	case n <= 4:
		d.hours, d.mins = tok.number/100, tok.number%100
	default:
		return false
	}
	return true
}

const monthNames = "janfebmaraprmayjunjulaugsepoctnovdec"

// word takes a word: a month, a zone, a half of the day, or something that does not count as long as no number came before it.
func (d *date) word(sc *dateScanner, w string, numberRead bool) bool {
	w = strings.ToLower(w)
	three := w[:min(3, len(w))]
	if i := strings.Index(monthNames, three); len(three) == 3 && i >= 0 && i%3 == 0 {
		d.month = i/3 + 1
		sc.skip('-')
		return true
	}
	switch {
	case (w == "am" || w == "pm") && len(d.clock) > 0:
		d.half = 1
		if w == "pm" {
			d.half = 2
		}
		return true
	case numberRead && zoneHours(w) != noZone:
		d.zoned, d.sign, d.hours, d.mins = true, -1, -zoneHours(w), 0
		return true
	}
	return !numberRead && sc.peek().kind != numberToken
}

const noZone = 99

// zoneHours is the offset of the few zones that have a name.
func zoneHours(w string) int {
	switch w {
	case "z", "ut", "utc", "gmt":
		return 0
	case "edt":
		return -4
	case "est", "cdt":
		return -5
	case "cst", "mdt":
		return -6
	case "mst", "pdt":
		return -7
	case "pst":
		return -8
	}
	return noZone
}

// dateToken is a number, a word, a run of white space or one other character.
type dateToken struct {
	kind   dateTokenKind
	text   string
	number int
}

type dateTokenKind uint8

const (
	endToken dateTokenKind = iota
	numberToken
	wordToken
	spaceToken
	symbolToken
)

func (t dateToken) is(c byte) bool { return t.kind == symbolToken && t.text[0] == c }

// dateScanner splits text into tokens.
type dateScanner struct {
	s  string
	at int
}

func (sc *dateScanner) peek() dateToken {
	saved := sc.at
	tok := sc.next()
	sc.at = saved
	return tok
}

func (sc *dateScanner) skip(c byte) bool {
	if sc.at < len(sc.s) && sc.s[sc.at] == c {
		sc.at++
		return true
	}
	return false
}

// skipParens goes behind the parenthesis that closes the one just read.
func (sc *dateScanner) skipParens() bool {
	for depth := 1; depth > 0 && sc.at < len(sc.s); sc.at++ {
		switch sc.s[sc.at] {
		case '(':
			depth++
		case ')':
			depth--
		}
	}
	return true
}

func (sc *dateScanner) next() dateToken {
	if sc.at >= len(sc.s) {
		return dateToken{}
	}
	start := sc.at
	kind := charKind(sc.s[sc.at])
	for sc.at++; kind != symbolToken && sc.at < len(sc.s) && charKind(sc.s[sc.at]) == kind; {
		sc.at++
	}
	tok := dateToken{kind: kind, text: sc.s[start:sc.at]}
	if kind == numberToken {
		for _, c := range strings.TrimLeft(tok.text, "0") {
			if tok.number > 99_999_999 {
				break // far outside of every range
			}
			tok.number = tok.number*10 + int(c-'0')
		}
	}
	return tok
}

func charKind(c byte) dateTokenKind {
	switch {
	case c >= '0' && c <= '9':
		return numberToken
	case c >= 'A': // brackets and braces too
		return wordToken
	case c == ' ', c >= '\t' && c <= '\r':
		return spaceToken
	}
	return symbolToken
}
