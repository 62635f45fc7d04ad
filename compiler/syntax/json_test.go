package syntax

import (
	"strings"
	"testing"
)

// TestBadJSON: what the JSON reader says, and where.
func TestBadJSON(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`{"a": 1} x`, "1:10: not valid JSON: text after the end of the JSON value"},
		{strings.Repeat("[", 20000), "not valid JSON: the values are nested too deeply"},
		{`{"a": `, "1:7: not valid JSON: the text ends too early"},
		{"{\"a\":\n  ?}", "2:3: not valid JSON: unexpected '?'"},
		{`{"a": tru}`, `1:7: not valid JSON: "tru" is no value`},
		{`{"a": "x`, "1:7: not valid JSON: a string is never closed"},
		{"{\"a\": \"x\ty\"}", "1:9: not valid JSON: a control character in a string; write it as an escape"},
		{`[1 2]`, "1:4: not valid JSON: expected a comma or ] in a list"},
		{`{"a": 1,}`, "1:9: not valid JSON: expected a key in double quotes"},
		{`{"a" 1}`, "1:6: not valid JSON: expected a colon after the key"},
		{`{"a": 1 "b": 2}`, "1:9: not valid JSON: expected a comma or } in an object"},
		{"{\"a\": \"\xff\"}", "1:8: not valid JSON: the file is not UTF-8 (save it as UTF-8)"},
	} {
		root, diags := Read(NewSource("f.json", []byte(tt.text)))
		if root != nil || len(diags) == 0 {
			t.Errorf("%.30s: no error", tt.text)
			continue
		}
		got := strings.TrimPrefix(diags[0].Span.Start.String(), "f.json:") + ": " + diags[0].Message
		if !strings.HasSuffix(got, tt.want) {
			t.Errorf("%.30s: got %s, want %s", tt.text, got, tt.want)
		}
	}
}
