package value

import "strings"

// Compact is v with text of its own. Values that a Decoder gave, and what is taken from them, refer to the chunk that they
// were read in and keep all of it in memory; so whoever keeps many small values of a large input (sort, groupBy, dedupe)
// compacts them first.
func (v Value) Compact() Value {
	if v.isDouble() {
		return v
	}
	switch r := v.rep(); r {
	case repString, repDigits:
		return textValue(r, strings.Clone(v.bytes()))
	case repRawArray, repRawObject:
		return rawValue(strings.Clone(v.bytes()), v.rawFlags())
	case repArray:
		items := v.Items()
		list := make([]Value, len(items))
		for i, x := range items {
			list[i] = x.Compact()
		}
		return Array(list...)
	case repObject, repIndex:
		old := v.MemberList()
		members := make([]Member, len(old))
		for i, m := range old {
			members[i] = Member{strings.Clone(m.Key), m.Value.Compact()}
		}
		return ObjectSparse(members)
	}
	return v
}

// Detach is a quick Compact: what a Decoder gave as it is, unread objects and arrays, strings and long numbers, gets text of its own;
// objects and arrays that were made since are left as they are.
func (v Value) Detach() Value {
	if v.isDouble() {
		return v
	}
	switch v.rep() {
	case repString, repDigits, repRawArray, repRawObject:
		return v.Compact()
	}
	return v
}
