package syntax

import (
	"sort"

	"github.com/lobsterc/lobsterc/ir/diag"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// Kind is the kind of a Node.
type Kind uint8

// The kinds of nodes.
const (
	ScalarNode Kind = iota
	ListNode
	MapNode
)

// Node is a value of a file with its place. Aliases are resolved: they share the node of their anchor.
type Node struct {
	Kind    Kind
	Span    diag.Span
	Scalar  *Scalar     // of scalars: the text as written, decoded
	Value   value.Value // of scalars: what the text means
	Items   []*Node
	Entries []Entry

	size int // nodes in the tree when aliases are expanded
}

// Entry is a key of a mapping with its value.
type Entry struct {
	Key   *Scalar
	Value *Node
}

// Pos is where the node starts.
func (n *Node) Pos() diag.Pos { return n.Span.Start }

// Get is the last entry of a key, or nil.
func (n *Node) Get(key string) *Node {
	if e := n.Entry(key); e != nil {
		return e.Value
	}
	return nil
}

// Entry is the last entry of a key, or nil.
func (n *Node) Entry(key string) *Entry {
	for i := len(n.Entries) - 1; i >= 0; i-- {
		if n.Entries[i].Key.Text == key {
			return &n.Entries[i]
		}
	}
	return nil
}

// IsString tells whether the node is a string.
func (n *Node) IsString() bool { return n.Kind == ScalarNode && n.Value.Kind() == value.StringKind }

// IsNull tells whether the node is null.
func (n *Node) IsNull() bool { return n.Kind == ScalarNode && n.Value.Kind() == value.NullKind }

// Truthy is JavaScript's truth of the node.
func (n *Node) Truthy() bool { return n.Kind != ScalarNode || n.Value.Truthy() }

// JSON is the whole tree as a value.
func (n *Node) JSON() value.Value {
	switch n.Kind {
	case ListNode:
		items := make([]value.Value, len(n.Items))
		for i, item := range n.Items {
			items[i] = item.JSON()
		}
		return value.Array(items...)
	case MapNode:
		members := make([]value.Member, len(n.Entries))
		for i, e := range n.Entries {
			members[i] = value.M(e.Key.Text, e.Value.JSON())
		}
		return value.Object(members...)
	}
	return n.Value
}

// Scalar is the text of a scalar, after quotes, escapes, folding and indentation are taken away, with the way back to the file.
type Scalar struct {
	Text string
	Span diag.Span
	// Plain: neither quoted nor a block scalar.
	Plain bool
	// Block: a literal or folded block scalar.
	Block bool

	src   *Source
	start int    // offset of the scalar in src
	end   int    // offset after it, as far as known
	marks []mark // ordered by val; empty when the way back is unknown
}

// mark says that from byte val of the text on, the text stands at byte src of the file, byte for byte until the next mark.
type mark struct{ val, src int }

// Offset is the offset in the file of a byte of the text; a byte that an escape made has the offset of the escape.
func (s *Scalar) Offset(at int) int {
	if len(s.marks) == 0 {
		return s.start
	}
	i := sort.Search(len(s.marks), func(i int) bool { return s.marks[i].val > at }) - 1
	if i < 0 {
		return s.start
	}
	m := s.marks[i]
	off := m.src + at - m.val
	if i+1 < len(s.marks) && off >= s.marks[i+1].src {
		off = max(m.src, s.marks[i+1].src-1)
	}
	return off
}

// PosAt is where a byte of the text stands in the file.
func (s *Scalar) PosAt(at int) diag.Pos {
	if s.src == nil {
		return s.Span.Start
	}
	return s.src.Pos(s.Offset(at))
}

// SpanAt is the place of text[from:to].
func (s *Scalar) SpanAt(from, to int) diag.Span {
	if s.src == nil || len(s.marks) == 0 {
		return s.Span
	}
	if to <= from {
		return diag.Span{Start: s.PosAt(from)}
	}
	return s.src.Span(s.Offset(from), s.Offset(to-1)+1)
}

// Source is the file that the scalar stands in; nil for text that is not from a file.
func (s *Scalar) Source() *Source { return s.src }

// TextScalar makes a scalar of text that is a whole file, such as an inline pipeline.
func TextScalar(name, text string) *Scalar {
	src := NewSource(name, []byte(text))
	return &Scalar{Text: string(src.Text), src: src, end: len(src.Text), marks: []mark{{0, 0}},
		Span: src.Span(0, len(src.Text))}
}
