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
	p := value.NewPicker(fields...)
	return each("pick", func(v value.Value) (value.Value, bool) {
		if k := v.Kind(); k != value.ObjectKind && k != value.ArrayKind {
			return v, true
		}
		return p.Pick(v), true
	})
}
