// Package cost counts what model calls cost and holds runs to their cost_limit (spec part 1, 2.9, part 2 "Cost" and part 7, 33).
//
// Two sources are billed. A live call of llm.invoke reports itself the moment it is answered (Bill), so it counts once, to the step that made
// it, whatever becomes of the step. And the json of any finished step is looked through for items with an object `usage` (Step): other programs
// report their calls that way. Items that llm.invoke made itself are told by their cacheKey and not billed again, nor are replays.
package cost

import (
	"math"
	"strings"
	"sync"

	"github.com/lobsterc/lobsterc/runtime/drive"
	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// Price is in USD per million tokens.
type Price struct{ Input, Output float64 }

// prices of models as the reference knows them.
var prices = []struct {
	model string
	Price
}{
	{"gpt-4o", Price{2.5, 10}},
	{"gpt-4o-mini", Price{0.15, 0.6}},
	{"gpt-4-turbo", Price{10, 30}},
	{"gpt-3.5-turbo", Price{0.5, 1.5}},
	{"claude-opus-4-20250514", Price{15, 75}},
	{"claude-sonnet-4-5-20250514", Price{3, 15}},
	{"claude-haiku-3-5", Price{0.8, 4}},
	{"gemini-1.5-pro", Price{1.25, 5}},
	{"gemini-1.5-flash", Price{0.075, 0.3}},
}

// PricingVar is the variable with prices for more models, as {"MODEL": {"input": USD, "output": USD}} per million tokens.
const PricingVar = "LOBSTER_LLM_PRICING_JSON"

const badPricing = "[WARN] Ignoring invalid " + PricingVar + "; custom LLM pricing must be a JSON object whose model entries have finite non-negative input and output rates."

// row is one billed call.
type row struct {
	step    string
	model   value.Value // a string, or null
	in, out float64
	usd     float64
}

// call is one live call, in the form of state files.
type call struct {
	step string // as rows name it
	flow.Usage
}

// Meter is the bill of one run. It may be used by many goroutines.
type Meter struct {
	mu       sync.Mutex
	custom   value.Value
	startup  []string // what NewMeter found wrong; given with the first step
	rows     []row
	billed   []call // live calls in rows
	unpriced []string
	parent   *Meter // of the workflow that calls this one
}

// NewMeter starts a bill. getenv looks variables of the run up.
func NewMeter(getenv func(string) string) *Meter {
	m := &Meter{}
	text := getenv(PricingVar)
	if strings.TrimSpace(text) == "" {
		return m
	}
	v, err := value.ParseString(text)
	if err != nil || !validPricing(v) {
		m.startup = []string{badPricing}
		return m
	}
	m.custom = v
	return m
}

func validPricing(v value.Value) bool {
	if v.Kind() != value.ObjectKind {
		return false
	}
	for _, p := range v.Members() {
		if !rate(p.Get("input")) || !rate(p.Get("output")) {
			return false
		}
	}
	return true
}

func rate(v value.Value) bool {
	f := v.Float()
	return v.Kind() == value.NumberKind && f >= 0 && !math.IsInf(f, 0)
}

// price looks a model up: custom prices win.
func (m *Meter) price(model string) (Price, bool) {
	if p := m.custom.Get(model); !p.IsAbsent() {
		return Price{p.Get("input").Float(), p.Get("output").Float()}, true
	}
	for _, p := range prices {
		if p.model == model {
			return p.Price, true
		}
	}
	return Price{}, false
}

// Bill counts live calls of a step, whatever becomes of the step.
func (m *Meter) Bill(stepID string, calls []flow.Usage) (warnings []string) {
	if m.parent != nil {
		m.parent.Bill(stepID, calls)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, u := range calls {
		if isObject(u.Usage) {
			warnings = append(warnings, m.bill(call{stepID, u})...)
		}
	}
	return warnings
}

// Child starts the bill of a sub-workflow.
func (m *Meter) Child() drive.Meter {
	m.mu.Lock()
	defer m.mu.Unlock()
	child := &Meter{custom: m.custom, startup: m.startup, parent: m}
	m.startup = nil
	return child
}

func (m *Meter) bill(c call) []string {
	m.billed = append(m.billed, c)
	return m.add(c.step, modelValue(c.Model), c.Usage.Usage)
}

// Step counts what the json of a finished step reports, Absent when it has none. It gives warnings for stderr.
func (m *Meter) Step(stepID string, json value.Value) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	warnings := m.startup
	m.startup = nil
	one := [1]value.Value{json}
	items := one[:]
	if json.Kind() == value.ArrayKind {
		items = json.Items()
	}
	for _, item := range items {
		usage := item.Get("usage")
		if isObject(usage) && !m.known(item) {
			warnings = append(warnings, m.add(stepID, item.Get("model"), usage)...)
		}
	}
	return warnings
}

// known tells whether an item is a copy or a replay of an answer of llm.invoke.
func (m *Meter) known(item value.Value) bool {
	key := item.Get("cacheKey")
	if key.Kind() != value.StringKind {
		return false
	}
	if item.Get("cached").Truthy() && strings.HasSuffix(item.Get("kind").Str(), ".invoke") {
		return true
	}
	for _, c := range m.billed {
		if c.CacheKey == key.Str() {
			return true
		}
	}
	if m.parent == nil {
		return false
	}
	m.parent.mu.Lock()
	defer m.parent.mu.Unlock()
	return m.parent.known(item)
}

// add bills one call.
func (m *Meter) add(stepID string, model, usage value.Value) (warnings []string) {
	r := m.rowOf(stepID, model, usage)
	m.rows = append(m.rows, r)
	if _, ok := m.price(r.model.Str()); ok {
		return nil
	}
	name := modelName(r.model)
	for _, seen := range m.unpriced {
		if seen == name {
			return nil
		}
	}
	m.unpriced = append(m.unpriced, name)
	return []string{`[WARN] No LLM pricing configured for model "` + name + `"; recording zero cost. Set ` + PricingVar + ` to enable cost_limit enforcement for this model.`}
}

func (m *Meter) rowOf(stepID string, model, usage value.Value) row {
	r := row{
		step: stepID, model: model,
		in:  tokens(usage, "inputTokens", "input_tokens", "prompt_tokens"),
		out: tokens(usage, "outputTokens", "output_tokens", "completion_tokens"),
	}
	if r.model.Kind() != value.StringKind {
		r.model = value.Null
	}
	p, _ := m.price(r.model.Str())
	r.usd = (r.in*p.Input + r.out*p.Output) / 1e6
	return r
}

// tokens is the first count that is there, floored; nonsense is zero.
func tokens(usage value.Value, names ...string) float64 {
	for _, name := range names {
		v := usage.Get(name)
		if v.IsNullish() {
			continue
		}
		if f := math.Floor(v.JSNumber()); f > 0 && !math.IsInf(f, 0) {
			return f
		}
		return 0
	}
	return 0
}

func isObject(v value.Value) bool {
	return v.Kind() == value.ObjectKind || v.Kind() == value.ArrayKind
}

func modelValue(name string) value.Value {
	if name == "" {
		return value.Null
	}
	return value.String(name)
}

func modelName(v value.Value) string {
	if v.Str() == "" {
		return "<missing>"
	}
	return v.Str()
}
