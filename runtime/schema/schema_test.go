package schema

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// table reads cases recorded from the reference: {schema, value, path, reason} or {schema, value, invalid} or {schema, value, all}.
func table(t *testing.T, file string) []value.Value {
	t.Helper()
	data, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	v, err := value.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return v.Items()
}

// differs lists what this package knowingly does otherwise: look-around is refused, [\d-x] is accepted, and of several branches of oneOf
// that match, those that did not are not listed.
func differs(schema string) bool {
	return strings.Contains(schema, "(?=") || strings.Contains(schema, `[\\d-x]`) || strings.Contains(schema, `{"type":"number"},{"minimum":1}]`)
}

func TestFirstFault(t *testing.T) {
	for _, c := range table(t, "first.json") {
		source := c.Get("schema")
		name := source.JSON() + " <- " + c.Get("value").JSON()
		if differs(source.JSON()) {
			continue
		}
		s, err := Compile(source)
		if want := c.Get("invalid"); !want.IsAbsent() || err != nil {
			if err == nil || err.Error() != want.Str() {
				t.Errorf("%s: compile gave %v, want %s", name, err, want.Str())
			}
			continue
		}
		var got flow.SchemaError
		if err := s.Validate(c.Get("value")); err != nil {
			var serr *flow.SchemaError
			if !errors.As(err, &serr) {
				t.Fatalf("%s: %T", name, err)
			}
			got = *serr
		}
		if want := (flow.SchemaError{Path: c.Get("path").Str(), Reason: c.Get("reason").Str()}); got != want {
			t.Errorf("%s:\n got %+v\nwant %+v", name, got, want)
		}
	}
}

func TestAllFaults(t *testing.T) {
	for _, c := range table(t, "all.json") {
		name := c.Get("schema").JSON() + " <- " + c.Get("value").JSON()
		if differs(c.Get("schema").JSON()) {
			continue
		}
		s, err := Compile(c.Get("schema"))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for range 5 { // the library's order is random
			if got := Text(s.Faults(c.Get("value"))); got != c.Get("all").Str() {
				t.Errorf("%s:\n got %s\nwant %s", name, got, c.Get("all").Str())
				break
			}
		}
	}
}
