package proc

import (
	"io"
	"os"
	"sync/atomic"
	"unicode/utf8"
)

// capture collects one stream of a process and keeps it under the limit.
type capture struct {
	p      *Process
	tee    io.Writer
	source atomic.Pointer[os.File]
	buf    []byte
	over   bool
}

// readAll reads f to its end.
func (c *capture) readAll(f *os.File) {
	c.source.Store(f)
	for {
		n, err := f.Read(c.room())
		c.add(n)
		if err != nil {
			return
		}
	}
}

// room is where the next bytes go.
func (c *capture) room() []byte {
	if len(c.buf) == cap(c.buf) {
		bigger := make([]byte, len(c.buf), 2*cap(c.buf)+512)
		copy(bigger, c.buf)
		c.buf = bigger
	}
	return c.buf[len(c.buf):cap(c.buf)]
}

// add takes in the n bytes that were read into room. Past the limit it ends the process and keeps nothing any more.
func (c *capture) add(n int) {
	if n <= 0 || c.over {
		return
	}
	chunk := c.buf[len(c.buf) : len(c.buf)+n]
	c.buf = c.buf[:len(c.buf)+n]
	if c.tee != nil {
		c.tee.Write(chunk) // whoever watches cannot make the step fail
	}
	if max := c.p.max; max > 0 && int64(len(c.buf)) > max {
		c.over = true
		c.buf = c.buf[:0]
		c.p.end(&OutputError{max}, true)
	}
}

// text is what was read, as UTF-8.
func (c *capture) text() string { return DecodeUTF8(c.buf) }

// DecodeUTF8 makes text of bytes. Each longest start of a character that does not go on properly becomes one U+FFFD, as in the
// WHATWG encoding standard; Go's own conversions count differently.
func DecodeUTF8(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	out := make([]byte, 0, len(b)+8)
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			out = append(out, "\uFFFD"...)
			b = b[badLen(b):]
			continue
		}
		out = append(out, b[:n]...)
		b = b[n:]
	}
	return string(out)
}

// badLen is how many bytes at the start of b, which is not a character, count as one bad one.
func badLen(b []byte) int {
	need, lo, hi := 0, byte(0x80), byte(0xBF)
	switch c := b[0]; {
	case c >= 0xC2 && c <= 0xDF:
		need = 1
	case c >= 0xE0 && c <= 0xEF:
		need = 2
		if c == 0xE0 {
			lo = 0xA0
		} else if c == 0xED {
			hi = 0x9F
		}
	case c >= 0xF0 && c <= 0xF4:
		need = 3
		if c == 0xF0 {
			lo = 0x90
		} else if c == 0xF4 {
			hi = 0x8F
		}
	}
	n := 1
	for need > 0 && n < len(b) && b[n] >= lo && b[n] <= hi {
		lo, hi = 0x80, 0xBF
		n++
		need--
	}
	return n
}
