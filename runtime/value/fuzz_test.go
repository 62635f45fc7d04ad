package value

import (
	"math/rand/v2"
	"testing"
)

func seeds(f *testing.F) (texts []string) {
	r := rand.New(rand.NewPCG(9, 9))
	for _, s := range classes() {
		if len(s) < 300 {
			texts = append(texts, s)
		}
	}
	for range 100 {
		texts = append(texts, randomJSON(r), brokenJSON(r))
	}
	return texts
}

// FuzzParse looks for texts that break anything, and checks that what is accepted prints as it was, in all the ways.
func FuzzParse(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := ParseString(s)
		if err != nil {
			if e := err.(*SyntaxError); e.Offset < 0 || e.Offset > int64(len(s)) || e.Reason == "" {
				t.Errorf("%q: error %q at %d", s, e.Reason, e.Offset)
			}
			return
		}
		json := v.JSON()
		if got := rebuilt(v).JSON(); got != json {
			t.Errorf("%q prints %s, rebuilt %s", s, json, got)
		}
		if got := v.full().JSON(); got != json {
			t.Errorf("%q prints %s, parsed %s", s, json, got)
		}
		if v.Len() != v.full().Len() || v.JSString() != rebuilt(v).JSString() {
			t.Errorf("%q: raw and parsed differ", s)
		}
		for k, x := range v.Members() {
			if v.Get(k).JSON() != x.JSON() {
				t.Errorf("%q: Get(%q) = %s, want %s", s, k, v.Get(k).JSON(), x.JSON())
			}
		}
		for i, x := range v.Items() {
			if v.At(i).JSON() != x.JSON() {
				t.Errorf("%q: At(%d) = %s, want %s", s, i, v.At(i).JSON(), x.JSON())
			}
		}
	})
}

// FuzzDecoder checks that streaming in pieces of any size equals parsing the whole.
func FuzzDecoder(f *testing.F) {
	for i, s := range seeds(f) {
		f.Add(s, uint8(i))
	}
	f.Fuzz(func(t *testing.T, s string, n uint8) { sameAsParse(t, s, 1+int(n)) })
}

// FuzzRoundTrip checks that printed text is a fixed point: it parses, is canonical as the scanner sees it or nearly so, and
// prints the same, compact and indented.
func FuzzRoundTrip(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := ParseString(s)
		if err != nil {
			return
		}
		for _, text := range []string{v.JSON(), v.Indent()} {
			again, err := ParseString(text)
			if err != nil {
				t.Fatalf("%q prints %q, which is refused: %v", s, text, err)
			}
			if again.JSON() != v.JSON() || again.Indent() != v.Indent() {
				t.Errorf("%q prints %q, then %q", s, v.JSON(), again.JSON())
			}
		}
	})
}
