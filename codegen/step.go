package codegen

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/lobsterc/lobsterc/ir"
	"github.com/lobsterc/lobsterc/ir/diag"
)

// steps is the table of steps. scope holds the ids around them (child, loop, parallel step), for the names of functions.
func (g *generator) steps(steps []*ir.Step, scope []string) *jen.Statement {
	var rows []jen.Code
	for _, s := range steps {
		rows = append(rows, g.step(s, scope))
	}
	return lines(rows)
}

// step is one row of the table; it asks for the functions that the row names.
func (g *generator) step(s *ir.Step, scope []string) *jen.Statement {
	var f fields
	inner := append(slices.Clone(scope), s.ID)
	what := fmt.Sprintf("step %q", s.ID)
	f.add("ID", jen.Lit(s.ID))
	if s.Pos.IsValid() {
		f.add("Line", jen.Lit(s.Pos.Line))
	}
	if s.When != nil {
		f.add("When", g.condFunc(inner, s, what))
	}
	g.exec(&f, s, inner, what)
	if s.Stdin != nil {
		f.add("Stdin", g.valueFunc("stdin", inner, s.Stdin, "the input of "+what))
	}
	if len(s.Env) > 0 {
		f.addMulti("Env", g.env(s.Env, inner, what))
	}
	if s.Cwd != nil {
		f.add("Cwd", g.textFunc("cwd", inner, s.Cwd, "the working directory of "+what))
	}
	g.policy(&f, s)
	if s.Input != nil {
		f.add("Input", g.inputFunc(s, inner, what))
	}
	if s.Approval != nil {
		f.add("Approval", g.approval(s.Approval, inner, what))
	}
	if plan := g.plan(s, inner, what); plan != nil {
		f.add("Plan", plan)
	}
	return f.lit()
}

// policy adds what happens when the step fails or takes long.
func (g *generator) policy(f *fields, s *ir.Step) {
	if s.TimeoutMS > 0 {
		f.add("Timeout", millis(s.TimeoutMS))
	}
	switch s.OnError {
	case ir.Continue:
		f.add("OnError", rt("Continue"))
	case ir.SkipRest:
		f.add("OnError", rt("SkipRest"))
	}
	if r := s.Retry; r != nil {
		var rf fields
		rf.add("Max", jen.Lit(r.Max))
		if r.Exponential {
			rf.add("Exponential", jen.True())
		}
		if r.DelayMS > 0 {
			rf.add("Delay", millis(r.DelayMS))
		}
		if r.MaxDelayMS > 0 {
			rf.add("MaxDelay", millis(r.MaxDelayMS))
		}
		if r.Jitter {
			rf.add("Jitter", jen.True())
		}
		f.add("Retry", jen.Op("&").Add(rt("Retry")).Add(rf.lit()))
	}
}

// exec adds what the step executes.
func (g *generator) exec(f *fields, s *ir.Step, scope []string, what string) {
	switch do := s.Do.(type) {
	case nil:
	case *ir.Shell:
		f.add("Shell", g.shellFunc(do, scope, what))
		if do.Dispatch {
			f.add("Dispatch", jen.True())
		}
	case *ir.Pipeline:
		f.add("Do", rt("Stages").Call(g.pipelineFunc(do, scope, what)))
	case *ir.Call:
		f.addMulti("Do", g.call(do, scope, what))
	case *ir.Parallel:
		var p fields
		if do.Any {
			p.add("Any", jen.True())
		}
		if do.TimeoutMS > 0 {
			p.add("Timeout", millis(do.TimeoutMS))
		}
		p.addMulti("Branches", jen.Index().Add(rt("Step")).Add(g.steps(do.Branches, scope)))
		f.addMulti("Do", jen.Op("&").Add(rt("Parallel")).Add(p.lit()))
	case *ir.Loop:
		f.addMulti("Do", g.loop(do, scope, what))
	default:
		panic(fmt.Sprintf("lobsterc bug: %v: unknown kind of step %T", s.Pos, s.Do))
	}
}

func (g *generator) loop(l *ir.Loop, scope []string, what string) *jen.Statement {
	var f fields
	f.add("Items", g.valueFunc("items", scope, l.Items, "what "+what+" loops over"))
	f.add("ItemVar", jen.Lit(l.ItemVar))
	f.add("IndexVar", jen.Lit(l.IndexVar))
	if l.Batch > 0 {
		f.add("Batch", jen.Lit(l.Batch))
	}
	if l.PauseMS > 0 {
		f.add("Pause", millis(l.PauseMS))
	}
	f.addMulti("Steps", jen.Index().Add(rt("Step")).Add(g.steps(l.Steps, scope)))
	return jen.Op("&").Add(rt("Loop")).Add(f.lit())
}

