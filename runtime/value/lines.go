package value

import (
	"io"
	"strings"
	"unicode/utf8"
)

// LineDecoder reads lines that end in LF or CR LF.
type LineDecoder struct {
	chunks
	sc scanner
}

// NewLineDecoder reads from r.
func NewLineDecoder(r io.Reader) *LineDecoder { return &LineDecoder{chunks: chunks{r: r}} }

// Next gives the value of the next line that is not blank (JSON Lines), or io.EOF. After a *SyntaxError, whose offset is the
// line's own, it goes on with the line after.
func (d *LineDecoder) Next() (Value, error) {
	for {
		line, err := d.line()
		if err != nil {
			return Value{}, err
		}
		if line = TrimSpace(line); line != "" {
			return parseWith(&d.sc, line)
		}
	}
}

// Text gives the next line as a string, without its end and read as Node reads text, or io.EOF. Empty lines come too.
func (d *LineDecoder) Text() (string, error) {
	line, err := d.line()
	return CleanUTF8(line), err
}

// line finds the next line.
func (d *LineDecoder) line() (string, error) {
	d.from = d.pos
	for {
		if n := strings.IndexByte(d.view()[d.pos:], '\n'); n >= 0 {
			line := d.view()[d.from : d.pos+n]
			d.pos += n + 1
			return strings.TrimSuffix(line, "\r"), nil
		}
		d.pos = len(d.buf)
		if d.fill() {
			continue
		}
		if d.err != nil {
			return "", d.err
		}
		if d.from == len(d.buf) {
			return "", io.EOF
		}
		return d.view()[d.from:], nil
	}
}

// CleanUTF8 is what Node reads when bytes come from outside: malformed UTF-8 becomes U+FFFD.
func CleanUTF8(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	dst := make([]byte, 0, len(s)+8)
	for i := 0; i < len(s); {
		dst, i = appendClean(dst, s, i)
	}
	return bytesString(dst)
}

// appendClean appends the character at i of s, U+FFFD when it is malformed, and gives the place of the next.
func appendClean(dst []byte, s string, i int) ([]byte, int) {
	if n := malformed(s[i:]); n > 0 {
		return utf8.AppendRune(dst, utf8.RuneError), i + n
	}
	_, n := utf8.DecodeRuneInString(s[i:])
	return append(dst, s[i:i+n]...), i + n
}
