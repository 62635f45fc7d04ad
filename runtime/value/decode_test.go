package value

import (
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
)

// pieces reads s in pieces of at most n bytes.
type pieces struct {
	s string
	n int
}

func (p *pieces) Read(b []byte) (int, error) {
	if p.s == "" {
		return 0, io.EOF
	}
	n := copy(b, p.s[:min(p.n, len(p.s))])
	p.s = p.s[n:]
	return n, nil
}

// decodeAll gives the JSON of all elements and the last error.
func decodeAll(d *Decoder) (items []string, err error) {
	for {
		v, err := d.Next()
		if err != nil {
			return items, err
		}
		items = append(items, v.JSON())
	}
}

func TestDecoder(t *testing.T) {
	tests := []struct {
		in, items, err string
		array, empty   bool
	}{
		{"", "", "EOF", false, true},
		{" \n\t", "", "EOF", false, true},
		{"[]", "", "EOF", true, false},
		{" [ ] ", "", "EOF", true, false},
		{"[1, 2 ,[3] ]\n", "1 2 [3]", "EOF", true, false},
		{"12", "12", "EOF", false, false},
		{"null", "null", "EOF", false, false},
		{`{"a":[1, 2]} `, `{"a":[1,2]}`, "EOF", false, false},
		{`"x" y`, `"x"`, "Unexpected non-whitespace character after JSON at position 4 (line 1 column 5)", false, false},
		{"[1,2", "1 2", "Expected ',' or ']' after array element in JSON at position 4 (line 1 column 5)", true, false},
		{"[1,2,", "1 2", "Unexpected end of JSON input", true, false},
		{"[1,2,]", "1 2", `Unexpected token ']', "[1,2,]" is not valid JSON`, true, false},
		{"[1,2]x", "1 2", "Unexpected non-whitespace character after JSON at position 5 (line 1 column 6)", true, false},
		{"[{\"a\":1},\n{\"a\":x}]", `{"a":1}`, `Unexpected token 'x', "[{"a":1},` + "\n" + `{"a":x}]" is not valid JSON`, true, false},
		{`["é", "😀" 3]`, `"é" "😀"`, "Expected ',' or ']' after array element in JSON at position 11 (line 1 column 12)", true, false},
		{"[\r\n1,\r2,\n\n3 4]", "1 2 3", "Expected ',' or ']' after array element in JSON at position 12 (line 5 column 3)", true, false},
		{"[\"abc", "", "Unterminated string in JSON at position 5 (line 1 column 6)", true, false},
		{"[", "", "Unexpected end of JSON input", true, false},
		{"[,", "", `Unexpected token ',', "[," is not valid JSON`, true, false},
		{"\ufeff[1]", "", "Unexpected token '\ufeff', \"\ufeff[1]\" is not valid JSON", false, false},
		{"[tru", "", "Unexpected end of JSON input", true, false},
		{"[1.", "", "Unterminated fractional number in JSON at position 3 (line 1 column 4)", true, false},
		{"[-", "", "No number after minus sign in JSON at position 2 (line 1 column 3)", true, false},
	}
	for _, test := range tests {
		for n := 1; n <= len(test.in)+1; n++ {
			d := NewDecoder(&pieces{test.in, n})
			items, err := decodeAll(d)
			if got := strings.Join(items, " "); got != test.items || err.Error() != test.err || d.IsArray() != test.array || d.Empty() != test.empty {
				t.Errorf("%q in pieces of %d: %s; %v; array %v, empty %v; want %s; %s; %v, %v",
					test.in, n, got, err, d.IsArray(), d.Empty(), test.items, test.err, test.array, test.empty)
				break
			}
			if _, again := d.Next(); again != err {
				t.Errorf("%q: then Next gives %v, want %v again", test.in, again, err)
			}
		}
	}
}

