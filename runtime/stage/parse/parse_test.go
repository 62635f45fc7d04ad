package parse

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// The tables are answers of the reference.

func TestWhere(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"a = 1", "[a] == 1"}, {"a=  1  ", "[a] == 1"}, {"n >5", "[n] > 5"}, {"z==null", "[z] == null"}, {"u=true", "[u] == true"}, {"u!=false", "[u] != false"},
		{"a==0x1", "[a] == 1"}, {"a==+1", "[a] == 1"}, {"a==1.", "[a] == 1"}, {"a==.5", "[a] == 0.5"}, {"a==1e400", "[a] == null"}, {"a==NaN", `[a] == "NaN"`},
		{`n=="5"`, `[n] == "\"5\""`}, {"b==x y", `[b] == "x y"`}, {".a==1", "[ a] == 1"}, {"a..b==1", "[a  b] == 1"},
		{"n===5", `[n] == "=5"`}, {"n!==5", `[n] != "=5"`}, {"n<==5", `[n] <= "=5"`}, {"n=!5", `[n] == "!5"`}, {"a<>1", `[a] < ">1"`}, {"a=>1", `[a] == ">1"`},
		{"a==", `[a] == "="`}, {"m= ", `[m] == ""`}, {"m==  ", `[m] == ""`}, {"a=\n1", "[a] == 1"}, {"l.1==q", `[l 1] == "q"`},
		{"a", ""}, {"a!1", ""}, {" a=1", ""}, {"==1", ""}, {"a-b==1", ""}, {"é=1", ""}, {"a=1\n2", ""}, {"k=", ""}, {"", ""}, {"a=\n", ""},
	} {
		c, err := Where(tt.in)
		got := ""
		if err == nil {
			got = fmt.Sprintf("[%s] %s %s", strings.Join(c.Path, " "), c.Op, c.Value.JSON())
		} else if err.Error() != "Invalid where expression: "+tt.in {
			t.Errorf("%q: message %q", tt.in, err)
		}
		if got != tt.want {
			t.Errorf("%q: got %s, want %s", tt.in, got, tt.want)
		}
	}
}

func show(pieces []Piece) string {
	var out strings.Builder
	for _, p := range pieces {
		if !p.Hole {
			fmt.Fprintf(&out, "%q", p.Lit)
			continue
		}
		out.WriteString("<" + strings.Join(p.Path, "/"))
		for _, f := range p.Filters {
			out.WriteString("|" + f.Name)
			for _, a := range f.Args {
				out.WriteString(" " + a.JSON())
			}
		}
		out.WriteString(">")
	}
	return out.String()
}

func TestTemplate(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"a{{b}}c", `"a"<b>"c"`}, {"{{.}}{{this}}{{ }}{{  . }}", "<><><><>"}, {"{{}}", `"{{}}"`}, {"{{a b}}{{.a}}{{a.}}{{l.0}}", "<a b><a><a><l/0>"},
		{"{{a|upper}}{{ a | upper|lower }}", "<a|upper><a|upper|lower>"}, {"{{{a}}}", `<{a>"}"`}, {"{{{{a}}}}", `<{{a>"}}"`}, {"{ {a}}", `"{ {a}}"`}, {"{{a}", `"{{a}"`},
		{`{{a}x}} {{b}}`, `"{{a}x}} "<b>`}, {"{{\na\n}}", "<a>"}, {"{{| upper}}", "<|upper>"},
		{`{{a|truncate}}{{a|truncate 0x3}}{{a|truncate 3px}}{{a|truncate -20}}{{a|truncate .5}}{{a|truncate " 3 "}}{{a|truncate ''}}`, "<a|truncate 80><a|truncate 0><a|truncate 3><a|truncate -20><a|truncate 80><a|truncate 3><a|truncate 80>"},
		{`{{a|replace a b}}{{a|replace "a|b" c}}{{a|replace a}}{{a|replace '' X}}`, `<a|replace "a" "b"><a|replace "a|b" "c"><a|replace "a" ""><a|replace "" "X">`},
		{`{{a|replace "a""b" c}}{{a|replace a"b" c}}{{a|replace "a"b c}}`, `<a|replace "a" "b"><a|replace "a\"b\"" "c"><a|replace "a" "b">`},
		{`{{a|default 'x | upper}}{{a|default it's | upper}}{{a|default "a\tb\\c\"d"}}{{a|default a\tb}}`, `<a|default "x | upper"><a|default "it's"><a|default "atb\\c\"d"><a|default "a\\tb">`},
		{`{{a|join}}{{a|join ""}}{{a|split}}{{a|date}}{{a|date ""}}{{a|date "YYYY MM"}}{{a|round}}{{a|round 1.5}}{{a|default}}{{a|upper x}}`, `<a|join ", "><a|join ""><a|split ","><a|date><a|date><a|date "YYYY MM"><a|round 0><a|round 1><a|default ""><a|upper>`},
	} {
		p, err := Template(tt.in)
		if got := show(p); got != tt.want || err != nil {
			t.Errorf("%q:\n got %s\nwant %s (%v)", tt.in, got, tt.want, err)
		}
	}
}

