package expr

import (
	"strings"
	"unicode/utf8"

	"github.com/lobsterc/lobsterc/ir"
	"github.com/lobsterc/lobsterc/ir/diag"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// maxDepth bounds the nesting of a condition; nobody writes a tenth of it.
const maxDepth = 500

// Condition reads the text of when or condition. It gives nil after a syntax error, which is reported.
//
//	or    = and {"||" and}
//	and   = cmp {"&&" cmp}
//	cmp   = unary [("==" | "!=" | "<=" | ">=" | "<" | ">") unary]
//	unary = "!" unary | "(" or ")" | reference | string | number | "true" | "false" | "null" | word
//
// A word is text without quotes; it stands on the right side of a comparison only.
func Condition(src Source, scope *Scope, diags *diag.List) ir.Expr {
	p := &condition{src: src, text: src.Text, scope: scope, diags: diags}
	p.space()
	x := p.or(0)
	if x != nil && p.at < len(p.text) {
		x = p.leftover()
	}
	return x
}

type condition struct {
	src   Source
	text  string
	at    int // always behind white space
	scope *Scope
	diags *diag.List
	bad   bool
}

// fail reports the one syntax error of a condition, at the current place, and gives nil.
func (p *condition) fail(hint string) ir.Expr {
	end := p.at
	if end < len(p.text) {
		_, n := utf8.DecodeRuneInString(p.text[end:])
		end += n
	}
	p.failAt(p.at, end, hint)
	return nil
}

func (p *condition) space() {
	p.at = len(p.text) - len(strings.TrimLeftFunc(p.text[p.at:], isSpace))
}

// take eats token when it is next.
func (p *condition) take(token string) bool {
	if !strings.HasPrefix(p.text[p.at:], token) {
		return false
	}
	p.at += len(token)
	p.space()
	return true
}

func (p *condition) or(depth int) ir.Expr {
	return p.logic(true, "||", func() ir.Expr {
		return p.logic(false, "&&", func() ir.Expr { return p.compare(depth) })
	})
}

func (p *condition) logic(or bool, op string, operand func() ir.Expr) ir.Expr {
	x := operand()
	for x != nil {
		pos := p.src.At(p.at)
		if !p.take(op) {
			break
		}
		y := operand()
		if y == nil {
			return nil
		}
		x = &ir.Logic{Pos: pos, Or: or, X: x, Y: y}
	}
	return x
}

// operator gives the comparison operator that is next, "" for none.
func (p *condition) operator() string {
	for _, op := range []string{"==", "!=", "<=", ">=", "<", ">"} {
		if strings.HasPrefix(p.text[p.at:], op) {
			return op
		}
	}
	return ""
}

func (p *condition) compare(depth int) ir.Expr {
	x := p.unary(depth, false)
	if x == nil {
		return nil
	}
	op := p.operator()
	if op == "" {
		return x
	}
	pos, start := p.src.At(p.at), p.at
	p.at += len(op)
	if strings.HasPrefix(p.text[p.at:], "=") && len(op) == 2 && op[1] == '=' {
		return p.instead(start, p.at+1, op, "write "+op+" to compare")
	}
	p.space()
	y := p.unary(depth, true)
	if y == nil {
		return nil
	}
	if p.operator() != "" {
		return p.leftover()
	}
	return &ir.Compare{Pos: pos, Op: op, X: x, Y: y}
}

// unary reads an operand. word tells whether text without quotes may stand here.
func (p *condition) unary(depth int, word bool) ir.Expr {
	if depth > maxDepth {
		return p.fail("this is nested too deeply")
	}
	pos := p.src.At(p.at)
	switch c := p.peek(); {
	case c == 0:
		return p.fail("something to compare is missing here")
	case c == '!':
		p.take("!")
		if x := p.unary(depth+1, word); x != nil {
			return &ir.Not{Pos: pos, X: x}
		}
		return nil
	case c == '(':
		p.take("(")
		x := p.or(depth + 1)
		if x != nil && !p.take(")") {
			return p.fail("a ) is missing")
		}
		return x
	case c == '$':
		return p.reference()
	case c == '"' || c == '\'':
		return p.quoted(c)
	case c == '-' || isDigit(c):
		return p.number()
	case isFieldByte(c):
		return p.word(word)
	case c == '.' || c == '+':
		return p.fail("numbers are written 5, -5 or 0.5")
	}
	return p.fail("a reference ($id.field), a quoted text, a number, true, false or null is expected here")
}

func (p *condition) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

func (p *condition) reference() ir.Expr {
	id, path, end, ok := scanRef(p.text, p.at)
	if !ok {
		switch name, argEnd, isArg := scanArg(p.text, p.at); {
		case isArg && p.scope.Known[name]:
			p.failAt(p.at, argEnd, "a reference names a field of the result, without braces: $"+name+".json, $"+name+".stdout, ...")
			return nil
		case isArg:
			p.failAt(p.at, argEnd, "conditions cannot read arguments; let a step print it (run: printf %s \"$LOBSTER_ARG_"+variable(name)+"\") and compare its stdout")
			return nil
		case strings.HasPrefix(p.text[p.at:], "${"):
			return p.braces()
		case id != "":
			p.failAt(p.at, p.at+1+len(id), "a reference names a field of the result: $"+id+".json, $"+id+".stdout, $"+id+".approved, ...")
			return nil
		}
		return p.fail("a reference is $id.field")
	}
	ref := p.scope.StepRef(id, path, p.src, p.at, end, p.diags)
	p.at = end
	if c := p.peek(); c == '-' {
		return p.fail("a field name cannot hold a dash, and there is no arithmetic")
	}
	p.space()
	return &ir.RefExpr{Ref: ref}
}

// quoted reads text in quotes; a backslash stands for the character behind it.
func (p *condition) quoted(quote byte) ir.Expr {
	var out []byte
	for i := p.at + 1; i < len(p.text); i++ {
		switch c := p.text[i]; {
		case c == '\\' && i+1 < len(p.text):
			i++
			out = append(out, p.text[i])
		case c == quote:
			x := &ir.Lit{Pos: p.src.At(p.at), Value: value.String(string(out))}
			p.at = i + 1
			p.space()
			return x
		default:
			out = append(out, c)
		}
	}
	return p.fail("this quote is never closed")
}

// number reads -?digits(.digits)?.
func (p *condition) number() ir.Expr {
	start, end := p.at, p.at
	if p.text[end] == '-' {
		end++
	}
	digits := while(p.text, end, isDigit)
	if digits == end {
		return p.fail("a - stands only in front of digits; text needs quotes")
	}
	end = digits
	if end < len(p.text) && p.text[end] == '.' {
		if frac := while(p.text, end+1, isDigit); frac > end+1 {
			end = frac
		}
	}
	p.at = end
	if c := p.peek(); c == '.' || isFieldByte(c) || c == '-' {
		return p.fail("numbers are written 5, -5 or 0.5; text needs quotes")
	}
	p.space()
	return &ir.Lit{Pos: p.src.At(start), Value: value.Number(value.StringNumber(p.text[start:end]))}
}

func (p *condition) word(allowed bool) ir.Expr {
	start := p.at
	end := while(p.text, start, isIDByte)
	var v value.Value
	switch word := p.text[start:end]; word {
	case "true":
		v = value.Bool(true)
	case "false":
		v = value.Bool(false)
	case "null":
		v = value.Null
	default:
		if !allowed {
			return p.strayWord(start, end, word)
		}
		v = value.String(word)
	}
	p.at = end
	p.space()
	return &ir.Lit{Pos: p.src.At(start), Value: v}
}
