package lint

import (
	"maps"
	"slices"
	"strings"

	"github.com/lobsterc/lobsterc/compiler/catalog"
	"github.com/lobsterc/lobsterc/compiler/effects"
	"github.com/lobsterc/lobsterc/ir"
	"github.com/lobsterc/lobsterc/ir/diag"
	"github.com/lobsterc/lobsterc/runtime/value"
	sh "mvdan.cc/sh/v3/syntax"
)

// Program checks a whole program that is otherwise sound: what can never happen, what comes too late, and the effects that must
// be behind a gate (x-require-approval, and the names in require). report is what effects.Analyze says of it.
func Program(p *ir.Program, stages *catalog.Catalogue, report *effects.Report, require []string) diag.List {
	c := &programCheck{stages: stages, report: report, steps: map[stepName]*effects.Step{}}
	for i := range report.Steps {
		s := &report.Steps[i]
		c.steps[stepName{s.Workflow, s.ID}] = s
	}
	c.workflow("", &p.Main)
	for i := range p.Children {
		c.workflow(p.Children[i].Path, &p.Children[i].Workflow)
	}
	return append(c.diags, effects.RequireIn(report, p, stages, require)...)
}

// stepName names a step of the report.
type stepName struct{ workflow, id string }

type programCheck struct {
	stages   *catalog.Catalogue
	report   *effects.Report
	steps    map[stepName]*effects.Step
	workpath string             // of the workflow that is looked at
	args     map[string]*ir.Arg // its arguments
	diags    diag.List
}

// scope finds the step that an id means; loop variables are in it as nil.
type scope map[string]*ir.Step

func (c *programCheck) workflow(path string, w *ir.Workflow) {
	c.workpath, c.args = path, map[string]*ir.Arg{}
	for i := range w.Args {
		c.args[w.Args[i].Name] = &w.Args[i]
	}
	sc := scope{}
	for _, s := range w.Steps {
		c.step(s, s.ID, sc)
		sc[s.ID] = s
		if p, ok := s.Do.(*ir.Parallel); ok {
			for _, b := range p.Branches {
				sc[b.ID] = b
			}
		}
	}
}

func (c *programCheck) step(s *ir.Step, name string, sc scope) {
	c.never(s, name, sc)
	if s.When != nil {
		c.unapproved(s.When, s, sc)
		c.condition(s.When, sc)
	}
	c.retry(s)
	if s.Approval != nil && s.Do != nil {
		c.approvalAfter(s, name)
	}
	switch do := s.Do.(type) {
	case *ir.Shell:
		c.split(do, sc)
	case *ir.Pipeline:
		c.execText(do)
	case *ir.Parallel:
		for _, b := range do.Branches {
			c.step(b, b.ID, sc)
		}
	case *ir.Loop:
		inner := maps.Clone(sc)
		inner[do.ItemVar], inner[do.IndexVar] = nil, nil
		for _, sub := range do.Steps {
			c.step(sub, s.ID+"."+sub.ID, inner)
			inner[sub.ID] = sub
		}
	}
}

func span(p diag.Pos) diag.Span { return diag.Span{Start: p} }

// never reports a step whose condition cannot be true. A literal `when: false` is how a step is switched off, which needs no word.
func (c *programCheck) never(s *ir.Step, name string, sc scope) {
	if lit, ok := s.When.(*ir.Lit); ok && lit.Value.Kind() == value.BoolKind {
		return
	}
	r := c.find(name)
	if r == nil || !r.Never || s.When == nil {
		return
	}
	d := c.diags.Warnf(diag.NeverRuns, span(exprPos(s.When)), "step %s can never run: its condition is never true here", s.ID)
	d.Hint = "it contradicts the conditions of the steps it refers to"
}

func (c *programCheck) find(name string) *effects.Step {
	return c.steps[stepName{c.workpath, name}]
}

// exprPos is where a condition starts.
func exprPos(x ir.Expr) diag.Pos {
	switch x := x.(type) {
	case *ir.Lit:
		return x.Pos
	case *ir.RefExpr:
		return x.Ref.Pos
	case *ir.Not:
		return x.Pos
	case *ir.Logic:
		return exprPos(x.X)
	case *ir.Compare:
		return exprPos(x.X)
	}
	return diag.Pos{}
}

