package value

import (
	"math"
	"testing"
	"unsafe"
)

func mustParse(t testing.TB, s string) Value {
	t.Helper()
	v, err := ParseString(s)
	if err != nil {
		t.Fatalf("ParseString(%q): %v", s, err)
	}
	return v
}

func TestSize(t *testing.T) {
	if n := unsafe.Sizeof(Value{}); n != 16 {
		t.Errorf("a Value has %d bytes, want 16", n)
	}
}

func TestKinds(t *testing.T) {
	big := mustParse(t, "9007199254740993")
	tests := []struct {
		v    Value
		kind Kind
		json string
		text string
		js   string
		num  float64
		ok   bool
	}{
		{Value{}, Absent, "null", "", "undefined", math.NaN(), false},
		{Null, NullKind, "null", "", "null", 0, false},
		{Bool(true), BoolKind, "true", "true", "true", 1, true},
		{Bool(false), BoolKind, "false", "false", "false", 0, false},
		{Number(0), NumberKind, "0", "0", "0", 0, false},
		{Number(math.Copysign(0, -1)), NumberKind, "0", "0", "0", 0, false},
		{Number(math.NaN()), NumberKind, "null", "NaN", "NaN", math.NaN(), false},
		{Number(math.Inf(-1)), NumberKind, "null", "-Infinity", "-Infinity", math.Inf(-1), true},
		{Int(math.MaxInt64), NumberKind, "9223372036854775807", "9223372036854775807", "9223372036854775807", 9223372036854775807, true},
		{Int(math.MinInt64), NumberKind, "-9223372036854775808", "-9223372036854775808", "-9223372036854775808", -9223372036854775808, true},
		{big, NumberKind, "9007199254740993", "9007199254740993", "9007199254740993", 9007199254740992, true},
		{String(""), StringKind, `""`, "", "", 0, false},
		{String("12"), StringKind, `"12"`, "12", "12", 12, true},
		{Array(), ArrayKind, "[]", "[]", "", 0, true},
		{Array(Int(7)), ArrayKind, "[7]", "[7]", "7", 7, true},
		{Array(Null, Value{}, String("a"), Array(Int(1), Int(2))), ArrayKind, `[null,null,"a",[1,2]]`,
			`[null,null,"a",[1,2]]`, ",,a,1,2", math.NaN(), true},
		{Object(), ObjectKind, "{}", "{}", "[object Object]", math.NaN(), true},
		{Object(M("a", Int(1)), M("x", Value{})), ObjectKind, `{"a":1}`, `{"a":1}`, "[object Object]", math.NaN(), true},
	}
	for _, test := range tests {
		v := test.v
		if v.Kind() != test.kind || v.JSON() != test.json || v.Text() != test.text || v.JSString() != test.js || v.Truthy() != test.ok {
			t.Errorf("%v: kind %v, JSON %s, Text %q, JSString %q, Truthy %v; want %v, %s, %q, %q, %v", test.json,
				v.Kind(), v.JSON(), v.Text(), v.JSString(), v.Truthy(), test.kind, test.json, test.text, test.js, test.ok)
		}
		if n := v.JSNumber(); n != test.num && (n == n || test.num == test.num) {
			t.Errorf("%s: JSNumber %v, want %v", test.json, n, test.num)
		}
	}
}

func TestAccess(t *testing.T) {
	built := Object(M("a", Int(1)), M("list", Array(Int(10), String("x"), Object(M("deep", Bool(true))))),
		M("s", String("a😀b")), M("n", Null))
	for _, v := range []Value{built, mustParse(t, built.JSON()), mustParse(t, built.Indent())} {
		tests := []struct {
			path []string
			want string
		}{
			{[]string{"a"}, "1"}, {[]string{"list", "0"}, "10"}, {[]string{"list", "length"}, "3"},
			{[]string{"list", "2", "deep"}, "true"}, {[]string{"list", "3"}, "absent"}, {[]string{"list", "01"}, "absent"},
			{[]string{"s", "length"}, "4"}, {[]string{"s", "1"}, `"\ud83d"`}, {[]string{"s", "3"}, `"b"`},
			{[]string{"s", "4"}, "absent"}, {[]string{"n", "x"}, "absent"}, {[]string{"constructor"}, "absent"},
			{[]string{"a", "b", "c"}, "absent"}, {nil, built.JSON()},
		}
		for _, test := range tests {
			got := v.Path(test.path...)
			if text := got.JSON(); text != test.want && !(got.IsAbsent() && test.want == "absent") {
				t.Errorf("Path(%q) = %s, want %s", test.path, text, test.want)
			}
		}
		if v.Len() != 4 || v.Get("list").Len() != 3 {
			t.Errorf("Len %d and %d, want 4 and 3", v.Len(), v.Get("list").Len())
		}
		keys := ""
		for k, x := range v.Members() {
			keys += k + ":" + x.Kind().String() + " "
		}
		if want := "a:number list:array s:string n:null "; keys != want {
			t.Errorf("Members %q, want %q", keys, want)
		}
		n := 0
		for x := range v.Get("list").All() {
			if !StrictEqual(x, v.Get("list").At(n)) {
				t.Errorf("All gives %s at %d", x.JSON(), n)
			}
			n++
		}
		if got := v.With("a", String("z")).With("b", Int(2)).With("n", Value{}).JSON(); got !=
			`{"a":"z","list":[10,"x",{"deep":true}],"s":"a😀b","b":2}` {
			t.Errorf("With gives %s", got)
		}
	}
}

