package expr

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lobsterc/lobsterc/ir"
	"github.com/lobsterc/lobsterc/ir/diag"
)

func source(text string) Source {
	return Source{text, func(offset int) diag.Pos { return diag.Pos{Line: 1, Column: offset + 1} }}
}

func testScope() *Scope {
	return &Scope{
		Known: map[string]bool{"a": true, "b-1": true, "collect": true},
		Later: map[string]diag.Pos{"later": {Line: 9, Column: 3}},
	}
}

// show prints an expression with parentheses everywhere.
func show(x ir.Expr) string {
	switch x := x.(type) {
	case nil:
		return "nil"
	case *ir.Lit:
		return x.Value.JSON()
	case *ir.RefExpr:
		return "$" + x.Ref.ID + "." + strings.Join(x.Ref.Path, ".")
	case *ir.Not:
		return "!" + show(x.X)
	case *ir.Logic:
		if x.Or {
			return "(" + show(x.X) + " || " + show(x.Y) + ")"
		}
		return "(" + show(x.X) + " && " + show(x.Y) + ")"
	case *ir.Compare:
		return "(" + show(x.X) + " " + x.Op + " " + show(x.Y) + ")"
	}
	panic(fmt.Sprintf("lobsterc bug: expression %T", x))
}

func list(diags diag.List) string {
	var lines []string
	for _, d := range diags {
		lines = append(lines, fmt.Sprintf("%d-%d %s %s", d.Span.Start.Column, d.Span.End.Column, d.Code, d.Message))
	}
	return strings.Join(lines, "\n")
}

func TestCondition(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"true", "true"}, {" true ", "true"}, {"null", "null"}, {"1.50", "1.5"}, {"-1", "-1"}, {"05 == 5", "(5 == 5)"},
		{"$a.json.n", "$a.json.n"}, {"$b-1.stdout", "$b-1.stdout"}, {"$a.json.n==5", "($a.json.n == 5)"},
		{"!$a.json.z == false", "(!$a.json.z == false)"}, {"!!$a.json", "!!$a.json"}, {"!(1 == 1)", "!(1 == 1)"},
		{"1 == x-y", `(1 == "x-y")`}, {"1 == !x", `(1 == !"x")`}, {"1 == null-x", `(1 == "null-x")`}, {"1 == _x", `(1 == "_x")`},
		{"1 == True", `(1 == "True")`}, {"1 == x && true", `((1 == "x") && true)`},
		{"true||true&&false", "(true || (true && false))"}, {"true && true && 1", "((true && true) && 1)"}, {"(true||true)&&false", "((true || true) && false)"},
		{`'it\'s' == "it's"`, `("it's" == "it's")`}, {`"a\nb" == "anb"`, `("anb" == "anb")`}, {"((true))", "true"},
		{"1 == (1 == 1)", "(1 == (1 == 1))"}, {"$a.json.n\n== 5", "($a.json.n == 5)"}, {"'' == \"\"", `("" == "")`}, {`"é" == 'é'`, `("é" == "é")`},
	} {
		var diags diag.List
		got := show(Condition(source(tt.in), testScope(), &diags))
		if got != tt.want || len(diags) > 0 {
			t.Errorf("%q: got %s, want %s; %s", tt.in, got, tt.want, list(diags))
		}
	}
}