// condition looks for tests that do not test what they seem to.
func (c *programCheck) condition(x ir.Expr, sc scope) {
	switch x := x.(type) {
	case *ir.Not:
		if r, ok := x.X.(*ir.RefExpr); ok {
			c.rejected(r.Ref, sc)
			return
		}
		c.condition(x.X, sc)
	case *ir.Logic:
		c.condition(x.X, sc)
		c.condition(x.Y, sc)
	case *ir.Compare:
		c.compare(x, sc)
	}
}

// rejected: !$gate.approved after a gate that is always asked. Refusing ends the run, so the step waits for what never comes.
func (c *programCheck) rejected(r ir.StepRef, sc scope) {
	s := sc[r.ID]
	if s == nil || len(r.Path) != 1 || r.Path[0] != "approved" {
		return
	}
	switch {
	case s.Approval == nil:
		d := c.diags.Warnf(diag.NeverRejected, span(r.Pos), "step %s has no approval, so %s is never true and this says nothing", r.ID, r)
		d.Hint = "name the step that has the approval"
	case s.When == nil && s.OnError != ir.Continue:
		d := c.diags.Warnf(diag.NeverRejected, span(r.Pos), "%s is always true here: a refused approval ends the run before this step", r)
		d.Hint = "for a no that lets the run go on, ask with `input` and compare $" + r.ID + ".response.decision"
	}
}

// unapproved reports a condition that needs the approval of a step that has none.
func (c *programCheck) unapproved(x ir.Expr, s *ir.Step, sc scope) {
	switch x := x.(type) {
	case *ir.Logic:
		if !x.Or {
			c.unapproved(x.X, s, sc)
			c.unapproved(x.Y, s, sc)
		}
	case *ir.RefExpr:
		gate := sc[x.Ref.ID]
		if gate == nil || len(x.Ref.Path) != 1 || x.Ref.Path[0] != "approved" || gate.Approval != nil {
			return
		}
		d := c.diags.Warnf(diag.NeverRuns, span(x.Ref.Pos), "step %s can never run: step %s has no approval, so %s is never true", s.ID, x.Ref.ID, x.Ref)
		d.Hint = "name the step that has the approval"
	}
}

// compare: $gate.approved == false, and $s.stdout == "text" without the newline.
func (c *programCheck) compare(x *ir.Compare, sc scope) {
	ref, lit := operands(x)
	if ref == nil || lit == nil {
		return
	}
	if len(ref.Ref.Path) != 1 {
		return
	}
	s := sc[ref.Ref.ID]
	switch field := ref.Ref.Path[0]; {
	case field == "approved" && lit.Value.Kind() == value.BoolKind:
		if (x.Op == "==") != lit.Value.Bool() {
			c.rejected(ref.Ref, sc)
		}
	case field == "stdout" && lit.Value.Kind() == value.StringKind && (x.Op == "==" || x.Op == "!="):
		text := lit.Value.Str()
		if s == nil || text == "" || strings.HasSuffix(text, "\n") || !endsWithNewline(s) {
			return
		}
		d := c.diags.Warnf(diag.NewlineEqual, span(ref.Ref.Pos), "%s ends with a newline, so it never equals %s", ref.Ref, lit.Value.JSON())
		d.Hint = "let step " + ref.Ref.ID + " print it without: printf %s \"$(...)\"; or let it print JSON and compare $" + ref.Ref.ID + ".json"
	}
}

func operands(x *ir.Compare) (*ir.RefExpr, *ir.Lit) {
	if r, ok := x.X.(*ir.RefExpr); ok {
		lit, _ := x.Y.(*ir.Lit)
		return r, lit
	}
	if r, ok := x.Y.(*ir.RefExpr); ok {
		lit, _ := x.X.(*ir.Lit)
		return r, lit
	}
	return nil, nil
}

// lineTools end what they print with a newline.
var lineTools = strings.Fields("echo jq git date wc grep sed awk cut sort uniq uname hostname whoami pwd ls basename dirname gh seq expr id")

// endsWithNewline tells whether the output of a step surely ends with a newline: its last command is one of a few that print lines.
func endsWithNewline(s *ir.Step) bool {
	shell, ok := s.Do.(*ir.Shell)
	if !ok {
		return false
	}
	file, err := effects.ParseShell(effects.NewScript(shell.Script).Text)
	if err != nil || len(file.Stmts) == 0 {
		return false
	}
	last := file.Stmts[len(file.Stmts)-1]
	for {
		if len(last.Redirs) > 0 {
			return false
		}
		switch cmd := last.Cmd.(type) {
		case *sh.BinaryCmd:
			last = cmd.Y
			continue
		case *sh.CallExpr:
			if len(cmd.Args) == 0 || !slices.Contains(lineTools, cmd.Args[0].Lit()) {
				return false
			}
			return !slices.ContainsFunc(cmd.Args[1:], suppresses(cmd.Args[0].Lit()))
		}
		return false
	}
}

