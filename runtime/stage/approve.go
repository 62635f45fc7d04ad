package stage

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// ApproveOptions are the options of approve.
type ApproveOptions struct {
	Prompt  string
	Emit    bool
	Preview bool
	Limit   int // items in a preview
}

// Approve stops for a person: on a terminal it asks and passes its items on, elsewhere (and with Emit) it halts, and the pipeline goes
// on after it with the items.
func Approve(o ApproveOptions) flow.Stage {
	return gather("approve", func(env *flow.Env, items []value.Value, y yield) {
		if env.Ask == nil || o.Emit {
			halt := &flow.Halt{Kind: flow.HaltApproval, Prompt: o.Prompt, Items: items}
			if o.Preview {
				halt.Preview = preview(items, o.Limit)
			}
			fail(y, halt)
			return
		}
		answer, err := ask(env.Ctx, env, o.Prompt+" [y/N] ")
		if err == nil && !isYes(answer) {
			//lint:ignore ST1005 the reference's text
			err = errors.New("Not approved")
		}
		if err != nil {
			fail(y, err)
			return
		}
		for _, v := range items {
			if !y(v, nil) {
				return
			}
		}
	})
}

// ask asks on the terminal. The end of the input counts as an empty answer.
func ask(ctx context.Context, env *flow.Env, prompt string) (string, error) {
	answer, err := env.Ask(ctx, prompt)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return answer, err
}

func isYes(answer string) bool {
	answer = value.TrimSpace(answer)
	return strings.EqualFold(answer, "y") || strings.EqualFold(answer, "yes")
}

// preview shows the first items: strings a line each, anything else as JSON. Absent when there is nothing to show.
func preview(items []value.Value, limit int) value.Value {
	items = items[:max(0, min(limit, len(items)))]
	if len(items) == 0 {
		return value.Value{}
	}
	lines := make([]string, 0, len(items))
	for _, v := range items {
		if v.Kind() != value.StringKind {
			return value.String(value.Array(items...).Indent())
		}
		lines = append(lines, v.Str())
	}
	if text := strings.Join(lines, "\n"); text != "" {
		return value.String(text)
	}
	return value.Value{}
}