func TestBadCondition(t *testing.T) {
	for _, tt := range []struct {
		in   string
		col  int
		hint string
	}{
		{"", 1, "missing"}, {"  ", 3, "missing"}, {"$a", 1, "names a field"}, {"TRUE", 1, "quotes"}, {"1 == 1 == 1", 8, "chained"}, {"abc == abc", 1, "quotes"},
		{"a", 1, "did you mean $a.json or"}, {"$a.json.s == x y", 16, "operator"}, {"$a.json.s == x.y", 15, "field"}, {"(x) == x", 2, ""}, {"--1", 1, "digits"}, {"1.", 2, "0.5"},
		{".5", 1, "0.5"}, {"1e3", 2, "0.5"}, {"()", 2, ""}, {"(true", 6, ") is missing"}, {"true)", 5, "closes nothing"}, {"true && ", 9, "missing"}, {"&& true", 1, ""},
		{"true & true", 6, "&&"}, {"true | true", 6, "||"}, {"true and true", 6, "&&"}, {"$a.json.n-1 == 4", 10, "dash"}, {"$a.json.", 8, "field"}, {"$a..json", 1, "names a field"},
		{"$a.json[0]", 8, "$a.json.0"}, {`"é" == é`, 9, ""}, {`"open`, 1, "never closed"}, {`"a" "b"`, 5, "operator"}, {"1 = 1", 3, "=="}, {"1 === 1", 3, "=="}, {"1 => 1", 3, "=="},
		{"!", 2, "missing"}, {"1 == -x", 6, "digits"}, {"1 == (x)", 7, "quotes"}, {"${x} == 1", 1, "arguments"}, {"not $a.json", 1, "! for not, and quotes"}, {"steps.a.json", 1, "did you mean $a.json?"}, {"steps.x.json", 1, "without steps"}, {"- 5 == 5", 1, ""},
		{strings.Repeat("(", 100000), 502, "deep"}, {strings.Repeat("!", 100000), 502, "deep"},
	} {
		var diags diag.List
		x := Condition(source(tt.in), testScope(), &diags)
		if x != nil || len(diags) != 1 {
			t.Errorf("%.40q: got %s and %d diagnostics: %s", tt.in, show(x), len(diags), list(diags))
			continue
		}
		d := diags[0]
		if d.Code != diag.BadCondition || d.Span.Start.Column != tt.col || !strings.Contains(d.Hint, tt.hint) {
			t.Errorf("%.40q: column %d (want %d), hint %q (want %q)", tt.in, d.Span.Start.Column, tt.col, d.Hint, tt.hint)
		}
		if want := "Unsupported condition: " + strings.TrimSpace(tt.in); d.Message != want {
			t.Errorf("message %.80q, want %.80q", d.Message, want)
		}
	}
}

func TestReferenceErrors(t *testing.T) {
	for _, tt := range []struct{ in, want, hint string }{
		{"$colect.json && $later.json", "1-13 E0203 unknown step \"colect\"\n17-28 E0204 step \"later\" has no result here", `did you mean "collect"?`},
		{"$a.output == 1", `1-10 E0205 results have no field "output"`, "write $a.stdout"},
		{"$a.exitCode == 0", `1-12 E0205 results have no field "exitCode"`, "write $a.error"},
		{"$a.jsn.x", `1-9 E0205 results have no field "jsn"`, `did you mean "json"?`},
		{"$a.stdout.x.y", "1-14 E0205 stdout has no fields, so $a.stdout.x.y is always empty", "did you mean $a.json.x.y?"},
		{"$a.items2", `1-10 E0205 results have no field "items2"`, "did you mean $a.json.items2?"},
	} {
		var diags diag.List
		if x := Condition(source(tt.in), testScope(), &diags); x == nil {
			t.Errorf("%q: no expression", tt.in)
		}
		if got := list(diags); got != tt.want || !strings.Contains(diags[0].Hint, tt.hint) {
			t.Errorf("%q: got\n%s (%s)\nwant\n%s", tt.in, got, diags[0].Hint, tt.want)
		}
	}
}

func showTemplate(tmpl ir.Template) string {
	var out strings.Builder
	for _, seg := range tmpl {
		switch seg := seg.(type) {
		case ir.Text:
			fmt.Fprintf(&out, "%q", string(seg))
		case ir.ArgRef:
			out.WriteString("<arg " + seg.Name + ">")
		case ir.StepRef:
			out.WriteString("<" + seg.ID + "." + strings.Join(seg.Path, ".") + ">")
		case ir.OpenRef:
			out.WriteString("<open " + seg.ID + " " + showTemplate(seg.Text) + ">")
		case ir.EnvRef:
			out.WriteString("<env " + seg.Name + " " + seg.Raw + ">")
		}
	}
	return out.String()
}

