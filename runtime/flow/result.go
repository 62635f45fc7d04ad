package flow

import (
	"strings"

	"github.com/lobsterc/lobsterc/runtime/value"
)

// StepResult is the result record of a workflow step that ran a pipeline: printed is what its renderers printed (spec part 1, 2.2).
// What was printed is the step's stdout, and its json too when no items are left over.
func StepResult(out Outcome, printed string) (stdout string, json value.Value) {
	stdout = itemsText(out.Items)
	switch len(out.Items) {
	case 0:
	case 1:
		json = out.Items[0]
	default:
		json = value.Array(out.Items...)
	}
	if !out.Rendered {
		return stdout, json
	}
	if len(out.Items) == 0 {
		json = TextJSON(printed)
	}
	return printed, json
}

// TextJSON is the json of a step's stdout: the text parsed, or Absent when it is empty or no JSON.
func TextJSON(text string) value.Value {
	text = value.TrimSpace(text)
	if text == "" {
		return value.Value{}
	}
	v, _ := value.Read(text)
	return v
}

// itemsText is stdout made of items: strings a line each, one item as its text, more as a JSON array. A
// single null is nothing.
func itemsText(items []value.Value) string {
	if len(items) == 0 {
		return ""
	}
	if lines, ok := allStrings(items); ok {
		return strings.Join(lines, "\n")
	}
	if len(items) == 1 && items[0].IsNullish() {
		return ""
	}
	if len(items) == 1 {
		return items[0].JSON()
	}
	return value.Array(items...).JSON()
}

// allStrings gives the texts of items when every one is a string.
func allStrings(items []value.Value) ([]string, bool) {
	for _, v := range items {
		if v.Kind() != value.StringKind {
			return nil, false
		}
	}
	lines := make([]string, len(items))
	for i, v := range items {
		lines[i] = v.Str()
	}
	return lines, true
}
