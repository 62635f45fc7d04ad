package schema

import (
	"strings"
	"testing"

	"github.com/lobsterc/lobsterc/runtime/value"
)

func parse(t testing.TB, text string) value.Value {
	t.Helper()
	v, err := value.ParseString(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestPatterns(t *testing.T) {
	tests := []struct {
		pattern, text string
		want          bool
	}{
		{`^\d+$`, "12", true},
		{`^\d+$`, "12\n", false},
		{`^.$`, "\r", false},
		{`^\s$`, "\u00a0", true},
		{`^\S$`, "\u00a0", false},
		{`^[\s]$`, "\ufeff", true},
		{`^\u00e9$`, "é", true},
		{`^\u{1F600}$`, "😀", true},
		{`^[^]$`, "\n", true},
		{`^[]$`, "a", false},
		{`^[[:a]+$`, "[:a", true},
		{`^a\/b\-c$`, "a/b-c", true},
		{`^\p{L}+$`, "日本", true},
		{`^(?<year>\d{4})$`, "2026", true},
	}
	for _, tt := range tests {
		s, err := Compile(value.Object(value.M("pattern", value.String(tt.pattern))))
		if err != nil {
			t.Errorf("%s: %v", tt.pattern, err)
			continue
		}
		if got := s.Validate(value.String(tt.text)) == nil; got != tt.want {
			t.Errorf("%s on %q: %v", tt.pattern, tt.text, got)
		}
	}
	for _, bad := range []string{`(?!x)`, `(?<=x)y`, `(a)\1`, `(?<n>a)\k<n>`} {
		if _, err := Compile(value.Object(value.M("pattern", value.String(bad)))); err == nil || !strings.Contains(err.Error(), "not supported") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func TestLazy(t *testing.T) {
	s := Lazy(parse(t, `{"type":"string"}`))
	if err := s.Validate(value.Int(5)); err == nil || err.Error() != "/: must be string" {
		t.Errorf("got %v", err)
	}
	if err := s.Validate(value.String("x")); err != nil {
		t.Error(err)
	}
	if got := Lazy(parse(t, `{"type":5}`)).Validate(value.Null); got == nil {
		t.Error("a broken schema accepts")
	}
}

func TestRecursion(t *testing.T) {
	s, err := Compile(parse(t, `{"type":"object","properties":{"next":{"$ref":"#"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := Text(s.Faults(parse(t, `{"next":{"next":{"next":5}}}`))); got != "/next/next/next must be object" {
		t.Error(got)
	}
	if s, err := Compile(parse(t, `{"allOf":[{"$ref":"#"}]}`)); err == nil && s.Validate(value.Int(1)) == nil {
		t.Error("an endless schema accepts")
	}
}

func FuzzSchema(f *testing.F) {
	f.Add(`{"type":"object","required":["a"]}`, `{"b":1}`)
	f.Add(`{"if":{"type":"number"},"then":{"minimum":3},"else":false}`, `2`)
	f.Add(`{"patternProperties":{"^a[^]":{"$ref":"#/definitions/x"}},"definitions":{"x":{"enum":[1,null]}}}`, `{"ab":5}`)
	f.Add(`{"items":[{"type":["string","null"]}],"additionalItems":{"uniqueItems":true},"contains":{"const":2}}`, `[1,[2,2]]`)
	f.Fuzz(func(t *testing.T, schema, instance string) {
		source, err := value.ParseString(schema)
		if err != nil {
			return
		}
		v, err := value.ParseString(instance)
		if err != nil {
			return
		}
		s, err := Compile(source)
		if err != nil {
			return
		}
		all := s.Faults(v)
		if (s.Validate(v) == nil) != (len(all) == 0) {
			t.Fatalf("%s on %s: first and all disagree", schema, instance)
		}
		if first, again := Text(all), Text(s.Faults(v)); first != again {
			t.Fatalf("order is not fixed: %s / %s", first, again)
		}
	})
}
