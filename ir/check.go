package ir

import (
	"fmt"
	"math"
	"path"
	"regexp"
	"slices"

	"github.com/lobsterc/lobsterc/runtime/value"
)

// Check tells whether p is a program that the code generator may trust: ids unique, references backwards, children there and
// without cycles, numbers in range, templates and conditions well formed. What the front end lets through and Check
// refuses is a bug of the front end; for IR from a file it is the reader's last word.
func Check(p *Program) error {
	c := &checker{program: p}
	switch {
	case p.Pipeline != nil && len(p.Main.Steps) > 0:
		c.fail("main.steps", "an inline pipeline has no steps")
	case p.Pipeline != nil:
		c.template("main.cwd", p.Main.Cwd, false)
		c.header("main", &p.Main)
		c.pipeline("pipeline", p.Pipeline)
	default:
		c.workflow("main", &p.Main)
	}
	for i := range p.Children {
		child := &p.Children[i]
		at := fmt.Sprintf("children[%d]", i)
		if child.Path == "" || child.Path != path.Clean(child.Path) || path.IsAbs(child.Path) {
			c.fail(at+".path", "must be a clean relative slash path")
		}
		if i > 0 && p.Children[i-1].Path >= child.Path {
			c.fail(at+".path", "children must be ordered by path, each once")
		}
		c.workflow(at+".workflow", &child.Workflow)
	}
	c.cycles()
	return c.err
}

// checker keeps the first fault. known holds the ids that a reference may name at the current step.
type checker struct {
	err     error
	program *Program
	known   map[string]bool
}

func (c *checker) fail(path, format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("ir: %s: %s", path, fmt.Sprintf(format, args...))
	}
}

func (c *checker) workflow(path string, w *Workflow) {
	c.header(path, w)
	if len(w.Steps) == 0 {
		c.fail(path+".steps", "must not be empty")
	}
	c.known = map[string]bool{}
	for i, s := range w.Steps {
		c.step(fmt.Sprintf("%s.steps[%d]", path, i), s)
	}
}

func (c *checker) header(path string, w *Workflow) {
	names := map[string]bool{}
	for i, a := range w.Args {
		at := fmt.Sprintf("%s.args[%d]", path, i)
		if a.Name == "" || names[a.Name] {
			c.fail(at+".name", "must be unique and not empty")
		}
		names[a.Name] = true
		if a.Type != "" && !slices.Contains(argTypes, a.Type) {
			c.fail(at+".type", "unknown type %q", a.Type)
		}
	}
	c.env(path, w.Env)
	c.template(path+".cwd", w.Cwd, false)
	c.millis(path+".timeout_ms", w.TimeoutMS)
	if l := w.CostLimit; l != nil && (math.IsNaN(l.MaxUSD) || math.IsInf(l.MaxUSD, 0) || l.MaxUSD < 0) {
		c.fail(path+".cost_limit.max_usd", "must be a finite number from 0")
	}
	for i, name := range w.RequireApproval {
		if name == "" {
			c.fail(fmt.Sprintf("%s.require_approval[%d]", path, i), "must not be empty")
		}
	}
}

func (c *checker) step(path string, s *Step) {
	c.common(path, s)
	if s.Do == nil && s.Approval == nil && s.Input == nil {
		c.fail(path, "executes nothing and is no gate")
	}
	if s.Input != nil && (s.Do != nil || s.Approval != nil) {
		c.fail(path+".input", "stands alone: no execution, no approval")
	}
	switch do := s.Do.(type) {
	case *Parallel:
		c.parallel(path+".parallel", do)
	case *Loop:
		c.loop(path+".loop", do)
	default:
		c.exec(path, s.Do)
	}
	c.define(path, s.ID)
	c.gates(path, s)
}

// gates come after define: an approval may refer to the result of its own step.
func (c *checker) gates(path string, s *Step) {
	if in := s.Input; in != nil {
		c.mustTemplate(path+".input.prompt", in.Prompt)
		if k := in.Schema.Kind(); k != value.ObjectKind && k != value.BoolKind && (k == value.Absent || !c.program.Compat) {
			c.fail(path+".input.schema", "must be a JSON Schema")
		}
	}
	if a := s.Approval; a != nil {
		c.template(path+".approval.prompt", a.Prompt, false)
		c.template(path+".approval.preview", a.Preview, false)
		c.template(path+".approval.initiated_by", a.InitiatedBy, false)
		c.template(path+".approval.required_approver", a.RequiredApprover, false)
		if k := a.Items.Kind(); k != value.Absent && k != value.ArrayKind {
			c.fail(path+".approval.items", "must be a list")
		}
	}
}

