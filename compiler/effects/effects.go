// Package effects tells what a program can do to the world, and which gates stand before it on every path.
//
// What a step does is read off its stages (compiler/catalog) and off the syntax tree of its shell text (shell.go). Which
// gates stand before an effect is a question of control flow: a gate holds an effect back when it dominates it in the graph
// of flow.go, in which a step can be skipped by its condition, can fail and go on (on_error), can be a loop of no iterations,
// a race of branches, or a child with gates of its own. Conditions are used where they help (facts.go): an effect that runs only
// `when: $gate.approved` is behind that gate although the gate can be skipped.
//
// The analysis may overlook no path and no command that is plain in the text. It cannot see what the programs that are
// called do, nor what an argument adds to a command that it is spliced into.
package effects

import (
	"slices"
	"strings"

	"github.com/lobsterc/lobsterc/compiler/catalog"
	"github.com/lobsterc/lobsterc/ir"
	"github.com/lobsterc/lobsterc/ir/diag"
)

// Gate is a place where a person must answer. Workflow is the path of a sub-workflow, empty in the entry file.
type Gate struct {
	Workflow string
	Step     string
	Kind     string // "approval" or "input"
	Pos      diag.Pos
}

// Name is the gate for people.
func (g Gate) Name() string { return strings.TrimPrefix(g.Workflow+": "+g.Step, ": ") }

// same tells whether two gates are one, wherever they were found.
func (g Gate) same(h Gate) bool {
	return g.Workflow == h.Workflow && g.Step == h.Step && g.Kind == h.Kind
}

// Effect is one thing that a step can do.
type Effect struct {
	// What is the effect for people: a command with its sub-command ("git push"), a stage with what it works on
	// ("state.set inbox/seen").
	What string
	// Kinds are the names of the effect, sorted: local_exec, network, sends_email, writes_state, ...
	Kinds []string
	// Command holds the words of a command; Stage is the name of a stage.
	Command []Word
	Stage   string
	// Endpoint, StateKey and Files are what is plain in the text; empty when nothing is.
	Endpoint string
	StateKey string
	Files    []string
	// Gates dominate the effect, from first to last: on every path that leads here, each was passed.
	Gates []Gate
	Pos   diag.Pos
}

// Word is a word of a command. A dynamic word is not fully known before the run; Text is then its spelling.
type Word struct {
	Text    string
	Dynamic bool
}

// Step is what a step, branch or sub-step can do and reads.
type Step struct {
	Workflow string
	ID       string // LOOP.SUB in a loop
	Pos      diag.Pos
	Effects  []Effect
	Env      []string // variables of the environment that it reads, sorted
	Args     []string // arguments that it reads, sorted
	// Never: its condition cannot be true, so it never runs.
	Never bool
}

// Report is what a program can do.
type Report struct {
	Steps []Step // of the entry workflow, then of the children by path
	Gates []Gate
}

// Analyze looks at a program that ir.Check accepts.
func Analyze(p *ir.Program, stages *catalog.Catalogue) *Report {
	a := &analysis{program: p, stages: stages, flows: map[string]*flow{}, contexts: map[string]*context{}}
	r := &Report{}
	main := a.flow("", &p.Main)
	a.enter("", nil)
	for _, path := range a.callersFirst() {
		a.resolve(a.flows[path])
	}
	main.report(r)
	for i := range p.Children {
		if f := a.flows[p.Children[i].Path]; f != nil {
			f.report(r)
		}
	}
	return r
}

// analysis holds the flow of each workflow that can be reached.
type analysis struct {
	program *ir.Program
	stages  *catalog.Catalogue
	flows   map[string]*flow
	order   []string // children before their callers
	// contexts holds, for each workflow, the gates that every call of it is behind.
	contexts map[string]*context
}

type context struct{ gates []Gate }

// flow builds the control flow of a workflow once, its children first: a call stands for the gates that its child passes.
func (a *analysis) flow(path string, w *ir.Workflow) *flow {
	if f := a.flows[path]; f != nil {
		return f
	}
	f := newFlow(a, path, w)
	a.flows[path] = f
	a.order = append(a.order, path)
	return f
}

func (a *analysis) child(path string) *flow {
	for i := range a.program.Children {
		if c := &a.program.Children[i]; c.Path == path {
			return a.flow(path, &c.Workflow)
		}
	}
	return nil
}

// callersFirst gives the workflows such that every caller comes before what it calls.
func (a *analysis) callersFirst() []string {
	order := slices.Clone(a.order)
	slices.Reverse(order)
	return order
}

// enter notes a call of a workflow from behind gates; with several calls, the gates common to all count.
func (a *analysis) enter(path string, gates []Gate) {
	c := a.contexts[path]
	if c == nil {
		a.contexts[path] = &context{gates}
		return
	}
	c.gates = slices.DeleteFunc(slices.Clone(c.gates), func(g Gate) bool { return !containsGate(gates, g) })
}

func containsGate(gates []Gate, g Gate) bool { return slices.ContainsFunc(gates, g.same) }

// resolve fills the gates of every effect, and enters the children.
func (a *analysis) resolve(f *flow) {
	context := a.contexts[f.path]
	if context == nil {
		return // only called from where no run comes
	}
	anyone := f.dominators(nil)
	for _, s := range f.steps {
		doms := anyone
		if f.matters(s.facts) {
			doms = f.dominators(s.facts)
		}
		s.report.Never = doms[s.begin] < 0
		for _, n := range s.nodes {
			gates, reached := f.gatesAt(doms, n)
			node := &f.nodes[n]
			if !reached {
				continue
			}
			gates = slices.Concat(context.gates, gates)
			for i := range node.effects {
				node.effects[i].Gates = gates
			}
			for _, path := range node.calls {
				a.enter(path, gates)
			}
		}
	}
}
