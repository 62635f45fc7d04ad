package sdk

import (
	"context"
	"strconv"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/stage"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// text gives a stage the text that it would have in a pipeline: a saved run holds it against the program that resumes it.
func text(s Stage, raw string, args ...value.Member) Stage {
	args = append([]value.Member{value.M("_", value.Array())}, args...)
	return stage.Named(s, s.Name, raw, value.Object(args...))
}

func flag(name, text string) value.Member { return value.M(name, value.String(text)) }

// Exec runs a shell command; the lines that it prints are the items. Items that come in are ignored; stage.Exec has all options.
func Exec(command string) Stage {
	return text(stage.Exec(stage.ExecOptions{Shell: command}), "exec --shell "+strconv.Quote(command), flag("shell", command))
}

// ExecJSON runs a shell command that prints JSON: the elements of an array, or one value, are the items.
func ExecJSON(command string) Stage {
	return text(stage.Exec(stage.ExecOptions{JSON: true, Shell: command}), "exec --json --shell "+strconv.Quote(command),
		value.M("json", value.Bool(true)), flag("shell", command))
}

// Approve is a gate: the run stops, and goes on with its items when a person approves.
func Approve(prompt string) Stage {
	return text(stage.Approve(stage.ApproveOptions{Prompt: prompt}), "approve --prompt "+strconv.Quote(prompt), flag("prompt", prompt))
}

// Ask is a gate that wants a response, which becomes the one item. Package runtime/schema makes schemas of JSON.
func Ask(prompt string, schema flow.Schema) Stage {
	return text(stage.Ask(stage.AskOptions{Prompt: prompt, Schema: schema}), "ask --prompt "+strconv.Quote(prompt), flag("prompt", prompt))
}

// StateGet gives the value that is kept under a key, null when there is none.
func StateGet(key string) Stage {
	return text(stage.StateGet(stage.StateGetOptions{Key: key}), "state.get "+strconv.Quote(key))
}

// StateSet keeps the items under a key and passes them on.
func StateSet(key string) Stage {
	return text(stage.StateSet(stage.StateSetOptions{Key: key}), "state.set "+strconv.Quote(key))
}

// DiffLast compares the items with those of the last run, and keeps them for the next.
func DiffLast(key string) Stage {
	return text(stage.DiffLast(stage.DiffLastOptions{Key: key}), "diff.last --key "+strconv.Quote(key), flag("key", key))
}

// Map is a pure function of each item. The name tells a resumed run that its program is still the same.
func Map(name string, f func(Value) (Value, error)) Stage {
	return text(flow.Stage{Name: name, Run: func(_ *flow.Env, in flow.Stream) flow.Stream {
		return func(yield func(Value, error) bool) {
			for v, err := range in {
				if err == nil {
					v, err = f(v)
				}
				if !yield(v, err) || err != nil {
					return
				}
			}
		}
	}}, name)
}

// Filter keeps the items for which f is true.
func Filter(name string, f func(Value) bool) Stage {
	return text(flow.Stage{Name: name, Run: func(_ *flow.Env, in flow.Stream) flow.Stream {
		return func(yield func(Value, error) bool) {
			for v, err := range in {
				if err != nil || f(v) {
					if !yield(v, err) || err != nil {
						return
					}
				}
			}
		}
	}}, name)
}

// Effect is a function of all items that touches the world: it is called only after everything before it has ended well.
func Effect(name string, f func(ctx context.Context, items []Value) ([]Value, error)) Stage {
	return text(flow.Stage{Name: name, Effect: true, Gathers: true, Run: func(env *flow.Env, in flow.Stream) flow.Stream {
		return func(yield func(Value, error) bool) {
			items, err := flow.Collect(in)
			if err == nil {
				items, err = f(env.Ctx, items)
			}
			if err != nil {
				yield(Value{}, err)
				return
			}
			flow.Items(items...)(yield)
		}
	}}, name)
}
