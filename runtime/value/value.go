package value

import (
	"iter"
	"math"
	"unsafe"
)

// Value is a JSON value, or Absent (the zero Value), which is JavaScript's undefined. It is immutable and 16 bytes.
//
// A number is the tag pointer numberTag with the bits of the double. Everything else has its representation in the
// top four bits of n, flags in the next four, and a length in the rest; p points to the bytes or elements.
//
// Values cannot be compared with ==, which would compare pointers. (It also saves every program the code that would compare
// whatever holds Values.)
type Value struct {
	_ [0]func()
	p unsafe.Pointer
	n uint64
}

// Kind is the JSON kind of a Value.
type Kind uint8

// The kinds. Absent is JavaScript's undefined.
const (
	Absent Kind = iota
	NullKind
	BoolKind
	NumberKind
	StringKind
	ArrayKind
	ObjectKind
)

var kindNames = [...]string{"absent", "null", "boolean", "number", "string", "array", "object"}

func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "invalid kind"
}

// rep says how a value that is not a double is stored.
type rep uint8

const (
	repAbsent rep = iota
	repNull
	repBool
	repDigits // number: p is the literal's bytes; an integer whose digits a double would lose
	repString // p is the bytes
	repArray  // p is the first of n Values
	repObject // p is the first of n Members
	repIndex  // object: p is an *indexed
	repRawArray
	repRawObject // p is n bytes of valid JSON text, not looked into yet (raw.go)
)

const (
	repShift  = 60
	flagShift = 56
	lenMask   = 1<<flagShift - 1
)

var repKinds = [16]Kind{
	repAbsent: Absent, repNull: NullKind, repBool: BoolKind, repDigits: NumberKind, repString: StringKind,
	repArray: ArrayKind, repObject: ObjectKind, repIndex: ObjectKind, repRawArray: ArrayKind, repRawObject: ObjectKind,
}

// numberTag's address marks doubles, which need all 64 bits of n. It has a pointer-free type and is never read.
var numberTag byte

func makeValue(p unsafe.Pointer, r rep, n int) Value {
	return Value{p: p, n: uint64(r)<<repShift | uint64(n)}
}

// rep must not be called on a double.
func (v Value) rep() rep       { return rep(v.n >> repShift) }
func (v Value) size() int      { return int(v.n & lenMask) }
func (v Value) isDouble() bool { return v.p == unsafe.Pointer(&numberTag) }
func (v Value) is(r rep) bool  { return v.n>>repShift == uint64(r) && !v.isDouble() }

// bytes is the text behind a string, digits or raw value.
func (v Value) bytes() string { return unsafe.String((*byte)(v.p), v.size()) }

// Null is JSON's null.
var Null = Value{n: nullBits}

const nullBits = uint64(repNull) << repShift

// Bool makes a boolean.
func Bool(b bool) Value {
	v := Value{n: uint64(repBool) << repShift}
	if b {
		v.n |= 1
	}
	return v
}

// Number makes a number. NaN and the infinities are numbers as in JavaScript; JSON text shows them as null.
func Number(f float64) Value { return Value{p: unsafe.Pointer(&numberTag), n: math.Float64bits(f)} }

// Int makes a number. One that a double cannot hold keeps its digits.
func Int(i int64) Value {
	if -maxSafe <= i && i <= maxSafe {
		return Number(float64(i))
	}
	var buf [20]byte
	return integerLiteral(string(appendInt(buf[:0], i)))
}

// String makes a string. Lone surrogates are written in s as WTF-8 (three bytes each, ED A0 80 to ED BF BF).
func String(s string) Value { return textValue(repString, s) }

func textValue(r rep, s string) Value {
	if s == "" {
		return Value{n: uint64(r) << repShift}
	}
	return makeValue(unsafe.Pointer(unsafe.StringData(s)), r, len(s))
}

// Array makes an array and keeps the slice, which nobody may change afterwards.
func Array(items ...Value) Value {
	if len(items) == 0 {
		return Value{n: uint64(repArray) << repShift}
	}
	return makeValue(unsafe.Pointer(unsafe.SliceData(items)), repArray, len(items))
}

// Strings makes an array of strings.
func Strings(items ...string) Value {
	vs := make([]Value, len(items))
	for i, s := range items {
		vs[i] = String(s)
	}
	return Array(vs...)
}

// Kind gives the JSON kind.
func (v Value) Kind() Kind {
	if v.isDouble() {
		return NumberKind
	}
	return repKinds[v.rep()]
}

