package value

import (
	"math/bits"
	"unicode/utf8"
)

// Parse is JSON.parse: the one JSON value that data holds. Malformed UTF-8 in strings becomes U+FFFD, as when Node reads
// a file as text. The error is a *SyntaxError. data may be changed afterwards.
func Parse(data []byte) (Value, error) { return ParseString(string(data)) }

// ParseString is Parse. The value refers to s.
//
//go:noinline
func ParseString(s string) (Value, error) { return parseWith(new(scanner), s) }

// Read is ParseString for who only wants to know whether s is JSON. What is wrong with long text takes long to say.
//
//go:noinline
func Read(s string) (v Value, ok bool) {
	sc := new(scanner)
	sc.reset()
	v, _, st := sc.read(s)
	return v, st == scanDone
}

func parseWith(sc *scanner, s string) (Value, error) {
	sc.reset()
	v, end, st := sc.read(s)
	if st != scanDone {
		return Value{}, syntaxError(s, end, st, sc)
	}
	return v, nil
}

// read reads s as one value. Unless the status is scanDone, end is where it went wrong.
func (sc *scanner) read(s string) (v Value, end int, st status) {
	end, st = sc.scan(s, 0, true)
	switch st {
	case scanMore:
		end = len(s)
	case scanDone:
		start := skipSpace(s, 0)
		rest := skipSpace(s, end)
		if rest == len(s) {
			return build(s[start:end], sc.flags), end, st
		}
		end, st = rest, scanBad
	}
	return Value{}, end, st
}

// skipSpace is the position of the first byte from i on that is not white space.
func skipSpace(s string, i int) int {
	if i >= len(s) || s[i] > ' ' {
		return i
	}
	return skipSpaces(s, i)
}

// skipSpaces is skipSpace made for line ends with an indent after them.
func skipSpaces(s string, i int) int {
	for i+8 <= len(s) {
		if x := load8(s, i) ^ ones*' '; x != 0 {
			i += bits.TrailingZeros64(x) >> 3
			if c := s[i]; c > ' ' || !isSpace(c) {
				return i
			}
			i++
			continue
		}
		i += 8
	}
	for i < len(s) && s[i] <= ' ' && isSpace(s[i]) {
		i++
	}
	return i
}

// lazyLimit bounds the text that is kept raw: each look into a raw value scans it, so it must be short.
const lazyLimit = 4096

// build makes the value of a scanned text. It refers to the text.
func build(s string, flags uint8) Value {
	if c := s[0]; (c == '{' || c == '[') && len(s) <= lazyLimit {
		return rawValue(s, flags)
	}
	p := parser{s: s, flags: flags, limit: lazyLimit}
	return p.value()
}

// parser makes values of text that the scanner has found valid, so it checks nothing.
type parser struct {
	s     string
	i     int
	flags uint8
	limit int // arrays and objects of at most so many bytes stay raw
	items []Value
	pairs []Member
	open  []int // see smallEnd
	until int
}

// value parses the value at p.i, which is not white space.
func (p *parser) value() Value {
	switch c := p.s[p.i]; c {
	case '"':
		return String(p.str())
	case '{', '[':
		if end := p.smallEnd(); end > 0 {
			v := rawValue(p.s[p.i:end], p.flags)
			p.i = end
			return v
		}
		if c == '[' {
			return p.array()
		}
		return p.object()
	case 't':
		p.i += 4
		return Bool(true)
	case 'f':
		p.i += 5
		return Bool(false)
	case 'n':
		p.i += 4
		return Null
	}
	return p.number()
}

func (p *parser) number() Value {
	start := p.i
	for p.i < len(p.s) && p.s[p.i] > ' ' && p.s[p.i] != ',' && p.s[p.i] != ']' && p.s[p.i] != '}' {
		p.i++
	}
	return numberText(p.s[start:p.i])
}

func numberText(s string) Value {
	for k := range len(s) {
		if c := s[k]; c == '.' || c|0x20 == 'e' {
			return Number(parseFloat(s))
		}
	}
	return integerLiteral(s)
}

// str parses the string at p.i.
func (p *parser) str() string {
	start := p.i + 1
	end, escaped := stringEnd(p.s, start)
	p.i = end + 1
	return unquote(p.s[start:end], escaped, p.flags)
}

// unquote is the string whose text between the quotes is s.
func unquote(s string, escaped bool, flags uint8) string {
	if escaped || flags&flagText != 0 && !utf8.ValidString(s) {
		return unescape(s)
	}
	return s
}