// call is the call of a sub-workflow.
func (g *generator) call(c *ir.Call, scope []string, what string) *jen.Statement {
	var f fields
	f.add("Pick", g.pickFunc(c, scope, what))
	if len(c.Args) > 0 {
		name := g.names.pick("args", scope...)
		var items []jen.Code
		for _, a := range c.Args {
			v := literal(a.Literal)
			if a.Text != nil {
				v = val("String").Call(template(a.Text))
			}
			items = append(items, jen.Values(jen.Id("Name").Op(":").Lit(a.Name), jen.Id("Value").Op(":").Add(v)))
		}
		g.declare(name, "gives the arguments of the sub-workflow of "+what, c.Pos,
			jen.Func().Id(name).Params(runParam()).Index().Add(rt("NamedValue")).Block(
				jen.Return(jen.Index().Add(rt("NamedValue")).Add(lines(items)))))
		f.add("Args", jen.Id(name))
	}
	return jen.Op("&").Add(rt("Call")).Add(f.lit())
}

// pickFunc chooses the sub-workflow by the path, which only templates make a question of the run.
func (g *generator) pickFunc(c *ir.Call, scope []string, what string) jen.Code {
	name := g.names.pick("pick", scope...)
	var body []jen.Code
	if _, known := constText(c.Path); known && len(c.Candidates) == 1 {
		body = []jen.Code{jen.Return(jen.Id(g.childName(c.Candidates[0])).Call(), jen.Lit(c.Candidates[0]))}
	} else {
		var cases []jen.Code
		for _, p := range c.Candidates {
			cases = append(cases, jen.Case(jen.Lit(p)).Block(jen.Return(jen.Id(g.childName(p)).Call(), jen.Id("path"))))
		}
		body = []jen.Code{
			jen.Id("path").Op(":=").Add(rt("JoinPath")).Call(jen.Lit(c.Dir), template(c.Path)),
			jen.Switch(jen.Id("path")).Block(cases...),
			jen.Return(jen.Nil(), jen.Id("path")),
		}
	}
	g.declare(name, "gives the sub-workflow of "+what, c.Pos,
		jen.Func().Id(name).Params(runParam()).Params(jen.Op("*").Add(rt("Workflow")), jen.String()).Block(body...))
	return jen.Id(name)
}

func (g *generator) childName(p string) string {
	name, ok := g.child[p]
	if !ok {
		panic(fmt.Sprintf("lobsterc bug: sub-workflow %q is not in the program", p))
	}
	return name
}

func (g *generator) shellFunc(sh *ir.Shell, scope []string, what string) jen.Code {
	name := g.names.pick("step", scope...)
	var f fields
	f.add("Script", template(sh.Script))
	if s, ok := constText(sh.Script); !ok || s != sh.Source {
		f.add("Source", text(sh.Source))
	}
	f.multi = len(f.items) > 1 && (len(sh.Source) > 40 || strings.Contains(sh.Source, "\n"))
	g.declare(name, "is the command of "+what, sh.Pos,
		jen.Func().Id(name).Params(runParam()).Add(rt("Command")).Block(jen.Return(rt("Command").Add(f.lit()))))
	return jen.Id(name)
}

func (g *generator) condFunc(scope []string, s *ir.Step, what string) jen.Code {
	name := g.names.pick("when", scope...)
	g.declare(name, "is the condition of "+what, exprPos(s.When),
		jen.Func().Id(name).Params(runParam()).Bool().Block(jen.Return(g.cond(s.When))))
	return jen.Id(name)
}

// exprPos is where a condition stands.
func exprPos(e ir.Expr) diag.Pos {
	switch e := e.(type) {
	case *ir.Lit:
		return e.Pos
	case *ir.RefExpr:
		return e.Ref.Pos
	case *ir.Not:
		return e.Pos
	case *ir.Logic:
		return e.Pos
	case *ir.Compare:
		return e.Pos
	}
	return diag.Pos{}
}

// textFunc asks for a function that gives text, named prefix and scope.
func (g *generator) textFunc(prefix string, scope []string, t ir.Template, what string) jen.Code {
	name := g.names.pick(prefix, scope...)
	g.declare(name, "is "+what, diag.Pos{},
		jen.Func().Id(name).Params(runParam()).String().Block(jen.Return(template(t))))
	return jen.Id(name)
}

