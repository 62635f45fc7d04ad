package stage

import (
	"math"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// SortHeadOptions are the options of sort and head together.
type SortHeadOptions struct {
	Key  Path
	Desc bool
	N    float64
}

// fewItems is how many items SortHead keeps at least: so many are sorted as the reference sorts them even when their order
// contradicts itself, and then the first N of them are the same.
const fewItems = 63

// SortHead is sort followed by head. It keeps no more than the N items that can still come out (but fewItems), in a heap with the
// last one of them on top.
func SortHead(o SortHeadOptions) flow.Stage {
	if !countOK(o.N) {
		return Failing("sort", errHead)
	}
	limit := math.MaxInt
	if o.N < math.MaxInt32 {
		limit = int(math.Ceil(o.N))
	}
	return flow.Stage{Name: "sort", Gathers: true, Run: func(_ *flow.Env, in flow.Stream) flow.Stream {
		return func(y func(value.Value, error) bool) {
			best := top{limit: max(limit, fewItems), before: order(o.Desc)}
			at := 0
			for v, err := range in {
				if err != nil {
					fail(y, err)
					return
				}
				best.add(newEntry(v, o.Key, at))
				at++
			}
			value.SortStable(best.heap, func(a, b *entry) bool { return a.at < b.at })
			value.SortStable(best.heap, best.before)
			for _, e := range best.heap[:min(limit, len(best.heap))] {
				if !y(e.item, nil) {
					return
				}
			}
		}
	}}
}

// top is a heap of the first limit entries in order; heap[0] is the last of them.
type top struct {
	heap   []entry
	limit  int
	before func(a, b *entry) bool
}

func (t *top) add(e entry) {
	switch {
	case len(t.heap) < t.limit:
		t.heap = append(t.heap, e.detach())
		t.up(len(t.heap) - 1)
	case t.limit > 0 && t.before(&e, &t.heap[0]):
		t.heap[0] = e.detach()
		t.down(0)
	}
}

func (t *top) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !t.before(&t.heap[parent], &t.heap[i]) {
			return
		}
		t.heap[i], t.heap[parent] = t.heap[parent], t.heap[i]
		i = parent
	}
}

func (t *top) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(t.heap) {
			return
		}
		if child+1 < len(t.heap) && t.before(&t.heap[child], &t.heap[child+1]) {
			child++
		}
		if !t.before(&t.heap[i], &t.heap[child]) {
			return
		}
		t.heap[i], t.heap[child] = t.heap[child], t.heap[i]
		i = child
	}
}