func (p *parser) next() byte {
	p.i = skipSpace(p.s, p.i)
	return p.s[p.i]
}

func (p *parser) array() Value {
	p.i++
	base := len(p.items)
	for c := p.next(); c != ']'; c = p.next() {
		if c == ',' {
			p.i++
			p.next()
		}
		x := p.value()
		p.items = append(p.items, x)
	}
	p.i++
	items := append(make([]Value, 0, len(p.items)-base), p.items[base:]...)
	p.items = p.items[:base]
	return Array(items...)
}

func (p *parser) object() Value {
	p.i++
	base := len(p.pairs)
	for c := p.next(); c != '}'; c = p.next() {
		if c == ',' {
			p.i++
			p.next()
		}
		key := p.str()
		p.next()
		p.i++ // the colon
		p.next()
		x := p.value()
		p.pairs = append(p.pairs, Member{key, x})
	}
	p.i++
	members := append(make([]Member, 0, len(p.pairs)-base), p.pairs[base:]...)
	p.pairs = p.pairs[:base]
	if p.flags&flagOrder == 0 && len(members) <= maxPlain {
		return plainObject(members)
	}
	return ObjectOwned(members)
}

// smallEnd is the end of the array or object at p.i when it may stay raw, else 0.
//
// Looking for the end of each container that turns out too large would take quadratic time in deep nests. So the look
// goes on to a fixed place, p.until, and notes in p.open which containers are still open there: those are parsed, and
// the others before that place are known to be small.
func (p *parser) smallEnd() int {
	if p.limit == 0 {
		return 0
	}
	if p.i >= p.until {
		p.open = p.open[:0]
		p.until = min(p.i+p.limit, len(p.s))
		return p.look()
	}
	if len(p.open) > 0 && p.open[0] == p.i {
		p.open = p.open[1:]
		return 0
	}
	return containerEnd(p.s, p.i)
}

// look finds the end of the container at p.i before p.until, or notes what is open there and gives 0.
func (p *parser) look() int {
	i := p.i
	for i < p.until {
		switch p.s[i] {
		case '"':
			i, _ = stringEnd(p.s, i+1)
		case '{', '[':
			p.open = append(p.open, i)
		case '}', ']':
			p.open = p.open[:len(p.open)-1]
			if len(p.open) == 0 {
				p.until = 0
				return i + 1
			}
		}
		i++
	}
	p.open = p.open[1:] // the one at p.i, which the caller is about to parse
	return 0
}

// containerEnd is the position after the array or object at i.
func containerEnd(s string, i int) int {
	for depth := 0; ; i++ {
		switch s[i] {
		case '"':
			i, _ = stringEnd(s, i+1)
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
}

// stringEnd is the position of the quote that ends the string whose text begins at i.
func stringEnd(s string, i int) (end int, escaped bool) {
	for {
		i, _ = findSpecial(s, i)
		if s[i] == '"' {
			return i, escaped
		}
		escaped = true
		i += 2
	}
}

// unescape resolves escapes and replaces malformed UTF-8.
func unescape(s string) string {
	dst := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '\\':
			if s[i+1] == 'u' {
				var n int
				dst, n = appendUnicode(dst, s[i:])
				i += n
				continue
			}
			dst = append(dst, escapes[s[i+1]])
			i += 2
		case c < utf8.RuneSelf:
			dst = append(dst, c)
			i++
		default:
			dst, i = appendClean(dst, s, i)
		}
	}
	return bytesString(dst)
}

var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// appendUnicode appends the character of the \u escape, or pair of them, that s begins with.
func appendUnicode(dst []byte, s string) ([]byte, int) {
	u := hex4(s[2:])
	if u < 0xD800 || u > 0xDFFF {
		return utf8.AppendRune(dst, rune(u)), 6
	}
	if u < 0xDC00 && len(s) >= 12 && s[6] == '\\' && s[7] == 'u' {
		if lo := hex4(s[8:]); lo >= 0xDC00 && lo <= 0xDFFF {
			return utf8.AppendRune(dst, 0x10000+rune(u-0xD800)<<10+rune(lo-0xDC00)), 12
		}
	}
	return appendSurrogate(dst, u), 6
}

func hex4(s string) (u uint16) {
	for k := range 4 {
		u = u<<4 | uint16(hexValue(s[k]))
	}
	return u
}

// Literal is a value that generated code has as JSON text. It panics when the text is no JSON: the compiler wrote it.
func Literal(text string) Value {
	v, err := ParseString(text)
	if err != nil {
		panic("lobsterc bug: a literal is no JSON: " + err.Error())
	}
	return v
}
