package syntax

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A scan reads the text of one scalar again, in step with the value that yaml.v3 found, and notes where each part of the
// value stands. It is guided by the value: where a line break may mean one thing or another, the value says which.
type scan struct {
	text  string // the file
	pos   int    // where we are in it
	value string // what yaml.v3 read
	at    int    // how far the value is matched
	marks []mark
}

// note says that the value goes on here.
func (s *scan) note() {
	if n := len(s.marks); n > 0 {
		last := s.marks[n-1]
		if last.val == s.at {
			s.marks[n-1].src = s.pos
			return
		}
		if last.src-last.val == s.pos-s.at {
			return
		}
	}
	s.marks = append(s.marks, mark{s.at, s.pos})
}

// same matches one byte that stands for itself.
func (s *scan) same() bool {
	if s.pos >= len(s.text) || s.at >= len(s.value) || s.text[s.pos] != s.value[s.at] {
		return false
	}
	s.note()
	s.pos++
	s.at++
	return true
}

// breakLen is the length of the line break at an offset, 0 when there is none. Only the breaks of YAML 1.2 count.
func breakLen(text string, at int) int {
	switch {
	case strings.HasPrefix(text[at:], "\r\n"):
		return 2
	case at < len(text) && (text[at] == '\n' || text[at] == '\r'):
		return 1
	}
	return 0
}

// blanks is the offset after spaces and tabs.
func blanks(text string, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] == '\t') {
		at++
	}
	return at
}

