package flow

import (
	"io"

	"github.com/lobsterc/lobsterc/runtime/value"
)

// barrier holds a stream back until it has ended well: a stage with an effect must not act on items of a process that then
// fails. A stage that is a pipeline's first needs none, its input is complete. See spec part 6, 5.
func barrier(env *Env, in Stream) Stream {
	return func(yield func(value.Value, error) bool) {
		h := &held{}
		defer h.spool.Close()
		if err := h.fill(in); err != nil {
			yield(value.Value{}, err)
			return
		}
		if err := contextError(env.Ctx); err != nil {
			yield(value.Value{}, err)
			return
		}
		h.each(yield)
	}
}

// held is a list of items: the first of them as they are, and beyond SpoolLimit bytes of JSON as text in a temporary file.
type held struct {
	items   []value.Value
	bytes   int
	spool   Spool
	scratch []byte
}

// fill takes in all of a stream.
func (h *held) fill(in Stream) error {
	for v, err := range in {
		if err != nil {
			return err
		}
		if err := h.add(v); err != nil {
			return err
		}
	}
	return nil
}

// add appends an item.
func (h *held) add(v value.Value) error {
	h.scratch = v.AppendJSON(h.scratch[:0])
	if h.bytes <= SpoolLimit {
		h.bytes += len(h.scratch)
		h.items = append(h.items, v.Detach())
		return nil
	}
	h.spool.Limit = 1 // what fits in memory is in items already
	h.scratch = append(h.scratch, '\n')
	_, err := h.spool.Write(h.scratch)
	return err
}

// each hands the items over in order. Items are let go as they pass.
func (h *held) each(yield func(value.Value, error) bool) {
	for i, v := range h.items {
		h.items[i] = value.Value{}
		if !yield(v, nil) {
			return
		}
	}
	if h.spool.Len() == 0 {
		return
	}
	r, err := h.spool.Reader()
	if err != nil {
		yield(value.Value{}, err)
		return
	}
	h.spooled(r, yield)
}

// spooled reads items back.
func (h *held) spooled(r io.Reader, yield func(value.Value, error) bool) {
	lines := value.NewLineDecoder(r)
	for {
		v, err := lines.Next()
		if err == io.EOF {
			return
		}
		if !yield(v, err) || err != nil {
			return
		}
	}
}