func TestBadTemplate(t *testing.T) {
	for _, tt := range []struct {
		in, want string
		offset   int
	}{
		{"{{a | }}", "Unknown template filter: ", 6}, {"x{{a|Upper}}", "Unknown template filter: Upper", 5}, {"{{a || upper}}", "Unknown template filter: ", 5},
		{"{{a|upper| truncate\"3\"}}", "Unknown template filter: truncate\"3\"", 11}, {"{{a|constructor}}", "Unknown template filter: constructor", 4},
		{"{{a|round 101}}", "toFixed() digits argument must be between 0 and 100", 4},
	} {
		_, err := Template(tt.in)
		e, ok := err.(*Error)
		if !ok || e.Message != tt.want || e.Offset != tt.offset {
			t.Errorf("%q: got %v, want %s at %d", tt.in, err, tt.want, tt.offset)
		}
	}
}

func TestPlainPathsAndNames(t *testing.T) {
	if got := show(Plain("{{b|x}}-{{a b}}{{b}x}}{{ . }}")); got != `<b|x>"-"<a b>"{{b}x}}"<>` {
		t.Error(got)
	}
	if got := Path(".a..b."); !slices.Equal(got, []string{"a", "b"}) {
		t.Error(got)
	}
	if got := Path("."); got != nil {
		t.Error(got)
	}
	if got := Names(" a , b,,a\n"); !slices.Equal(got, []string{"a", "b", "a"}) {
		t.Error(got)
	}
	if a, err := Assignment(" k = v{{x}}=y"); err != nil || a.Key != "k" || show(a.Text) != `" v"<x>"=y"` {
		t.Error(a, err)
	}
	for _, bad := range []string{"a", "=x", " =x"} {
		if _, err := Assignment(bad); err == nil {
			t.Error(bad)
		}
	}
}

func TestWords(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"a  b\tc\n", "a|b|c"}, {`'a b'c "d'\"e\n"`, `a bc|d'"e\n`}, {`'it\'s' ''`, "it's|"}, {`a\ b`, `a\|b`}, {"\"a\\\nb\"", "ab"},
	} {
		words, err := Words(tt.in)
		if got := strings.Join(words, "|"); got != tt.want || err != nil {
			t.Errorf("%q: got %q, want %q (%v)", tt.in, got, tt.want, err)
		}
	}
	if _, err := Words("a 'b"); err == nil || err.Error() != "Unclosed quote" {
		t.Error(err)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"a>=1", "{{a | replace \"x\" 'y'}}", "k=v", "a 'b c'", "{{", "a= \u2028"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if _, err := Where(s); err != nil {
			if e := err.(*Error); e.Offset < 0 || e.Offset > len(s) {
				t.Fatal(e.Offset)
			}
		}
		if _, err := Template(s); err != nil {
			if e := err.(*Error); e.Offset < 0 || e.Offset > len(s) {
				t.Fatal(e.Offset)
			}
		}
		Plain(s)
		_, _ = Assignment(s)
		_, _ = Words(s)
		Names(s)
	})
}
