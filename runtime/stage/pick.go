package stage

import (
	"slices"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// PickOptions are the options of pick.
type PickOptions struct{ Fields []string }

// Pick reduces objects, and arrays by index, to some of their fields, in the order given. Other items pass as they are.
func Pick(o PickOptions) flow.Stage {
	var fields []string
	for _, f := range o.Fields {
		if !slices.Contains(fields, f) {
			fields = append(fields, f)
		}
	}
	return each("pick", func(v value.Value) (value.Value, bool) {
		if k := v.Kind(); k != value.ObjectKind && k != value.ArrayKind {
			return v, true
		}
		members := make([]value.Member, 0, len(fields))
		for _, f := range fields {
			if x := v.Prop(f); !x.IsAbsent() {
				members = append(members, value.Member{Key: f, Value: x})
			}
		}
		return value.ObjectOwned(members), true
	})
}
