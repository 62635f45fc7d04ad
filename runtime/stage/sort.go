package stage

import (
	"cmp"
	"strings"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// SortOptions are the options of sort.
type SortOptions struct {
	Key  Path
	Desc bool
}

// Sort orders the items by a key. Equal items keep their order; items without a key come last, with Desc first.
func Sort(o SortOptions) flow.Stage {
	return flow.Stage{Name: "sort", Gathers: true, Run: func(_ *flow.Env, in flow.Stream) flow.Stream {
		return func(y func(value.Value, error) bool) {
			var entries []entry
			for v, err := range in {
				if err != nil {
					fail(y, err)
					return
				}
				entries = append(entries, newEntry(v.Detach(), o.Key, len(entries)))
			}
			value.SortStable(entries, order(o.Desc))
			for i := range entries {
				v := entries[i].item
				entries[i] = entry{} // let go of what has passed
				if !y(v, nil) {
					return
				}
			}
		}
	}}
}

// entry is an item with its key, prepared for comparing.
type entry struct {
	item value.Value
	text string // of a key that is no number
	num  float64
	rank rank
	at   int32 // place in the input
}

type rank uint8

const (
	numberKey rank = iota
	textKey
	noKey // null or absent
)

func newEntry(item value.Value, path Path, at int) entry {
	e := entry{item: item, at: int32(at)}
	switch key := path.of(item); key.Kind() {
	case value.NumberKind:
		e.num = key.Float()
	case value.NullKind, value.Absent:
		e.rank = noKey
	case value.StringKind:
		e.rank, e.text = textKey, key.Str()
	default:
		e.rank, e.text = textKey, key.JSString()
	}
	return e
}

// detach makes e independent of the input that it came from.
func (e entry) detach() entry {
	e.item, e.text = e.item.Detach(), strings.Clone(e.text)
	return e
}

// keyText is the key as text, for comparing a number with something else.
func (e *entry) keyText() string {
	if e.rank == numberKey {
		return value.NumberText(e.num)
	}
	return e.text
}

// compareKeys orders two keys: numbers by size, any other pair as text, and nothing after everything.
func compareKeys(a, b *entry) int {
	switch {
	case a.rank == numberKey && b.rank == numberKey:
		return cmp.Compare(a.num, b.num)
	case a.rank == noKey || b.rank == noKey:
		return cmp.Compare(a.rank/noKey, b.rank/noKey)
	}
	return value.CompareUTF16(a.keyText(), b.keyText())
}

// order is the order of sort: whether a comes before b. The place in the input decides between equal keys, so a heap can use it too.
func order(desc bool) func(a, b *entry) bool {
	return func(a, b *entry) bool {
		c := compareKeys(a, b)
		if desc {
			c = -c
		}
		return c < 0 || c == 0 && a.at < b.at
	}
}
