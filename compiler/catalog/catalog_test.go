package catalog

import (
	"slices"
	"testing"
)

func TestBuiltinIsConsistent(t *testing.T) {
	c := New()
	for _, s := range c.All() {
		if s.Summary == "" || len(s.Usage) == 0 || s.Example == "" || s.Ctor.Name == "" {
			t.Errorf("%s: summary, usage, example and constructor are needed", s.Name)
		}
		seen := map[string]bool{}
		fields := map[string]bool{}
		for _, f := range s.Flags {
			for _, n := range append([]string{f.Name}, f.Aliases...) {
				if seen[n] {
					t.Errorf("%s: flag %s twice", s.Name, n)
				}
				seen[n] = true
			}
			if fields[f.Field] || f.Field == "" {
				t.Errorf("%s: field %q of --%s is missing or taken", s.Name, f.Field, f.Name)
			}
			fields[f.Field] = true
			if f.Type == Enum && len(f.Values) == 0 {
				t.Errorf("%s --%s: no values", s.Name, f.Name)
			}
		}
		seen["_"] = s.Words.Mode != NoWords
		for _, g := range slices.Concat(s.OneOf, s.Exclusive) {
			for _, n := range g.Flags {
				if !seen[n] {
					t.Errorf("%s: group names %s", s.Name, n)
				}
			}
		}
		if s.Words.Flag != "" && !seen[s.Words.Flag] {
			t.Errorf("%s: words stand for unknown flag %s", s.Name, s.Words.Flag)
		}
	}
}

func TestNearest(t *testing.T) {
	c := New()
	for _, tt := range []struct{ in, want string }{
		{"groupby", "groupBy"}, {"haed", "head"}, {"sortt", "sort"}, {"state.gte", "state.get"}, {"filter", "where"},
		{"openclaw.invok", "openclaw.invoke"}, {"llm_task", "llm_task.invoke"}, {"zzzzqqqq", ""},
	} {
		got := ""
		if n := c.Nearest(tt.in); len(n) > 0 {
			got = n[0]
		}
		if got != tt.want {
			t.Errorf("Nearest(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestHostStage(t *testing.T) {
	c := New()
	c.Add(Stage{Name: "acme.count", Summary: "Count", Ctor: Ctor{"acme.example/stages", "Count"}})
	if s, ok := c.Lookup("acme.count"); !ok || s.HasOptions() {
		t.Error("a host stage without flags should be found and take no options")
	}
}
