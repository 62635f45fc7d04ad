package stage

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// decisionSchema stands in for the default schema of ask.
type decisionSchema struct{}

func (decisionSchema) Source() value.Value {
	return value.Object(value.M("type", value.String("object")))
}
func (decisionSchema) Validate(v value.Value) error {
	switch d := v.Get("decision"); {
	case v.Kind() != value.ObjectKind:
		return &flow.SchemaError{Path: "/", Reason: "must be object"}
	case d.Str() != "approve" && d.Str() != "redraft":
		return &flow.SchemaError{Path: "/decision", Reason: "must be equal to one of the allowed values"}
	}
	return nil
}

// answering makes env a terminal at which answer is typed.
func answering(env *flow.Env, answer string, err error) (prompt *string) {
	prompt = new(string)
	env.Ask = func(_ context.Context, text string) (string, error) {
		*prompt = text
		return answer, err
	}
	return prompt
}

func TestGatesOnATerminal(t *testing.T) {
	approve := Approve(ApproveOptions{Prompt: "Go on?", Limit: 5})
	question := Ask(AskOptions{Prompt: "P", Schema: decisionSchema{}})
	tests := []struct {
		stage        flow.Stage
		answer       string
		err          error
		prompt, want string
	}{
		{approve, "y", nil, "Go on? [y/N] ", `["a","b"]`},
		{approve, " Yes ", nil, "Go on? [y/N] ", `["a","b"]`},
		{approve, "no", nil, "Go on? [y/N] ", `error: Not approved`},
		{approve, "", io.EOF, "Go on? [y/N] ", `error: Not approved`},
		{approve, "", errors.New("no terminal"), "Go on? [y/N] ", `error: no terminal`},
		{question, "approve", nil, "P\n> ", `[{"decision":"approve"}]`},
		{question, ` {"decision":"redraft","feedback":"x"} `, nil, "P\n> ", `[{"decision":"redraft","feedback":"x"}]`},
		{question, "nope", nil, "P\n> ", `error: ask response failed schema validation at /decision: must be equal to one of the allowed values`},
		{question, "5", nil, "P\n> ", `error: ask response failed schema validation at /: must be object`},
		{question, "", io.EOF, "P\n> ", `error: ask response failed schema validation at /decision: must be equal to one of the allowed values`},
	}
	for _, tt := range tests {
		env := testEnv(t, io.Discard)
		prompt := answering(env, tt.answer, tt.err)
		if got := result(t, env, `["a","b"]`, tt.stage); got != tt.want || *prompt != tt.prompt {
			t.Errorf("%s %q: got %s, prompt %q", tt.stage.Name, tt.answer, got, *prompt)
		}
	}
}

func TestHalts(t *testing.T) {
	schema := decisionSchema{}
	tests := []struct {
		name, in         string
		stage            flow.Stage
		items            string
		preview, subject string
		same             bool
	}{
		{"approve", `["a","b"]`, Approve(ApproveOptions{Prompt: "P", Limit: 5}), `["a","b"]`, "null", "null", false},
		{"preview of strings", `["a","b"]`, Approve(ApproveOptions{Prompt: "P", Limit: 1, Preview: true}), `["a","b"]`, `"a"`, "null", false},
		{"preview of values", `["a",1]`, Approve(ApproveOptions{Prompt: "P", Limit: 5, Preview: true, Emit: true}), `["a",1]`, `"[\n  \"a\",\n  1\n]"`, "null", false},
		{"preview of nothing", `[]`, Approve(ApproveOptions{Prompt: "P", Limit: 5, Preview: true}), `[]`, "null", "null", false},
		{"preview limit 0", `["a"]`, Approve(ApproveOptions{Prompt: "P", Preview: true}), `["a"]`, "null", "null", false},
		{"ask", `["a"]`, Ask(AskOptions{Prompt: "P", Schema: schema}), `["a"]`, "null", "null", true},
		{"ask emit", `["a"]`, Ask(AskOptions{Prompt: "P", Schema: schema, Emit: true}), `["a"]`, "null", "null", false},
		{"subject", `["a",null,{"b":1}]`, Ask(AskOptions{Prompt: "P", Schema: schema, Subject: true}), `["a",null,{"b":1}]`, "null", `{"text":"a\nnull\n{\"b\":1}"}`, true},
		{"subject of nothing", `[]`, Ask(AskOptions{Prompt: "P", Schema: schema, Subject: true}), `[]`, "null", "null", true},
	}
	for _, tt := range tests {
		stages := []flow.Stage{Pick(PickOptions{[]string{"b"}}), tt.stage, Head(HeadOptions{3})}
		_, err := flow.Run(testEnv(t, io.Discard), stages, 0, flow.Input(parse(t, tt.in)))
		var h *flow.Halt
		if !errors.As(err, &h) {
			t.Errorf("%s: error %v", tt.name, err)
			continue
		}
		if h.Stage != 1 || h.Prompt != "P" || h.SameStage != tt.same || value.Array(h.Items...).JSON() != tt.items || h.Preview.JSON() != tt.preview || h.Subject.JSON() != tt.subject {
			t.Errorf("%s: %+v, items %s, preview %s, subject %s", tt.name, h, value.Array(h.Items...).JSON(), h.Preview.JSON(), h.Subject.JSON())
		}
	}
}

func TestAskNeedsAPrompt(t *testing.T) {
	if got := result(t, testEnv(t, io.Discard), `[]`, Ask(AskOptions{Schema: decisionSchema{}})); got != "error: requestInput prompt is required" {
		t.Errorf("got %s", got)
	}
}
