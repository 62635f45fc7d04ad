// Package llm holds llm.invoke and llm_task.invoke: one question to a language model behind an adapter or an OpenClaw gateway (spec part 2,
// part 5 and part 7, 34). Answers are kept, so that the same question is asked once; an answer that does not satisfy the output schema is
// asked again with its faults.
package llm

import (
	"fmt"
	"math"
	"strings"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/state"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// InvokeOptions are the stage's flags; Prompt may also come from words.
type InvokeOptions struct {
	// Name is the stage's name as written.
	Name                 string
	Provider             string
	Prompt               string
	Model                string
	Artifacts            value.Value // an array
	Metadata             value.Value // an object
	OutputSchema         flow.Schema
	SchemaVersion        string
	MaxValidationRetries *int
	Temperature          *float64
	MaxOutputTokens      *int
	StateKey             string
	Refresh              bool
	DisableCache         bool
	Token                string
}

// Invoke is the stage. Its items become artifacts; its item is the answer.
func Invoke(o InvokeOptions) flow.Stage {
	return flow.Stage{
		Name: o.Name, Effect: true, Gathers: true, Needs: o.Needs,
		Run: func(env *flow.Env, in flow.Stream) flow.Stream {
			return func(yield func(value.Value, error) bool) {
				items, err := flow.Collect(in)
				if err == nil {
					items, err = Ask(env, o, items)
				}
				if err != nil {
					yield(value.Value{}, err)
					return
				}
				for _, item := range items {
					if !yield(item, nil) {
						return
					}
				}
			}
		},
	}
}

// question is an Invoke with everything that the environment decides filled in.
type question struct {
	InvokeOptions
	env       *flow.Env
	target    *target
	artifacts []value.Value
	hashes    []value.Value
	retries   int
	key       string // of the cache
}

// Ask puts the question, or replays an answer that is kept.
func Ask(env *flow.Env, o InvokeOptions, items []value.Value) ([]value.Value, error) {
	q, err := o.prepare(env, items)
	if err != nil {
		return nil, err
	}
	k, err := q.keeper()
	if err != nil {
		return nil, err
	}
	if !q.Refresh {
		if kept := k.find(q); kept != nil {
			return kept, nil
		}
	}
	item, err := q.ask()
	if err != nil {
		return nil, err
	}
	items = []value.Value{item}
	k.keep(q, items)
	return items, nil
}

func (o InvokeOptions) prepare(env *flow.Env, items []value.Value) (*question, error) {
	if o.Prompt == "" {
		return nil, fmt.Errorf("%s requires --prompt or positional text", o.Name)
	}
	get := env.LookupEnv
	t, err := o.target(get)
	if err != nil {
		return nil, err
	}
	q := &question{InvokeOptions: o, env: env, target: t}
	q.Model = firstText(o.Model, variable(get, "LOBSTER_LLM_MODEL"), variable(get, "LLM_TASK_MODEL"))
	q.SchemaVersion = firstText(o.SchemaVersion, variable(get, "LOBSTER_LLM_SCHEMA_VERSION"), variable(get, "LLM_TASK_SCHEMA_VERSION"), "v1")
	q.StateKey = firstText(o.StateKey, variable(get, "LOBSTER_RUN_STATE_KEY"))
	q.Refresh = o.Refresh || isYes(firstText(variable(get, "LOBSTER_LLM_FORCE_REFRESH"), variable(get, "LLM_TASK_FORCE_REFRESH")))
	q.retries = o.retries(get)
	for _, list := range [][]value.Value{items, o.Artifacts.Items()} {
		for _, item := range list {
			a := artifact(item)
			q.artifacts = append(q.artifacts, a)
			q.hashes = append(q.hashes, value.String(hash(a)))
		}
	}
	q.key = hash(value.Object(
		value.M("cacheKeyVersion", value.Int(2)), value.M("provider", value.String(t.provider)), value.M("prompt", value.String(o.Prompt)),
		value.M("model", value.String(firstText(q.Model, t.provider+"-default"))), value.M("schemaVersion", value.String(q.SchemaVersion)),
		value.M("artifactHashes", value.Array(q.hashes...)), value.M("outputSchema", orNull(q.schema())),
		value.M("temperature", orNull(number(o.Temperature))), value.M("maxOutputTokens", orNull(integer(o.MaxOutputTokens))),
	))
	return q, nil
}

// retries says how often a wrong answer is asked again.
func (o InvokeOptions) retries(get lookup) int {
	if o.MaxValidationRetries != nil {
		return max(0, *o.MaxValidationRetries)
	}
	if text := firstText(variable(get, "LOBSTER_LLM_VALIDATION_RETRIES"), variable(get, "LLM_TASK_VALIDATION_RETRIES")); text != "" {
		if n := math.Floor(value.StringNumber(text)); n >= 0 && n < 1<<31 {
			return int(n)
		}
	}
	return 1
}

// artifact gives an item the form of an artifact.
func artifact(item value.Value) value.Value {
	switch item.Kind() {
	case value.ObjectKind:
		return item
	case value.StringKind, value.NumberKind, value.BoolKind:
		return value.Object(value.M("kind", value.String("text")), value.M("text", value.String(item.JSString())))
	}
	return value.Object(value.M("kind", value.String("json")), value.M("data", item))
}

// schema is the output schema as JSON, or Absent.
func (o *InvokeOptions) schema() value.Value {
	if o.OutputSchema == nil {
		return value.Value{}
	}
	return o.OutputSchema.Source()
}

// ask calls the model until its answer satisfies the schema. Every call is billed as soon as it is answered.
func (q *question) ask() (value.Value, error) {
	var faults []value.Value
	for attempt := 1; ; attempt++ {
		answer, err := q.call(attempt, faults)
		if err != nil {
			return value.Value{}, err
		}
		q.bill(answer)
		if faults = q.faults(answer.data()); len(faults) == 0 {
			return q.item(answer, attempt), nil
		}
		if attempt > q.retries {
			texts := make([]string, len(faults))
			for i, f := range faults {
				texts[i] = f.Str()
			}
			return value.Value{}, fmt.Errorf("%s output failed schema validation: %s", q.Name, strings.Join(texts, "; "))
		}
	}
}

func (q *question) bill(a *answer) {
	if usage := a.result.Get("usage"); usage.Kind() == value.ObjectKind {
		q.env.NoteUsage(flow.Usage{CacheKey: q.key, Model: firstText(a.result.Get("model").Str(), q.Model), Usage: usage})
	} else if a.gateway {
		sayOnce(q.env, "[WARN] "+q.Name+": the gateway reports no token usage; recording zero cost.")
	}
}

// faults are what is wrong with an answer, as "PATH REASON".
func (q *question) faults(data value.Value) (texts []value.Value) {
	if q.OutputSchema == nil {
		return nil
	}
	add := func(f *flow.SchemaError) { texts = append(texts, value.String(f.Path+" "+f.Reason)) }
	if all, ok := q.OutputSchema.(interface {
		Faults(value.Value) []flow.SchemaError
	}); ok {
		for _, f := range all.Faults(data) {
			add(&f)
		}
		return texts
	}
	switch err := q.OutputSchema.Validate(data).(type) {
	case nil:
	case *flow.SchemaError:
		add(err)
	default:
		texts = append(texts, value.String(err.Error()))
	}
	return texts
}

// item is the answer in the form that the stage gives.
func (q *question) item(a *answer, attempts int) value.Value {
	output := a.result.Get("output")
	format := output.Get("format")
	if format.IsAbsent() {
		format = value.String("text")
		if !output.Get("data").IsNullish() {
			format = value.String("json")
		}
	}
	source := q.target.provider
	if q.Name == "llm_task.invoke" {
		source = "clawd"
	}
	field := func(name string) value.Value { return orNull(a.result.Get(name)) }
	status := a.result.Get("status")
	if status.Str() == "" {
		status = value.String("completed")
	}
	return value.Object(
		value.M("kind", value.String(q.Name)), value.M("runId", field("runId")), value.M("prompt", field("prompt")), value.M("model", field("model")),
		value.M("schemaVersion", value.String(q.SchemaVersion)), value.M("status", status), value.M("cacheKey", value.String(q.key)),
		value.M("artifactHashes", value.Array(q.hashes...)),
		value.M("output", value.Object(value.M("format", format), value.M("text", orNull(output.Get("text"))), value.M("data", orNull(output.Get("data"))))),
		value.M("usage", field("usage")), value.M("metadata", field("metadata")), value.M("warnings", field("warnings")), value.M("diagnostics", field("diagnostics")),
		value.M("createdAt", value.String(state.Now())), value.M("source", value.String(source)), value.M("cached", value.Bool(false)),
		value.M("attemptCount", value.Int(int64(attempts))),
	)
}
