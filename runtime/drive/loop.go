package drive

import (
	"context"

	"github.com/lobsterc/lobsterc/runtime/value"
)

// exec runs the sub-steps for each item, one after the other.
func (l *Loop) exec(ctx context.Context, m *machine, st *Step, _ int, path Path, _ *Resume) (*Result, error) {
	list := l.Items(m.run)
	if list.Kind() != value.ArrayKind {
		return nil, &Failure{Message: "Workflow step " + st.ID + " for_each: expected array, got " + typeOf(list)}
	}
	items := list.Items() // at once: finding the next in unread text takes longer each time
	inner := *m
	inner.mayRepeat = m.mayRepeat || st.Retry != nil
	if st.Cwd != nil {
		inner.dir = st.Cwd(m.run)
	}
	rows := make([]value.Value, 0, len(items))
	for i := range items {
		if i > 0 && l.Pause > 0 && i%max(1, l.Batch) == 0 {
			if _, err := m.eng.Sleep(ctx, Sleep{Path: path.item(i), D: l.Pause}); err != nil {
				return nil, err
			}
		}
		m.notify(Event{Kind: LoopItem, Path: path, StepID: st.ID, Index: i, Max: len(items)})
		row, err := l.iteration(ctx, &inner, st, path.item(i), i, items[i])
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	json := value.Array(rows...)
	text := json.JSON()
	return &Result{ID: st.ID, JSON: json, Stdout: &text, jsonFirst: true}, nil
}

// iteration runs the sub-steps for one item and gives the row that the loop collects.
func (l *Loop) iteration(ctx context.Context, m *machine, st *Step, path Path, index int, item value.Value) (value.Value, error) {
	scope := m.run.scope()
	scope.record(variable(l.ItemVar, item))
	scope.record(variable(l.IndexVar, value.Int(int64(index))))
	row := []value.Member{value.M(l.ItemVar, item), value.M(l.IndexVar, value.Int(int64(index)))}
	inner := *m
	inner.run = scope
	if len(st.Env) > 0 { // it may refer to the item, and to the sub-steps before the one that it is for
		inner.env = append(m.env[:len(m.env):len(m.env)], EnvLayer{Run: scope, Vars: st.Env})
	}
	for i := range l.Steps {
		sub := &l.Steps[i]
		res, stop, err := inner.subStep(ctx, st.ID, sub, path.join(sub.ID))
		if err != nil {
			return value.Value{}, err
		}
		scope.record(res)
		if v := rowValue(res); !v.IsAbsent() {
			row = append(row, value.M(sub.ID, v))
		}
		if stop {
			break
		}
	}
	return value.Object(row...), nil
}

// rowValue is what a sub-step contributes to its iteration; Absent when it was skipped.
func rowValue(res *Result) value.Value {
	switch {
	case res.Skipped:
		return value.Value{}
	case res.Error:
		return value.Object(value.M("error", value.Bool(true)), value.M("errorMessage", value.String(res.ErrorMessage)))
	case !res.JSON.IsAbsent():
		return res.JSON
	case res.Stdout != nil:
		return value.String(*res.Stdout)
	}
	return value.Value{}
}

// subStep is one sub-step with its own policies (a deviation: the reference ignores them there).
func (m *machine) subStep(ctx context.Context, loop string, sub *Step, path Path) (res *Result, stop bool, err error) {
	defer RecoverFailure(&err)
	if ctx.Err() != nil {
		return nil, false, context.Cause(ctx)
	}
	if sub.When != nil {
		run, err := m.condition(sub)
		if err != nil {
			return nil, false, err
		}
		if !run {
			return &Result{ID: sub.ID, Skipped: true}, false, nil
		}
	}
	costID := loop + "." + sub.ID
	res, err = m.attempts(ctx, sub, path, func(ctx context.Context, path Path) (*Result, error) {
		if sub.Shell == nil && sub.Do == nil {
			return m.synthetic(sub)
		}
		e := m.effect(m.run, sub, path)
		e.Nested = true
		out, err := m.eng.Effect(ctx, e)
		return m.settle(costID, out, err)
	})
	res.ID = sub.ID
	if err == nil {
		return res, false, m.account(costID, res.JSON)
	}
	if ctx.Err() != nil || isFinal(err) || timeoutOf(err) != nil || sub.OnError == Stop {
		return res, false, err
	}
	*m.failedAt = ""
	m.notify(Event{Kind: StepFailed, Path: path, StepID: costID, Message: err.Error()})
	res.Error, res.ErrorMessage, res.JSON = true, err.Error(), value.Value{}
	return res, sub.OnError == SkipRest, m.checkCost()
}

// variable is a loop variable in the shape of a step's result.
func variable(name string, v value.Value) *Result {
	text := v.JSON()
	if v.Kind() == value.StringKind {
		text = v.Str()
	}
	return &Result{ID: name, JSON: v, Stdout: &text}
}

// typeOf is JavaScript's typeof.
func typeOf(v value.Value) string {
	switch v.Kind() {
	case value.Absent:
		return "undefined"
	case value.BoolKind:
		return "boolean"
	case value.NumberKind:
		return "number"
	case value.StringKind:
		return "string"
	}
	return "object"
}
