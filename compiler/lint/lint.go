// Package lint warns of what real authors write and what does not do what they meant: arguments spliced into shell text, results
// in the wrong spelling, stages where the shell is, conditions that are never true. Each warning says what happens and what to write
// instead, with an edit where one is safe.
//
// File looks at the tree of one file, Program at a whole program, where the flow of control matters. A warning must be right
// nearly always: where the text leaves a reading in which the author is right, nothing is said.
package lint

import (
	"regexp"
	"slices"
	"strings"

	"github.com/lobsterc/lobsterc/compiler/catalog"
	"github.com/lobsterc/lobsterc/compiler/effects"
	"github.com/lobsterc/lobsterc/compiler/syntax"
	"github.com/lobsterc/lobsterc/ir/diag"
)

// File checks the texts of one workflow file.
func File(w *syntax.Workflow, stages *catalog.Catalogue) diag.List {
	l := &linter{w: w, stages: stages, args: map[string]*syntax.Arg{}, variables: map[string]int{}, ids: map[string]bool{}, env: map[string]bool{}}
	for _, a := range w.Args {
		if a.Name != nil {
			l.args[a.Name.Text] = a
			l.variables[effects.ArgVariable(a.Name.Text)]++
		}
	}
	for _, s := range w.Steps {
		l.collect(s)
	}
	l.clashes()
	l.envValues(w.Env)
	if w.Cwd != nil {
		l.text(w.Cwd, textArgs)
	}
	for _, s := range w.Steps {
		l.step(s)
	}
	l.unused()
	return l.diags
}

// linter holds what is known of the file. ids are all ids that texts can name somewhere; env the variables that the file sets.
type linter struct {
	w         *syntax.Workflow
	stages    *catalog.Catalogue
	args      map[string]*syntax.Arg
	variables map[string]int // how many arguments share a LOBSTER_ARG_ name
	ids       map[string]bool
	env       map[string]bool
	programs  bool // a program is called that may read any variable
	diags     diag.List
}

// collect notes ids and variables.
func (l *linter) collect(s *syntax.Step) {
	if s == nil {
		return
	}
	if s.ID != nil {
		l.ids[s.ID.Text] = true
	}
	for _, v := range slices.Concat(s.Env, l.w.Env) {
		if v.Name != nil {
			l.env[v.Name.Text] = true
		}
	}
	if s.Loop != nil {
		l.ids[s.Loop.ItemVar], l.ids[s.Loop.IndexVar] = true, true
		for _, sub := range s.Loop.Steps {
			l.collect(sub)
		}
	}
	if s.Parallel != nil {
		for _, b := range s.Parallel.Branches {
			l.collect(b)
		}
	}
}

// step checks the texts of a step and of the steps inside it.
func (l *linter) step(s *syntax.Step) {
	if s == nil {
		return
	}
	if s.ID != nil && !idPattern.MatchString(s.ID.Text) {
		d := l.warn(diag.UnnamableID, s.ID.Span, "no reference can name the step %q", s.ID.Text)
		d.Hint = "an id that is made of letters, digits, _ and - can be referred to"
	}
	l.envValues(s.Env)
	if s.Run != nil {
		l.script(s)
	}
	if s.Pipeline != nil {
		l.text(s.Pipeline, textFull)
	}
	if s.Workflow != nil {
		l.text(s.Workflow, textFull)
	}
	if s.Cwd != nil {
		l.text(s.Cwd, textArgs)
	}
	for _, e := range s.Args {
		if e.Value.IsString() {
			l.text(e.Value.Scalar, textFull)
		}
	}
	l.stdin(s)
	l.approval(s.Approval)
	if s.Input != nil && s.Input.Prompt != nil {
		l.text(s.Input.Prompt, textFull)
	}
	if s.Loop != nil {
		for _, sub := range s.Loop.Steps {
			l.step(sub)
		}
	}
	if s.Parallel != nil {
		for _, b := range s.Parallel.Branches {
			l.step(b)
		}
	}
}

func (l *linter) warn(code diag.Code, span diag.Span, format string, args ...any) *diag.Diagnostic {
	return l.diags.Warnf(code, span, format, args...)
}

// replace adds an edit to the latest warning, when the place of the text is known.
func replace(d *diag.Diagnostic, span diag.Span, text string, safe bool) {
	if span.End.IsValid() && span.Start.Line == span.End.Line {
		d.Edits = append(d.Edits, diag.Edit{Span: span, NewText: text, Safe: safe})
	}
}

// The holes and look-alikes in texts.
var (
	idPattern    = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)
	argPattern   = regexp.MustCompile(`\$\{([A-Za-z0-9_-]+)\}`)
	refPattern   = regexp.MustCompile(`\$([A-Za-z0-9_-]+)((?:\.[A-Za-z0-9_]+)+)`)
	braced       = regexp.MustCompile(`\$\{\s*\$?([A-Za-z0-9_-]+)((?:\.[A-Za-z0-9_]+)+)\s*\}`)
	foreign      = regexp.MustCompile(`\$?\{\{-?\s*(.*?)\s*-?\}\}`)
	foreignWords = regexp.MustCompile(`^(?:steps|inputs|args|env|secrets|vars|outputs|needs|github|matrix|params|workflow)\.|^\$`)
	wholeID      = regexp.MustCompile(`^\s*\$\{?([A-Za-z0-9_-]+)\}?\s*$`)
	commandSub   = regexp.MustCompile("\\$\\(|`")
)