// IsAbsent reports whether v is undefined.
func (v Value) IsAbsent() bool { return v.n == 0 && v.p == nil }

// IsNull reports whether v is null.
func (v Value) IsNull() bool { return v.p == nil && v.n == nullBits }

// IsNullish reports whether v is null or absent.
func (v Value) IsNullish() bool { return v.p == nil && (v.n == nullBits || v.n == 0) }

// Bool is the boolean, or false for any other kind.
func (v Value) Bool() bool { return v.is(repBool) && v.n&1 == 1 }

// Float is the number as a double, or 0 for any other kind.
func (v Value) Float() float64 {
	if v.isDouble() {
		return math.Float64frombits(v.n)
	}
	if v.rep() == repDigits {
		return parseFloat(v.bytes())
	}
	return 0
}

// Str is the string, or "" for any other kind. Lone surrogates are in it as WTF-8; see ToUTF8.
func (v Value) Str() string {
	if v.is(repString) {
		return v.bytes()
	}
	return ""
}

// Len is the number of items of an array or members of an object, else 0.
func (v Value) Len() int {
	if v.isDouble() {
		return 0
	}
	switch v.rep() {
	case repArray, repObject:
		return v.size()
	case repIndex:
		return len((*indexed)(v.p).members)
	case repRawArray, repRawObject:
		return v.rawLen()
	}
	return 0
}

// At is item i of an array, or Absent.
func (v Value) At(i int) Value {
	if v.is(repArray) {
		if uint(i) < uint(v.size()) {
			return v.Items()[i]
		}
	} else if v.is(repRawArray) {
		return v.rawAt(i)
	}
	return Value{}
}

// Items are the items of an array, or nil. The slice is the value's own and must not be changed.
func (v Value) Items() []Value {
	if v.isDouble() {
		return nil
	}
	switch v.rep() {
	case repArray:
		return unsafe.Slice((*Value)(v.p), v.size())
	case repRawArray:
		return v.parseRaw().Items()
	}
	return nil
}

// All gives the items of an array in turn.
func (v Value) All() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		for _, x := range v.Items() {
			if !yield(x) {
				return
			}
		}
	}
}

// Members gives the members of an object in turn.
func (v Value) Members() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		for _, m := range v.MemberList() {
			if !yield(m.Key, m.Value) {
				return
			}
		}
	}
}

// MemberList are the members of an object, or nil. The slice is the value's own and must not be changed.
func (v Value) MemberList() []Member {
	if v.isDouble() {
		return nil
	}
	switch v.rep() {
	case repObject:
		return unsafe.Slice((*Member)(v.p), v.size())
	case repIndex:
		return (*indexed)(v.p).members
	case repRawObject:
		return v.parseRaw().MemberList()
	}
	return nil
}

// Get is the own member of an object, or Absent.
func (v Value) Get(key string) Value {
	if v.isDouble() {
		return Value{}
	}
	switch v.rep() {
	case repObject:
		for _, m := range unsafe.Slice((*Member)(v.p), v.size()) {
			if m.Key == key {
				return m.Value
			}
		}
	case repIndex:
		return (*indexed)(v.p).get(key)
	case repRawObject:
		return v.rawGet(key)
	}
	return Value{}
}

// Prop is what JavaScript's v[key] gives for own properties: a member of an object, an index or the length of an array
// or string; else Absent. The length and the indices of a string count UTF-16 units.
func (v Value) Prop(key string) Value {
	switch v.Kind() {
	case ObjectKind:
		return v.Get(key)
	case ArrayKind:
		if key == "length" {
			return Number(float64(v.Len()))
		}
		if i, ok := arrayIndex(key); ok {
			return v.At(int(i))
		}
	case StringKind:
		if key == "length" {
			return Number(float64(LenUTF16(v.Str())))
		}
		if i, ok := arrayIndex(key); ok {
			return unitAt(v.Str(), int(i))
		}
	}
	return Value{}
}

// Path is Prop for each key in turn.
//
//go:noinline
func (v Value) Path(keys ...string) Value {
	for _, k := range keys {
		v = v.Prop(k)
	}
	return v
}

// Truthy is JavaScript's truthiness.
func (v Value) Truthy() bool {
	if v.isDouble() {
		f := v.Float()
		return f != 0 && f == f
	}
	switch v.rep() {
	case repAbsent, repNull:
		return false
	case repBool:
		return v.n&1 == 1
	case repString:
		return v.size() != 0
	}
	return true // digits are never of zero
}