// fold matches white space inside a flow scalar: blanks stand for themselves unless a line break follows; one break is a
// space, more are one less.
func (s *scan) fold() bool {
	end := blanks(s.text, s.pos)
	if breakLen(s.text, end) == 0 {
		for s.pos < end {
			if !s.same() {
				return false
			}
		}
		return true
	}
	start, breaks := end, 0
	for n := breakLen(s.text, end); n > 0; n = breakLen(s.text, end) {
		breaks++
		end = blanks(s.text, end+n)
	}
	want := " "
	if breaks > 1 {
		want = strings.Repeat("\n", breaks-1)
	}
	if !strings.HasPrefix(s.value[s.at:], want) {
		return false
	}
	s.pos = start
	s.note()
	s.at += len(want)
	s.pos = end
	return true
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// plain matches a plain scalar.
func (s *scan) plain() bool {
	for s.at < len(s.value) {
		if s.pos >= len(s.text) {
			return false
		}
		ok := false
		if isSpace(s.text[s.pos]) {
			ok = s.fold()
		} else {
			ok = s.same()
		}
		if !ok {
			return false
		}
	}
	return true
}

// single matches a single-quoted scalar from its opening quote on.
func (s *scan) single() bool {
	for s.pos++; s.pos < len(s.text); {
		switch c := s.text[s.pos]; {
		case c == '\'' && strings.HasPrefix(s.text[s.pos:], "''"):
			s.note()
			if !strings.HasPrefix(s.value[s.at:], "'") {
				return false
			}
			s.at++
			s.pos += 2
		case c == '\'':
			s.note()
			s.pos++
			return s.at == len(s.value)
		case isSpace(c):
			if !s.fold() {
				return false
			}
		default:
			if !s.same() {
				return false
			}
		}
	}
	return false
}

// block matches a block scalar from its header on. Its indentation follows from the first line that is not empty, or from
// a number in the header, which counts from an indentation that only the surrounding tree knows: then all are tried.
func (s *scan) block() bool {
	folded := s.text[s.pos] == '>'
	header := s.pos + 1
	end := header
	for end < len(s.text) && breakLen(s.text, end) == 0 {
		end++
	}
	body := end + breakLen(s.text, end)
	if strings.ContainsAny(strings.SplitN(s.text[header:end], "#", 2)[0], "123456789") {
		for indent := 1; indent <= 64; indent++ {
			try := scan{text: s.text, pos: body, value: s.value}
			if try.lines(indent, folded) {
				*s = try
				return true
			}
		}
		return false
	}
	indent := 0
	for at := body; at < len(s.text); {
		first := at
		for first < len(s.text) && s.text[first] == ' ' {
			first++
		}
		if n := breakLen(s.text, first); n > 0 {
			at = first + n
			continue
		}
		indent = first - at
		break
	}
	s.pos = body
	return s.lines(indent, folded)
}

// lines matches the lines of a block scalar, each without its indentation.
func (s *scan) lines(indent int, folded bool) bool {
	for s.at < len(s.value) {
		start := s.pos
		for s.pos < len(s.text) && s.text[s.pos] == ' ' && s.pos-start < indent {
			s.pos++
		}
		for s.pos < len(s.text) && breakLen(s.text, s.pos) == 0 {
			if !s.same() {
				return false
			}
		}
		if s.at < len(s.value) && !s.blockBreak(folded) {
			return false
		}
	}
	return true
}

// blockBreak matches one line break of a block scalar.
func (s *scan) blockBreak(folded bool) bool {
	n := breakLen(s.text, s.pos)
	s.note()
	switch {
	case s.value[s.at] == '\n':
		s.at++ // a break, or one at the end of a text that has no last break in the file
	case n > 0 && folded && s.value[s.at] == ' ':
		s.at++
	case n == 0 || !folded:
		return false
	}
	s.pos += n
	return n > 0 || s.at == len(s.value)
}

// double reads a double-quoted scalar from its opening quote on. Here the file is the authority and not the value: yaml.v3 knows no
// surrogates and other line breaks. Lone surrogates are kept as WTF-8. It gives false when the quote is not closed.
func (s *scan) double() bool {
	var out []byte
	for s.pos++; s.pos < len(s.text); {
		s.at = len(out)
		switch c := s.text[s.pos]; {
		case c == '"':
			s.note()
			s.pos++
			s.value = string(out)
			return true
		case c == '\\':
			s.note()
			out = s.escape(out)
		case isSpace(c):
			out = s.foldDouble(out)
		default:
			s.note()
			out = append(out, c)
			s.pos++
		}
	}
	return false
}

// foldDouble is fold where the value is being made.
func (s *scan) foldDouble(out []byte) []byte {
	s.note()
	end := blanks(s.text, s.pos)
	if breakLen(s.text, end) == 0 {
		out = append(out, s.text[s.pos:end]...)
		s.pos = end
		return out
	}
	breaks := 0
	for n := breakLen(s.text, end); n > 0; n = breakLen(s.text, end) {
		breaks++
		end = blanks(s.text, end+n)
	}
	s.pos = end
	if breaks == 1 {
		return append(out, ' ')
	}
	return append(out, strings.Repeat("\n", breaks-1)...)
}

// escapes are the escape sequences of one letter.
var escapes = map[byte]string{'0': "\x00", 'a': "\a", 'b': "\b", 't': "\t", '\t': "\t", 'n': "\n", 'v': "\v", 'f': "\f", 'r': "\r",
	'e': "\x1b", ' ': " ", '"': "\"", '/': "/", '\\': "\\", 'N': "\u0085", '_': "\u00a0", 'L': "\u2028", 'P': "\u2029"}

// escape reads the escape sequence at pos.
func (s *scan) escape(out []byte) []byte {
	s.pos++
	if s.pos >= len(s.text) {
		return out
	}
	c := s.text[s.pos]
	if n := breakLen(s.text, s.pos); n > 0 { // an escaped break joins the lines; empty ones after it fold
		s.pos = blanks(s.text, s.pos+n)
		if breakLen(s.text, s.pos) > 0 {
			return s.foldDouble(out)
		}
		return out
	}
	s.pos++
	if text, ok := escapes[c]; ok {
		return append(out, text...)
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
	r := rune(0)
	for ; digits > 0 && s.pos < len(s.text); digits-- {
		r = r<<4 | rune(max(0, strings.IndexByte("0123456789abcdef", s.text[s.pos]|0x20)))
		s.pos++
	}
	return appendRune(out, r)
}

// appendRune appends r, a surrogate as the three bytes that UTF-8 would have for it; the second of a pair completes the character.
func appendRune(out []byte, r rune) []byte {
	if !utf16.IsSurrogate(r) {
		return utf8.AppendRune(out, r)
	}
	if n := len(out) - 3; n >= 0 {
		if pair := utf16.DecodeRune(surrogate(out[n:]), r); pair != utf8.RuneError {
			return utf8.AppendRune(out[:n], pair)
		}
	}
	return append(out, byte(0xe0|r>>12), byte(0x80|r>>6&0x3f), byte(0x80|r&0x3f))
}

// surrogate is the surrogate whose three bytes b starts with, else 0.
func surrogate(b []byte) rune {
	if b[0] != 0xed || b[1] < 0xa0 {
		return 0
	}
	return 0xd000 | rune(b[1]&0x3f)<<6 | rune(b[2]&0x3f)
}
