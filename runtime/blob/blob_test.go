package blob

import (
	"slices"
	"testing"
)

func TestFind(t *testing.T) {
	file := "\x7fELF" + magic + "ir" + Mark(IR, 5) + "hello" + Mark(Provenance, 0) + Mark(IR, 3) + "abcdef" +
		magic + "ir:99999:" + magic + "ir:9999999999:x" + magic + "ir:-000000001:x" + magic + "ir:000"
	var got []string
	for _, b := range Find([]byte(file), IR) {
		got = append(got, string(b))
	}
	if want := []string{"hello", "abc"}; !slices.Equal(got, want) {
		t.Errorf("ir: got %q, want %q", got, want)
	}
	if got := Find([]byte(file), Provenance); len(got) != 1 || len(got[0]) != 0 {
		t.Errorf("prov: got %q, want one empty piece", got)
	}
}

func TestBody(t *testing.T) {
	for _, body := range []string{"", "{}", "a:b:c", "\x00"} {
		if got := Body(Mark(IR, len(body)) + body); got != body {
			t.Errorf("Body of marked %q is %q", body, got)
		}
		if got := Body(body); got != body {
			t.Errorf("Body of bare %q is %q", body, got)
		}
	}
}
