package effects

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

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
	cache map[string][]int // dominators by what is known
	end   []Gate
}

// node is a point of a run.
type node struct {
	preds   []edge
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
	// The names of the facts about it.
	ran, approved, sound string
	nodes                []int // its points with effects or calls
	report               Step
}

const (
	startNode = 0
	endNode   = 1
)

func newFlow(a *analysis, path string, w *ir.Workflow) *flow {
	f := &flow{a: a, path: path, w: w, nodes: make([]node, 2), cache: map[string][]int{}}
	sc := scope{keys: map[ir.Expr]string{}}
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
		ran: "ran " + index, approved: "approved " + index, sound: "sound " + index}
	id := s.ID
	if outer != nil {
		if _, loop := outer.step.Do.(*ir.Loop); loop {
			id = outer.step.ID + "." + id
		}
	}
	info.report = Step{Workflow: f.path, ID: id, Pos: s.Pos}
	f.steps = append(f.steps, info)
	info.facts = f.factsOf(info)
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

// dominators gives the immediate dominator of each node, -1 for nodes that no run with the given facts reaches, by the
// iterative algorithm of Cooper, Harvey and Kennedy.
func (f *flow) dominators(known facts) []int {
	name := strings.Join(sortedKeys(known), "\n")
	if f.cache[name] == nil {
		f.cache[name] = f.computeDominators(known)
	}
	return f.cache[name]
}

func (f *flow) computeDominators(known facts) []int {
	preds := f.preds(known)
	order := postorder(preds)
	slices.Reverse(order)
	place := make([]int, len(f.nodes))
	for i, n := range order {
		place[n] = i
	}
	idom := make([]int, len(f.nodes))
	for i := range idom {
		idom[i] = -1
	}
	idom[startNode] = startNode
	for changed := true; changed; {
		changed = false
		for _, n := range order[1:] {
			best := -1
			for _, from := range preds[n] {
				switch {
				case idom[from] < 0:
				case best < 0:
					best = from
				default:
					best = meet(idom, place, best, from)
				}
			}
			if best >= 0 && idom[n] != best {
				idom[n], changed = best, true
			}
		}
	}
	return idom
}

// meet walks two nodes up their dominators until they are one.
func meet(idom, place []int, x, y int) int {
	for x != y {
		if place[x] > place[y] {
			x = idom[x]
		} else {
			y = idom[y]
		}
	}
	return x
}

// preds gives the predecessors of each node that a run with the given facts can come from.
func (f *flow) preds(known facts) [][]int {
	preds := make([][]int, len(f.nodes))
	for n := range f.nodes {
		for _, e := range f.nodes[n].preds {
			if !f.pruned(e, known) {
				preds[n] = append(preds[n], e.from)
			}
		}
	}
	return preds
}

// postorder visits what the start reaches, depth first.
func postorder(preds [][]int) []int {
	succs := make([][]int, len(preds))
	for n, list := range preds {
		for _, from := range list {
			succs[from] = append(succs[from], n)
		}
	}
	type frame struct{ node, next int }
	seen := make([]bool, len(preds))
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
	return order
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
