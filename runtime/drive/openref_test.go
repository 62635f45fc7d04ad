package drive

import (
	"testing"

	"github.com/lobsterc/lobsterc/runtime/value"
)

func TestOpenText(t *testing.T) {
	r := NewRun(value.Object())
	r.results["a"] = &Result{JSON: value.Object(value.M("x", value.Object(value.M("y", value.Int(7)))))}
	for _, tt := range []struct{ in, want string }{
		{"$a.json.x.y", "7"}, {"$a.json.x.y z", "7 z"}, {"$a.json.x.y. $a.json", "7. $a.json"}, {"$a.json.xy", ""}, {"$a.json.${f}", `{"x":{"y":7}}.${f}`},
		{"$a", "$a"}, {"$a.", "$a."}, {"$a.-", "$a.-"}, {"$", "$"}, {"$b.json.x!", "$b.json.x!"}, {"$a.approvedz", ""}, {"$a.approved-", "false-"},
	} {
		if got := r.OpenText(tt.in); got != tt.want {
			t.Errorf("%q became %q, want %q", tt.in, got, tt.want)
		}
	}
}