func TestDecoderTrimSpace(t *testing.T) {
	tests := []struct{ in, items, err string }{
		{"\ufeff[1]", "1", "EOF"},
		{"\u00a0\u2028 [1, 2]\u00a0\v\n", "1 2", "EOF"},
		{"\u3000 7 \ufeff", "7", "EOF"},
		{"\ufeff \u00a0", "", "EOF"},
		{"\n\n[1 2]", "1", "Expected ',' or ']' after array element in JSON at position 3 (line 1 column 4)"},
		{"[1\n\n", "1", "Expected ',' or ']' after array element in JSON at position 2 (line 1 column 3)"},
		{"[\"a\n", "", "Unterminated string in JSON at position 3 (line 1 column 4)"},
		{"x\n", "", `Unexpected token 'x', "x" is not valid JSON`},
		{"1 \u00a0 x", "1", "Unexpected non-whitespace character after JSON at position 2 (line 1 column 3)"},
		{"[1\u00a0]", "1", "Expected ',' or ']' after array element in JSON at position 2 (line 1 column 3)"},
		{"NaN\n", "", `"NaN" is not valid JSON`},
	}
	for _, test := range tests {
		for n := 1; n <= len(test.in)+1; n++ {
			d := NewDecoder(&pieces{test.in, n})
			d.TrimSpace()
			items, err := decodeAll(d)
			if got := strings.Join(items, " "); got != test.items || err.Error() != test.err {
				t.Errorf("%q in pieces of %d: %s; %v; want %s; %s", test.in, n, got, err, test.items, test.err)
				break
			}
		}
	}
}

// sameAsParse checks that decoding in pieces gives what parsing the whole gives, error included.
func sameAsParse(t *testing.T, text string, n int) {
	whole, wantErr := ParseString(text)
	d := NewDecoder(&pieces{text, n})
	var items []Value
	var err error
	for {
		v, e := d.Next()
		if err = e; err != nil {
			break
		}
		items = append(items, v)
	}
	switch {
	case wantErr != nil && d.Empty():
		if skipSpace(text, 0) != len(text) {
			t.Errorf("%.300q in pieces of %d counts as empty", text, n)
		}
	case wantErr != nil:
		if err.Error() != wantErr.Error() {
			t.Errorf("%.300q in pieces of %d:\n got %v\nwant %v", text, n, err, wantErr)
		}
	case err != io.EOF:
		t.Errorf("%.300q in pieces of %d: %v", text, n, err)
	case d.IsArray() && (whole.Kind() != ArrayKind || Array(items...).JSON() != whole.JSON()),
		!d.IsArray() && (len(items) != 1 || items[0].JSON() != whole.JSON()):
		t.Errorf("%.300q in pieces of %d gives %.300s", text, n, Array(items...).JSON())
	}
}

func TestDecoderLikeParse(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	texts := classes()
	for i := range 3000 {
		switch {
		case i%3 == 0:
			texts = append(texts, brokenJSON(r))
		case i%200 == 1: // over many chunks
			text := "[" + randomJSON(r)
			for len(text) < 100_000 {
				text += "," + randomJSON(r)
			}
			texts = append(texts, text+"]")
		default:
			texts = append(texts, randomJSON(r))
		}
	}
	for _, text := range texts {
		sameAsParse(t, text, 1+r.IntN(20))
		sameAsParse(t, text, 1+r.IntN(5000))
	}
}

// TestDecoderKeeps checks that values stay as they were while more is read.
func TestDecoderKeeps(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var want []string
	for range 2000 {
		v := mustParse(t, randomJSON(r))
		want = append(want, v.JSON())
	}
	text := "[" + strings.Join(want, ",\n") + "]"
	d := NewDecoder(&pieces{text, 30_000})
	var kept, copies []Value
	for v, err := range d.All() {
		if err != nil {
			t.Fatal(err)
		}
		kept, copies = append(kept, v), append(copies, v.Compact())
	}
	for i := range want {
		if kept[i].JSON() != want[i] || copies[i].JSON() != want[i] {
			t.Fatalf("item %d is %s, its copy %s, want %s", i, kept[i].JSON(), copies[i].JSON(), want[i])
		}
	}
}

