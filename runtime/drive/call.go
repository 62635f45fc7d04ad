package drive

import (
	"context"

	"github.com/lobsterc/lobsterc/runtime/value"
)

// exec runs a sub-workflow in this run: its effects and gates are ours, under the step's path.
func (c *Call) exec(ctx context.Context, m *machine, st *Step, _ int, path Path, _ *Resume) (*Result, error) {
	wf, name := c.Pick(m.run)
	if wf == nil {
		return nil, &Failure{Message: "Workflow step " + st.ID + " workflow file not found: " + name}
	}
	var given []NamedValue
	if c.Args != nil {
		given = c.Args(m.run)
	}
	caller := m.effect(m.run, st, path)
	child := &machine{
		eng: m.eng, wf: wf, run: NewRun(ResolveArgs(wf.Args, given)), prefix: path,
		dir: caller.Dir, identity: m.identity, mayRepeat: caller.MayRepeat, failedAt: m.failedAt,
	}
	child.env = append(caller.Env[:len(caller.Env):len(caller.Env)], EnvLayer{Run: child.run, Vars: wf.Env, Args: true})
	if m.meter != nil {
		child.meter = m.meter.Child()
	}
	if wf.Cwd != nil {
		child.dir = wf.Cwd(child.run)
	}
	var limit *TimeoutError
	if wf.Timeout > 0 {
		limit = workflowLimit(wf)
		var cancel context.CancelFunc
		ctx, cancel = m.eng.Timeout(ctx, wf.Timeout, limit)
		defer cancel()
	}
	items, err := child.steps(ctx, 0, nil)
	if err != nil && limit != nil && !isFinal(err) && limit.stopped(ctx, err) {
		err = &Failure{Message: limit.Message, NoRetry: noRetry(err)}
	}
	if err != nil {
		return nil, err
	}
	return callResult(st.ID, items), nil
}

// callResult maps a child's output to json and stdout.
func callResult(id string, items []value.Value) *Result {
	json, text := value.Array(items...), ""
	if len(items) == 1 {
		json = items[0]
	}
	switch {
	case len(items) == 0, json.IsNull():
	case json.Kind() == value.StringKind:
		text = json.Str()
	default:
		text = json.JSON()
	}
	return &Result{ID: id, JSON: json, Stdout: &text}
}

// ResolveArgs gives the arguments of a workflow: declared defaults, in order, overridden and extended by what is given.
func ResolveArgs(declared []Arg, given []NamedValue) value.Value {
	members := make([]value.Member, 0, len(declared)+len(given))
	for _, a := range declared {
		if !a.Default.IsAbsent() {
			members = append(members, value.M(a.Name, a.Default))
		}
	}
	for _, g := range given {
		members = append(members, value.M(g.Name, g.Value))
	}
	return value.Object(members...)
}
