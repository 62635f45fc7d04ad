package catalog

import (
	"slices"
	"strings"
	"testing"

	"github.com/lobsterc/lobsterc/ir"
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

func TestText(t *testing.T) {
	c := New()
	for _, s := range c.All() {
		text, ok := c.Describe(s.Name)
		if !ok || !strings.Contains(text, s.Example) || strings.Contains(text, "  \n") {
			t.Errorf("%s:\n%s", s.Name, text)
		}
		if !strings.Contains(c.List(), s.Name+" ") {
			t.Errorf("%s is not listed", s.Name)
		}
	}
	want := `head - Keep the first items

Usage:
  head [--n N]

Options:
  --n N  how many (default 10)

Effects: none
Example: head --n 3
`
	if got, _ := c.Describe("head"); got != want {
		t.Errorf("got\n%s", got)
	}
	if _, ok := c.Describe("nope"); ok {
		t.Error("nope is no stage")
	}
}

func TestInJSONString(t *testing.T) {
	hole := ir.ArgRef{Name: "x"}
	got := InJSONString(ir.Template{ir.Text(`{"a\"b":"`), hole, ir.Text(`","c":`), hole, ir.Text(`,"d":"x`), hole, hole, ir.Text(`"}`)})
	if want := []bool{false, true, true, false, false, true, true, true}; !slices.Equal(got, want) {
		t.Error(got)
	}
}

func TestConditionalFacts(t *testing.T) {
	c := New()
	with := func(flags ...string) func(string) bool {
		return func(f string) bool { return slices.Contains(flags, f) }
	}
	exec, _ := c.Lookup("exec")
	triage, _ := c.Lookup("email.triage")
	template, _ := c.Lookup("template")
	if exec.UsesInput(with()) || !exec.UsesInput(with("stdin")) {
		t.Error("exec uses its input with --stdin only")
	}
	if triage.Constructor(with()) == triage.Constructor(with("llm")) || !slices.Contains(triage.AllEffects(with("llm")), "calls_llm") || len(triage.AllEffects(with())) != 0 {
		t.Error("email.triage calls a model with --llm only")
	}
	if !slices.Equal(template.AllEffects(with("file")), []string{"reads_file"}) {
		t.Error("template --file reads a file")
	}
}