// suppresses gives the test for flags with which one of lineTools prints no newline at the end, or nothing at all.
func suppresses(tool string) func(*sh.Word) bool {
	short := map[string]string{"echo": "n", "jq": "jea", "git": "zq", "grep": "qzZ", "ls": "m", "sed": "nz", "sort": "zc", "cut": "z", "uniq": "z", "seq": "s", "expr": ""}[tool]
	return func(w *sh.Word) bool {
		flag := w.Lit()
		if strings.HasPrefix(flag, "--") {
			return slices.Contains([]string{"--join-output", "--raw-output0", "--quiet", "--silent", "--exit-code", "--exit-status", "--null", "--zero", "--null-data", "--zero-terminated"}, flag)
		}
		return strings.HasPrefix(flag, "-") && strings.ContainsAny(flag, short)
	}
}

// split: `cmd $a.stdout --flag`, where the newline of stdout ends the command.
func (c *programCheck) split(do *ir.Shell, sc scope) {
	for i, seg := range do.Script {
		r, ok := seg.(ir.StepRef)
		if !ok || len(r.Path) != 1 || r.Path[0] != "stdout" || i+1 >= len(do.Script) {
			continue
		}
		s := sc[r.ID]
		if s == nil || !endsWithNewline(s) {
			continue
		}
		next, ok := do.Script[i+1].(ir.Text)
		line, _, _ := strings.Cut(string(next), "\n")
		if !ok || !strings.HasPrefix(line, " ") || strings.TrimSpace(line) == "" || strings.ContainsAny(strings.TrimSpace(line)[:1], "#;&|)") || inQuotes(do.Script[:i]) {
			continue
		}
		d := c.diags.Warnf(diag.NewlineSplits, span(r.Pos), "%s ends with a newline, which ends the command here", r)
		name := strings.ToUpper(strings.ReplaceAll(r.ID, "-", "_"))
		d.Hint = "give it through env (" + name + ": " + r.String() + ") and write \"$" + name + "\""
	}
}

// execText looks at the shell text of exec stages, as File does at that of shell steps.
func (c *programCheck) execText(p *ir.Pipeline) {
	for i := range p.Stages {
		s := &p.Stages[i]
		if s.Name != "exec" {
			continue
		}
		for _, f := range s.Flags {
			if f.Name != "shell" {
				continue
			}
			for _, seg := range f.Value {
				r, ok := seg.(ir.ArgRef)
				if !ok || c.args[r.Name] == nil || slices.Contains([]string{"integer", "number", "boolean"}, c.args[r.Name].Type) {
					continue
				}
				d := c.diags.Warnf(diag.RawArg, span(r.Pos), "the text of %q becomes part of the command", r.Name)
				d.Hint = "write \"$LOBSTER_ARG_" + effects.ArgVariable(r.Name) + "\", which the shell does not read as commands"
			}
			if _, err := effects.ParseShell(effects.NewScript(f.Value).Text); err != nil {
				c.diags.Warnf(diag.BadShell, span(f.Pos), "the shell cannot read this text").Hint = "the stage will fail when it runs"
			}
		}
	}
}

// inQuotes tells whether the text before a hole leaves a quote open.
func inQuotes(before ir.Template) bool {
	text := effects.NewScript(before).Text
	quote := byte(0)
	for i := 0; i < len(text); i++ {
		switch ch := text[i]; {
		case ch == '\\' && quote != '\'':
			i++
		case quote == 0 && (ch == '"' || ch == '\''):
			quote = ch
		case ch == quote:
			quote = 0
		}
	}
	return quote != 0
}

// retry on what is sent once.
func (c *programCheck) retry(s *ir.Step) {
	if s.Retry == nil || s.Retry.Max < 2 {
		return
	}
	what := ""
	switch do := s.Do.(type) {
	case *ir.Shell:
		if do.Dispatch {
			what = "this command"
		}
	case *ir.Pipeline:
		for i := range do.Stages {
			if info, ok := c.stages.Lookup(do.Stages[i].Name); ok && info.Dispatch {
				what = do.Stages[i].Name
			}
		}
	}
	if what != "" {
		c.diags.Warnf(diag.RetryDispatch, span(s.Retry.Pos), "%s is never repeated once it has gone out, whatever fails after", what).Hint =
			"retry only covers what fails before"
	}
}
