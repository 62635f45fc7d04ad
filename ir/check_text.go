package ir

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/lobsterc/lobsterc/runtime/value"
)

func (c *checker) pipeline(path string, p *Pipeline) {
	if len(p.Stages) == 0 {
		c.fail(path+".stages", "must not be empty")
	}
	for i := range p.Stages {
		s := &p.Stages[i]
		at := fmt.Sprintf("%s.stages[%d]", path, i)
		if s.Name == "" {
			c.fail(at+".name", "must not be empty")
		}
		for j, f := range s.Flags {
			flagAt := fmt.Sprintf("%s.flags[%d]", at, j)
			if j > 0 && s.Flags[j-1].Name >= f.Name {
				c.fail(flagAt+".name", "flags must be ordered by name, each once")
			}
			c.template(flagAt+".value", f.Value, false)
			if text, ok := f.Value.Constant(); f.Bare && (!ok || text != "true") {
				c.fail(flagAt+".value", "a flag without a value has the text true")
			}
		}
		for j, w := range s.Words {
			wordAt := fmt.Sprintf("%s.words[%d]", at, j)
			c.template(wordAt+".text", w.Text, false)
			if w.Alone {
				if _, constant := w.Text.Constant(); len(w.Text.Normal()) != 1 || constant {
					c.fail(wordAt, "a word that stands alone is one hole")
				}
			}
		}
	}
}

func (c *checker) call(at string, call *Call) {
	c.mustTemplate(at+".path", call.Path)
	if call.Dir == "" || call.Dir != path.Clean(call.Dir) || path.IsAbs(call.Dir) {
		c.fail(at+".dir", "must be a clean relative slash path")
	}
	if len(call.Candidates) == 0 && !c.program.Compat {
		c.fail(at+".candidates", "must not be empty")
	}
	for i, name := range call.Candidates {
		if c.program.child(name) == nil {
			c.fail(fmt.Sprintf("%s.candidates[%d]", at, i), "%q is not part of the program", name)
		}
	}
	names := map[string]bool{}
	for i, a := range call.Args {
		argAt := fmt.Sprintf("%s.args[%d]", at, i)
		if names[a.Name] {
			c.fail(argAt+".name", "must be unique")
		}
		names[a.Name] = true
		if (a.Text == nil) == a.Literal.IsAbsent() {
			c.fail(argAt, "must have one of text and literal")
		}
		c.template(argAt+".text", a.Text, false)
	}
}

// child finds a sub-workflow by its path.
func (p *Program) child(name string) *Workflow {
	for i := range p.Children {
		if p.Children[i].Path == name {
			return &p.Children[i].Workflow
		}
	}
	return nil
}

// cycles looks for a workflow that can call itself, by depth-first search.
func (c *checker) cycles() {
	const active, done = 1, 2
	state := map[string]int{}
	var visit func(name string)
	visit = func(name string) {
		switch state[name] {
		case active:
			c.fail("children", "%q can call itself", name)
			return
		case done:
			return
		}
		state[name] = active
		if w := c.program.child(name); w != nil {
			for _, s := range w.Steps {
				if call, ok := s.Do.(*Call); ok {
					for _, next := range call.Candidates {
						visit(next)
					}
				}
			}
		}
		state[name] = done
	}
	for i := range c.program.Children {
		visit(c.program.Children[i].Path)
	}
}

func (c *checker) stdin(path string, s *Stdin) {
	given := 0
	for _, has := range []bool{s.Ref != nil, s.Text != nil, !s.Literal.IsAbsent()} {
		if has {
			given++
		}
	}
	if given != 1 {
		c.fail(path, "must have exactly one of ref, text and literal")
	}
	if s.Ref != nil {
		c.ref(path+".ref", *s.Ref, true)
	}
	c.template(path+".text", s.Text, false)
}

// mustTemplate is template for one that must be there.
func (c *checker) mustTemplate(path string, t Template) {
	if t == nil {
		c.fail(path, "is missing")
	}
	c.template(path, t, false)
}

// template checks segments. References in text may name what has no result: they are then left as they stand.
func (c *checker) template(path string, t Template, env bool) {
	for i, seg := range t {
		at := fmt.Sprintf("%s[%d]", path, i)
		switch seg := seg.(type) {
		case Text:
		case ArgRef:
			if !namePattern.MatchString(seg.Name) {
				c.fail(at, "%q is no argument name", seg.Name)
			}
		case StepRef:
			c.ref(at, seg, false)
		case OpenRef:
			c.openRef(at, seg, env)
		case EnvRef:
			if !env {
				c.fail(at, "a variable of the environment may only stand in env values")
			}
			if seg.Name == "" || seg.Raw == "" {
				c.fail(at, "a variable needs its name and its text")
			}
		default:
			panic(fmt.Sprintf("lobsterc bug: check: unknown segment %T at %s", seg, at))
		}
	}
}

// openRef checks a reference that arguments continue: its text starts with the step's id, and no other reference is in it.
func (c *checker) openRef(path string, r OpenRef, env bool) {
	start, ok := Text(""), len(r.Text) > 1
	if ok {
		start, ok = r.Text[0].(Text)
	}
	if !ok || !namePattern.MatchString(r.ID) || !strings.HasPrefix(string(start), "$"+r.ID+".") {
		c.fail(path, "an open reference starts with $%s. and goes on with an argument", r.ID)
	}
	for i, seg := range r.Text {
		switch seg.(type) {
		case StepRef, OpenRef:
			c.fail(fmt.Sprintf("%s.open[%d]", path, i), "a reference inside a reference")
		}
	}
	c.template(path+".open", r.Text, env)
}

// ref checks a reference; a strict one must name an earlier step.
func (c *checker) ref(path string, r StepRef, strict bool) {
	if !namePattern.MatchString(r.ID) || len(r.Path) == 0 {
		c.fail(path, "%q is no reference", r.String())
	}
	for _, p := range r.Path {
		if !pathPattern.MatchString(p) {
			c.fail(path, "%q is no reference", r.String())
		}
	}
	if strict && !c.known[r.ID] && !c.program.Compat {
		c.fail(path, "%q names no earlier step", r.String())
	}
}

func (c *checker) expr(path string, x Expr) {
	switch x := x.(type) {
	case *Lit:
		switch x.Value.Kind() {
		case value.NullKind, value.BoolKind, value.NumberKind, value.StringKind:
		default:
			c.fail(path, "a literal is null, a boolean, a number or a string")
		}
	case *RefExpr:
		c.ref(path, x.Ref, true)
	case *Not:
		c.expr(path+".not", x.X)
	case *Logic:
		c.expr(path+".x", x.X)
		c.expr(path+".y", x.Y)
	case *Compare:
		if !slices.Contains(compareOps, x.Op) {
			c.fail(path, "unknown comparison %q", x.Op)
		}
		c.expr(path+".x", x.X)
		c.expr(path+".y", x.Y)
	default:
		panic(fmt.Sprintf("lobsterc bug: check: unknown condition %T at %s", x, path))
	}
}