func TestTemplate(t *testing.T) {
	for _, tt := range []struct {
		in   string
		mode Mode
		want string
		diag string
	}{
		{"", Full, "", ""}, {"plain", Full, `"plain"`, ""},
		{"${x}", Full, "<arg x>", ""}, {"a${x-1}b${}c${ x }", Full, `"a"<arg x-1>"b${}c${ x }"`, ""}, {"${x:-1}", Full, `"${x:-1}"`, ""},
		{"$a.json.n.0", Full, "<a.json.n.0>", ""}, {"$a.json.", Full, `<a.json>"."`, ""}, {"$a.json-x", Full, `<a.json>"-x"`, ""}, {"$$a.json$", Full, `"$"<a.json>"$"`, ""},
		{"$a $HOME.x $nope.json.y", Full, `"$a $HOME.x $nope.json.y"`, `12-24 W0208 there is no step "nope", so this stays as written`},
		{"$later.json", Full, `"$later.json"`, `1-12 W0208 step "later" has no result here, so this stays as written`},
		{"$nope.other $HOME.json", Full, `"$nope.other $HOME.json"`, ""},
		{"$a.json{{x}}$a.json.{x} $a.json.n{{x}}", Full, `<a.json>"{{x}}"<a.json>".{x} "<a.json.n>"{{x}}"`, ""},
		{"$a.json.${x} y", Full, `<open a "$a.json."<arg x>>" y"`, ""},
		{"$a.${x-1}.b.c-d", Full, `<open a "$a."<arg x-1>".b.c">"-d"`, ""},
		{"$a.json.n${x}b${y}$a.json", Full, `<open a "$a.json.n"<arg x>"b"<arg y>><a.json>`, ""},
		{"$a.json${X}", Env, `<open a "$a.json"<env X ${X}>>`, "1-8 W0211 the argument that follows reads as part of the name json"},
		{"$zz.json${x}$a${x}$a.json ${x}", Full, `"$zz.json"<arg x>"$a"<arg x><a.json>" "<arg x>`, `1-9 W0208 there is no step "zz", so this stays as written`},
		{"$a.outputs.${x}", Full, `<open a "$a.outputs."<arg x>>`, `1-11 E0205 results have no field "outputs"`},
		{"$a.jsonX", Full, "<a.jsonX>", `1-9 W0211 results have no field "jsonX", so this is always empty`},
		{"$a.output", Full, "<a.output>", `1-10 E0205 results have no field "output"`},
		{"$b-1.stdout/é${y}", Full, `<b-1.stdout>"/é"<arg y>`, ""},
		{"$a.json ${x}", ArgsOnly, `"$a.json "<arg x>`, ""},
		{"$HOME/${X}-${a-b} $a.json $nope.json $1 $ $_Z9-", Env, `<env HOME $HOME>"/"<env X ${X}>"-"<arg a-b>" "<a.json>" "<env nope $nope>".json $1 $ "<env _Z9 $_Z9>"-"`, ""},
	} {
		var diags diag.List
		got := showTemplate(Template(source(tt.in), testScope(), tt.mode, &diags))
		if got != tt.want || list(diags) != tt.diag {
			t.Errorf("%q: got %s, want %s; %s", tt.in, got, tt.want, list(diags))
		}
	}
}

func TestStdin(t *testing.T) {
	for _, tt := range []struct{ in, want, diag string }{
		{" $a.json.x\n", "ref a.json.x", ""}, {"$a.json.x ", "ref a.json.x", ""}, {"$a.json $a.json", `text <a.json>" "<a.json>`, ""}, {"$a", `text "$a"`, ""},
		{"$colect.json", "ref colect.json", `1-13 E0203 unknown step "colect"`},
	} {
		var diags diag.List
		in := Stdin(source(tt.in), testScope(), &diags)
		got := "text " + showTemplate(in.Text)
		if in.Ref != nil {
			got = "ref " + in.Ref.ID + "." + strings.Join(in.Ref.Path, ".")
		}
		if got != tt.want || list(diags) != tt.diag {
			t.Errorf("%q: got %s, want %s; %s", tt.in, got, tt.want, list(diags))
		}
	}
}

