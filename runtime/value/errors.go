package value

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// SyntaxError says where and why a text is not JSON, in the words of Node's JSON.parse.
type SyntaxError struct {
	Offset int64 // in bytes
	Reason string
}

func (e *SyntaxError) Error() string { return e.Reason }

// place counts as JSON.parse's messages do: UTF-16 units, and lines that end in CR, LF or CR LF.
type place struct {
	bytes int64
	units int64
	lines int64 // ends of lines before
	line  int64 // units before the line began
	cr    bool  // the last character was a CR
	dirty bool  // there may be malformed UTF-8
}

// advance moves over s.
func (p *place) advance(s string) {
	if s == "" {
		return
	}
	p.bytes += int64(len(s))
	if strings.IndexByte(s, '\r') >= 0 {
		p.advanceCR(s)
		return
	}
	if p.cr && s[0] == '\n' {
		p.lines-- // counted with the CR
	}
	p.cr = false
	if n := strings.Count(s, "\n"); n > 0 {
		p.lines += int64(n)
		last := strings.LastIndexByte(s, '\n')
		p.units += p.count(s[:last+1])
		p.line = p.units
		s = s[last+1:]
	}
	p.units += p.count(s)
}

// advanceCR is advance for text with any ends of lines.
func (p *place) advanceCR(s string) {
	for s != "" {
		i := strings.IndexAny(s, "\r\n")
		if i < 0 {
			p.units += p.count(s)
			p.cr = false
			return
		}
		p.units += p.count(s[:i]) + 1
		if s[i] == '\r' || i > 0 || !p.cr {
			p.lines++
		}
		p.line = p.units
		p.cr = s[i] == '\r'
		s = s[i+1:]
	}
}

// count is how many UTF-16 units s has once Node has read it.
func (p *place) count(s string) int64 {
	if p.dirty {
		s = CleanUTF8(s)
	}
	return int64(LenUTF16(s))
}

// fault is a stopped scan: what was expected and what stands there.
type fault struct {
	status status
	state  scanState
	escape escapeFault
	object bool   // inside an object
	top    bool   // outside of everything
	before string // at least the last ten characters before
	after  string // at least the eleven characters from there, or all
}

// reason is the message of JSON.parse. unexpected says that it names the token found; with neither, the text ends early.
func (f *fault) reason() (text string, unexpected bool) {
	switch f.state {
	case wantFirstKey:
		return "Expected property name or '}'", false
	case wantKey:
		return "Expected double-quoted property name", false
	case wantColon:
		return "Expected ':' after property name", false
	case inString, inKey:
		return f.stringReason()
	}
	var c, prev byte
	if f.after != "" {
		c = f.after[0]
	}
	if f.before != "" {
		prev = f.before[len(f.before)-1]
	}
	switch {
	case f.state == wantMore && isDigit(c) && isDigit(prev):
		return "Unexpected number", false
	case f.state == wantMore && f.top:
		return "Unexpected non-whitespace character after", false
	case f.state == wantMore && f.object:
		return "Expected ',' or '}' after property value", false
	case f.state == wantMore:
		return "Expected ',' or ']' after array element", false
	case prev == '.':
		return "Unterminated fractional number", false
	case prev == '-' && (len(f.before) == 1 || f.before[len(f.before)-2]|0x20 != 'e'):
		return "No number after minus sign", false
	case prev == '-' || prev == '+' || prev|0x20 == 'e':
		return "Exponent part is missing a number", false
	case f.after == "":
		return "", false
	case isDigit(c), c == '-':
		return "Unexpected number", false
	case c == '"':
		return "Unexpected string", false
	}
	return "", true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func (f *fault) stringReason() (text string, unexpected bool) {
	switch {
	case f.escape == badUnicode:
		return "Bad Unicode escape", false
	case f.escape == badEscape && f.after == "":
		return "", false
	case f.escape == badEscape:
		r, _ := utf8.DecodeRuneInString(f.after)
		return "Bad escaped character", r > 0xFF // as V8 has it
	case f.after == "":
		return "Unterminated string", false
	}
	return "Bad control character in string literal", false
}

// message is the whole message for a fault at p.
func (f *fault) message(p place) string {
	if f.status == scanDeep {
		return "JSON is nested deeper than " + strconv.Itoa(MaxDepth) + " levels"
	}
	reason, unexpected := f.reason()
	switch {
	case unexpected:
		return f.unexpected(p)
	case reason == "":
		return "Unexpected end of JSON input"
	}
	if !strings.HasSuffix(reason, " after") {
		reason += " in"
	}
	return reason + " JSON at position " + strconv.FormatInt(p.units, 10) + " (line " +
		strconv.FormatInt(p.lines+1, 10) + " column " + strconv.FormatInt(p.units-p.line+1, 10) + ")"
}

// unexpected is the message about a token that no value begins with.
func (f *fault) unexpected(p place) string {
	const around = 10
	before, after := CleanUTF8(f.before), CleanUTF8(f.after)
	switch all := before + after; all {
	case "NaN", "Infinity", "undefined", "[object Object]":
		return `"` + all + `" is not valid JSON`
	}
	n, m := LenUTF16(before), LenUTF16(after)
	head, tail := "", ""
	if p.units+int64(m) > 2*around {
		if p.units >= around {
			head = "..."
			before = SliceUTF16(before, max(n-around, 0), n)
		}
		if m > around {
			tail = "..."
			after = SliceUTF16(after, 0, around)
		}
	}
	return "Unexpected token '" + SliceUTF16(after, 0, 1) + "', " + head + `"` + before + after + `"` + tail + " is not valid JSON"
}

// syntaxError explains why the scan of s stopped at the position at.
func syntaxError(s string, at int, st status, sc *scanner) error {
	p := place{dirty: true}
	p.advance(s[:at])
	f := sc.fault(st)
	f.before, f.after = s[:at], s[at:]
	return &SyntaxError{int64(at), f.message(p)}
}

// fault describes where the scanner stopped, but for the text.
func (s *scanner) fault(st status) fault {
	return fault{status: st, state: s.state, escape: s.escape, top: s.depth == 0, object: s.object}
}
