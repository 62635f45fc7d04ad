// Package value is the JSON value of workflows and pipelines, as JavaScript sees it: objects keep their order under
// JavaScript's key rule, numbers print as doubles do there (integers that a double cannot hold keep their digits while
// they are only passed on), strings may hold lone surrogates, and text equals JSON.stringify's byte for byte.
// See spec part 2, section 3.
package value

import "unsafe"

// Value is a JSON value, or Absent (the zero Value), which is JavaScript's undefined. It is immutable and 16 bytes.
type Value struct {
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

// Member is a key with its value.
type Member struct {
	Key   string
	Value Value
}

// M makes a Member.
func M(key string, v Value) Member { return Member{key, v} }

func (v Value) Kind() Kind                { return Absent }
func (v Value) IsAbsent() bool            { return true }
func (v Value) IsNull() bool              { return false }
func (v Value) Bool() bool                { return false }
func (v Value) Str() string               { return "" }
func (v Value) Get(key string) Value      { return Value{} }
func (v Value) Path(keys ...string) Value { return Value{} }
func (v Value) Truthy() bool              { return false }
func (v Value) Text() string              { return "" }
func Bool(bool) Value                     { return Value{} }
func String(string) Value                 { return Value{} }
func Object(members ...Member) Value      { return Value{} }
