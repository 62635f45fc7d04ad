package lint

import (
	"regexp"
	"strings"

	"github.com/lobsterc/lobsterc/compiler/catalog"
	"github.com/lobsterc/lobsterc/compiler/effects"
	"github.com/lobsterc/lobsterc/compiler/syntax"
	"github.com/lobsterc/lobsterc/ir/diag"
)

// builtinFlags are the flags of every compiled program.
var builtinFlags = []string{"arg", "args-json", "mode", "dry-run", "resume", "approve", "decision", "response-json", "cancel", "runs", "graph", "ir", "state-dir",
	"cwd", "timeout-ms", "max-stdout-bytes", "events", "quiet", "verbose", "help", "version", "in-doubt", "retry-failed", "sync", "id", "token"}

// clashes finds arguments that cannot have a flag of their own.
func (l *linter) clashes() {
	for _, a := range l.w.Args {
		if a.Name == nil {
			continue
		}
		for _, flag := range builtinFlags {
			if a.Name.Text == flag {
				d := l.warn(diag.ArgumentClash, a.Name.Span, "the compiled program has a flag --%s of its own", flag)
				d.Hint = "callers give this argument as --arg " + flag + "=VALUE"
			}
		}
	}
}

// undeclared finds ${name} outside shell text where no such argument is declared.
func (l *linter) undeclared(s *syntax.Scalar) {
	for _, m := range argPattern.FindAllStringSubmatchIndex(s.Text, -1) {
		name := s.Text[m[2]:m[3]]
		if l.args[name] != nil || strings.HasPrefix(name, "LOBSTER_") {
			continue
		}
		if l.ids[name] && wholeID.MatchString(s.Text) {
			continue // stdin: ${step} has its own warning
		}
		l.noArgument(s.SpanAt(m[0], m[1]), name)
	}
}

func (l *linter) noArgument(span diag.Span, name string) {
	d := l.warn(diag.NoArgument, span, "no argument %q is declared; ${%s} stays as written unless the caller passes one", name, name)
	var names []string
	for n := range l.args {
		names = append(names, n)
	}
	if near := catalog.Nearest(name, names); len(near) > 0 {
		d.Hint = "did you mean ${" + near[0] + "}?"
	} else {
		d.Hint = "declare it under args"
	}
}

// unused finds arguments that nothing reads. A program that is called may read its variable, so only files that call none but
// well-known ones are looked at.
func (l *linter) unused() {
	if l.programs || len(l.args) == 0 {
		return
	}
	text := string(l.w.Source.Text)
	if strings.Contains(text, "LOBSTER_ARGS_JSON") {
		return
	}
	for _, a := range l.w.Args {
		if a.Name == nil {
			continue
		}
		name := a.Name.Text
		used := regexp.MustCompile(`\$\{?` + regexp.QuoteMeta(name) + `\b|args\.` + regexp.QuoteMeta(name) + `\b|\{\{[^}]*\b` + regexp.QuoteMeta(name) + `\b|LOBSTER_ARG_` + effects.ArgVariable(name) + `\b`)
		if !used.MatchString(text) {
			l.warn(diag.UnusedArg, a.Name.Span, "nothing reads the argument %q", name)
		}
	}
}

// envValues checks the values of env.
func (l *linter) envValues(vars []syntax.EnvVar) {
	for _, v := range vars {
		if v.Value == nil || v.Name == nil {
			continue
		}
		l.text(v.Value, textEnv)
		text := strings.TrimSpace(v.Value.Text)
		if m := commandSub.FindStringIndex(v.Value.Text); m != nil {
			d := l.warn(diag.CommandInEnv, v.Value.SpanAt(m[0], m[1]), "no shell runs the value of %s; it stays as written", v.Name.Text)
			d.Hint = "run the command in a step before and write $ID.stdout here"
		}
		if (text == "${"+v.Name.Text+"}" || text == "$"+v.Name.Text) && l.args[v.Name.Text] == nil {
			d := l.warn(diag.EnvToItself, v.Name.Span, "%s is set to itself", v.Name.Text)
			d.Hint = "commands inherit the environment; remove the line"
		}
	}
}