// textKind says what a text may hold.
type textKind uint8

const (
	textFull  textKind = iota // arguments and references
	textArgs                  // arguments only
	textShell                 // shell text: other ${...} may be the shell's
	textEnv                   // a value of env
)

// text checks what can go wrong in any text with holes.
func (l *linter) text(s *syntax.Scalar, kind textKind) {
	if !strings.ContainsAny(s.Text, "${") {
		return
	}
	l.bracedRefs(s)
	l.argsRefs(s)
	l.foreignHoles(s, kind)
	if kind == textFull || kind == textArgs {
		l.undeclared(s)
	}
}

// bracedRefs finds ${step.json.x}.
func (l *linter) bracedRefs(s *syntax.Scalar) {
	for _, m := range braced.FindAllStringSubmatchIndex(s.Text, -1) {
		id, path := s.Text[m[2]:m[3]], s.Text[m[4]:m[5]]
		span := s.SpanAt(m[0], m[1])
		switch {
		case id == "args" || id == "inputs" || id == "arg" || id == "params":
			name := strings.TrimPrefix(path, ".")
			d := l.warn(diag.ArgsRef, span, "%s stays as written: an argument is ${%s}", s.Text[m[0]:m[1]], name)
			if l.args[name] != nil {
				replace(d, span, "${"+name+"}", true)
			}
		case id == "steps":
			d := l.warn(diag.BracedRef, span, "%s stays as written: a result is $ID.json, without braces and without steps.", s.Text[m[0]:m[1]])
			if rest := strings.TrimPrefix(path, "."); l.ids[strings.Split(rest, ".")[0]] && strings.Contains(rest, ".") {
				d.Hint = "did you mean $" + rest + "?"
			}
		default:
			d := l.warn(diag.BracedRef, span, "%s stays as written: a result is $%s%s, without braces", s.Text[m[0]:m[1]], id, path)
			next := byte(0)
			if m[1] < len(s.Text) {
				next = s.Text[m[1]]
			}
			field := strings.Split(path, ".")[1]
			if l.ids[id] && isField(field) && !isNameByte(next) && !(next == '.' && m[1]+1 < len(s.Text) && isNameByte(s.Text[m[1]+1])) {
				replace(d, span, "$"+id+path, true)
			} else if l.ids[id] && !isField(field) {
				d.Hint = "did you mean $" + id + ".json" + path + "?"
			}
		}
	}
}

func isField(name string) bool { return slices.Contains(fields, name) }

func isNameByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// argsRefs finds $args.name where no step is called args.
func (l *linter) argsRefs(s *syntax.Scalar) {
	for _, m := range refPattern.FindAllStringSubmatchIndex(s.Text, -1) {
		id := s.Text[m[2]:m[3]]
		if id != "args" && id != "arg" && id != "inputs" && id != "params" || l.ids[id] {
			continue
		}
		name := strings.Split(s.Text[m[4]:m[5]], ".")[1]
		span := s.SpanAt(m[0], m[4]+1+len(name))
		d := l.warn(diag.ArgsRef, span, "$%s.%s stays as written: an argument is ${%s}", id, name, name)
		if l.args[name] != nil {
			replace(d, span, "${"+name+"}", true)
		}
	}
}

// foreignHoles finds ${{ x }}, and {{ x }} where x looks like an argument or a step. In pipelines {{ }} is a template's own.
func (l *linter) foreignHoles(s *syntax.Scalar, kind textKind) {
	for _, m := range foreign.FindAllStringSubmatchIndex(s.Text, -1) {
		inner := s.Text[m[2]:m[3]]
		dollar := s.Text[m[0]] == '$'
		name := strings.TrimPrefix(inner, "$")
		known := foreignWords.MatchString(inner) || l.args[name] != nil || l.ids[strings.Split(name, ".")[0]] && strings.Contains(name, ".")
		if !dollar && (!known || kind == textFull && !foreignWords.MatchString(inner)) {
			continue
		}
		span := s.SpanAt(m[0], m[1])
		d := l.warn(diag.ForeignHole, span, "%s stays as written", s.Text[m[0]:m[1]])
		d.Hint = "arguments are ${name}, results are $id.json.path"
		for _, prefix := range []string{"inputs.", "args.", "params.", "vars.", "workflow.args.", "env."} {
			name = strings.TrimPrefix(name, prefix)
		}
		if l.args[name] != nil {
			replace(d, span, "${"+name+"}", true)
		}
	}
}

// fields are those of a result.
var fields = []string{"id", "stdout", "json", "approved", "approvedBy", "initiatedBy", "subject", "response", "skipped", "error", "errorMessage"}
