package value

import (
	"math/rand/v2"
	"testing"
)

func TestPicker(t *testing.T) {
	tests := []struct {
		keys     []string
		in, want string
	}{
		{[]string{"b", "a"}, `{"a":1,"b":[ 2 ,3],"c":4}`, `{"b":[2,3],"a":1}`},
		{[]string{"x"}, `{"a":1}`, `{}`},
		{[]string{"a", "x"}, `{ "a" : 1.0 , "b":2 }`, `{"a":1}`},
		{[]string{"a", "a"}, `{"a":1}`, `{"a":1}`},
		{[]string{"a", "1", "0"}, `{"1":"x","a":null}`, `{"1":"x","a":null}`},
		{[]string{"1", "0", "length"}, `["p","q"]`, `{"0":"p","1":"q","length":2}`},
		{[]string{"a"}, `{"a":1,"a":2}`, `{"a":2}`},
		{[]string{"é\n\""}, `{"\u00e9\n\"":1}`, `{"é\n\"":1}`},
		{[]string{"é\n\""}, `{"é\n\"":1}`, `{"é\n\"":1}`},
		{[]string{"a"}, `5`, `{}`},
		{nil, `{"a":1}`, `{}`},
	}
	for _, test := range tests {
		p := NewPicker(test.keys...)
		for _, v := range []Value{mustParse(t, test.in), rebuilt(mustParse(t, test.in))} {
			if got := p.Pick(v).JSON(); got != test.want {
				t.Errorf("pick %q of %s gives %s, want %s", test.keys, test.in, got, test.want)
			}
		}
	}
	r := rand.New(rand.NewPCG(11, 12))
	p := NewPicker("k1", "é", "b", "subject with more than eight letters", "k0", "", "__proto__")
	for range 3000 {
		v := mustParse(t, randomJSON(r))
		a, b := p.Pick(v), p.Pick(rebuilt(v))
		if a.JSON() != b.JSON() || a.Indent() != b.Indent() || !StrictEqual(a, b) || a.Len() != b.Len() {
			t.Fatalf("of %s: %s and %s", v.JSON(), a.JSON(), b.JSON())
		}
	}
}