func TestDecoderDrain(t *testing.T) {
	rows := `{"a":"` + strings.Repeat("x", 1000) + `"}`
	text := "[" + strings.Repeat(rows+",", 2000) + rows + "]"
	for _, test := range []struct{ in, err string }{
		{text, ""}, {text + " ", ""}, {text[:len(text)-1], "Expected ',' or ']'"}, {text + "]", "Unexpected non-whitespace"},
	} {
		d := NewDecoder(strings.NewReader(test.in))
		first, err := d.Next()
		if err != nil {
			t.Fatal(err)
		}
		err = d.Drain()
		if test.err == "" && err != nil || test.err != "" && (err == nil || !strings.HasPrefix(err.Error(), test.err)) {
			t.Errorf("Drain gives %v, want %q", err, test.err)
		}
		if first.JSON() != rows {
			t.Error("the first item has changed")
		}
	}
}

func TestDecoderReadError(t *testing.T) {
	broken := errors.New("the pipe is broken")
	for _, in := range []string{"", "[1,2,", "[1,2,\"x", "[1,2,3"} {
		d := NewDecoder(iotest.OneByteReader(io.MultiReader(strings.NewReader(in), iotest.ErrReader(broken))))
		items, err := decodeAll(d)
		if err != broken || in != "" && strings.Join(items, " ") != "1 2" {
			t.Errorf("%q: %q, %v", in, items, err)
		}
	}
	d := NewDecoder(iotest.DataErrReader(strings.NewReader("[1,2]")))
	if items, err := decodeAll(d); err != io.EOF || len(items) != 2 {
		t.Errorf("bytes that come with io.EOF: %q, %v", items, err)
	}
}

func TestDepth(t *testing.T) {
	for _, n := range []int{MaxDepth - 1, MaxDepth, MaxDepth + 1, 3 * MaxDepth} {
		for _, text := range []string{
			strings.Repeat("[", n) + strings.Repeat("]", n),
			strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n),
			strings.Repeat(`[{"a": `, n/2) + "1" + strings.Repeat("}]", n/2),
		} {
			depth := n
			if text[1] == '{' {
				depth = n / 2 * 2
			}
			v, err := ParseString(text)
			if depth > MaxDepth {
				if err == nil || err.Error() != "JSON is nested deeper than 10000 levels" {
					t.Errorf("depth %d: error %v", depth, err)
				}
			} else if err != nil {
				t.Errorf("depth %d: %v", depth, err)
			} else if v.JSON() != strings.ReplaceAll(text, " ", "") || !StrictEqual(v, v.Compact()) || len(v.SortedJSON()) == 0 {
				t.Errorf("depth %d does not print as it was", depth)
			}
			_, errAll := decodeAll(NewDecoder(strings.NewReader(text)))
			if (errAll == io.EOF) != (err == nil) {
				t.Errorf("depth %d: decoder %v, parser %v", depth, errAll, err)
			}
		}
	}
}

func TestLineDecoder(t *testing.T) {
	in := "{\"a\": 1}\r\n\n  \r\n[2]\nbad\n\"\xff\"\n3"
	want := `{"a":1} [2] ! "` + "\ufffd" + `" 3`
	for n := 1; n < len(in)+1; n++ {
		d := NewLineDecoder(&pieces{in, n})
		var got []string
		for {
			v, err := d.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				got = append(got, "!")
				continue
			}
			got = append(got, v.JSON())
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("in pieces of %d: %s, want %s", n, s, want)
		}
		d = NewLineDecoder(&pieces{in, n})
		got = got[:0]
		for {
			s, err := d.Text()
			if err == io.EOF {
				break
			}
			got = append(got, s)
		}
		if s, want := strings.Join(got, "|"), `{"a": 1}||  |[2]|bad|"`+"\ufffd"+`"|3`; s != want {
			t.Errorf("in pieces of %d: lines %q, want %q", n, s, want)
		}
	}
}