func FuzzCondition(f *testing.F) {
	for _, s := range []string{"$a.json == 'x' && !(1 < 2)", "1 == x", `"a\"b" != null`, "!$b-1.stdout || -0.5 >= 1", "${x}", "((("} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var diags diag.List
		x := Condition(source(text), testScope(), &diags)
		if (x == nil) != diagsHave(diags, diag.BadCondition) {
			t.Fatalf("%q: %s with %s", text, show(x), list(diags))
		}
		for _, d := range diags {
			if d.Span.Start.Column < 1 || d.Span.End.Column > len(text)+1 {
				t.Fatalf("%q: span outside the text: %s", text, list(diags))
			}
		}
		if x != nil && len(diags) == 0 {
			again := show(x)
			if y := Condition(source(again), testScope(), &diags); y == nil || show(y) != again {
				// JSON escapes and large numbers are not condition syntax.
				if !strings.ContainsAny(again, "\\e") {
					t.Fatalf("%q prints as %q, which reads as %s", text, again, show(y))
				}
			}
		}
	})
}

func diagsHave(diags diag.List, code diag.Code) bool {
	for _, d := range diags {
		if d.Code == code {
			return true
		}
	}
	return false
}

func FuzzTemplate(f *testing.F) {
	for _, s := range []string{"$a.json.x ${y} $HOME", "$$a.stdout.$", "${", "$b-1.json-${z-1}", "é$a.stdout"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, mode := range []Mode{Full, ArgsOnly, Env} {
			var diags diag.List
			var back strings.Builder
			for _, seg := range Template(source(text), testScope(), mode, &diags) {
				switch seg := seg.(type) {
				case ir.Text:
					if seg == "" {
						t.Fatalf("%q: empty text segment", text)
					}
					back.WriteString(string(seg))
				case ir.ArgRef:
					back.WriteString("${" + seg.Name + "}")
				case ir.StepRef:
					back.WriteString("$" + seg.ID + "." + strings.Join(seg.Path, "."))
				case ir.OpenRef:
					back.WriteString(seg.Text.String())
				case ir.EnvRef:
					back.WriteString(seg.Raw)
				}
			}
			if back.String() != text {
				t.Fatalf("%q became %q", text, back.String())
			}
		}
	})
}

// TestConditionEdits: the edits that a wrong condition suggests make a right one of it.
func TestConditionEdits(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"$a.json.n = 1", "($a.json.n == 1)"}, {"$a.json.n === 1", "($a.json.n == 1)"}, {"$a.json.n !== 1", "($a.json.n != 1)"},
		{"$a.json and true", "($a.json && true)"}, {"$a.json OR true", "($a.json || true)"}, {"$a.json & true", "($a.json && true)"},
		{"true and not $a.json", "(true && !$a.json)"}, {"a.json.n > 1", "($a.json.n > 1)"}, {"steps.a.json", "$a.json"}, {"${a.json.n} > 1", "($a.json.n > 1)"},
		{"${{ steps.a.json.n }} > 1", "($a.json.n > 1)"}, {"$steps.a.json.n > 1", "($a.json.n > 1)"},
		{"$a.json and $a.json == x and true", "(($a.json && ($a.json == \"x\")) && true)"},
	} {
		text := tt.in
		for range 3 {
			var diags diag.List
			Condition(source(text), testScope(), &diags)
			for _, d := range diags {
				for _, e := range d.Edits {
					text = text[:e.Span.Start.Column-1] + e.NewText + text[e.Span.End.Column-1:]
				}
			}
		}
		var diags diag.List
		if got := show(Condition(source(text), testScope(), &diags)); got != tt.want || len(diags) > 0 {
			t.Errorf("%q: %q gives %s, want %s; %s", tt.in, text, got, tt.want, list(diags))
		}
	}
}
