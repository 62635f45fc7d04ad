package lint

import (
	"errors"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/lobsterc/lobsterc/compiler/effects"
	"github.com/lobsterc/lobsterc/compiler/syntax"
	"github.com/lobsterc/lobsterc/ir/diag"
	sh "mvdan.cc/sh/v3/syntax"
)

// script is the shell text of a step. Its masked text has the same length, with what is no shell replaced by letters, so that
// offsets in the parsed text are offsets in the scalar.
type script struct {
	l      *linter
	step   *syntax.Step
	s      *syntax.Scalar
	file   *sh.File
	quotes []byte          // for each byte of the text: how it is quoted
	sets   map[string]bool // variables that the text sets
	opaque bool            // eval or a sourced file may set any variable
	stages int             // names of stages among the commands so far
}

// The ways in which a byte of shell text is quoted.
const (
	unquoted byte = iota
	double
	single
	heredoc
	arithmetic
	comment
)

// script checks the command of a step.
func (l *linter) script(s *syntax.Step) {
	c := &script{l: l, step: s, s: s.Run, quotes: make([]byte, len(s.Run.Text)), sets: map[string]bool{}}
	l.text(s.Run, textShell)
	masked := mask(s.Run.Text)
	posix, posixErr := parse(masked, sh.LangPOSIX)
	c.file = posix
	if posixErr != nil {
		bash, bashErr := parse(masked, sh.LangBash)
		c.file = bash
		if bashErr != nil {
			c.broken(posixErr, masked)
			l.programs = true
			return
		}
	}
	c.walk()
	c.commands()
	if !c.callsBash() {
		c.bashisms(posixErr)
	}
	c.arguments()
	c.variables()
	c.refs()
}

func parse(text string, lang sh.LangVariant) (*sh.File, error) {
	return sh.NewParser(sh.Variant(lang), sh.KeepComments(true)).Parse(strings.NewReader(text), "")
}

var maskDots = regexp.MustCompile(`\$\{[^{}]*\}`)

// mask makes shell of what is none: ${{ x }} becomes a word, ${a.b} a variable.
func mask(text string) string {
	text = foreign.ReplaceAllStringFunc(text, func(m string) string {
		return strings.Map(func(r rune) rune {
			if r == '\n' || r >= 0x80 {
				return r
			}
			return '_'
		}, m)
	})
	return maskDots.ReplaceAllStringFunc(text, func(m string) string {
		if braced.MatchString(m) {
			return "${" + strings.Map(func(r rune) rune {
				if r < 0x80 && isNameByte(byte(r)) {
					return r
				}
				return '_'
			}, m[2:len(m)-1]) + "}"
		}
		return m
	})
}

// broken reports text that does not parse.
func (c *script) broken(err error, masked string) {
	var p sh.ParseError
	at, message := 0, err.Error()
	if errors.As(err, &p) {
		at, message = int(p.Pos.Offset()), p.Text
	}
	at = min(at, max(0, len(masked)-1))
	c.l.warn(diag.BadShell, c.s.SpanAt(at, at+1), "the shell cannot read this: %s", message).Hint = "the step will fail when it runs"
}

// walk notes how each byte is quoted, and which variables the text sets.
func (c *script) walk() {
	fill := func(from, to sh.Pos, how byte) {
		for i := int(from.Offset()); i < int(to.Offset()) && i < len(c.quotes); i++ {
			c.quotes[i] = how
		}
	}
	sh.Walk(c.file, func(n sh.Node) bool {
		switch n := n.(type) {
		case *sh.DblQuoted:
			fill(n.Pos(), n.End(), double)
		case *sh.SglQuoted:
			fill(n.Pos(), n.End(), single)
		case *sh.CmdSubst:
			fill(n.Pos(), n.End(), unquoted)
		case *sh.ArithmExp:
			fill(n.Pos(), n.End(), arithmetic)
		case *sh.Redirect:
			if n.Hdoc != nil {
				fill(n.Hdoc.Pos(), n.Hdoc.End(), heredoc)
			}
		case *sh.Comment:
			fill(n.Pos(), n.End(), comment)
		case *sh.Assign:
			if n.Name != nil {
				c.sets[n.Name.Value] = true
			}
		case *sh.WordIter:
			c.sets[n.Name.Value] = true
		case *sh.CallExpr:
			c.setters(n)
		}
		return true
	})
}

// setters notes variables that builtins set.
func (c *script) setters(n *sh.CallExpr) {
	if len(n.Args) == 0 {
		return
	}
	switch name := n.Args[0].Lit(); name {
	case "read", "export", "local", "declare", "typeset", "readonly", "getopts", "mapfile", "readarray", "unset", "let", "printf":
		for _, w := range n.Args[1:] {
			word, _, _ := strings.Cut(w.Lit(), "=")
			c.sets[word] = true
		}
	case ".", "source", "eval", "set":
		if name != "set" || len(n.Args) > 1 && strings.Contains(n.Args[1].Lit(), "a") {
			c.opaque = true
		}
	}
}

