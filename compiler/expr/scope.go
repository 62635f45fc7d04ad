// Package expr reads the two small languages inside workflow text: conditions (ir.Expr) and templates (ir.Template). It
// checks every reference in them against a Scope. See spec part 1, sections 3 and 4, and part 7, 2.
//
// Texts come with a function from byte offset to position, because a YAML scalar's text and its source differ (quotes, escapes, folded
// lines). Every fault becomes a diagnostic; what can be compiled all the same is returned too, for --compat.
package expr

import (
	"slices"
	"strings"

	"github.com/lobsterc/lobsterc/compiler/catalog"
	"github.com/lobsterc/lobsterc/ir"
	"github.com/lobsterc/lobsterc/ir/diag"
)

// Source is a text with the place of each of its bytes.
type Source struct {
	Text string
	// At gives the position of the byte at an offset, 0 to len(Text).
	At func(offset int) diag.Pos
}

// Span is the place of Text[from:to].
func (s Source) Span(from, to int) diag.Span { return diag.Span{Start: s.At(from), End: s.At(to)} }

// Scope says which results can be referred to at one place.
type Scope struct {
	// Known are the ids whose result can exist by then: earlier steps and their branches, and in a loop its variables and
	// earlier sub-steps.
	Known map[string]bool
	// Later are the other ids of the file, with their place: those that come later, and the step itself.
	Later map[string]diag.Pos
}

// Fields are the fields of a step's result.
var Fields = []string{"id", "stdout", "json", "approved", "approvedBy", "initiatedBy", "subject", "response", "skipped", "error", "errorMessage"}

// deep are the fields that can hold more than a scalar.
var deep = []string{"json", "subject", "response"}

// habits maps fields that people expect, from other tools, to what there is.
var habits = map[string]string{
	"output": "$ID.stdout for its text, $ID.json for its data", "outputs": "$ID.json", "out": "$ID.stdout", "result": "$ID.json", "results": "$ID.json", "data": "$ID.json", "value": "$ID.json", "body": "$ID.json", "text": "$ID.stdout", "response_json": "$ID.response",
	"success": "!" + failing, "ok": "!" + failing, "succeeded": "!" + failing, "failed": failing, "failure": failing,
	"exitCode": failing + "; there are no exit codes", "exit_code": failing + "; there are no exit codes", "code": failing + "; there are no exit codes",
	"status": "$ID.error or $ID.skipped", "stderr": "$ID.errorMessage", "message": "$ID.errorMessage",
	"rejected": refusal, "denied": refusal, "refused": refusal, "approval": "$ID.approved", "decision": "$ID.response.decision",
	"input": "$ID.subject or $ID.response", "answer": "$ID.response", "length": "; let the step print the number (jq length) and compare $ID.json", "items": "$ID.json.items", "item": "$ID.json",
}

const (
	failing = "$ID.error, which is true when the step failed under `on_error: continue`"
	refusal = "; a refused approval ends the run, so no step can ask for it"
)

// StepRef makes the reference id.path that stands at [from, to) and checks it strictly: id must be in scope, and path must
// start with a field that results have. It is returned even when it is wrong.
func (s *Scope) StepRef(id string, path []string, src Source, from, to int, diags *diag.List) ir.StepRef {
	ref := ir.StepRef{Pos: src.At(from), ID: id, Path: path}
	if !s.Known[id] {
		s.unknown(id, path, src.Span(from, to), diags)
		return ref
	}
	if !joined(ref, src.Span(from, to), diags) {
		checkField(ref, src.Span(from, to), diags)
	}
	return ref
}

func (s *Scope) unknown(id string, path []string, span diag.Span, diags *diag.List) {
	if pos, ok := s.Later[id]; ok {
		d := diags.Errorf(diag.LaterStep, span, "step %q has no result here", id)
		d.Hint = "steps run in file order; only results of steps above can be read"
		d.Notes = append(d.Notes, diag.Note{Span: diag.Span{Start: pos}, Message: "it stands here"})
		return
	}
	d := diags.Errorf(diag.UnknownStep, span, "unknown step %q", id)
	d.Hint = s.suggest(id, path)
	if id == "steps" && len(path) > 1 && s.Known[path[0]] {
		ref := "$" + strings.Join(path, ".")
		d.Hint = "did you mean " + ref + "?"
		d.Edits = []diag.Edit{{Span: span, NewText: ref, Safe: slices.Contains(Fields, path[1])}}
	}
}

// suggest gives a hint for an unknown id, or "".
func (s *Scope) suggest(id string, path []string) string {
	var names []string
	for n := range s.Known {
		names = append(names, n)
	}
	slices.Sort(names)
	switch near := catalog.Nearest(id, names); {
	case len(near) > 0:
		return "did you mean " + quoteList(near) + "?"
	case id == "args" || id == "arg" || id == "inputs":
		name := "NAME"
		if len(path) > 0 {
			name = variable(path[0])
		}
		return "conditions and loops cannot read arguments; let a step print it (run: printf %s \"$LOBSTER_ARG_" + name + "\") and refer to that step"
	case id == "steps":
		return "write $ID.field, without steps."
	case len(names) == 0:
		return "no step has run yet at this place"
	case len(names) <= 8:
		return "there is " + strings.Join(names, ", ")
	}
	return ""
}

func quoteList(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = `"` + n + `"`
	}
	return strings.Join(quoted, " or ")
}

// checkField reports a path that can never have a value.
func checkField(ref ir.StepRef, span diag.Span, diags *diag.List) {
	field := ref.Path[0]
	if !slices.Contains(Fields, field) {
		d := diags.Errorf(diag.NoField, span, "results have no field %q", field)
		switch habit, near := habits[field], catalog.Nearest(field, Fields); {
		case strings.HasPrefix(habit, "; "):
			d.Hint = strings.ReplaceAll(habit[len("; "):], "ID", ref.ID)
		case habit != "":
			d.Hint = "write " + strings.ReplaceAll(habit, "ID", ref.ID)
		case len(near) > 0:
			d.Hint = "did you mean " + quoteList(near) + "?"
		default:
			d.Hint = "did you mean $" + ref.ID + ".json." + strings.Join(ref.Path, ".") + "? A result has " + strings.Join(Fields, ", ")
		}
		return
	}
	if last := len(ref.Path) - 1; last > 0 && ref.Path[last] == "length" && slices.Contains(deep, field) {
		diags.Warnf(diag.NoLength, span, "lists and text have no length here; this is empty unless the data has a member of that name").Hint =
			"let the step print the number (jq length) and refer to that"
	}
	if len(ref.Path) > 1 && !slices.Contains(deep, field) {
		d := diags.Errorf(diag.NoField, span, "%s has no fields, so $%s.%s is always empty", field, ref.ID, strings.Join(ref.Path, "."))
		if field == "stdout" {
			d.Hint = "did you mean $" + ref.ID + ".json." + strings.Join(ref.Path[1:], ".") + "?"
		}
	}
}
