package drive

import (
	"math"
	"testing"

	"github.com/lobsterc/lobsterc/runtime/value"
)

func TestLess(t *testing.T) {
	str, num := value.String, value.Number
	tests := []struct {
		x, y        value.Value
		less, equal bool // x < y, x <= y && y <= x
	}{
		{num(1), num(2), true, false},
		{num(2), num(1), false, false},
		{num(2), num(2), false, true},
		{str("0x10"), num(17), true, false},
		{str(" 5 "), str("5.0"), false, true},
		{str("1"), str("1.0"), false, true},
		{str("-0"), num(0), false, true},
		{num(17), str("Infinity"), true, false},
		{str("1e3"), num(1000), false, true},
		{str(""), num(17), false, false},
		{str(" \t\n"), num(17), false, false},
		{str("a"), str("b"), false, false},
		{str("5x"), num(9), false, false},
		{num(math.NaN()), num(1), false, false},
		{value.Bool(true), num(17), false, false},
		{value.Null, num(17), false, false},
		{value.Value{}, num(17), false, false},
		{value.Array(num(1)), num(17), false, false},
	}
	for _, tt := range tests {
		if got := Less(tt.x, tt.y); got != tt.less {
			t.Errorf("%s < %s: got %v", tt.x.JSON(), tt.y.JSON(), got)
		}
		if got := Greater(tt.y, tt.x); got != tt.less {
			t.Errorf("%s > %s: got %v", tt.y.JSON(), tt.x.JSON(), got)
		}
		if got := LessEqual(tt.x, tt.y) && GreaterEqual(tt.x, tt.y); got != tt.equal {
			t.Errorf("%s <= >= %s: got %v", tt.x.JSON(), tt.y.JSON(), got)
		}
	}
}

func TestEnvText(t *testing.T) {
	run := NewRun(value.Object(value.M("A", value.String("arg")), value.M("N", value.Null)))
	lookup := func(name string) (string, bool) {
		v, ok := map[string]string{"A": "env", "B": "b", "E": ""}[name]
		return v, ok
	}
	for raw, want := range map[string]string{"$A": "arg", "$B": "b", "$E": "", "$C": "$C", "$N": "null"} {
		if got := run.EnvText(lookup, raw[1:], raw); got != want {
			t.Errorf("%s: got %q, want %q", raw, got, want)
		}
	}
}

func TestJoinPath(t *testing.T) {
	for _, tt := range [][3]string{{".", "a.yaml", "a.yaml"}, {"sub", "../b/c.yaml", "b/c.yaml"}, {"sub", "./c.yaml", "sub/c.yaml"}, {"sub", "/x/../c.yaml", "/c.yaml"}} {
		if got := JoinPath(tt[0], tt[1]); got != tt[2] {
			t.Errorf("JoinPath(%q, %q) = %q, want %q", tt[0], tt[1], got, tt[2])
		}
	}
}

func TestExtend(t *testing.T) {
	run := NewRun(value.Object())
	out := "text"
	run.record(&Result{ID: "s", Stdout: &out, JSON: value.Object(value.M("a1", value.Array(value.Int(7), value.Int(8))), value.M("b", value.Int(9)))})
	for _, tt := range [][3]string{
		{"s", "", "9"}, {"s", " b", "9 b"}, {"s", "x", ""}, {"s", "${n}", "9${n}"}, {"s", ".", "9."}, {"s", "..x", "9..x"}, {"s", "é", "9é"},
		{"no", "1.5 h", "$no.json.b1.5 h"},
	} {
		if got := run.Extend(tt[1], tt[0], "json", "b"); got != tt[2] {
			t.Errorf("$%s.json.b and %q: got %q, want %q", tt[0], tt[1], got, tt[2])
		}
	}
	if got := run.Extend("1.0.x y", "s", "json", "a"); got != " y" {
		t.Errorf("got %q", got)
	}
	if got := run.Extend("1.1 y", "s", "json", "a"); got != "8 y" {
		t.Errorf("got %q", got)
	}
}
