package value

import (
	"io"
	"iter"
)

// Decoder reads a JSON text and gives the elements of a top-level array one by one, or the one value that is no array.
type Decoder struct {
	r     io.Reader
	begun bool
	array bool
	empty bool
	items []Value
	err   error
}

// NewDecoder reads from r.
func NewDecoder(r io.Reader) *Decoder { return &Decoder{r: r} }

// Next gives the next element, or io.EOF after the last one. A syntax error comes after the good elements before it.
func (d *Decoder) Next() (Value, error) {
	if !d.begun {
		d.begun = true
		d.read()
	}
	if len(d.items) == 0 {
		return Value{}, d.err
	}
	v := d.items[0]
	d.items = d.items[1:]
	return v, nil
}

func (d *Decoder) read() {
	data, err := io.ReadAll(d.r)
	if err != nil {
		d.err = err
		return
	}
	d.err = io.EOF
	if skipSpace(string(data), 0) == len(data) {
		d.empty = true
		return
	}
	v, err := Parse(data)
	if err != nil {
		d.err = err
		return
	}
	if d.items = []Value{v}; v.Kind() == ArrayKind {
		d.items, d.array = v.Items(), true
	}
}

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
