package filter

import (
	"testing"

	"github.com/lobsterc/lobsterc/runtime/value"
)

const sample = `{"s":"Hello World, a,b","n":3.14159,"i":1710000000000,"arr":["x",null,{"y":1},[1,2]],"o":{"k":[1]},"b":true,"z":null,"e":"","neg":-2.5,"d":"2024-03-05T06:07:08Z","d2":"2024-03-05","pad":"  sp\t","ds":"1710000000000","dp":" 5\u00a0","da":[5],"bad":"nodate","big":1e21,"h":"0x10","emoji":"😀x","ns":"3.7","nd":-5}`

// The expected texts are what the reference answers for {{key | filter}}; an absent result is "absent".
func TestFilters(t *testing.T) {
	item, err := value.ParseString(sample)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		key    string
		filter Func
		want   string
	}{
		{"s", Upper(), "HELLO WORLD, A,B"}, {"n", Upper(), "3.14159"}, {"z", Upper(), ""}, {"o", Upper(), "[OBJECT OBJECT]"}, {"arr", Upper(), "X,,[OBJECT OBJECT],1,2"},
		{"missing", Upper(), ""}, {"pad", Trim(), "sp"}, {"pad", Lower(), "  sp\t"},
		{"s", Truncate(80), "Hello World, a,b"}, {"s", Truncate(5), "Hello..."}, {"s", Truncate(0), "..."}, {"s", Truncate(-3), "Hello World, ..."}, {"s", Truncate(-99), "..."},
		{"n", Truncate(3), "3.1..."}, {"emoji", Truncate(1), "\xed\xa0\xbd..."}, {"arr", Truncate(4), "x,,[..."},
		{"s", Replace("o", ""), "Hell Wrld, a,b"}, {"s", Replace("o", "0"), "Hell0 W0rld, a,b"}, {"s", Replace("", ""), "Hello World, a,b"}, {"s", Replace("o W", "_"), "Hell_orld, a,b"},
		{"s", Replace("", "x"), "xHxexlxlxox xWxoxrxlxdx,x xax,xbx"}, {"emoji", Replace("", "a"), "a\xed\xa0\xbda\xed\xb8\x80axa"}, {"d2", Replace("", "$'|"), "2024-03-05|2024-03-05|024-03-05|24-03-05|4-03-05|-03-05|03-05|3-05|-05|05|5|"}, {"n", Replace("3", "4"), "4.14159"}, {"s", Replace("o", "$&"), "Hello World, a,b"},
		{"s", Replace("a", "$$"), "Hello World, $,b"}, {"s", Replace("l", "[$`|$']"), "He[He|lo World, a,b][Hel|o World, a,b]o Wor[Hello Wor|d, a,b]d, a,b"}, {"s", Replace("o", "$1"), "Hell$1 W$1rld, a,b"},
		{"s", Split(","), `["Hello World"," a","b"]`}, {"emoji", Split(""), `["\ud83d","\ude00","x"]`}, {"ns", Split(""), `["3",".","7"]`}, {"arr", Split(","), `["x","","[object Object]","1","2"]`}, {"z", Split(","), `[""]`},
		{"arr", First(), "x"}, {"arr", Last(), "[1,2]"}, {"s", First(), "Hello World, a,b"}, {"missing", First(), "absent"},
		{"arr", Length(), "4"}, {"s", Length(), "16"}, {"o", Length(), "0"}, {"n", Length(), "0"}, {"z", Length(), "0"}, {"emoji", Length(), "3"},
		{"arr", Join(", "), "x, , [object Object], 1,2"}, {"arr", Join(""), "x[object Object]1,2"}, {"s", Join("-"), "Hello World, a,b"}, {"z", Join(","), ""},
		{"o", JSON(), "{\n  \"k\": [\n    1\n  ]\n}"}, {"s", JSON(), `"Hello World, a,b"`}, {"z", JSON(), "null"}, {"missing", JSON(), "absent"},
		{"arr", String(), "x,,[object Object],1,2"}, {"z", String(), ""}, {"b", String(), "true"}, {"big", String(), "1e+21"},
		{"z", Default("x"), "x"}, {"missing", Default("x"), "x"}, {"e", Default("x"), "x"}, {"n", Default("x"), "3.14159"}, {"b", Default("x"), "true"},
		{"n", Round(0), "3"}, {"n", Round(2), "3.14"}, {"neg", Round(0), "-3"}, {"s", Round(1), "Hello World, a,b"}, {"ns", Round(0), "4"}, {"z", Round(0), "0"}, {"big", Round(2), "1e+21"},
		{"h", Round(1), "16"}, {"b", Round(0), "1"}, {"e", Round(0), "0"}, {"missing", Round(0), "absent"}, {"n", Round(100), "3.14159"}, {"arr", Round(0), `["x",null,{"y":1},[1,2]]`},
		{"d", Date(), "2024-03-05T06:07:08.000Z"}, {"d2", Date(), "2024-03-05T00:00:00.000Z"}, {"i", Date(), "2024-03-09T16:00:00.000Z"}, {"ds", Date(), "2024-03-09T16:00:00.000Z"},
		{"dp", Date(), "1970-01-01T00:00:00.005Z"}, {"da", Date("YYYY-MM"), "2001-05"},
		{"bad", Date(), "nodate"}, {"z", Date(), "null"}, {"missing", Date(), "undefined"}, {"b", Date(), "true"}, {"o", Date(), "[object Object]"}, {"e", Date(), ""}, {"big", Date(), "1e+21"},
		{"n", Date(), "1970-01-01T00:00:00.003Z"}, {"neg", Date(), "1969-12-31T23:59:59.998Z"},
		{"d", Date("YYYY/MM/DD HH:mm:ss"), "2024/03/05 06:07:08"}, {"d", Date("YYYY YYYY MM"), "2024 YYYY 03"}, {"d", Date("ISO"), "ISO"}, {"d", Date(""), "2024-03-05T06:07:08.000Z"},
	}
	for i, tt := range tests {
		got := tt.filter(item.Get(tt.key))
		text := got.Text()
		if got.IsAbsent() {
			text = "absent"
		}
		if text != tt.want {
			t.Errorf("%d: %s: got %q, want %q", i, tt.key, text, tt.want)
		}
	}
}

