package pipeline

import (
	"strings"

	"github.com/lobsterc/lobsterc/compiler/expr"
	"github.com/lobsterc/lobsterc/ir"
	"github.com/lobsterc/lobsterc/ir/diag"
	"github.com/lobsterc/lobsterc/runtime/stage/parse"
)

// word is a word of a stage with its holes.
type word struct {
	from, to int
	text     ir.Template
	// offsets has, for each byte of the literal text in order, the place that it came from in the source.
	offsets []int
	// quoted: some part of it stands in quotes.
	quoted bool
}

func (w *word) span(src expr.Source) diag.Span { return src.Span(w.from, w.to) }

// constant gives the text of a word without holes.
func (w *word) constant() (string, bool) { return constant(w.text) }

func constant(t ir.Template) (string, bool) {
	switch len(t) {
	case 0:
		return "", true
	case 1:
		s, ok := t[0].(ir.Text)
		return string(s), ok
	}
	return "", false
}

// alone: the word is exactly one hole, without quotes.
func (w *word) alone() bool {
	if w.quoted || len(w.text) != 1 {
		return false
	}
	_, literal := w.text[0].(ir.Text)
	return !literal
}

// prefix is the literal text that the word starts with.
func (w *word) prefix() string {
	if len(w.text) > 0 {
		if s, ok := w.text[0].(ir.Text); ok {
			return string(s)
		}
	}
	return ""
}

// cut gives the word without the first n bytes, which are literal text.
func (w *word) cut(n int) word {
	rest := word{from: w.from, to: w.to, quoted: w.quoted, offsets: w.offsets[n:]}
	if n < len(w.offsets) {
		rest.from = w.offsets[n]
	}
	if s := w.prefix()[n:]; s != "" {
		rest.text = append(rest.text, ir.Text(s))
	}
	rest.text = append(rest.text, w.text[1:]...)
	if rest.text == nil {
		rest.text = ir.Template{}
	}
	return rest
}

// source is the word's literal text with the place of each of its bytes, for a word without holes.
func (w *word) source(src expr.Source) expr.Source {
	text, _ := w.constant()
	return expr.Source{Text: text, At: func(offset int) diag.Pos {
		if offset < len(w.offsets) {
			return src.At(w.offsets[offset])
		}
		return src.At(w.to)
	}}
}

// lex splits a stage into words. There is one at least.
func lex(src expr.Source, at piece, ctx Context, diags *diag.List) ([]word, bool) {
	var words []word
	text := src.Text[:at.to]
	for i := at.from; i < at.to; {
		if parse.IsBlank(text[i]) {
			i++
			continue
		}
		l := lexer{src: src, ctx: ctx, text: text, at: i, diags: diags}
		if !l.word() {
			return nil, false
		}
		words = append(words, l.finish(i))
		i = l.at
	}
	return words, true
}

type lexer struct {
	src     expr.Source
	ctx     Context
	text    string
	at      int
	diags   *diag.List
	out     ir.Template
	lit     strings.Builder
	offsets []int
	quoted  bool
}

func (l *lexer) finish(from int) word {
	l.flush()
	if l.out == nil {
		l.out = ir.Template{}
	}
	return word{from: from, to: l.at, text: l.out, offsets: l.offsets, quoted: l.quoted}
}

func (l *lexer) flush() {
	if l.lit.Len() > 0 {
		l.out = append(l.out, ir.Text(l.lit.String()))
		l.lit.Reset()
	}
}

// literal adds text that stands at from.
func (l *lexer) literal(text string, from int) {
	for i := range len(text) {
		l.offsets = append(l.offsets, from+i)
	}
	l.lit.WriteString(text)
}

// hole takes the hole that starts here, if there is one.
func (l *lexer) hole() bool {
	if l.ctx.Scope == nil || l.text[l.at] != '$' {
		return false
	}
	seg, end := expr.Hole(expr.Source{Text: l.text, At: l.src.At}, l.at, l.ctx.Scope, expr.Full, l.diags)
	if seg == nil {
		// What looked like a hole is text; it holds no quote and no blank.
		l.literal(l.text[l.at:end], l.at)
		l.at = end
		return true
	}
	l.flush()
	l.out = append(l.out, seg)
	l.at = end
	return true
}

func (l *lexer) word() bool {
	for l.at < len(l.text) && !parse.IsBlank(l.text[l.at]) {
		switch c := l.text[l.at]; {
		case c == '"' || c == '\'':
			if !l.quote(c) {
				return false
			}
		case l.hole():
		default:
			l.literal(l.text[l.at:l.at+1], l.at)
			l.at++
		}
	}
	return true
}

func (l *lexer) quote(quote byte) bool {
	open := l.at
	l.quoted = true
	for l.at++; l.at < len(l.text); {
		if l.text[l.at] == quote {
			l.at++
			return true
		}
		if l.hole() {
			continue
		}
		s, n := parse.Quoted(l.text[l.at:], quote)
		l.literal(s, l.at+n-len(s))
		l.at += n
	}
	unclosed(l.src, open, l.diags)
	return false
}
