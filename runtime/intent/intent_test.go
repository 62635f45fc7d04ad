package intent

import "testing"

func TestParse(t *testing.T) {
	for _, tc := range []struct {
		words Words
		want  string // "" = no error
		given bool
	}{
		{Words{}, "", false},
		{Words{Approve: "YES"}, "", true},
		{Words{Approve: "maybe"}, "resume --approve must be yes or no", true},
		{Words{Approve: "yes", Cancel: "true"}, "resume accepts only one of --approve, --response-json, or --cancel", false},
		{Words{Approve: "no", Cancel: "false"}, "", true},
		{Words{Cancel: "false"}, "", false},
		{Words{Cancel: "x"}, "resume --cancel must be true or false", false},
		{Words{Answered: true, Response: "{"}, "resume --response-json must be valid JSON", true},
		{Words{Answered: true, Response: "null"}, "", true},
	} {
		in, err := Parse(tc.words)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != tc.want || err == nil && in.Given != tc.given {
			t.Errorf("%+v: got %+v, %q", tc.words, in, got)
		}
	}
}
