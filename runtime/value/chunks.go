package value

import (
	"io"
	"unsafe"
)

const (
	firstChunk = 8 << 10
	maxChunk   = 256 << 10
	minRead    = 4 << 10
)

// chunks reads into chunks that are never written again once filled, so that values can refer to them.
type chunks struct {
	r    io.Reader
	buf  []byte // the chunk, as far as it is filled
	pos  int    // how far the decoder has come
	from int    // what is before may go when a new chunk begins
	eof  bool
	err  error // what the decoder gives from now on
	late error // the reader's error, which came with bytes

	reuse bool // nothing refers to chunks from the next one on
	own   bool // nothing refers to this chunk

	gone place  // how much was in the chunks before
	tail string // the end of that
}

// view is the filled part of the chunk.
func (c *chunks) view() string { return unsafe.String(unsafe.SliceData(c.buf), len(c.buf)) }

// fill reads more; from and pos move when the text does. It is false at the end of the text (eof) and on errors (err).
func (c *chunks) fill() bool {
	if c.eof || c.err != nil {
		return false
	}
	if c.late != nil {
		c.err = c.late
		return false
	}
	if cap(c.buf)-len(c.buf) < minRead {
		c.move()
	}
	for range 100 {
		n, err := c.r.Read(c.buf[len(c.buf):cap(c.buf)])
		c.buf = c.buf[:len(c.buf)+n]
		switch {
		case err == io.EOF:
			c.eof = true
			return n > 0
		case err != nil && n == 0:
			c.err = err
			return false
		case n > 0:
			c.late = err
			return true
		}
	}
	c.err = io.ErrNoProgress
	return false
}

// move begins a new chunk with what is still needed of the old one.
func (c *chunks) move() {
	const tail = 64
	keep := c.buf[c.from:]
	c.gone.advance(c.view()[:c.from])
	if c.from >= tail {
		c.tail = string(c.buf[c.from-tail : c.from])
	} else if c.from > 0 {
		c.tail += string(c.buf[:c.from])
		c.tail = c.tail[max(0, len(c.tail)-tail):]
	}
	if c.own && cap(c.buf) >= len(keep)+max(minRead, cap(c.buf)/2) {
		c.buf = c.buf[:copy(c.buf[:cap(c.buf)], keep)]
	} else {
		size := min(max(firstChunk, 2*cap(c.buf)), maxChunk)
		size = max(size, 2*len(keep)+minRead)
		c.buf = append(make([]byte, 0, size), keep...)
		c.own = c.reuse
	}
	c.pos -= c.from
	c.from = 0
}

// forget makes pos the beginning of the text.
func (c *chunks) forget() {
	c.gone = place{bytes: c.gone.bytes + int64(c.pos)}
	c.tail = ""
	c.buf = c.buf[c.pos:]
	c.pos, c.from = 0, 0
}
