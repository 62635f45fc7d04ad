package effects

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/lobsterc/lobsterc/ir"
)

// flow is the control flow of one workflow. Node 0 is its start, node 1 its end. Loops have no back edge: the first node
// of a loop dominates its body, so the way back changes no answer.
type flow struct {
	a     *analysis
	path  string
	w     *ir.Workflow
	nodes []node
	steps []*stepInfo
	order []int // the nodes such that each comes after those that lead to it
	// What facts.go remembers: the numbers of statements, and of expressions.
	numbers map[string]int
	keys    map[ir.Expr]keyed
	read    map[*ir.Shell]*shellReader
	gated   bool // there is a gate, or a child that has one
	end     []Gate
}

// node is a point of a run.
type node struct {
	preds   []edge
	place   int    // in the order of the flow
	gates   []Gate // passed here
	effects []Effect
	calls   []string // children entered here
}

// edge leads to a node from an earlier one. A run takes a skip edge when the condition of step is false, a take edge when it is
// true, a fail edge when the step fails.
type edge struct {
	from int
	kind edgeKind
	step *stepInfo
}

type edgeKind uint8

const (
	always edgeKind = iota
	skip
	take
	fail
)

// stepInfo is a step, branch or sub-step in the flow.
type stepInfo struct {
	step  *ir.Step
	index int
	outer *stepInfo // the parallel step or loop that it is in
	scope scope     // what its condition and texts may name
	facts facts     // what holds whenever it executes
	begin int       // where it starts to execute
	// The facts about it.
	ran, approved, sound int
	implies              facts // what holds when it is known that it ran
	nodes                []int // its points with effects or calls
	report               Step
}

const (
	startNode = 0
	endNode   = 1
)

func newFlow(a *analysis, path string, w *ir.Workflow) *flow {
	f := &flow{a: a, path: path, w: w, nodes: make([]node, 2), numbers: map[string]int{}, keys: map[ir.Expr]keyed{}, read: map[*ir.Shell]*shellReader{}}
	var sc scope
	at := startNode
	if a.program.Pipeline != nil && path == "" {
		s := f.info(&ir.Step{ID: "pipeline", Do: a.program.Pipeline, Pos: a.program.Pipeline.Pos}, nil, sc)
		s.begin = f.after(at)
		at = f.exec(s, s.begin)
	}
	for _, s := range w.Steps {
		at, sc = f.step(s, nil, sc, at, endNode)
	}
	f.edge(at, endNode, always, nil)
	f.order = f.topological()
	f.gated = slices.ContainsFunc(f.nodes, func(n node) bool { return len(n.gates) > 0 })
	f.end, _ = f.gatesAt(f.dominators(nil), endNode)
	return f
}

func (f *flow) node() int {
	f.nodes = append(f.nodes, node{})
	return len(f.nodes) - 1
}

func (f *flow) edge(from, to int, kind edgeKind, s *stepInfo) {
	f.nodes[to].preds = append(f.nodes[to].preds, edge{from, kind, s})
}

// after makes a node that follows another.
func (f *flow) after(from int) int {
	n := f.node()
	f.edge(from, n, always, nil)
	return n
}

func (f *flow) info(s *ir.Step, outer *stepInfo, sc scope) *stepInfo {
	index := strconv.Itoa(len(f.steps))
	info := &stepInfo{step: s, index: len(f.steps), outer: outer, scope: sc,
		ran: f.fact("ran " + index), approved: f.fact("approved " + index), sound: f.fact("sound " + index)}
	id := s.ID
	if outer != nil {
		if _, loop := outer.step.Do.(*ir.Loop); loop {
			id = outer.step.ID + "." + id
		}
	}
	info.report = Step{Workflow: f.path, ID: id, Pos: s.Pos}
	f.steps = append(f.steps, info)
	info.facts = f.factsOf(info)
	info.implies.add(info.facts)
	info.implies.set(info.ran)
	f.reads(info)
	return info
}

// step adds a step after the node at. Rest is where skip_rest leads. It gives the node after the step, and the scope there.
func (f *flow) step(s *ir.Step, outer *stepInfo, sc scope, at, rest int) (int, scope) {
	info := f.info(s, outer, sc)
	begin, done := f.node(), f.node()
	info.begin = begin
	f.edge(at, begin, take, info)
	if s.When != nil {
		f.edge(at, done, skip, info)
	}
	last := f.exec(info, begin)
	if kind := gateKind(s); kind != "" {
		last = f.after(last)
		f.nodes[last].gates = []Gate{{f.path, info.report.ID, kind, s.Pos}}
	}
	f.edge(last, done, always, nil)
	if s.Do != nil {
		switch s.OnError {
		case ir.Continue:
			f.edge(begin, done, fail, info)
		case ir.SkipRest:
			f.edge(begin, rest, fail, info)
		}
	}
	sc = sc.with(s.ID, info)
	if _, parallel := s.Do.(*ir.Parallel); parallel {
		for _, b := range f.steps[info.index+1:] {
			sc = sc.with(b.step.ID, b)
		}
	}
	return done, sc
}

func gateKind(s *ir.Step) string {
	switch {
	case s.Approval != nil:
		return "approval"
	case s.Input != nil:
		return "input"
	}
	return ""
}

