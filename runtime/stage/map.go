package stage

import (
	"errors"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// MapOptions are the options of map.
type MapOptions struct {
	Wrap   string
	Unwrap string
	Set    []Assign
}

// Assign sets a key to text.
type Assign struct {
	Key  string
	Text Text
}

// Map wraps or unwraps items, or adds fields to them. Items are never changed in place.
func Map(o MapOptions) flow.Stage {
	switch {
	case o.Wrap != "" && o.Unwrap != "":
		return Failing("map", errors.New("map cannot use both --wrap and --unwrap"))
	case o.Unwrap != "":
		return each("map", func(v value.Value) (value.Value, bool) { return unwrap(v, o.Unwrap), true })
	case len(o.Set) == 0 && o.Wrap == "":
		return each("map", func(v value.Value) (value.Value, bool) { return v, true })
	}
	return each("map", func(v value.Value) (value.Value, bool) { return o.assign(v), true })
}

// unwrap gives a field of an object or array. Other items have none: they become absent, which shows as null.
func unwrap(v value.Value, key string) value.Value {
	switch v.Kind() {
	case value.ObjectKind, value.ArrayKind:
		return v.Prop(key)
	}
	return value.Value{}
}

// assign wraps an item, or takes it as it is when it is an object, and adds the fields. Without a wrapper the texts read the item as
// it has become so far, as when fields are set one after the other.
func (o *MapOptions) assign(item value.Value) value.Value {
	var target value.Value
	object := item.Kind() == value.ObjectKind
	switch {
	case o.Wrap != "":
		target = value.ObjectSparse([]value.Member{{Key: o.Wrap, Value: item}})
	case object:
		target = item
	default:
		target = value.ObjectSparse([]value.Member{{Key: "value", Value: item}})
	}
	for _, set := range o.Set {
		from := item
		if o.Wrap == "" && object {
			from = target
		}
		target = target.With(set.Key, value.String(set.Text.field(from)))
	}
	return target
}
