package value

import (
	"hash/maphash"
	"slices"
	"unsafe"
)

// Member is a key with its value.
type Member struct {
	Key   string
	Value Value
}

// M makes a Member.
func M(key string, v Value) Member { return Member{key, v} }

// maxPlain is how many members are searched one by one; larger objects get a hash index.
const maxPlain = 16

// indexed is a large object.
type indexed struct {
	members []Member
	table   []int32 // open addressing, position+1; its length is a power of two, at least twice the members
}

var seed = maphash.MakeSeed()

// find gives the position of key, or -1 and the free slot of the table.
func (x *indexed) find(key string) (pos, slot int) {
	mask := len(x.table) - 1
	slot = int(maphash.String(seed, key)) & mask
	for {
		pos := int(x.table[slot]) - 1
		if pos < 0 || x.members[pos].Key == key {
			return pos, slot
		}
		slot = (slot + 1) & mask
	}
}

func (x *indexed) get(key string) Value {
	if pos, _ := x.find(key); pos >= 0 {
		return x.members[pos].Value
	}
	return Value{}
}

func newIndexed(room int) *indexed {
	size := 2 * maxPlain
	for size < 2*room {
		size *= 2
	}
	return &indexed{make([]Member, 0, room), make([]int32, size)}
}

// Object makes an object. JavaScript's key rule is applied: integer-like keys come first, ascending. A repeated key keeps
// its first place and its last value. Members whose value is Absent are dropped.
//
//go:noinline
func Object(members ...Member) Value { return objectOf(members, false, false) }

// ObjectOwned is Object for a slice that the caller gives away: it may be reordered and kept.
func ObjectOwned(members []Member) Value { return objectOf(members, true, false) }

// ObjectSparse is ObjectOwned that keeps members whose value is Absent, as JavaScript keeps a key that is set to undefined: JSON
// text leaves them out, but they have a place in the order and count as members.
func ObjectSparse(members []Member) Value { return objectOf(members, true, true) }

func objectOf(members []Member, owned, sparse bool) Value {
	plain := len(members) <= maxPlain
	for i := range members {
		m := &members[i]
		plain = plain && (sparse || !m.Value.IsAbsent()) && !startsWithDigit(m.Key)
		for j := 0; plain && j < i; j++ {
			plain = members[j].Key != m.Key
		}
		if !plain {
			return untidyObject(members, sparse)
		}
	}
	if !owned {
		members = append(make([]Member, 0, len(members)), members...)
	}
	return plainObject(members)
}

// plainObject wraps at most maxPlain members that are in order and have no key twice.
func plainObject(members []Member) Value {
	if len(members) == 0 {
		return Value{n: uint64(repObject) << repShift}
	}
	return makeValue(unsafe.Pointer(unsafe.SliceData(members)), repObject, len(members))
}

// untidyObject drops second keys and, unless sparse, absent members, orders, and indexes what is large.
func untidyObject(members []Member, sparse bool) Value {
	x := newIndexed(len(members))
	integers := false
	for _, m := range members {
		if !sparse && m.Value.IsAbsent() {
			continue
		}
		pos, slot := x.find(m.Key)
		if pos >= 0 {
			x.members[pos].Value = m.Value
			continue
		}
		x.members = append(x.members, m)
		x.table[slot] = int32(len(x.members))
		if !integers {
			_, integers = arrayIndex(m.Key)
		}
	}
	if integers {
		sortIntegerKeys(x.members)
	}
	if len(x.members) <= maxPlain {
		return plainObject(x.members)
	}
	if integers {
		clear(x.table)
		for i := range x.members {
			_, slot := x.find(x.members[i].Key)
			x.table[slot] = int32(i + 1)
		}
	}
	return makeValue(unsafe.Pointer(x), repIndex, 0)
}

// sortIntegerKeys applies JavaScript's key rule. Keys are distinct.
func sortIntegerKeys(members []Member) {
	SortStable(members, func(x, y *Member) bool {
		a, aInt := arrayIndex(x.Key)
		b, bInt := arrayIndex(y.Key)
		return aInt && (!bInt || a < b)
	})
}

func startsWithDigit(s string) bool { return s != "" && '0' <= s[0] && s[0] <= '9' }

// arrayIndex reads an integer-like key: canonical decimal, 0 to 2^32-2.
func arrayIndex(s string) (uint32, bool) {
	if s == "" || len(s) > 10 || s[0] == '0' && len(s) > 1 {
		return 0, false
	}
	n := uint64(0)
	for i := 0; i < len(s); i++ {
		c := s[i] - '0'
		if c > 9 {
			return 0, false
		}
		n = n*10 + uint64(c)
	}
	return uint32(n), n <= 1<<32-2
}

// With is a copy of the object v with key set to x; a new key goes last (or where JavaScript's key rule puts it). An
// Absent x removes the key. Anything but an object counts as an empty one.
func (v Value) With(key string, x Value) Value {
	old := v.MemberList()
	members := make([]Member, len(old), len(old)+1)
	copy(members, old)
	at := slices.IndexFunc(members, func(m Member) bool { return m.Key == key })
	switch {
	case at < 0 && x.IsAbsent():
	case at < 0:
		members = append(members, Member{key, x})
	case x.IsAbsent():
		members = slices.Delete(members, at, at+1)
	default:
		members[at].Value = x
	}
	return ObjectSparse(members)
}
