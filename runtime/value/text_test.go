package value

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestUTF16(t *testing.T) {
	for _, s := range []string{"", "abc", "a😀b", "😀", "é€\uffff", "\xed\xa0\xbd", "x\xed\xb8\x80y", "\xed\xa0\xbd\xed\xb8\x80", "ab😀cdéfghijkl😀😀mnopqrstuvw€"} {
		var all []uint16
		for u := (units{s: s}); ; {
			x, ok := u.next()
			if !ok {
				break
			}
			all = append(all, x)
		}
		if got := LenUTF16(s); got != len(all) {
			t.Errorf("LenUTF16(%+q) = %d, want %d", s, got, len(all))
		}
		for from := range len(all) + 2 {
			for to := from; to <= len(all)+2; to++ {
				var dst []byte
				for i := from; i < min(to, len(all)); i++ {
					dst = appendSurrogateOrRune(dst, all[i])
				}
				got := SliceUTF16(s, from, to)
				if a, b := String(got).JSON(), String(string(dst)).JSON(); a != b {
					t.Errorf("SliceUTF16(%+q, %d, %d) = %s, want %s", s, from, to, a, b)
				}
			}
		}
	}
}

func appendSurrogateOrRune(dst []byte, u uint16) []byte {
	if u >= 0xD800 && u < 0xE000 {
		return appendSurrogate(dst, u)
	}
	return utf8.AppendRune(dst, rune(u))
}

func TestTrimSpace(t *testing.T) {
	for _, r := range "\t\n\v\f\r \u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000\ufeff" {
		if got := TrimSpace(string(r) + "a" + string(r) + "b" + string(r)); got != "a"+string(r)+"b" {
			t.Errorf("TrimSpace with %U gives %q", r, got)
		}
	}
	for _, r := range "\u0085\u180e\u200b\x00\x1f" {
		if s := string(r) + "a" + string(r); TrimSpace(s) != s {
			t.Errorf("TrimSpace takes %U", r)
		}
	}
}

func TestUTF8(t *testing.T) {
	tests := []struct{ in, out, clean string }{
		{"aé😀", "aé😀", "aé😀"},
		{"a\xffb", "a\ufffdb", "a\ufffdb"},
		{"\xe2\x82", "\ufffd", "\ufffd"},
		{"\xe2\x82z\xf0\x9f\x98", "\ufffdz\ufffd", "\ufffdz\ufffd"},
		{"\xed\xa0\xbd", "\ufffd", "\ufffd\ufffd\ufffd"}, // a lone surrogate; as bytes from outside it is three faults
		{"\xed\xa0\xbd\xed\xb8\x80", "😀", strings.Repeat("\ufffd", 6)},
		{"\xc0\xaf\xf5\x80", strings.Repeat("\ufffd", 4), strings.Repeat("\ufffd", 4)},
	}
	for _, test := range tests {
		if out, clean := ToUTF8(test.in), CleanUTF8(test.in); out != test.out || clean != test.clean {
			t.Errorf("%q: ToUTF8 %q, CleanUTF8 %q; want %q, %q", test.in, out, clean, test.out, test.clean)
		}
	}
	joined := String("\xed\xa0\xbd" + "\xed\xb8\x80")
	if got := joined.JSON(); got != `"😀"` {
		t.Errorf("joined halves print as %s", got)
	}
	if got := String("\xed\xb8\x80\xed\xa0\xbd\xff").JSON(); got != `"\ude00\ud83d`+"\ufffd\"" {
		t.Errorf("halves in the wrong order print as %s", got)
	}
}

func TestSortedJSON(t *testing.T) {
	v := mustParse(t, `{"b":1,"a":{"é":1,"z":[{"y":1,"x":2}],"2":0,"10":0,"1":0},"\ud83d\ude00":1,"\uffff":2}`)
	want := `{"a":{"1":0,"2":0,"10":0,"z":[{"x":2,"y":1}],"é":1},"b":1,"😀":1,"` + "\uffff" + `":2}`
	if got := v.SortedJSON(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