// valueFunc asks for a function that gives the value of s.
func (g *generator) valueFunc(prefix string, scope []string, s *ir.Stdin, what string) jen.Code {
	name := g.names.pick(prefix, scope...)
	g.declare(name, "is "+what, s.Pos,
		jen.Func().Id(name).Params(runParam()).Add(val("Value")).Block(jen.Return(g.stdinValue(s))))
	return jen.Id(name)
}

// stdinValue is the value that a step gets.
func (g *generator) stdinValue(s *ir.Stdin) *jen.Statement {
	switch {
	case s.Ref != nil:
		return g.ref(*s.Ref)
	case s.Text != nil:
		return val("String").Call(template(s.Text))
	}
	return literal(s.Literal)
}

// env is a list of environment variables: constant ones as text, the others with a function each.
func (g *generator) env(vars []ir.EnvVar, scope []string, what string) *jen.Statement {
	var rows []jen.Code
	for _, v := range vars {
		var f fields
		f.add("Name", jen.Lit(v.Name))
		if s, ok := constText(v.Value); ok {
			f.add("Text", text(s))
		} else {
			name := g.names.pick("env", append(slices.Clone(scope), strings.ToLower(v.Name))...)
			g.declare(name, fmt.Sprintf("is the environment variable %q of %s", v.Name, what), v.Pos,
				jen.Func().Id(name).Params(runParam(), jen.Id("lookup").Add(rt("Lookup"))).String().Block(jen.Return(envTemplate(v.Value))))
			f.add("Value", jen.Id(name))
		}
		rows = append(rows, f.lit())
	}
	return jen.Index().Add(rt("EnvVar")).Add(lines(rows))
}

// approval is an approval gate: the two common forms have helpers.
func (g *generator) approval(a *ir.Approval, scope []string, what string) jen.Code {
	var f fields
	addText := func(field string, t ir.Template) {
		if t != nil {
			f.add(field, template(t))
		}
	}
	addText("Prompt", a.Prompt)
	prompt, constant := constText(a.Prompt)
	if !a.Items.IsAbsent() {
		f.addMulti("Items", literal(a.Items))
	}
	if a.Preview != nil {
		f.add("Preview", val("String").Call(template(a.Preview)))
	}
	addText("InitiatedBy", a.InitiatedBy)
	addText("RequiredApprover", a.RequiredApprover)
	if a.DifferentApprover != nil {
		f.add("DifferentApprover", jen.New(jen.Lit(*a.DifferentApprover)))
	}
	switch {
	case len(f.items) == 0:
		return rt("Confirm")
	case len(f.items) == 1 && a.Prompt != nil && constant:
		return rt("Prompt").Call(text(prompt))
	}
	name := g.names.pick("approval", scope...)
	g.declare(name, "is the approval gate of "+what, a.Pos,
		jen.Func().Id(name).Params(runParam()).Add(rt("Approval")).Block(jen.Return(rt("Approval").Add(f.lit()))))
	return jen.Id(name)
}

// inputFunc asks for the function of an input gate and the variable that holds its schema.
func (g *generator) inputFunc(s *ir.Step, scope []string, what string) jen.Code {
	name := g.names.pick("input", scope...)
	var f fields
	f.multi = true
	f.add("Prompt", template(s.Input.Prompt))
	f.add("Schema", jen.Id(g.schemaVar(s.Input.Schema, scope, "the schema of "+what, s.Input.Pos)))
	if !s.Input.Defaults.IsAbsent() {
		f.add("Defaults", literal(s.Input.Defaults))
	}
	if s.Stdin != nil {
		f.add("Subject", g.stdinValue(s.Stdin))
	}
	g.declare(name, "is the input gate of "+what, s.Input.Pos,
		jen.Func().Id(name).Params(runParam()).Add(rt("Input")).Block(jen.Return(rt("Input").Add(f.lit()))))
	return jen.Id(name)
}

// declare keeps a declaration for flush, with a comment of the form "name does (file:line).".
func (g *generator) declare(name, does string, pos diag.Pos, decl jen.Code) {
	place := ""
	if pos.IsValid() {
		file := pos.File
		if file == "" {
			file = g.source
		}
		place = fmt.Sprintf(" (%s:%d)", commentWord(path.Base(file)), pos.Line)
	}
	g.funcs = append(g.funcs, jen.Commentf("%s %s%s.", name, does, place).Line().Add(decl))
}

// commentWord quotes a file name that is not plain.
func commentWord(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool {
		return !(r == '.' || r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z')
	}) {
		return fmt.Sprintf("%q", s)
	}
	return s
}

// stem is a file's name without directory and extension.
func stem(p string) string { return strings.TrimSuffix(path.Base(p), path.Ext(p)) }
