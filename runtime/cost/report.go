package cost

import (
	"math"
	"strconv"
	"strings"

	"github.com/lobsterc/lobsterc/runtime/drive"
	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/state"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// Total is the cost so far in USD.
func (m *Meter) Total() float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	total := 0.0
	for _, r := range m.rows {
		total += r.usd
	}
	return total
}

// Summary is the bill, or Absent when nothing was billed.
func (m *Meter) Summary() value.Value {
	m.mu.Lock()
	defer m.mu.Unlock()
	return summary(m.rows)
}

func summary(rows []row) value.Value {
	if len(rows) == 0 {
		return value.Value{}
	}
	var in, out, usd float64
	steps := make([]value.Value, len(rows))
	for i, r := range rows {
		in, out, usd = in+r.in, out+r.out, usd+r.usd
		steps[i] = value.Object(
			value.M("stepId", value.String(r.step)), value.M("model", r.model),
			value.M("inputTokens", value.Number(r.in)), value.M("outputTokens", value.Number(r.out)), value.M("costUsd", value.Number(r.usd)),
		)
	}
	return value.Object(
		value.M("totalInputTokens", value.Number(in)), value.M("totalOutputTokens", value.Number(out)),
		value.M("estimatedCostUsd", value.Number(math.Round(usd*1e6)/1e6)), value.M("byStep", value.Array(steps...)),
	)
}

// Check holds the bill against a limit: warnings for stderr, or why the run must stop.
func (m *Meter) Check(limit drive.CostLimit) (warnings []string, failure string) {
	if limit.Stop {
		if name, ok := m.unpricedModel(); ok {
			return nil, `cost_limit cannot be enforced: there is no price for model "` + name + `". Set ` + PricingVar +
				` to {"` + name + `": {"input": USD, "output": USD}} (per million tokens), or use action: warn`
		}
	}
	total := m.Total()
	switch {
	case !(total > limit.MaxUSD):
		return nil, ""
	case limit.Stop:
		return nil, "Cost limit exceeded: $" + fixed(total, 4) + " > $" + fixed(limit.MaxUSD, 2) + " limit"
	}
	return []string{"[WARN] Cost $" + fixed(total, 4) + " exceeds limit $" + fixed(limit.MaxUSD, 2)}, ""
}

// unpricedModel names a model with tokens and without a price.
func (m *Meter) unpricedModel() (string, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.rows {
		if _, ok := m.price(r.model.Str()); !ok && r.in+r.out > 0 {
			return modelName(r.model), true
		}
	}
	return "", false
}

// fixed is JavaScript's toFixed: exact ties go up, where strconv rounds them to even.
func fixed(x float64, digits int) string {
	pow := math.Pow10(digits)
	if tie := math.Floor(x*pow) + 0.5; tie/pow == x && strconv.FormatFloat(x, 'f', -1, 64) == strconv.FormatFloat(x, 'f', digits+1, 64) && exact(x, digits+1) {
		return strconv.FormatFloat(math.Ceil(x*pow)/pow, 'f', digits, 64)
	}
	return strconv.FormatFloat(x, 'f', digits, 64)
}

// exact tells whether x has no more than that many decimals in binary, too.
func exact(x float64, digits int) bool {
	return strings.TrimRight(strconv.FormatFloat(x, 'f', 60, 64), "0") == strings.TrimRight(strconv.FormatFloat(x, 'f', digits, 64), "0")
}

// Save keeps the bill in the state of a paused run, in the reference's form.
func (m *Meter) Save(w *state.Workflow) {
	m.mu.Lock()
	defer m.mu.Unlock()
	w.Cost, w.LLMBilled = summary(m.rows), callsValue(m.billed)
}

// Restore goes on with the bill of a paused run. Calls that the reference had not billed yet when it paused (llmSpend) are billed now.
func (m *Meter) Restore(w *state.Workflow) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rows, m.unpriced = nil, nil
	for r := range w.Cost.Get("byStep").All() {
		model := r.Get("model")
		if model.Kind() != value.StringKind {
			model = value.Null
		}
		m.rows = append(m.rows, row{
			step: r.Get("stepId").Str(), model: model,
			in: r.Get("inputTokens").Float(), out: r.Get("outputTokens").Float(), usd: r.Get("costUsd").Float(),
		})
		if _, ok := m.price(model.Str()); !ok {
			m.unpriced = append(m.unpriced, modelName(model)) // warned of before the pause
		}
	}
	m.billed = callsOf(w.LLMBilled)
	for _, c := range callsOf(w.LLMSpend) {
		m.startup = append(m.startup, m.bill(c)...)
	}
}

func callsValue(calls []call) value.Value {
	if len(calls) == 0 {
		return value.Value{}
	}
	list := make([]value.Value, len(calls))
	for i, c := range calls {
		list[i] = value.Object(
			value.M("cacheKey", value.String(c.CacheKey)), value.M("count", value.Int(1)), value.M("model", modelValue(c.Model)),
			value.M("usage", c.Usage.Usage), value.M("stepId", value.String(c.step[strings.LastIndexByte(c.step, '.')+1:])),
		)
	}
	return value.Array(list...)
}

// callsOf reads calls; count says how many equal ones an entry stands for.
func callsOf(v value.Value) (calls []call) {
	for c := range v.All() {
		for range max(1, min(int(c.Get("count").Float()), 1000)) {
			calls = append(calls, call{step: c.Get("stepId").Str(), Usage: flow.Usage{
				CacheKey: c.Get("cacheKey").Str(), Model: c.Get("model").Str(), Usage: c.Get("usage"),
			}})
		}
	}
	return calls
}