// exec adds what a step executes after the node at, and gives the node where it has succeeded.
func (f *flow) exec(s *stepInfo, at int) int {
	switch do := s.step.Do.(type) {
	case nil:
		return at
	case *ir.Shell:
		return f.act(s, at, f.shellEffects(do))
	case *ir.Pipeline:
		return f.pipeline(s, do, at)
	case *ir.Call:
		at = f.after(at)
		s.nodes = append(s.nodes, at)
		join := f.node()
		for _, path := range do.Candidates {
			child := f.a.child(path)
			if child == nil {
				continue
			}
			f.nodes[at].calls = append(f.nodes[at].calls, path)
			n := f.after(at)
			f.nodes[n].gates = child.end
			f.edge(n, join, always, nil)
		}
		return join
	case *ir.Parallel:
		join := f.node()
		for _, b := range do.Branches {
			info := f.info(b, s, s.scope)
			info.begin = f.after(at)
			f.edge(f.exec(info, info.begin), join, always, nil)
		}
		return join
	case *ir.Loop:
		return f.loop(s, do, at)
	}
	panic(fmt.Sprintf("lobsterc bug: effects: unknown execution %T at %s", s.step.Do, s.step.Pos))
}

// act adds a node with effects.
func (f *flow) act(s *stepInfo, at int, effects []Effect) int {
	n := f.after(at)
	f.nodes[n].effects = effects
	s.nodes = append(s.nodes, n)
	return n
}

// pipeline adds its stages one after the other: a stage with an effect starts only when those before it have ended.
func (f *flow) pipeline(s *stepInfo, p *ir.Pipeline, at int) int {
	for i := range p.Stages {
		stage := &p.Stages[i]
		at = f.act(s, at, f.stageEffects(stage))
		if info, ok := f.a.stages.Lookup(stage.Name); ok && info.Halts != "" {
			at = f.after(at)
			f.nodes[at].gates = []Gate{{f.path, s.report.ID, info.Halts, stage.Pos}}
		}
	}
	return at
}

// loop adds the body of a for_each. There may be no item at all, so the way around the body stands too.
func (f *flow) loop(s *stepInfo, l *ir.Loop, at int) int {
	head, done := f.after(at), f.node()
	iterationEnd := f.node()
	f.edge(head, done, always, nil)
	sc := s.scope.with(l.ItemVar, nil).with(l.IndexVar, nil)
	for _, sub := range l.Steps {
		head, sc = f.step(sub, s, sc, head, iterationEnd)
	}
	f.edge(head, iterationEnd, always, nil)
	f.edge(iterationEnd, done, always, nil)
	return done
}

// dominators gives the immediate dominator of each node, -1 for nodes that no run with the given facts reaches. It is the
// algorithm of Cooper, Harvey and Kennedy; as the graph has no cycle, one pass in topological order is enough.
func (f *flow) dominators(known facts) []int {
	idom := make([]int, len(f.nodes))
	for i := range idom {
		idom[i] = -1
	}
	idom[startNode] = startNode
	for _, n := range f.order[1:] {
		best := -1
		preds := f.nodes[n].preds
		for i := range preds {
			e := &preds[i]
			switch {
			case idom[e.from] < 0 || e.kind != always && f.pruned(e, known):
			case best < 0:
				best = e.from
			default:
				best = f.meet(idom, best, e.from)
			}
		}
		idom[n] = best
	}
	return idom
}

// meet walks two nodes up their dominators until they are one.
func (f *flow) meet(idom []int, x, y int) int {
	for x != y {
		if f.nodes[x].place > f.nodes[y].place {
			x = idom[x]
		} else {
			y = idom[y]
		}
	}
	return x
}

// topological orders the nodes that the start reaches, and notes the place of each.
func (f *flow) topological() []int {
	succs := make([][]int, len(f.nodes))
	for n := range f.nodes {
		for _, e := range f.nodes[n].preds {
			succs[e.from] = append(succs[e.from], n)
		}
	}
	type frame struct{ node, next int }
	seen := make([]bool, len(f.nodes))
	seen[startNode] = true
	stack := []frame{{startNode, 0}}
	var order []int
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if top.next == len(succs[top.node]) {
			order = append(order, top.node)
			stack = stack[:len(stack)-1]
			continue
		}
		n := succs[top.node][top.next]
		top.next++
		if !seen[n] {
			seen[n] = true
			stack = append(stack, frame{n, 0})
		}
	}
	slices.Reverse(order)
	for place, n := range order {
		f.nodes[n].place = place
	}
	return order
}

// matters tells whether facts can change an answer: there is a gate to be behind, or a step that they keep from running.
func (f *flow) matters(known facts) bool {
	if len(known) == 0 {
		return false
	}
	return f.gated || slices.ContainsFunc(f.steps, func(s *stepInfo) bool {
		return s.step.When != nil && f.implied(known, s.step.When, false, s.scope)
	})
}

// gatesAt collects the gates on the chain of dominators of a node, first to last.
func (f *flow) gatesAt(idom []int, n int) (gates []Gate, reached bool) {
	if idom[n] < 0 {
		return nil, false
	}
	for {
		for i := len(f.nodes[n].gates) - 1; i >= 0; i-- {
			gates = append(gates, f.nodes[n].gates[i])
		}
		if n == startNode {
			break
		}
		n = idom[n]
	}
	slices.Reverse(gates)
	return gates, true
}

// report adds the steps and gates of the workflow.
func (f *flow) report(r *Report) {
	for _, s := range f.steps {
		for _, n := range s.nodes {
			s.report.Effects = append(s.report.Effects, f.nodes[n].effects...)
		}
		r.Steps = append(r.Steps, s.report)
	}
	for n := range f.nodes {
		for _, g := range f.nodes[n].gates {
			if g.Workflow == f.path {
				r.Gates = append(r.Gates, g)
			}
		}
	}
}
