package ir

import "strings"

// emptyIfNil makes a template that must be there an empty text.
func emptyIfNil(t Template) Template {
	if t == nil {
		return Template{}
	}
	return t
}

// Normal joins neighbouring texts and drops empty ones. Nil stays nil.
func (t Template) Normal() Template {
	if t == nil {
		return nil
	}
	out := make(Template, 0, len(t))
	for _, seg := range t {
		text, ok := seg.(Text)
		if !ok {
			out = append(out, seg)
			continue
		}
		if text == "" {
			continue
		}
		if n := len(out); n > 0 {
			if last, ok := out[n-1].(Text); ok {
				out[n-1] = last + text
				continue
			}
		}
		out = append(out, text)
	}
	return out
}

// Constant gives the text of a template without holes.
func (t Template) Constant() (string, bool) {
	var b strings.Builder
	for _, seg := range t {
		text, ok := seg.(Text)
		if !ok {
			return "", false
		}
		b.WriteString(string(text))
	}
	return b.String(), true
}

// String is the template as a workflow file spells it.
func (t Template) String() string {
	var b strings.Builder
	for _, seg := range t {
		switch seg := seg.(type) {
		case Text:
			b.WriteString(string(seg))
		case ArgRef:
			b.WriteString("${" + seg.Name + "}")
		case StepRef:
			b.WriteString(seg.String())
		case OpenRef:
			b.WriteString(seg.Text.String())
		case EnvRef:
			b.WriteString(seg.Raw)
		}
	}
	return b.String()
}

// String is the reference as a workflow file spells it: $id.path.
func (r StepRef) String() string { return "$" + r.spelled() }

// spelled is id.path.
func (r StepRef) spelled() string { return r.ID + "." + strings.Join(r.Path, ".") }
