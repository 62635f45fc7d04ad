package stage

import (
	"slices"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// PickOptions are the options of pick.
type PickOptions struct{ Fields []string }

// Pick reduces objects, and arrays by index, to some of their fields, in the order given. A field that an
// item lacks keeps its place. Other items pass as they are.
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
		members := make([]value.Member, len(fields))
		for i, f := range fields {
			members[i] = value.Member{Key: f, Value: v.Prop(f).Detach()} // let go of the rest
		}
		return value.ObjectSparse(members), true
	})
}
