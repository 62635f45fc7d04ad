package stage

import (
	"errors"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// The built-in workflows.
const (
	prMonitor = "github.pr.monitor"
	prNotify  = "github.pr.monitor.notify"
)

// WorkflowsList gives an item for each built-in workflow.
func WorkflowsList() flow.Stage {
	return source("workflows.list", func(_ *flow.Env, y yield) {
		_ = y(describeWorkflow(prMonitor, "Look at a pull request with gh and compare it with the last time.", "Watch a pull request.",
			property("changesOnly", "boolean", "say next to nothing when nothing changed"),
			property("summaryOnly", "boolean", "give a short summary instead of the whole pull request")), nil) &&
			y(describeWorkflow(prNotify, "Look at a pull request with gh and give one message when it changed.", "Give a message when a pull request changed."), nil)
	})
}

// property describes an argument.
func property(name, kind, help string) value.Member {
	return value.M(name, value.Object(value.M("type", value.String(kind)), value.M("description", value.String(help))))
}

// describeWorkflow is an item of workflows.list; more are arguments beside repo, pr and key.
func describeWorkflow(name, about, example string, more ...value.Member) value.Value {
	properties := append([]value.Member{
		property("repo", "string", "the repository, owner/name"),
		property("pr", "number", "the number of the pull request"),
		property("key", "string", "the name that the last state is kept under"),
	}, more...)
	args := value.Object(value.M("repo", value.String("openclaw/openclaw")), value.M("pr", value.Int(1152)))
	return value.Object(
		value.M("name", value.String(name)),
		value.M("description", value.String(about)),
		value.M("argsSchema", value.Object(
			value.M("type", value.String("object")),
			value.M("properties", value.Object(properties...)),
			value.M("required", value.Strings("repo", "pr")),
		)),
		value.M("examples", value.Array(value.Object(value.M("args", args), value.M("description", value.String(example))))),
		value.M("sideEffects", value.Array()),
	)
}

// WorkflowsRunOptions are the options of workflows.run. Args is an object.
type WorkflowsRunOptions struct {
	Workflow string
	Args     value.Value
}

// WorkflowsRun runs a built-in workflow.
func WorkflowsRun(o WorkflowsRunOptions) flow.Stage {
	run := map[string]func(*flow.Env, value.Value) (value.Value, error){prMonitor: monitorPR, prNotify: notifyPR}[o.Workflow]
	switch {
	case o.Workflow == "":
		return Failing("workflows.run", errors.New("workflows.run requires --name"))
	case run == nil:
		return Failing("workflows.run", errors.New("Unknown workflow: "+o.Workflow))
	}
	s := source("workflows.run", func(env *flow.Env, y yield) { y(run(env, o.Args)) })
	s.Effect, s.Needs = true, needsGH
	return s
}
