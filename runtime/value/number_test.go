package value

import (
	"math"
	"testing"
)

func TestNumberText(t *testing.T) {
	tests := []struct {
		f    float64
		want string
	}{
		{0, "0"}, {math.Copysign(0, -1), "0"}, {1, "1"}, {-1.5, "-1.5"}, {100, "100"}, {1e20, "100000000000000000000"},
		{1e21, "1e+21"}, {-1e21, "-1e+21"}, {1.5e300, "1.5e+300"}, {1e-6, "0.000001"}, {1e-7, "1e-7"}, {1.25e-7, "1.25e-7"},
		{0.30000000000000004, "0.30000000000000004"}, {5e-324, "5e-324"}, {math.MaxFloat64, "1.7976931348623157e+308"},
		{123456789012345680000, "123456789012345680000"}, {9007199254740992, "9007199254740992"}, {1 << 60, "1152921504606847000"},
		{123.456, "123.456"}, {-0.5, "-0.5"}, {math.NaN(), "NaN"}, {math.Inf(1), "Infinity"}, {math.Inf(-1), "-Infinity"},
	}
	for _, test := range tests {
		if got := NumberText(test.f); got != test.want {
			t.Errorf("NumberText(%g) = %s, want %s", test.f, got, test.want)
		}
	}
}

func TestNumberLiterals(t *testing.T) {
	tests := []struct {
		in, json string
		f        float64
	}{
		{"-0", "0", 0}, {"-0.0", "0", 0}, {"1.0", "1", 1}, {"1e2", "100", 100}, {"1E-2", "0.01", 0.01}, {"1e400", "null", math.Inf(1)},
		{"9007199254740992", "9007199254740992", 1 << 53},
		{"9007199254740993", "9007199254740993", 1 << 53},
		{"-9007199254740993", "-9007199254740993", -1 << 53},
		{"123456789012345680000", "123456789012345680000", 123456789012345680000},
		{"123456789012345678901", "123456789012345678901", 123456789012345680000},
		{"1152921504606846976", "1152921504606846976", 1 << 60},
		{"1000000000000000000000", "1e+21", 1e21},
		{"1180591620717411303424", "1180591620717411303424", 1 << 70},
		{"9007199254740993.0", "9007199254740992", 1 << 53}, // not an integer literal
		{"9007199254740993e0", "9007199254740992", 1 << 53},
	}
	for _, test := range tests {
		for _, text := range []string{test.in, "[" + test.in + "]", `{"k" : ` + test.in + "}"} {
			v := mustParse(t, text)
			want := test.json
			switch v.Kind() {
			case ArrayKind:
				v, want = v.At(0), "["+want+"]"
			case ObjectKind:
				v, want = v.Get("k"), `{"k":`+want+"}"
			}
			if got := mustParse(t, text).JSON(); got != want || v.Float() != test.f || v.JSON() != test.json {
				t.Errorf("%s prints %s, its number %s, as a double %v; want %s, %v", text, got, v.JSON(), v.Float(), want, test.f)
			}
		}
	}
}

func TestStringNumber(t *testing.T) {
	nan := math.NaN()
	tests := []struct {
		in   string
		want float64
	}{
		{"", 0}, {"  \n\ufeff\u00a0", 0}, {" 5 ", 5}, {"+5", 5}, {"-5.5", -5.5}, {"5.", 5}, {".5", 0.5}, {"-.5e1", -5}, {".", nan}, {"e5", nan},
		{"1e3", 1000}, {"1e400", math.Inf(1)}, {"-1e400", math.Inf(-1)}, {"1e-400", 0}, {"Infinity", math.Inf(1)}, {"-Infinity", math.Inf(-1)},
		{"infinity", nan}, {"inf", nan}, {"NaN", nan}, {"nan", nan}, {"0x10", 16}, {"0XfF", 255}, {"-0x10", nan}, {"+0x10", nan}, {"0x", nan}, {"0x1g", nan},
		{"0b101", 5}, {"0B12", nan}, {"0o17", 15}, {"0o8", nan}, {"010", 10}, {"1_000", nan}, {"1,000", nan}, {"0x1p3", nan}, {"5px", nan},
		{"--5", nan}, {"1e", nan}, {"1 2", nan}, {"0x20000000000001", 9007199254740992}, {"0x20000000000003", 9007199254740996},
		{"0x1fffffffffffff8000000000000001", 1.661534994731145e+35}, {"0x10000000000000000", 18446744073709551616},
	}
	for _, test := range tests {
		if got := StringNumber(test.in); got != test.want && (got == got || test.want == test.want) {
			t.Errorf("StringNumber(%q) = %v, want %v", test.in, got, test.want)
		}
	}
}
