package lint

import (
	"regexp"
	"strings"

	"github.com/lobsterc/lobsterc/compiler/effects"
	"github.com/lobsterc/lobsterc/ir/diag"
	sh "mvdan.cc/sh/v3/syntax"
)

// arguments warns of arguments that are spliced into shell text.
func (c *script) arguments() {
	for _, m := range argPattern.FindAllStringSubmatchIndex(c.s.Text, -1) {
		name := c.s.Text[m[2]:m[3]]
		how := c.quotes[m[0]]
		if how == comment {
			continue
		}
		arg := c.l.args[name]
		if arg == nil {
			if c.l.looksLikeArg(c, name) {
				c.l.noArgument(c.s.SpanAt(m[0], m[1]), name)
			}
			continue
		}
		if arg.Type == "integer" || arg.Type == "number" || arg.Type == "boolean" {
			continue
		}
		span := c.s.SpanAt(m[0], m[1])
		if c.inJSON(m[0]) {
			d := c.l.warn(diag.ArgInJSON, span, "a quote or a backslash in %q breaks this JSON", name)
			d.Hint = "build it with jq: jq -n --arg x \"$" + "LOBSTER_ARG_" + effects.ArgVariable(name) + "\" '{x: $x}'"
			if strings.Contains(c.s.Text, "--args-json") {
				d.Hint += "; or write the call under `pipeline:`, where the value is escaped"
			}
			continue
		}
		variable := "LOBSTER_ARG_" + effects.ArgVariable(name)
		d := c.l.warn(diag.RawArg, span, "the text of %q becomes part of the command", name)
		if c.l.variables[effects.ArgVariable(name)] > 1 || effects.ArgVariable(name) == "" {
			d.Hint = "another argument has the same variable " + variable + "; rename one of them"
			continue
		}
		c.protect(d, span, variable, how, m[0] == 0)
	}
}

// protect suggests the variable of an argument in place of its text; first: the hole starts the text.
func (c *script) protect(d *diag.Diagnostic, span diag.Span, variable string, how byte, first bool) {
	d.Hint = "write \"$" + variable + "\", which the shell does not read as commands"
	switch how {
	case double, heredoc, arithmetic:
		d.Hint = "write ${" + variable + "}, which the shell does not read as commands"
		replace(d, span, "${"+variable+"}", how == double)
	case single:
		d.Hint = "write '\"$" + variable + "\"', which the shell does not read as commands"
		if c.takesQuotes() {
			replace(d, span, `'"$`+variable+`"'`, false)
		}
	default:
		if c.takesQuotes() && !first {
			replace(d, span, `"$`+variable+`"`, false)
		}
	}
}

// takesQuotes tells whether an edit may put quotes into the file's text as they are.
func (c *script) takesQuotes() bool { return c.s.Block || c.s.Plain }

// looksLikeArg tells whether ${name} in shell text is probably meant as an argument: nothing sets such a shell variable.
func (l *linter) looksLikeArg(c *script, name string) bool {
	return !c.opaque && !c.sets[name] && !l.env[name] && strings.ToUpper(name) != name && !strings.Contains(name, "-") && !l.ids[name] && !startsWithDigit(name)
}

func startsWithDigit(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }

var (
	argsJSON = regexp.MustCompile(`--args-json[= ]\s*['"]?\s*[{\[][^\n]*$`)
	jsonText = regexp.MustCompile(`'\s*\[?\s*\{\s*"[^'\n]*$|"\s*\[?\s*\{\s*\\"(?:[^"\\]|\\.)*$`)
)

// inJSON tells whether a hole stands inside a JSON text on the same line: that of --args-json, or one in quotes.
func (c *script) inJSON(at int) bool {
	return argsJSON.MatchString(c.s.Text[:at]) || (c.quotes[at] == single || c.quotes[at] == double) && jsonText.MatchString(c.s.Text[:at])
}

// stepVariable matches what people take for a variable of a step.
var stepVariable = regexp.MustCompile(`^(?i)(.+)_(json|stdout|output|result|response)$`)

// variables looks at the shell variables that the text reads.
func (c *script) variables() {
	sh.Walk(c.file, func(n sh.Node) bool {
		p, ok := n.(*sh.ParamExp)
		if !ok || p.Param == nil || c.opaque {
			return true
		}
		name := p.Param.Value
		start, end := int(p.Pos().Offset()), int(p.End().Offset())
		if end > len(c.s.Text) || c.s.Text[start] != '$' || c.isHole(start) {
			return true
		}
		if c.sets[name] || c.l.env[name] {
			return true
		}
		c.variable(p, name, start, end)
		return true
	})
}

