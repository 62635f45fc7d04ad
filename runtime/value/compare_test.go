package value

import (
	"math"
	"slices"
	"testing"
)

func TestLoose(t *testing.T) {
	tests := []struct {
		a, b            string // JSON, "" is absent
		eq, less, lesEq bool
	}{
		{"null", "null", true, false, true}, {"", "null", true, false, false}, {"", "", true, false, false}, {"null", "0", false, false, true},
		{"", "0", false, false, false}, {"null", "1", false, true, true}, {"null", "false", false, false, true}, {`""`, "null", false, false, true},
		{"1", `"1"`, true, false, true}, {"1", `"01.0"`, true, false, true}, {"1", `"x"`, false, false, false}, {"true", "1", true, false, true},
		{"true", `"1"`, true, false, true}, {"true", `"true"`, false, false, false}, {"false", `""`, true, false, true}, {"false", "0", true, false, true},
		{`"a"`, `"b"`, false, true, true}, {`"10"`, `"9"`, false, true, true}, {"10", `"9"`, false, false, false}, {`"a"`, `"a"`, true, false, true},
		{`["p","q"]`, `"p,q"`, true, false, true}, {`[5]`, "5", true, false, true}, {"[]", "0", true, false, true}, {`{"a":1}`, `"[object Object]"`, true, false, true},
		{"9007199254740993", "9007199254740992", true, false, true}, {`"\uffff"`, `"😀"`, false, false, false}, {`"😀"`, `"\uffff"`, false, true, true},
	}
	for _, test := range tests {
		var a, b Value
		if test.a != "" {
			a = mustParse(t, test.a)
		}
		if test.b != "" {
			b = mustParse(t, test.b)
		}
		if LooseEqual(a, b) != test.eq || LooseEqual(b, a) != test.eq || LooseLess(a, b) != test.less || LooseLessEqual(a, b) != test.lesEq {
			t.Errorf("%q and %q: == %v, < %v, <= %v; want %v, %v, %v", test.a, test.b, LooseEqual(a, b), LooseLess(a, b), LooseLessEqual(a, b),
				test.eq, test.less, test.lesEq)
		}
	}
	if nan := Number(math.NaN()); LooseEqual(nan, nan) || LooseLess(nan, nan) || LooseLessEqual(nan, nan) || StrictEqual(nan, nan) {
		t.Error("NaN equals itself")
	}
}

func TestStrictEqual(t *testing.T) {
	tests := []struct {
		a, b string
		want bool
	}{
		{"1", "1.0", true}, {"1", `"1"`, false}, {"null", "false", false}, {`"\u0061"`, `"a"`, true}, {`""`, `""`, true}, {"0", "-0", true},
		{"[1,[2,{}]]", "[1, [2, { }]]", true}, {"[1]", "[1,2]", false}, {`{"a":1,"b":2}`, `{"b":2,"a":1}`, true}, {`{"a":1}`, `{"b":1}`, false},
		{`{"a":1,"a":2}`, `{"a":2}`, true}, {"{}", "[]", false}, {"[]", "[]", true}, {"9007199254740993", "9007199254740992", true},
	}
	for _, test := range tests {
		a, b := mustParse(t, test.a), mustParse(t, test.b)
		if got := StrictEqual(a, b); got != test.want || StrictEqual(b, a) != test.want || StrictEqual(rebuilt(a), b) != test.want {
			t.Errorf("StrictEqual(%s, %s) = %v", test.a, test.b, got)
		}
	}
	if StrictEqual(Value{}, Null) || !StrictEqual(Value{}, Value{}) {
		t.Error("absent must equal only absent")
	}
}

func TestCompareUTF16(t *testing.T) {
	// In order; lone surrogates as WTF-8. D83D DE00 is 😀.
	list := []string{"", "\x00", "a", "a\x00", "ab", "b", "é", "ê", "\ud7ff", "\xed\xa0\x80", "\xed\xa0\x80a", "\U00010000", "\xed\xa0\xbd", "\xed\xa0\xbda",
		"😀", "😀a", "😁", "\U0010ffff", "\xed\xb0\x80", "\xed\xbf\xbf", "\ue000", "\ufeff", "\uffff"}
	for i, a := range list {
		for j, b := range list {
			got := CompareUTF16("x"+a, "x"+b)
			if got < 0 != (i < j) || got == 0 != (i == j) {
				t.Errorf("CompareUTF16(%+q, %+q) = %d", a, b, got)
			}
		}
	}
	if !slices.IsSortedFunc(list, CompareUTF16) {
		t.Error("the list is not in order")
	}
}