func TestObjectOrder(t *testing.T) {
	tests := []struct{ in, want string }{
		{`{"b":1,"a":2,"b":3}`, `{"b":3,"a":2}`},
		{`{"b":1,"10":2,"2":3,"01":4,"4294967294":5,"4294967295":6,"-1":7}`, `{"2":3,"10":2,"4294967294":5,"b":1,"01":4,"4294967295":6,"-1":7}`},
		{`{"__proto__":1,"constructor":2,"__proto__":3}`, `{"__proto__":3,"constructor":2}`},
		{`{"a":1,"\u0061":2}`, `{"a":2}`},
		{`{"":1,"":2}`, `{"":2}`},
		{`{"\u0031":1,"0":2}`, `{"0":2,"1":1}`},
		{`{"x":{"k":1,"k":{"2":1,"1":2}}}`, `{"x":{"k":{"1":2,"2":1}}}`},
	}
	for _, test := range tests {
		v := mustParse(t, test.in)
		if got := v.JSON(); got != test.want {
			t.Errorf("%s prints %s, want %s", test.in, got, test.want)
		}
		var members []Member
		for k, x := range v.Members() {
			members = append(members, M(k, x))
			if got := v.Get(k); !StrictEqual(got, x) {
				t.Errorf("%s: Get(%q) = %s, want %s", test.in, k, got.JSON(), x.JSON())
			}
		}
		if got := Object(members...).JSON(); got != test.want || v.Len() != len(members) {
			t.Errorf("%s: members make %s (Len %d), want %s", test.in, got, v.Len(), test.want)
		}
	}
}

func TestLargeObject(t *testing.T) {
	for _, n := range []int{16, 17, 40, 300, 5000} {
		var members []Member
		text := "{"
		for i := range n {
			key := "k" + NumberText(float64(i))
			members = append(members, M(key, Int(int64(i))))
			if i > 0 {
				text += ","
			}
			text += `"` + key + `":` + NumberText(float64(i))
		}
		text += "}"
		built, parsed := Object(members...), mustParse(t, text)
		if built.JSON() != text || parsed.JSON() != text {
			t.Errorf("%d members do not print as they were", n)
		}
		if !StrictEqual(built, parsed) || built.Get("k15").Float() != 15 || !parsed.Get("nope").IsAbsent() || parsed.Len() != n {
			t.Errorf("%d members: built and parsed objects differ", n)
		}
	}
}

func TestSparseObject(t *testing.T) {
	v := ObjectSparse([]Member{M("b", Value{}), M("a", Int(1)), M("0", Value{}), M("a", Int(2)), M("c", Value{})})
	if got := v.JSON(); got != `{"a":2}` || v.Len() != 4 {
		t.Errorf("got %s with %d members", got, v.Len())
	}
	if got := v.Indent(); got != "{\n  \"a\": 2\n}" {
		t.Errorf("got %s", got)
	}
	if got := v.With("b", Int(3)).With("c", Int(4)).JSON(); got != `{"b":3,"a":2,"c":4}` {
		t.Errorf("got %s", got)
	}
	if got := v.With("b", Value{}); got.Len() != 3 || got.JSON() != `{"a":2}` {
		t.Errorf("got %s with %d members", got.JSON(), got.Len())
	}
	empty := ObjectSparse([]Member{M("x", Value{})})
	if empty.JSON() != "{}" || empty.Indent() != "{}" || empty.SortedJSON() != "{}" || empty.Compact().Len() != 1 {
		t.Errorf("got %s, %s, %s", empty.JSON(), empty.Indent(), empty.SortedJSON())
	}
}
