package gatewaytest

import (
	"context"
	"io"
	"strings"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// Run drives one stage with items and an environment of "NAME=value" pairs, as a pipeline would, and gives what came out of it.
func Run(ctx context.Context, stage flow.Stage, items []value.Value, dir string, environ ...string) Outcome {
	var out Outcome
	var stderr strings.Builder
	env := &flow.Env{
		Ctx: ctx, Environ: environ, Dir: dir, Stdout: io.Discard, Stderr: &stderr,
		StateDir:     func() (string, error) { return dir + "/state", nil },
		NoteDispatch: func() { out.Dispatches++ },
		NoteUsage:    func(u flow.Usage) { out.Usage = append(out.Usage, u) },
	}
	in := func(yield func(value.Value, error) bool) {
		for _, item := range items {
			if !yield(item, nil) {
				return
			}
		}
	}
	for v, err := range stage.Run(env, in) {
		if err != nil {
			out.Err = err
			break
		}
		out.Items = append(out.Items, v)
	}
	out.Stderr = stderr.String()
	return out
}

// Outcome is what a stage did.
type Outcome struct {
	Items      []value.Value
	Err        error
	Stderr     string
	Dispatches int
	Usage      []flow.Usage
}

// Text is the items as compact JSON, or the error after "error: ".
func (o Outcome) Text() string {
	if o.Err != nil {
		return "error: " + o.Err.Error()
	}
	return value.Array(o.Items...).JSON()
}
