package expr

import (
	"slices"
	"strings"

	"github.com/lobsterc/lobsterc/ir"
	"github.com/lobsterc/lobsterc/ir/diag"
)

// Mode says which holes a template can have.
type Mode uint8

// The modes.
const (
	// Full templates have arguments and references.
	Full Mode = iota
	// ArgsOnly templates have arguments only (cwd).
	ArgsOnly
	// Env templates have the environment too (values of env).
	Env
)

// Template reads text with holes. A reference to a step that is not in scope is literal text, as in the reference, with a
// warning when it looks like a mistake.
func Template(src Source, scope *Scope, mode Mode, diags *diag.List) ir.Template {
	text := src.Text
	out := ir.Template{}
	start := 0
	hole := func(from, to int, seg ir.Segment) {
		if start < from {
			out = append(out, ir.Text(text[start:from]))
		}
		out = append(out, seg)
		start = to
	}
	for i := strings.IndexByte(text, '$'); i >= 0 && i < len(text); {
		seg, end := Hole(src, i, scope, mode, diags)
		if seg != nil {
			hole(i, end, seg)
		}
		next := strings.IndexByte(text[end:], '$')
		if next < 0 {
			break
		}
		i = end + next
	}
	if start < len(text) {
		out = append(out, ir.Text(text[start:]))
	}
	return out
}

// Hole reads the hole at the $ at offset i; nil when there is none. end is where to go on.
func Hole(src Source, i int, scope *Scope, mode Mode, diags *diag.List) (seg ir.Segment, end int) {
	text := src.Text
	if name, end, ok := scanArg(text, i); ok {
		return argHole(src, i, end, name, mode), end
	}
	if mode != ArgsOnly {
		id, path, end, ok := scanRef(text, i)
		if open, to := openRef(src, i, end, id, path, scope, mode, diags); open != nil {
			return open, to
		}
		if ok {
			if scope.Known[id] {
				ref := ir.StepRef{Pos: src.At(i), ID: id, Path: path}
				if !joined(ref, src.Span(i, end), diags) {
					checkField(ref, src.Span(i, end), diags)
				}
				return ref, end
			}
			if mode != Env {
				maybeRef(src, i, end, id, path, scope, diags)
				return nil, end
			}
		}
	}
	if mode == Env && i+1 < len(text) && isFieldByte(text[i+1]) && !isDigit(text[i+1]) {
		end := while(text, i+1, isFieldByte)
		return ir.EnvRef{Pos: src.At(i), Name: text[i+1 : end], Raw: text[i:end]}, end
	}
	return nil, i + 1
}

// openRef reads a reference to a known step at offset i, up to end, that goes on in an argument: $a.json.${field}. The argument and
// what may follow it in the same reference are part of it, as in the reference implementation, which expands arguments first. It
// gives nil when there is no such thing.
func openRef(src Source, i, end int, id string, path []string, scope *Scope, mode Mode, diags *diag.List) (seg ir.Segment, to int) {
	text := src.Text
	if !scope.Known[id] {
		return nil, i
	}
	dot := end < len(text) && text[end] == '.'
	from := end
	if dot {
		from++
	}
	if _, _, ok := scanArg(text, from); from >= len(text) || !ok || !dot && path == nil {
		return nil, i
	}
	ref := ir.StepRef{Pos: src.At(i), ID: id, Path: path}
	switch {
	case dot && path != nil || len(path) > 1:
		checkField(ref, src.Span(i, end), diags) // its first name is complete
	case !dot:
		d := diags.Warnf(diag.JoinedField, src.Span(i, from), "the argument that follows reads as part of the name %s", path[0])
		d.Hint = "put something between $" + id + "." + path[0] + " and the argument, or a dot if it is meant to name a field"
	}
	open := ir.OpenRef{Pos: src.At(i), ID: id}
	to = from
	lit := i
	for to < len(text) {
		name, next, ok := scanArg(text, to)
		if !ok {
			if text[to] != '.' && !isFieldByte(text[to]) {
				break
			}
			to++
			continue
		}
		if lit < to {
			open.Text = append(open.Text, ir.Text(text[lit:to]))
		}
		open.Text = append(open.Text, argHole(src, to, next, name, mode))
		to, lit = next, next
	}
	if lit < to {
		open.Text = append(open.Text, ir.Text(text[lit:to]))
	}
	return open, to
}

// argHole is the segment for ${name} at [from, to).
func argHole(src Source, from, to int, name string, mode Mode) ir.Segment {
	if mode == Env && isEnvName(name) {
		return ir.EnvRef{Pos: src.At(from), Name: name, Raw: src.Text[from:to]}
	}
	return ir.ArgRef{Pos: src.At(from), Name: name}
}

// joined warns of text that was meant to follow a reference and became part of its last name: $a.jsonX is no $a.json and an X.
func joined(ref ir.StepRef, span diag.Span, diags *diag.List) bool {
	field := ref.Path[0]
	if len(ref.Path) > 1 || slices.Contains(Fields, field) || habits[field] != "" {
		return false
	}
	for _, known := range Fields {
		if rest, ok := strings.CutPrefix(field, known); ok {
			d := diags.Warnf(diag.JoinedField, span, "results have no field %q, so this is always empty", field)
			d.Hint = "the text " + rest + " after $" + ref.ID + "." + known + " reads as part of the name; put something else between them"
			return true
		}
	}
	return false
}

// maybeRef warns of $id.path that stays as written although its author probably meant a result: the field is one that results have,
// and the name is no environment variable by its looks.
func maybeRef(src Source, from, to int, id string, path []string, scope *Scope, diags *diag.List) {
	if !slices.Contains(Fields, path[0]) || strings.ToUpper(id) == id && strings.ToLower(id) != id {
		return
	}
	if pos, ok := scope.Later[id]; ok {
		d := diags.Warnf(diag.UnknownMaybe, src.Span(from, to), "step %q has no result here, so this stays as written", id)
		d.Notes = append(d.Notes, diag.Note{Span: diag.Span{Start: pos}, Message: "it stands here"})
		return
	}
	d := diags.Warnf(diag.UnknownMaybe, src.Span(from, to), "there is no step %q, so this stays as written", id)
	d.Hint = scope.suggest(id, nil)
}

func isEnvName(name string) bool {
	return !isDigit(name[0]) && while(name, 0, isFieldByte) == len(name)
}

// ExactRef tells whether text is one reference and nothing else but white space around it, and where it stands.
func ExactRef(text string) (id string, path []string, from, to int, ok bool) {
	from = len(text) - len(strings.TrimLeftFunc(text, isSpace))
	if from == len(text) || text[from] != '$' {
		return "", nil, 0, 0, false
	}
	id, path, to, ok = scanRef(text, from)
	return id, path, from, to, ok && strings.TrimFunc(text[to:], isSpace) == ""
}

// Stdin reads the text of stdin or for_each: an exact reference gives the value itself and is checked strictly; else the text is
// a template.
func Stdin(src Source, scope *Scope, diags *diag.List) *ir.Stdin {
	in := &ir.Stdin{Pos: src.At(0)}
	if id, path, from, to, ok := ExactRef(src.Text); ok {
		ref := scope.StepRef(id, path, src, from, to, diags)
		in.Ref = &ref
		return in
	}
	in.Text = Template(src, scope, Full, diags)
	return in
}
