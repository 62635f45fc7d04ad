package cost

import (
	"strings"
	"testing"

	rt "github.com/lobsterc/lobsterc/runtime"
	"github.com/lobsterc/lobsterc/runtime/drive"
	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/state"
	"github.com/lobsterc/lobsterc/runtime/value"
)

var _ rt.Meter = (*Meter)(nil)

func parse(t testing.TB, text string) value.Value {
	t.Helper()
	v, err := value.ParseString(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func meter(pricing string) *Meter {
	return NewMeter(func(name string) string {
		if name == PricingVar {
			return pricing
		}
		return ""
	})
}

// TestStep bills the json of steps, as recorded from the reference.
func TestStep(t *testing.T) {
	tests := []struct {
		json, pricing string
		total         float64
		warn          string
	}{
		{json: `{"model":"gpt-4o","usage":{"inputTokens":1000000,"outputTokens":0}}`, total: 2.5},
		{json: `{"model":"gpt-4o","usage":{"input_tokens":400000}}`, total: 1},
		{json: `{"model":"gpt-4o","usage":{"prompt_tokens":400000.9}}`, total: 1},
		{json: `{"model":"gpt-4o","usage":{"inputTokens":"400000"}}`, total: 1},
		{json: `{"model":"gpt-4o","usage":{"inputTokens":-400000,"outputTokens":100000}}`, total: 1},
		{json: `{"model":"gpt-4o","usage":{"inputTokens":null,"prompt_tokens":400000}}`, total: 1},
		{json: `{"model":"gpt-4o","usage":{"inputTokens":0,"prompt_tokens":400000}}`},
		{json: `{"model":"gpt-4o","usage":{"completion_tokens":100000}}`, total: 1},
		{json: `{"model":"gpt-4o","usage":{"total_tokens":400000}}`},
		{json: `[{"model":"gpt-4o","usage":{"inputTokens":400000}},[{"model":"gpt-4o","usage":{"inputTokens":400000}}],{"model":"gpt-4o","usage":{"inputTokens":100000}}]`, total: 1.25},
		{json: `{"x":[{"model":"gpt-4o","usage":{"inputTokens":400000}}]}`},
		{json: `{"model":"GPT-4o","usage":{"inputTokens":1}}`, warn: `"GPT-4o"`},
		{json: `{"model":5,"usage":{"inputTokens":1}}`, warn: `"<missing>"`},
		{json: `{"model":"","usage":{"inputTokens":1}}`, warn: `"<missing>"`},
		{json: `{"model":"m","usage":{"inputTokens":1000000}}`, pricing: `{"m":{"input":5,"output":1}}`, total: 5},
		{json: `{"model":"gpt-4o","usage":{"inputTokens":1000000}}`, pricing: `{"gpt-4o":{"input":1,"output":1,"note":2}}`, total: 1},
		{json: `{"model":"gpt-4o","usage":5}`},
		{json: `"text"`},
		{json: `null`},
	}
	for _, tt := range tests {
		m := meter(tt.pricing)
		warnings := m.Step("s", parse(t, tt.json))
		if got := m.Total(); got != tt.total {
			t.Errorf("%s: %v, want %v", tt.json, got, tt.total)
		}
		if got := strings.Join(warnings, "\n"); (tt.warn == "") != (got == "") || !strings.Contains(got, tt.warn) {
			t.Errorf("%s: warned %q", tt.json, got)
		}
		if again := m.Step("s", parse(t, tt.json)); len(again) > 0 {
			t.Errorf("%s: warned twice: %v", tt.json, again)
		}
	}
}

func TestPricing(t *testing.T) {
	for _, bad := range []string{`nope`, `[]`, `5`, `{"m":5}`, `{"m":{"input":-1,"output":2}}`, `{"m":{"input":1}}`, `{"m":{"input":"1","output":1}}`} {
		m := meter(bad)
		if w := m.Step("s", value.Null); len(w) != 1 || w[0] != badPricing {
			t.Errorf("%s: %v", bad, w)
		}
		if w := m.Step("s", value.Null); w != nil {
			t.Errorf("%s: warned twice", bad)
		}
	}
	for _, good := range []string{``, ` `, `{}`, `{"m":{"input":0,"output":1e2}}`} {
		if w := meter(good).Step("s", value.Null); w != nil {
			t.Errorf("%s: %v", good, w)
		}
	}
}

func usage(key, model, usage string, t *testing.T) flow.Usage {
	return flow.Usage{CacheKey: key, Model: model, Usage: parse(t, usage)}
}

// TestLiveCalls: each is billed once, to its step, also when the step failed or was retried; copies and replays are not.
func TestLiveCalls(t *testing.T) {
	m := meter("")
	m.Bill("l", []flow.Usage{usage("k", "gpt-4o", `{"inputTokens":400000}`, t)})
	item := `{"kind":"llm.invoke","cacheKey":"k","model":"gpt-4o","usage":{"inputTokens":400000},"cached":false}`
	m.Step("l", parse(t, item))
	m.Step("copy", parse(t, `[`+item+`]`))
	m.Step("replay", parse(t, `{"kind":"llm.invoke","cacheKey":"other","model":"gpt-4o","usage":{"inputTokens":400000},"cached":true}`))
	m.Bill("nothing", []flow.Usage{{CacheKey: "z", Usage: value.Null}})
	if m.Total() != 1 {
		t.Errorf("billed %v, want 1", m.Total())
	}
	m.Bill("f", []flow.Usage{usage("x", "gpt-4o", `{"inputTokens":400000}`, t), usage("x", "gpt-4o", `{"inputTokens":800000}`, t)})
	m.Step("f", value.Value{})
	if w := m.Bill("lost", []flow.Usage{usage("y", "unknown", `{"inputTokens":5}`, t)}); len(w) != 1 {
		t.Errorf("warned %v", w)
	}
	want := `{"totalInputTokens":1600005,"totalOutputTokens":0,"estimatedCostUsd":4,"byStep":[` +
		`{"stepId":"l","model":"gpt-4o","inputTokens":400000,"outputTokens":0,"costUsd":1},` +
		`{"stepId":"f","model":"gpt-4o","inputTokens":400000,"outputTokens":0,"costUsd":1},` +
		`{"stepId":"f","model":"gpt-4o","inputTokens":800000,"outputTokens":0,"costUsd":2},` +
		`{"stepId":"lost","model":"unknown","inputTokens":5,"outputTokens":0,"costUsd":0}]}`
	if got := m.Summary().JSON(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if !meter("").Summary().IsAbsent() {
		t.Error("an empty bill is not absent")
	}
}

func TestSmallSums(t *testing.T) {
	m := meter("")
	m.Step("a", parse(t, `{"model":"gpt-4o","usage":{"inputTokens":1234567,"outputTokens":7654321}}`))
	want := `{"totalInputTokens":1234567,"totalOutputTokens":7654321,"estimatedCostUsd":79.629628,"byStep":[{"stepId":"a","model":"gpt-4o","inputTokens":1234567,"outputTokens":7654321,"costUsd":79.6296275}]}`
	if got := m.Summary().JSON(); got != want {
		t.Errorf("got %s", got)
	}
}

func TestLimit(t *testing.T) {
	tests := []struct {
		max  float64
		stop bool
		json string
		warn string
		err  string
	}{
		{2, true, `{"model":"gpt-4o","usage":{"inputTokens":1000000}}`, "", "Cost limit exceeded: $2.5000 > $2.00 limit"},
		{0.125, true, `{"model":"gpt-4o","usage":{"inputTokens":1000000}}`, "", "Cost limit exceeded: $2.5000 > $0.13 limit"},
		{1.005, false, `{"model":"gpt-4o","usage":{"inputTokens":1000000}}`, "[WARN] Cost $2.5000 exceeds limit $1.00", ""},
		{2.5, true, `{"model":"gpt-4o","usage":{"inputTokens":1000000}}`, "", ""},
		{1, true, `{"model":"m","usage":{"inputTokens":1}}`, "", `cost_limit cannot be enforced: there is no price for model "m". Set LOBSTER_LLM_PRICING_JSON to {"m": {"input": USD, "output": USD}} (per million tokens), or use action: warn`},
		{1, true, `{"model":"m","usage":{}}`, "", ""},
		{1, false, `{"model":"m","usage":{"inputTokens":1}}`, "", ""},
	}
	for _, tt := range tests {
		m := meter("")
		m.Step("s", parse(t, tt.json))
		warnings, failure := m.Check(drive.CostLimit{MaxUSD: tt.max, Stop: tt.stop})
		if strings.Join(warnings, "") != tt.warn || failure != tt.err {
			t.Errorf("%+v: %q, %q", tt, warnings, failure)
		}
	}
}

// TestState: the members of a state file as the reference writes them, and back.
func TestState(t *testing.T) {
	m := meter("")
	m.Bill("lo.q", []flow.Usage{usage("k", "gpt-4o", `{"inputTokens":400000,"outputTokens":0}`, t)})
	m.Step("lo.q", value.Null)
	var w state.Workflow
	m.Save(&w)
	want := []string{
		`{"totalInputTokens":400000,"totalOutputTokens":0,"estimatedCostUsd":1,"byStep":[{"stepId":"lo.q","model":"gpt-4o","inputTokens":400000,"outputTokens":0,"costUsd":1}]}`,
		`[{"cacheKey":"k","count":1,"model":"gpt-4o","usage":{"inputTokens":400000,"outputTokens":0},"stepId":"q"}]`,
	}
	for i, v := range []value.Value{w.Cost, w.LLMBilled} {
		if v.JSON() != want[i] {
			t.Errorf("got  %s\nwant %s", v.JSON(), want[i])
		}
	}
	w.LLMSpend = parse(t, `[{"cacheKey":"k2","count":1,"model":null,"usage":{"inputTokens":4},"stepId":"p"}]`)
	again := meter("")
	again.Restore(&w)
	if warnings := again.Step("copy", parse(t, `{"cacheKey":"k","model":"gpt-4o","usage":{"inputTokens":400000}}`)); len(warnings) != 1 {
		t.Errorf("warned %v", warnings)
	}
	wantSum := `{"totalInputTokens":400004,"totalOutputTokens":0,"estimatedCostUsd":1,"byStep":[{"stepId":"lo.q","model":"gpt-4o","inputTokens":400000,"outputTokens":0,"costUsd":1},{"stepId":"p","model":null,"inputTokens":4,"outputTokens":0,"costUsd":0}]}`
	if got := again.Summary().JSON(); got != wantSum {
		t.Errorf("restored %s", got)
	}
	var empty state.Workflow
	meter("").Save(&empty)
	if !empty.Cost.IsAbsent() || !empty.LLMSpend.IsAbsent() || !empty.LLMBilled.IsAbsent() {
		t.Error("an empty bill leaves something in the state")
	}
}

func TestFixed(t *testing.T) {
	tests := []struct {
		x    float64
		d    int
		want string
	}{{0.125, 2, "0.13"}, {0.375, 2, "0.38"}, {1.005, 2, "1.00"}, {2.5, 0, "3"}, {0.5, 2, "0.50"}, {79.6296275, 4, "79.6296"}, {1.45, 1, "1.4"}, {0, 2, "0.00"}, {1e-7, 4, "0.0000"}}
	for _, tt := range tests {
		if got := fixed(tt.x, tt.d); got != tt.want {
			t.Errorf("fixed(%v, %d) = %s, want %s", tt.x, tt.d, got, tt.want)
		}
	}
}

func TestChild(t *testing.T) {
	m := meter("")
	m.Step("before", parse(t, `{"model":"gpt-4o","usage":{"inputTokens":400000}}`))
	child := m.Child()
	child.Step("report", parse(t, `{"model":"gpt-4o","usage":{"inputTokens":400000}}`))
	child.Bill("call", []flow.Usage{usage("k", "gpt-4o", `{"inputTokens":400000}`, t)})
	item := parse(t, `{"kind":"llm.invoke","cacheKey":"k","model":"gpt-4o","usage":{"inputTokens":400000},"cached":false}`)
	child.Step("call", item)
	m.Step("child", item)
	if _, failure := child.Check(drive.CostLimit{MaxUSD: 1.9, Stop: true}); failure != "Cost limit exceeded: $2.0000 > $1.90 limit" {
		t.Errorf("the child: %q", failure)
	}
	if m.Total() != 2 {
		t.Errorf("the parent: %v, want what came before and the call", m.Total())
	}
}
