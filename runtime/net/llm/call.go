package llm

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/net/client"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// answer is a valid answer of a model.
type answer struct {
	result  value.Value
	gateway bool // in the form of a real gateway's llm-task, which reports no usage
}

// data is what the output schema is held against.
func (a *answer) data() value.Value { return orNull(a.result.Get("output").Get("data")) }

// call sends one request. attempt counts from 1; faults are those of the answer before.
func (q *question) call(attempt int, faults []value.Value) (*answer, error) {
	body := q.payload(attempt, faults)
	if q.target.provider == "openclaw" {
		body = value.Object(value.M("tool", value.String("llm-task")), value.M("action", value.String("invoke")), value.M("args", q.gatewayArgs(body)))
	}
	resp, err := client.Post(q.env, client.Request{URL: q.target.url, Token: q.target.token, Body: body})
	switch {
	case err != nil && q.env.Ctx.Err() != nil:
		return nil, err // cancelled: no failure of the request
	case err != nil:
		return nil, fmt.Errorf("%s request failed: %w", q.Name, err)
	case !resp.OK():
		return nil, fmt.Errorf("%s request failed: %d %s: %s", q.Name, resp.Status, resp.Reason, resp.Quote())
	}
	v, err := resp.JSON()
	if err != nil {
		return nil, fmt.Errorf("%s request failed: Response was not JSON", q.Name)
	}
	return q.read(v)
}

// payload is the request as the reference sends it.
func (q *question) payload(attempt int, faults []value.Value) value.Value {
	members := []value.Member{value.M("prompt", value.String(q.Prompt))}
	add := func(name string, v value.Value) {
		if !v.IsAbsent() {
			members = append(members, value.M(name, v))
		}
	}
	if q.Model != "" {
		add("model", value.String(q.Model))
	}
	add("artifacts", value.Array(q.artifacts...))
	add("artifactHashes", value.Array(q.hashes...))
	add("metadata", q.Metadata)
	add("outputSchema", q.schema())
	add("schemaVersion", value.String(q.SchemaVersion))
	add("maxOutputTokens", integer(q.MaxOutputTokens))
	add("temperature", number(q.Temperature))
	if attempt > 1 {
		add("retryContext", retryContext(attempt, faults))
	}
	return value.Object(members...)
}

func retryContext(attempt int, faults []value.Value) value.Value {
	return value.Object(value.M("attempt", value.Int(int64(attempt))), value.M("validationErrors", value.Array(faults...)))
}

// gatewayArgs adds the spelling of a real gateway's llm-task, which drops what it does not know: input, schema, maxTokens. What was wrong
// with the answer before goes into input, the only place where the model sees it.
func (q *question) gatewayArgs(payload value.Value) value.Value {
	input := q.artifacts
	if again := payload.Get("retryContext"); !again.IsAbsent() {
		input = append(input[:len(input):len(input)], value.Object(value.M("kind", value.String("retry"))).
			With("attempt", again.Get("attempt")).With("validationErrors", again.Get("validationErrors")))
	}
	if len(input) > 0 {
		payload = payload.With("input", value.Array(input...))
	}
	if s := q.schema(); !s.IsAbsent() {
		payload = payload.With("schema", s)
	}
	if n := integer(q.MaxOutputTokens); !n.IsAbsent() {
		payload = payload.With("maxTokens", n)
	}
	return payload
}

// read unwraps an answer: the gateway's envelope, then the adapter's, which may be missing.
func (q *question) read(v value.Value) (*answer, error) {
	if q.target.provider == "openclaw" {
		if ok := v.Get("ok"); !ok.IsAbsent() {
			if !isTrue(ok) {
				return nil, fmt.Errorf("%s request failed: openclaw adapter error: %s", q.Name, message(v, "Unknown error"))
			}
			v = v.Get("result")
		}
		if a := gatewayAnswer(v); a != nil {
			return a, nil
		}
	}
	result, err := unwrap(v)
	if err != nil {
		return nil, fmt.Errorf("%s %w", q.Name, err)
	}
	return &answer{result: result}, nil
}

// gatewayAnswer reads the answer of a real gateway's llm-task, or gives nil.
func gatewayAnswer(v value.Value) *answer {
	details := v.Get("details")
	if v.Get("content").Kind() != value.ArrayKind || details.Kind() != value.ObjectKind || !v.Get("output").IsAbsent() {
		return nil
	}
	var output []value.Member
	if text := v.Path("content", "0", "text"); text.Kind() == value.StringKind {
		output = append(output, value.M("text", text))
	}
	if data := details.Get("json"); !data.IsAbsent() {
		output = append(output, value.M("data", data))
	}
	result := value.Object(value.M("output", value.Object(output...)))
	if model := details.Get("model"); model.Kind() == value.StringKind {
		result = result.With("model", model)
	}
	if usage := details.Get("usage"); usage.Kind() == value.ObjectKind {
		result = result.With("usage", usage)
	}
	return &answer{result: result, gateway: true}
}

var errEnvelope = errors.New("received invalid response envelope")

// unwrap gives the result in an adapter's answer: {ok: true, result} or the result itself.
func unwrap(v value.Value) (value.Value, error) {
	if v.Kind() != value.ObjectKind {
		return value.Value{}, errEnvelope
	}
	ok, result := v.Get("ok"), v.Get("result")
	switch {
	case ok.IsAbsent():
		result = v
	case ok.Kind() != value.BoolKind:
		return value.Value{}, errEnvelope
	case !ok.Bool():
		if e := v.Get("error"); !e.IsAbsent() && e.Kind() != value.ObjectKind {
			return value.Value{}, errEnvelope
		}
		return value.Value{}, errors.New("remote error: " + message(v, "llm adapter returned an error"))
	case result.IsAbsent():
		return value.Object(), nil
	}
	if !validResult(result) {
		return value.Value{}, errEnvelope
	}
	return result, nil
}

func isTrue(v value.Value) bool { return v.Kind() == value.BoolKind && v.Bool() }

// message is error.message of an envelope.
func message(v value.Value, otherwise string) string {
	if m := v.Get("error").Prop("message"); !m.IsNullish() {
		return m.JSString()
	}
	return otherwise
}

// validResult checks the types of what the stage passes on. A field that is there must have its type: null is no text.
func validResult(v value.Value) bool {
	output := v.Get("output")
	if output.Kind() != value.ObjectKind || !isKind(output, value.StringKind, "text", "format") {
		return false
	}
	for w := range v.Get("warnings").All() {
		if w.Kind() != value.StringKind {
			return false
		}
	}
	return isKind(v, value.StringKind, "runId", "model", "prompt", "status") &&
		isKind(v, value.ObjectKind, "usage", "metadata", "diagnostics") && isKind(v, value.ArrayKind, "warnings")
}

func isKind(v value.Value, kind value.Kind, fields ...string) bool {
	for _, f := range fields {
		if x := v.Get(f); !x.IsAbsent() && x.Kind() != kind {
			return false
		}
	}
	return true
}

// said remembers warnings of this process.
var said sync.Map

func sayOnce(env *flow.Env, text string) {
	if _, again := said.LoadOrStore(text, true); !again {
		io.WriteString(env.Stderr, text+"\n")
	}
}
