package ir

import (
	"math"

	"github.com/lobsterc/lobsterc/runtime/value"
)

// YAML has numbers that JSON cannot hold: .inf, -.inf, .nan and -0. They stand in canonical JSON as {"$number": "Infinity"}
// and so on; an object of the author's whose first key looks like that is wrapped in {"$object": ...}.
const (
	numberKey = "$number"
	objectKey = "$object"
)

var oddNumbers = map[string]float64{
	"Infinity": math.Inf(1), "-Infinity": math.Inf(-1), "NaN": math.NaN(), "-0": math.Copysign(0, -1),
}

// encodeLiteral gives v itself wherever JSON can hold it.
func encodeLiteral(v value.Value) value.Value {
	switch v.Kind() {
	case value.NumberKind:
		switch f := v.Float(); {
		case math.IsNaN(f):
			return oddNumber("NaN")
		case math.IsInf(f, 0):
			return oddNumber(value.NumberText(f))
		case f == 0 && math.Signbit(f):
			return oddNumber("-0")
		}
	case value.ArrayKind:
		items := make([]value.Value, 0, v.Len())
		for _, item := range v.Items() {
			items = append(items, encodeLiteral(item))
		}
		return value.Array(items...)
	case value.ObjectKind:
		members := make([]value.Member, 0, v.Len())
		for key, item := range v.Members() {
			members = append(members, value.M(key, encodeLiteral(item)))
		}
		object := value.Object(members...)
		if len(members) == 1 && (members[0].Key == numberKey || members[0].Key == objectKey) {
			return value.Object(value.M(objectKey, object))
		}
		return object
	}
	return v
}

func oddNumber(name string) value.Value {
	return value.Object(value.M(numberKey, value.String(name)))
}

// decodeLiteral is the inverse of encodeLiteral. It takes what it does not know as it stands.
func decodeLiteral(v value.Value) value.Value {
	switch v.Kind() {
	case value.ArrayKind:
		items := make([]value.Value, 0, v.Len())
		for _, item := range v.Items() {
			items = append(items, decodeLiteral(item))
		}
		return value.Array(items...)
	case value.ObjectKind:
		if v.Len() == 1 {
			if name := v.Get(numberKey); name.Kind() == value.StringKind {
				if f, ok := oddNumbers[name.Str()]; ok {
					return value.Number(f)
				}
			}
			if inner := v.Get(objectKey); inner.Kind() == value.ObjectKind {
				return decodeMembers(inner)
			}
		}
		return decodeMembers(v)
	}
	return v
}

func decodeMembers(v value.Value) value.Value {
	members := make([]value.Member, 0, v.Len())
	for key, item := range v.Members() {
		members = append(members, value.M(key, decodeLiteral(item)))
	}
	return value.Object(members...)
}
