package stage

import (
	"errors"
	"strings"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// AskOptions are the options of ask.
type AskOptions struct {
	Prompt  string
	Schema  flow.Schema
	Subject bool
	Emit    bool
}

// Ask stops for an answer, which becomes the one item: on a terminal it asks, elsewhere (and with Emit) it halts. Its own items
// are dropped; with Subject they are shown with the question.
func Ask(o AskOptions) flow.Stage {
	if o.Prompt == "" {
		return Failing("ask", errors.New("requestInput prompt is required"))
	}
	st := gather("ask", func(env *flow.Env, items []value.Value, y yield) {
		if env.Ask == nil || o.Emit {
			halt := &flow.Halt{Kind: flow.HaltInput, Prompt: o.Prompt, Schema: o.Schema.Source(), SameStage: !o.Emit, Items: items}
			if o.Subject {
				halt.Subject = subject(items)
			}
			fail(y, halt)
			return
		}
		text, err := ask(env.Ctx, env, o.Prompt+"\n> ")
		var answer value.Value
		if err == nil {
			answer, err = Answer(o.Schema, text)
		}
		if err != nil {
			fail(y, err)
			return
		}
		y(answer, nil)
	})
	st.Schema = o.Schema
	return st
}

// Answer is what a person typed: JSON, or text that is taken as itself, else as {decision: text}.
func Answer(schema flow.Schema, text string) (value.Value, error) {
	text = value.TrimSpace(text)
	v, err := value.ParseString(text)
	if err == nil {
		return v, answerError(schema.Validate(v))
	}
	if v = value.String(text); schema.Validate(v) == nil {
		return v, nil
	}
	v = value.Object(value.M("decision", v))
	return v, answerError(schema.Validate(v))
}

func answerError(err error) error {
	var fault *flow.SchemaError
	if errors.As(err, &fault) {
		return errors.New("ask response failed schema validation at " + fault.Path + ": " + fault.Reason)
	}
	return err
}

// maxSubject is how many UTF-16 units of the items a question shows.
const maxSubject = 2000

// subject shows the items with a question; Absent when there are none.
func subject(items []value.Value) value.Value {
	if len(items) == 0 {
		return value.Value{}
	}
	lines := make([]string, len(items))
	for i, v := range items {
		switch v.Kind() {
		case value.Absent: // an empty line
		case value.StringKind:
			lines[i] = v.Str()
		default:
			lines[i] = v.JSON()
		}
	}
	text := strings.Join(lines, "\n")
	if value.LenUTF16(text) > maxSubject {
		text = value.SliceUTF16(text, 0, maxSubject)
	}
	return value.Object(value.M("text", value.String(text)))
}
