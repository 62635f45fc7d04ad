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
		l.text(s.Pipeline, textStage)
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
	textStage                 // a pipeline, where {{ }} is a template's own
	textArgs                  // arguments only
	textShell                 // shell text: other ${...} may be the shell's
	textEnv                   // a value of env
)

// text checks what can go wrong in any text with holes.
func (l *linter) text(s *syntax.Scalar, kind textKind) {
	if !strings.ContainsAny(s.Text, "${") {
		return
	}
	l.bracedRefs(s, kind)
	l.argsRefs(s)
	l.foreignHoles(s, kind)
	if kind == textFull || kind == textStage || kind == textArgs {
		l.undeclared(s)
	}
}

// bracedRefs finds ${step.json.x}.
func (l *linter) bracedRefs(s *syntax.Scalar, kind textKind) {
	for _, m := range braced.FindAllStringSubmatchIndex(s.Text, -1) {
		id, path := s.Text[m[2]:m[3]], strings.TrimPrefix(s.Text[m[4]:m[5]], ".")
		span := s.SpanAt(m[0], m[1])
		what := s.Text[m[0]:m[1]] + " stays as written"
		if kind == textShell {
			what = "the shell fails on " + s.Text[m[0]:m[1]] + " (bad substitution)"
		}
		if rest := strings.Split(path, "."); id == "steps" && len(rest) > 1 {
			id, path = rest[0], strings.Join(rest[1:], ".")
		}
		switch {
		case argsWords[id] && !l.ids[id]:
			l.argsRef(span, what, path)
		case !l.ids[id]:
			l.warn(diag.BracedRef, span, "%s: ${...} takes the name of an argument, and there is no step %q", what, id).Hint =
				"a result is written $ID.json.path, without braces"
		default:
			field, _, _ := strings.Cut(path, ".")
			known := isField(field)
			if !known {
				path = "json." + path
			}
			d := l.warn(diag.BracedRef, span, "%s", what)
			d.Hint = "write $" + id + "." + path + ", without braces"
			if !continues(s.Text[m[1]:]) {
				replace(d, span, "$"+id+"."+path, known)
			}
		}
	}
}

// continues tells whether text right behind a reference would be read as part of it.
func continues(text string) bool {
	return text != "" && (isNameByte(text[0]) || text[0] == '.' && len(text) > 1 && isNameByte(text[1]))
}

// argsWords are what authors take for the arguments as a whole.
var argsWords = map[string]bool{"args": true, "arg": true, "inputs": true, "input": true, "params": true, "parameters": true}

// argsRef warns of an argument that is written like a result.
func (l *linter) argsRef(span diag.Span, what, name string) {
	d := l.warn(diag.ArgsRef, span, "%s", what)
	d.Hint = "an argument is written ${" + name + "}"
	if l.args[name] != nil {
		replace(d, span, "${"+name+"}", true)
	} else if !strings.Contains(name, ".") {
		d.Hint += ", and declared under args"
	} else {
		d.Hint = "arguments are written ${name}"
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
		if !argsWords[id] || l.ids[id] {
			continue
		}
		name := strings.Split(s.Text[m[4]:m[5]], ".")[1]
		end := m[4] + 1 + len(name)
		l.argsRef(s.SpanAt(m[0], end), s.Text[m[0]:end]+" stays as written", name)
	}
}

// foreignHoles finds ${{ x }}, and {{ x }} where x looks like an argument or a step. In pipelines {{ }} is a template's own.
func (l *linter) foreignHoles(s *syntax.Scalar, kind textKind) {
	for _, m := range foreign.FindAllStringSubmatchIndex(s.Text, -1) {
		inner := s.Text[m[2]:m[3]]
		dollar := s.Text[m[0]] == '$'
		name := strings.TrimPrefix(inner, "$")
		known := foreignWords.MatchString(inner) || l.args[name] != nil || l.ids[strings.Split(name, ".")[0]] && strings.Contains(name, ".")
		if !dollar && (!known || kind == textStage && !foreignWords.MatchString(inner)) {
			continue
		}
		span := s.SpanAt(m[0], m[1])
		d := l.warn(diag.ForeignHole, span, "%s stays as written", s.Text[m[0]:m[1]])
		d.Hint = "arguments are written ${name}, results $id.json.path"
		if text, sure := l.meantBy(name); text != "" {
			d.Hint = "did you mean " + text + "?"
			if !continues(s.Text[m[1]:]) {
				replace(d, span, text, sure)
			}
		}
	}
}

var foreignStep = regexp.MustCompile(`^(?:steps\.)?([A-Za-z0-9_-]+)\.((?:outputs?\.)?)([A-Za-z0-9_.]+)$`)

// meantBy is our spelling of what stands in another tool's braces, where it can be told; sure: there is no doubt.
func (l *linter) meantBy(name string) (text string, sure bool) {
	for _, prefix := range []string{"inputs.", "args.", "params.", "vars.", "workflow.args."} {
		name = strings.TrimPrefix(name, prefix)
	}
	if l.args[name] != nil {
		return "${" + name + "}", true
	}
	for _, prefix := range []string{"env.", "secrets."} {
		if rest, ok := strings.CutPrefix(name, prefix); ok && !strings.Contains(rest, ".") {
			return "${" + rest + "}", false
		}
	}
	m := foreignStep.FindStringSubmatch(name)
	if m == nil || !l.ids[m[1]] {
		return "", false
	}
	if field, _, _ := strings.Cut(m[3], "."); m[2] == "" && isField(field) {
		return "$" + m[1] + "." + m[3], true
	}
	return "$" + m[1] + ".json." + m[3], false
}

// fields are those of a result.
var fields = []string{"id", "stdout", "json", "approved", "approvedBy", "initiatedBy", "subject", "response", "skipped", "error", "errorMessage"}
