package value

import (
	"io"
	"iter"
)

// Decoder reads a JSON text and gives the elements of a top-level array one by one, or the one value that is no array.
// Elements come as soon as they are complete, even when the text later turns out to be malformed.
//
// What it reads goes into chunks that are filled once and never written again, because values refer to them: a small
// value that is kept keeps its chunk (up to 256 KiB) in memory. See Value.Compact.
type Decoder struct {
	chunks
	sc    scanner
	trim  bool
	phase phase
	array bool
	empty bool
}

// phase says where in the text the decoder is.
type phase uint8

const (
	atStart phase = iota
	atFirst       // after the bracket of the top-level array
	atNext        // after an element of it
	atEnd         // after the value
)

// NewDecoder reads from r.
func NewDecoder(r io.Reader) *Decoder { return &Decoder{chunks: chunks{r: r}} }

// TrimSpace makes the decoder ignore what JavaScript's trim removes around the text: a byte order mark, no-break spaces and
// the like, which JSON.parse alone refuses. To be called before Next.
func (d *Decoder) TrimSpace() { d.trim = true }

// IsArray reports whether the text is an array. It is known after the first Next.
func (d *Decoder) IsArray() bool { return d.array }

// Empty reports whether the text was empty or all white space: Next then gives io.EOF at once.
func (d *Decoder) Empty() bool { return d.empty }

// All gives the elements as Next does; an error comes last.
func (d *Decoder) All() iter.Seq2[Value, error] {
	return func(yield func(Value, error) bool) {
		for {
			v, err := d.Next()
			if err == io.EOF || !yield(v, err) || err != nil {
				return
			}
		}
	}
}

// Next gives the next element, or io.EOF after the last one. A *SyntaxError or an error of the reader comes after the good
// elements before it, and again at every later call.
func (d *Decoder) Next() (Value, error) {
	s, ok := d.skip()
	if !ok {
		return Value{}, d.err
	}
	return build(s, d.sc.flags), nil
}

// Drain reads and checks the rest without keeping it. It gives nil when all of the text is well-formed.
func (d *Decoder) Drain() error {
	d.reuse = true
	for ok := true; ok; {
		_, ok = d.skip()
	}
	if d.err == io.EOF {
		return nil
	}
	return d.err
}

// skip scans the next element and gives its text. Without one, d.err says why.
func (d *Decoder) skip() (text string, ok bool) {
	for d.err == nil {
		c := d.peek()
		if d.err != nil {
			break
		}
		switch d.phase {
		case atStart:
			d.begin(c)
			if d.array || d.err != nil {
				continue
			}
			d.phase = atEnd
		case atFirst, atNext:
			if c == ']' {
				d.pos++
				d.phase = atEnd
				continue
			}
			if d.phase == atNext && !d.comma(c) {
				continue
			}
			d.phase = atNext
		case atEnd:
			d.finish()
			continue
		}
		if text, ok = d.element(); ok {
			return text, true
		}
	}
	return "", false
}

// begin deals with the first byte of the text; 0 is none.
func (d *Decoder) begin(c byte) {
	if d.trim {
		d.forget() // positions in messages are those of the trimmed text
	}
	if c == 0 && d.eof && d.pos == len(d.buf) {
		d.empty, d.err = true, io.EOF
	} else if c == '[' {
		d.array, d.phase, d.sc.outer = true, atFirst, 1
		d.pos++
	}
}

// comma goes over the comma between elements, to the element.
func (d *Decoder) comma(c byte) bool {
	if c != ',' {
		d.fail(fault{state: wantMore})
		return false
	}
	d.pos++
	d.from = d.pos
	d.peek()
	return d.err == nil
}

// peek skips white space and gives the byte after it, 0 at the end of the text.
func (d *Decoder) peek() byte {
	for {
		for d.pos < len(d.buf) {
			c := d.buf[d.pos]
			if c > ' ' || !isSpace(c) {
				if c < 0x80 && c > ' ' || !d.trim || d.phase != atStart || !d.skipForeign() {
					return c
				}
				continue
			}
			d.pos++
		}
		if d.eof || d.err != nil {
			return 0
		}
		d.fill()
	}
}

// skipForeign skips one character of white space that JSON does not know.
func (d *Decoder) skipForeign() bool {
	for len(d.buf)-d.pos < 3 && d.fill() {
	}
	rest := d.view()[d.pos:]
	n := len(rest) - len(TrimSpaceStart(rest[:min(len(rest), 3)])) - max(0, len(rest)-3)
	d.pos += n
	return n > 0
}

// element scans the element at d.pos.
func (d *Decoder) element() (text string, ok bool) {
	d.sc.reset()
	d.from = d.pos
	for d.err == nil {
		final := d.eof
		end, st := d.sc.scan(d.view(), d.pos, final)
		d.pos = end
		switch {
		case st == scanDone:
			text = d.view()[d.from:end]
			d.from = end
			d.gone.dirty = d.sc.dirty
			return text, true
		case st == scanMore && !final:
			start := d.from
			d.fill()
			d.sc.start -= start - d.from // the text may have moved to the start of a new chunk
			continue
		case st == scanMore:
			d.pos = len(d.buf)
		}
		f := d.sc.fault(st)
		f.top = f.top && !d.array
		d.fail(f)
	}
	return "", false
}

// finish checks that nothing follows the value.
func (d *Decoder) finish() {
	d.from = d.pos
	for d.trim && !d.eof && d.err == nil && len(TrimSpaceStart(d.view()[d.pos:])) < 3 {
		d.fill()
	}
	switch rest := d.view()[d.pos:]; {
	case d.err != nil:
	case rest == "", d.trim && TrimSpaceStart(rest) == "":
		d.err = io.EOF
	default:
		d.fail(fault{state: wantMore, top: true})
	}
}

// fail sets the error for a fault at d.pos.
func (d *Decoder) fail(f fault) {
	const context = 128
	for len(d.buf)-d.pos < context && d.fill() {
	}
	if d.err != nil {
		return
	}
	end := len(d.buf)
	if d.trim && d.eof {
		end = len(TrimSpaceEnd(d.view()))
		if d.pos >= end {
			d.pos, f.status = end, scanMore
		}
	}
	before := d.view()[:d.pos]
	p := d.gone
	p.dirty = true
	p.advance(before)
	f.after = d.view()[d.pos:end]
	f.before = before
	if len(before) < context {
		f.before = d.tail + before
	}
	d.err = &SyntaxError{p.bytes, f.message(p)}
}
