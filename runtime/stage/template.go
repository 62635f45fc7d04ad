package stage

import (
	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// TemplateOptions are the options of template.
type TemplateOptions struct {
	Text Text
	// File is for the constructor in package late: a template that is read when the stage starts.
	File string
}

// Template turns each item into text.
func Template(o TemplateOptions) flow.Stage {
	return flow.Stage{Name: "template", Run: func(_ *flow.Env, in flow.Stream) flow.Stream {
		return func(y func(value.Value, error) bool) {
			var text string
			var buf []byte
			for v, err := range in {
				if err != nil {
					fail(y, err)
					return
				}
				text, buf = o.Text.render(v, buf)
				if !y(value.String(text), nil) {
					return
				}
			}
		}
	}}
}