// isHole tells whether ${name} or $id.path stands at an offset, which is no variable of the shell.
func (c *script) isHole(at int) bool {
	rest := c.s.Text[at:]
	if m := argPattern.FindStringIndex(rest); m != nil && m[0] == 0 {
		return true
	}
	if m := braced.FindStringIndex(rest); m != nil && m[0] == 0 {
		return true
	}
	m := refPattern.FindStringSubmatchIndex(rest)
	return m != nil && m[0] == 0 && (c.l.ids[rest[m[2]:m[3]]] || rest[m[2]:m[3]] == "args")
}

// dashed is the argument with a dash in its name that text starts with. The shell's names end at a dash.
func (l *linter) dashed(text string) string {
	found := ""
	for name := range l.args {
		if strings.Contains(name, "-") && strings.HasPrefix(text, name) && len(name) > len(found) {
			found = name
		}
	}
	return found
}

func (c *script) variable(p *sh.ParamExp, name string, start, end int) {
	l := c.l
	span := c.s.SpanAt(start, end)
	lower := strings.ToUpper(name) != name
	switch {
	case l.args[name] != nil && lower && p.Short:
		d := l.warn(diag.ShellForArg, span, "$%s is a shell variable that nothing sets; the argument is in $LOBSTER_ARG_%s", name, effects.ArgVariable(name))
		replace(d, span, "$LOBSTER_ARG_"+effects.ArgVariable(name), l.variables[effects.ArgVariable(name)] == 1)
	case lower && p.Short && l.dashed(c.s.Text[start+1:]) != "":
		name := l.dashed(c.s.Text[start+1:])
		span := c.s.SpanAt(start, start+1+len(name))
		d := l.warn(diag.ShellForArg, span, "the shell reads $%s and the text %s here; the argument is in $LOBSTER_ARG_%s", p.Param.Value, name[len(p.Param.Value):], effects.ArgVariable(name))
		replace(d, span, "$LOBSTER_ARG_"+effects.ArgVariable(name), false)
	case l.args[name] != nil && lower && p.Exp != nil:
		d := l.warn(diag.ArgDefault, span, "%s never sees the argument: the shell has no variable %s", c.s.Text[start:end], name)
		d.Hint = "the argument is in LOBSTER_ARG_" + effects.ArgVariable(name) + "; a default can stand under args"
		nameSpan := c.s.SpanAt(start+2, start+2+len(name))
		replace(d, nameSpan, "LOBSTER_ARG_"+effects.ArgVariable(name), l.variables[effects.ArgVariable(name)] == 1)
	case strings.HasPrefix(name, "LOBSTER_STEP_") || strings.HasPrefix(name, "LOBSTER_STEPS_"):
		l.warn(diag.UnsetVariable, span, "nothing sets $%s", name).Hint = "write $ID.stdout or $ID.json.path"
	case strings.HasPrefix(name, "LOBSTER_ARG_"):
		if l.variables[strings.TrimPrefix(name, "LOBSTER_ARG_")] == 0 {
			l.warn(diag.UnsetVariable, span, "$%s is only set when the caller passes such an argument", name).Hint = "declare it under args"
		}
	default:
		c.stepVariable(name, span)
	}
}

// stepVariable warns of $fetch_json where a step fetch is.
func (c *script) stepVariable(name string, span diag.Span) {
	m := stepVariable.FindStringSubmatch(name)
	if m == nil {
		return
	}
	for id := range c.l.ids {
		if strings.EqualFold(strings.ReplaceAll(id, "-", "_"), m[1]) {
			field := "json"
			if kind := strings.ToLower(m[2]); kind == "stdout" || kind == "output" {
				field = "stdout"
			}
			d := c.l.warn(diag.StepVariable, span, "no variable $%s is set; the result of %s is $%s.%s", name, id, id, field)
			d.Hint = "give it to the command: `stdin: $" + id + "." + field + "`, or set a variable under env"
			return
		}
	}
}

// refs looks at references that are probably none, and at references that end a command.
func (c *script) refs() {
	text := c.s.Text
	for _, m := range refPattern.FindAllStringSubmatchIndex(text, -1) {
		id, field := text[m[2]:m[3]], strings.Split(text[m[4]:m[5]], ".")[1]
		if !c.l.ids[id] || c.quotes[m[0]] == comment {
			continue
		}
		span := c.s.SpanAt(m[0], m[1])
		if m[0] > 0 && text[m[0]-1] == '/' && m[5]-m[4] == len(".json") && field == "json" {
			d := c.l.warn(diag.RefInPath, span, "this is the result of step %s in the middle of a path", id)
			d.Hint = "for a shell variable write ${" + id + "}.json, or give the step another id"
			continue
		}
		if c.quotes[m[0]] == single && regexp.MustCompile(`--arg(?:json)?\s+`+regexp.QuoteMeta(id)+`\b`).MatchString(text) {
			d := c.l.warn(diag.RefInProgram, span, "this is the result of step %s, not the variable of jq", id)
			d.Hint = "rename the variable or the step"
			continue
		}
	}
}
