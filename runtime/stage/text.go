package stage

import "github.com/lobsterc/lobsterc/runtime/value"

// Text is a parsed template: literal text and holes.
type Text []Piece

// Piece is literal text, or the value at a path after filters.
type Piece struct {
	lit     string
	hole    bool
	path    Path
	filters []Filter
}

// Filter is a template filter whose arguments are known; see package filter.
type Filter = func(value.Value) value.Value

// Lit is a piece of literal text.
func Lit(text string) Piece { return Piece{lit: text} }

// Hole is the value at path after the filters, as text.
func Hole(path Path, filters ...Filter) Piece {
	return Piece{hole: true, path: path, filters: filters}
}

// render gives the text for an item. buf is scratch memory; it is returned for the next call.
func (t Text) render(item value.Value, buf []byte) (string, []byte) {
	if len(t) == 1 {
		return t[0].text(item), buf
	}
	buf = buf[:0]
	for i := range t {
		buf = append(buf, t[i].text(item)...)
	}
	return string(buf), buf
}

// field is the text of an assignment of map: as render, but numbers are JSON, in which an infinite one is null.
func (t Text) field(item value.Value) string {
	text := ""
	for i := range t {
		if v := t[i].value(item); v.Kind() == value.NumberKind {
			text += v.JSON()
		} else {
			text += v.Text()
		}
	}
	return text
}

func (p *Piece) text(item value.Value) string {
	if !p.hole {
		return p.lit
	}
	return p.value(item).Text()
}

func (p *Piece) value(item value.Value) value.Value {
	if !p.hole {
		return value.String(p.lit)
	}
	v := p.path.of(item)
	for _, f := range p.filters {
		v = f(v)
	}
	return v
}