// commands looks at the names of the commands that are called.
func (c *script) commands() {
	declared := map[string]bool{}
	sh.Walk(c.file, func(n sh.Node) bool {
		if d, ok := n.(*sh.FuncDecl); ok && d.Name != nil {
			declared[d.Name.Value] = true
		}
		return true
	})
	first := true
	sh.Walk(c.file, func(n sh.Node) bool {
		call, ok := n.(*sh.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		name := call.Args[0].Lit()
		if !effects.WellKnown(path.Base(name)) || c.quotes[call.Args[0].Pos().Offset()] == single {
			c.l.programs = true
		}
		if !declared[name] {
			c.stage(call, name, first)
		}
		first = false
		return true
	})
}

// shellNames are stages that are programs or builtins too; exec is told from the builtin by its flags.
var shellNames = []string{"head", "sort", "openclaw.invoke", "clawd.invoke", "template", "map", "ask", "json", "table"}

// stage warns of a stage's name where a shell command stands.
func (c *script) stage(call *sh.CallExpr, name string, first bool) {
	flag := ""
	if len(call.Args) > 1 {
		flag = call.Args[1].Lit()
	}
	isExec := name == "exec" && slices.Contains([]string{"--json", "--shell", "--stdin"}, flag)
	if _, known := c.l.stages.Lookup(name); !known && name != "llm_task.invoke" || name == "exec" && !isExec {
		return
	}
	if slices.Contains(shellNames, name) {
		c.argsMap(call, name)
		return
	}
	start := int(call.Args[0].Pos().Offset())
	if c.stages++; c.stages > 1 {
		return // one word about a text is enough
	}
	d := c.l.warn(diag.StageInRun, c.s.SpanAt(start, start+len(name)), "%s is a stage of pipelines; the shell does not know it", name)
	key := c.key()
	d.Hint = "write it under `pipeline:`"
	if name == "approve" {
		d.Hint = "a gate is a step with `approval:` and its prompt"
		return
	}
	if key != nil {
		d.Hint += " instead of `" + key.Text + ":`"
	}
	if key != nil && first && start == 0 && !strings.ContainsAny(strings.TrimSpace(c.s.Text), "\n;&<>`") {
		replace(d, key.Span, "pipeline", false)
	}
}

// key is the run or command key of the step.
func (c *script) key() *syntax.Scalar {
	for _, name := range []string{"run", "command"} {
		if e := c.step.Node.Entry(name); e != nil && e.Value.Scalar == c.s {
			return e.Key
		}
	}
	return nil
}

// argsMap warns of `command: openclaw.invoke` with a map of arguments beside it.
func (c *script) argsMap(call *sh.CallExpr, name string) {
	if name != "openclaw.invoke" && name != "clawd.invoke" || len(call.Args) > 1 {
		return
	}
	if e := c.step.Node.Entry("args"); e != nil {
		d := c.l.warn(diag.ArgsMap, e.Key.Span, "%s is called without any argument: a command takes no map", name)
		d.Hint = "write `pipeline: " + name + callText(e.Value) + "`"
	}
}

// callText is what a map of arguments would be on a command line, as far as it can be told.
func callText(n *syntax.Node) string {
	flag := func(key, missing string) string {
		if v := n.Get(key); v != nil && v.IsString() {
			return v.Scalar.Text
		}
		return missing
	}
	args := "{...}"
	for _, key := range []string{"args", "params", "arguments", "input"} {
		if v := n.Get(key); v != nil && v.Kind == syntax.MapNode {
			if text := v.JSON().JSON(); len(text) < 100 && !strings.ContainsAny(text, "'\n") {
				args = text
			}
		}
	}
	return " --tool " + flag("tool", "TOOL") + " --action " + flag("action", "ACTION") + " --args-json '" + args + "'"
}

// bashisms warns of what dash refuses or reads otherwise.
func (c *script) bashisms(posixErr error) {
	report := func(at sh.Pos, length int, what, hint string) {
		d := c.l.warn(diag.Bashism, c.s.SpanAt(int(at.Offset()), int(at.Offset())+length), "not every /bin/sh knows %s, which belongs to bash", what)
		d.Hint = hint
	}
	found := false
	sh.Walk(c.file, func(n sh.Node) bool {
		switch n := n.(type) {
		case *sh.CallExpr:
			if len(n.Args) == 0 {
				break
			}
			switch name := n.Args[0].Lit(); {
			case name == "[[":
				found = true
				report(n.Pos(), 2, "[[", "write [ ... ], with = instead of ==, or call bash -c")
			case name == "set" && len(n.Args) > 1 && slices.ContainsFunc(n.Args, func(w *sh.Word) bool { return w.Lit() == "pipefail" }):
				found = true
				report(n.Pos(), 3, "set -o pipefail", "dash stops here; call bash -c, or leave pipefail out")
			case name == "source":
				found = true
				report(n.Pos(), len(name), "source", "write . instead of source")
			}
		case *sh.TestClause:
			found = true
			report(n.Pos(), 2, "[[", "write [ ... ], with = instead of ==, or call bash -c")
		case *sh.ProcSubst:
			found = true
			report(n.Pos(), 2, "<( )", "write a temporary file or a pipe, or call bash -c")
		case *sh.ArrayExpr:
			found = true
			report(n.Pos(), 1, "arrays", "call bash -c")
		case *sh.Redirect:
			if n.Op == sh.WordHdoc {
				found = true
				report(n.OpPos, 3, "<<<", "write printf '%s\\n' ... | COMMAND")
			}
		}
		return true
	})
	var p sh.ParseError
	var lang sh.LangError
	if found || posixErr == nil {
		return
	}
	if errors.As(posixErr, &lang) {
		report(lang.Pos, 1, lang.Feature, "write POSIX shell, or call bash -c")
	} else if errors.As(posixErr, &p) {
		report(p.Pos, 1, "this spelling", "write POSIX shell, or call bash -c")
	}
}

// callsBash tells whether the step chooses its shell itself.
func (c *script) callsBash() bool { return c.l.env["LOBSTER_SHELL"] }
