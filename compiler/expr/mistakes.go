package expr

import (
	"slices"
	"strings"

	"github.com/lobsterc/lobsterc/ir"
	"github.com/lobsterc/lobsterc/ir/diag"
)

// What authors write for a condition, having other languages in mind.

// failAt is fail at the text from offset from to to; nil when an error was reported before.
func (p *condition) failAt(from, to int, hint string) *diag.Diagnostic {
	if p.bad {
		return nil
	}
	p.bad = true
	d := p.diags.Errorf(diag.BadCondition, p.src.Span(from, to), "Unsupported condition: %s", strings.TrimFunc(p.text, isSpace))
	d.Hint = hint
	return d
}

// instead is failAt with the text that was meant. No condition with the fault means anything, so the edit is safe.
func (p *condition) instead(from, to int, text, hint string) ir.Expr {
	d := p.failAt(from, to, hint)
	if span := p.src.Span(from, to); d != nil && span.Start.Line == span.End.Line && span.End.Column-span.Start.Column == to-from {
		d.Edits = []diag.Edit{{Span: span, NewText: text, Safe: true}}
	}
	return nil
}

// leftover reports text behind a complete expression.
func (p *condition) leftover() ir.Expr {
	rest := p.text[p.at:]
	word := rest[:while(rest, 0, isFieldByte)]
	switch {
	case p.operator() != "":
		return p.fail("comparisons cannot be chained; join two of them with &&")
	case strings.HasPrefix(rest, "="):
		return p.instead(p.at, p.at+1, "==", "write == to compare")
	case strings.EqualFold(word, "and"):
		return p.instead(p.at, p.at+len(word), "&&", "write && for and")
	case strings.EqualFold(word, "or"):
		return p.instead(p.at, p.at+len(word), "||", "write || for or")
	case strings.HasPrefix(rest, "&"):
		return p.instead(p.at, p.at+1, "&&", "write && for and")
	case strings.HasPrefix(rest, "|"):
		return p.instead(p.at, p.at+1, "||", "write || for or")
	case strings.HasPrefix(rest, ")"):
		return p.fail("this ) closes nothing")
	case strings.HasPrefix(rest, "."):
		return p.fail("a field name is missing, or a number ends in a dot")
	case strings.HasPrefix(rest, "["):
		return p.fail("elements are written with a dot, as in $a.json.0.name")
	}
	return p.fail("an operator is missing here, or text that needs quotes")
}

// strayWord reports a word that stands where a reference is wanted.
func (p *condition) strayWord(start, end int, word string) ir.Expr {
	dotted := "$" + p.text[start:while(p.text, start, func(c byte) bool { return c == '.' || isIDByte(c) })]
	if strings.EqualFold(word, "not") {
		for end < len(p.text) && p.text[end] == ' ' {
			end++
		}
		if strings.TrimFunc(p.text[:start], isSpace) == "" {
			// In YAML a plain text cannot start with !, so the edit would need quotes that may stand there already.
			p.failAt(start, start+len(word), "write ! for not, and quotes around the condition")
			return nil
		}
		return p.instead(start, end, "!", "write ! for not")
	}
	id, path, to, ok := scanRef(dotted, 0)
	if ok && id == "steps" && len(path) > 1 {
		id, path = path[0], path[1:]
	}
	switch {
	case ok && p.scope.Known[id]:
		ref := "$" + id + "." + strings.Join(path, ".")
		return p.instead(start, start+to-1, ref, "did you mean "+ref+"?")
	case p.scope.Known[word]:
		return p.fail("did you mean $" + word + ".json or $" + word + ".stdout?")
	case word == "steps":
		return p.fail("write $ID.field, without steps.")
	}
	return p.fail("text needs quotes here")
}

// braces reports ${fetch.json.x} and ${{ ... }}.
func (p *condition) braces() ir.Expr {
	length := strings.IndexByte(p.text[p.at:], '}')
	if length < 0 {
		return p.fail("a reference is $id.field, without braces")
	}
	end := p.at + length + 1
	for end < len(p.text) && p.text[end] == '}' {
		end++
	}
	inner := "$" + strings.TrimLeft(strings.Trim(p.text[p.at+1:end], "{} "), "$")
	id, path, to, ok := scanRef(inner, 0)
	if ok && id == "steps" && len(path) > 1 {
		id, path = path[0], path[1:]
	}
	sure := true
	if len(path) > 1 && strings.TrimSuffix(path[0], "s") == "output" {
		path[0], sure = "json", false
	}
	ref := "$" + id + "." + strings.Join(path, ".")
	switch {
	case !ok || to < len(inner) || !p.scope.Known[id]:
		p.failAt(p.at, end, "a reference is $id.field, without braces")
	case !slices.Contains(Fields, path[0]):
		p.failAt(p.at, end, "a reference has no braces, and results have no field "+path[0]+"; is it in $"+id+".json?")
	case !sure:
		p.failAt(p.at, end, "did you mean "+ref+", without braces?")
	default:
		p.instead(p.at, end, ref, "did you mean "+ref+", without braces?")
	}
	return nil
}

// variable is the part of an argument's environment variable that its name gives.
func variable(name string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		if r < 0x80 && isIDByte(byte(r)) && r != '-' {
			return r
		}
		return '_'
	}, strings.ToUpper(name)), "_")
}