func TestFirstAndLastOfNothing(t *testing.T) {
	for _, f := range []Func{First(), Last()} {
		if got := f(value.Array()); !got.IsAbsent() {
			t.Errorf("got %s", got.JSON())
		}
	}
}

func TestCase(t *testing.T) {
	for in, want := range map[string][2]string{
		"Straße":         {"STRASSE", "straße"},
		"ÉCOLE ﬁn":       {"ÉCOLE FIN", "école ﬁn"},
		"ΟΔΟΣ ΣΑΣ Σ":     {"ΟΔΟΣ ΣΑΣ Σ", "οδος σας σ"},
		"İx":             {"İX", "i̇x"},
		"a\xed\xa0\xbdb": {"A\xed\xa0\xbdB", "a\xed\xa0\xbdb"},
	} {
		if u, l := upper(in), lower(in); u != want[0] || l != want[1] {
			t.Errorf("%q: upper %q, lower %q", in, u, l)
		}
	}
}

func TestRound(t *testing.T) {
	for _, tt := range []struct {
		f      float64
		digits int
		want   float64
	}{
		{0.5, 0, 1}, {1.5, 0, 2}, {2.5, 0, 3}, {-0.5, 0, -1}, {1.005, 2, 1}, {1.25, 1, 1.3}, {9.5, 0, 10}, {-99.5, 0, -100}, {0.125, 2, 0.13}, {1234.5678, 3, 1234.568}, {8.345, 2, 8.35}, {1e-7, 2, 0},
	} {
		if got := round(tt.f, tt.digits); got != tt.want {
			t.Errorf("%v to %d: got %v, want %v", tt.f, tt.digits, got, tt.want)
		}
	}
}
