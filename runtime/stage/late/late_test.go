package late

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/stage"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// result runs one stage over the items of a JSON array.
func result(t *testing.T, s flow.Stage, dir, items string) string {
	t.Helper()
	v, err := value.ParseString(items)
	if err != nil {
		t.Fatal(err)
	}
	in := func(yield func(value.Value, error) bool) {
		for item := range v.All() {
			if !yield(item, nil) {
				return
			}
		}
	}
	out, err := flow.Collect(s.Run(&flow.Env{Ctx: context.Background(), Dir: dir}, in))
	if err != nil {
		return "error: " + err.Error()
	}
	return value.Array(out...).JSON()
}

func TestLate(t *testing.T) {
	const items = `[{"a":1,"b":"x"},{"a":2,"b":"y"}]`
	var l Values
	for _, tt := range []struct {
		stage flow.Stage
		want  string
	}{
		{l.Stage(stage.Head(stage.HeadOptions{N: l.Number("head --n", "bad", "1")})), `[{"a":1,"b":"x"}]`},
		{l.Stage(stage.Head(stage.HeadOptions{N: l.Number("head --n", "bad %s", "x")})), "error: bad x"},
		{l.Stage(stage.Where(stage.WhereOptions{Keep: l.Predicate("", "", "a >= 2")})), `[{"a":2,"b":"y"}]`},
		{l.Stage(stage.Where(stage.WhereOptions{Keep: l.Predicate("", "", "a ~ 2")})), "error: Invalid where expression: a ~ 2"},
		{l.Stage(stage.Template(stage.TemplateOptions{Text: l.Template("", "", "{{a}}-{{b | upper | replace X 'z z'}}{{c | default n}}{{b|truncate 0}}{{a|date YYYY}}")})), `["1-z zn...1970","2-Yn...1970"]`},
		{l.Stage(stage.Template(stage.TemplateOptions{Text: l.Template("", "", "{{a|nope}}")})), "error: Unknown template filter: nope"},
		{l.Stage(stage.Map(stage.MapOptions{Set: []stage.Assign{l.Assign("c={{b}}!")}})), `[{"a":1,"b":"x","c":"x!"},{"a":2,"b":"y","c":"y!"}]`},
		{l.Stage(stage.Pick(stage.PickOptions{Fields: l.Names("b, a")})), `[{"b":"x","a":1},{"b":"y","a":2}]`},
		{l.Stage(stage.Sort(stage.SortOptions{Key: l.Path("a"), Desc: l.Bool("yes")})), `[{"a":2,"b":"y"},{"a":1,"b":"x"}]`},
		{l.Stage(stage.Sort(stage.SortOptions{Key: l.Path("a"), Desc: l.Bool("false")})), items},
	} {
		if got := result(t, tt.stage, "", items); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
	if l.err != nil {
		t.Error(l.err)
	}
}

func TestValues(t *testing.T) {
	var l Values
	if n := l.IntPtr("x", "", ""); n != nil {
		t.Error(*n)
	}
	if n := l.IntPtr("x", "", "0x10"); *n != 16 {
		t.Error(*n)
	}
	if w := strings.Join(l.Words(`a 'b c'`), "|"); w != "a|b c" {
		t.Error(w)
	}
	if s := Quoted("a\"b\n"); s != `a\"b\n` {
		t.Error(s)
	}
	if l.err != nil {
		t.Error(l.err)
	}
	for _, bad := range []func(){
		func() { l.Int("x --n", "", "1.5") }, func() { l.Enum("x", "", "c", "a", "b") }, func() { l.JSON("x", "", "{") },
		func() { l.Schema("x", "", "[]", nil) }, func() { l.Words("'") }, func() { l.Assign("x") }, func() { l.Names("") },
	} {
		l.err = nil
		if bad(); l.err == nil {
			t.Error("no error")
		}
	}
}

func TestTemplateFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "t.txt"), []byte("<{{a}}>\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := result(t, Template(TemplateOptions{File: "t.txt"}), dir, `[{"a":1}]`); got != `["<1>\n"]` {
		t.Error(got)
	}
	if got := result(t, Template(TemplateOptions{File: "nope"}), dir, `[{"a":1}]`); got != "error: ENOENT: no such file or directory, open 'nope'" {
		t.Error(got)
	}
}
