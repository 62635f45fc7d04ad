package flow

import (
	"bytes"
	"io"
)

// Lines splits text into lines, ended by LF or CR LF, of any length.
type Lines struct {
	r    io.Reader
	buf  []byte
	from int // start of what is not yet handed out
	err  error
}

// NewLines reads lines from r.
func NewLines(r io.Reader) *Lines { return &Lines{r: r} }

// Next gives the next line without its end; it is valid until the next call. After the last line the error is io.EOF. The empty
// line after a final line end is not given.
func (l *Lines) Next() ([]byte, error) {
	searched := l.from
	for {
		if i := bytes.IndexByte(l.buf[searched:], '\n'); i >= 0 {
			line := l.buf[l.from : searched+i]
			l.from = searched + i + 1
			return cutCR(line), nil
		}
		searched = len(l.buf)
		if l.err != nil {
			return l.last()
		}
		searched -= l.fill()
	}
}

// last gives what stands after the last line end.
func (l *Lines) last() ([]byte, error) {
	if l.err != io.EOF || l.from == len(l.buf) {
		return nil, l.err
	}
	line := l.buf[l.from:]
	l.from = len(l.buf)
	return line, nil
}

// fill reads more and tells by how much the text moved to the front.
func (l *Lines) fill() (moved int) {
	if l.from > 0 {
		moved = l.from
		n := copy(l.buf, l.buf[l.from:])
		l.buf, l.from = l.buf[:n], 0
	}
	if cap(l.buf)-len(l.buf) < 32<<10 {
		bigger := make([]byte, len(l.buf), 2*cap(l.buf)+64<<10)
		copy(bigger, l.buf)
		l.buf = bigger
	}
	n, err := l.r.Read(l.buf[len(l.buf):cap(l.buf)])
	l.buf = l.buf[:len(l.buf)+n]
	l.err = err
	return moved
}

func cutCR(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\r' {
		return line[:n-1]
	}
	return line
}