// common checks what every kind of step may have.
func (c *checker) common(path string, s *Step) {
	if s.When != nil {
		c.expr(path+".when", s.When)
	}
	c.env(path, s.Env)
	c.template(path+".cwd", s.Cwd, false)
	if s.Stdin != nil {
		c.stdin(path+".stdin", s.Stdin)
	}
	c.millis(path+".timeout_ms", s.TimeoutMS)
	if s.OnError > SkipRest {
		c.fail(path+".on_error", "unknown policy %d", s.OnError)
	}
	if r := s.Retry; r != nil && (r.Max < 1 || r.DelayMS < 0 || r.MaxDelayMS < 0) {
		c.fail(path+".retry", "max must be at least 1 and no delay negative")
	}
}

// define adds an id to what later steps may name.
func (c *checker) define(path, id string) {
	if id == "" || c.known[id] {
		c.fail(path+".id", "must be unique and not empty (%q)", id)
	}
	c.known[id] = true
}

func (c *checker) parallel(path string, p *Parallel) {
	c.millis(path+".timeout_ms", p.TimeoutMS)
	if len(p.Branches) == 0 {
		c.fail(path+".branches", "must not be empty")
	}
	for i, b := range p.Branches {
		at := fmt.Sprintf("%s.branches[%d]", path, i)
		c.common(at, b)
		if b.When != nil || b.TimeoutMS != 0 || b.OnError != Stop || b.Retry != nil {
			c.fail(at, "a branch has no condition and no policy of its own")
		}
		c.leaf(at, b)
	}
	for i, b := range p.Branches {
		c.define(fmt.Sprintf("%s.branches[%d]", path, i), b.ID)
	}
}

// loop checks a for_each. Its steps see the loop variables and each other, and what they hide outside comes back after it.
func (c *checker) loop(path string, l *Loop) {
	if l.Items == nil {
		c.fail(path+".items", "is missing")
	} else {
		c.stdin(path+".items", l.Items)
	}
	if l.ItemVar == "" || l.IndexVar == "" {
		c.fail(path, "loop variables must have names")
	}
	if l.Batch < 1 || l.PauseMS < 0 || len(l.Steps) == 0 {
		c.fail(path, "batch_size must be at least 1, pause_ms not negative, steps not empty")
	}
	outer := c.known
	c.known = map[string]bool{l.ItemVar: true, l.IndexVar: true}
	for id := range outer {
		c.known[id] = true
	}
	own := map[string]bool{}
	for i, s := range l.Steps {
		at := fmt.Sprintf("%s.steps[%d]", path, i)
		c.common(at, s)
		c.leaf(at, s)
		if s.ID == "" || own[s.ID] {
			c.fail(at+".id", "must be unique in the loop and not empty (%q)", s.ID)
		}
		own[s.ID], c.known[s.ID] = true, true
	}
	c.known = outer
}

// leaf checks a step inside a loop or a branch: it runs a command or a pipeline, and no gate.
func (c *checker) leaf(path string, s *Step) {
	switch s.Do.(type) {
	case *Shell, *Pipeline:
		c.exec(path, s.Do)
	default:
		c.fail(path, "must run a command or a pipeline")
	}
	if s.Approval != nil || s.Input != nil {
		c.fail(path, "no gate may stand here")
	}
}

func (c *checker) exec(path string, x Exec) {
	switch x := x.(type) {
	case nil:
	case *Shell:
		c.mustTemplate(path+".shell.script", x.Script)
	case *Pipeline:
		c.pipeline(path+".pipeline", x)
	case *Call:
		c.call(path+".call", x)
	default:
		panic(fmt.Sprintf("lobsterc bug: check: unknown execution %T at %s", x, path))
	}
}

func (c *checker) env(path string, vars []EnvVar) {
	names := map[string]bool{}
	for i, v := range vars {
		at := fmt.Sprintf("%s.env[%d]", path, i)
		if v.Name == "" || names[v.Name] {
			c.fail(at+".name", "must be unique and not empty")
		}
		names[v.Name] = true
		c.template(at+".value", v.Value, true)
	}
}

func (c *checker) millis(path string, ms int64) {
	if ms < 0 || ms > maxMS {
		c.fail(path, "must be from 1 to %d milliseconds", maxMS)
	}
}

var (
	namePattern = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)
	pathPattern = regexp.MustCompile(`^[A-Za-z0-9_]+$`)
)
