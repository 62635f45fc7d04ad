package pipeline

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lobsterc/lobsterc/compiler/catalog"
	"github.com/lobsterc/lobsterc/compiler/expr"
	"github.com/lobsterc/lobsterc/ir"
	"github.com/lobsterc/lobsterc/ir/diag"
	"github.com/lobsterc/lobsterc/runtime/stage/parse"
)

func source(text string) expr.Source {
	return expr.Source{Text: text, At: func(offset int) diag.Pos { return diag.Pos{Line: 1, Column: offset + 1} }}
}

var (
	inline   = Context{Catalogue: catalog.New()}
	workflow = Context{Catalogue: catalog.New(), StepID: "s", Scope: &expr.Scope{Known: map[string]bool{"a": true}}}
)

func run(text string, ctx Context) (*ir.Pipeline, diag.List) {
	var diags diag.List
	p := Parse(source(text), ctx, &diags)
	return p, diags
}

func list(diags diag.List) string {
	var lines []string
	for _, d := range diags {
		lines = append(lines, fmt.Sprintf("%d-%d %s %s", d.Span.Start.Column, d.Span.End.Column, d.Code, d.Message))
	}
	return strings.Join(lines, "\n")
}

func showTemplate(t ir.Template) string {
	var out strings.Builder
	for _, seg := range t {
		switch seg := seg.(type) {
		case ir.Text:
			out.WriteString(string(seg))
		case ir.ArgRef:
			out.WriteString("<" + seg.Name + ">")
		case ir.StepRef:
			out.WriteString("<" + seg.ID + "." + strings.Join(seg.Path, ".") + ">")
		}
	}
	return out.String()
}

func show(p *ir.Pipeline) string {
	if p == nil {
		return "nil"
	}
	var stages []string
	for _, s := range p.Stages {
		parts := []string{s.Name}
		for _, f := range s.Flags {
			if f.Bare {
				parts = append(parts, "--"+f.Name)
			} else {
				parts = append(parts, "--"+f.Name+"=["+showTemplate(f.Value)+"]")
			}
		}
		for _, w := range s.Words {
			text := "[" + showTemplate(w.Text) + "]"
			if w.Alone {
				text += "*"
			}
			parts = append(parts, text)
		}
		stages = append(stages, strings.Join(parts, " "))
	}
	return strings.Join(stages, " | ")
}

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		ctx      Context
		in, want string
	}{
		{inline, `exec --json --shell 'cat "x"' | where minutes>=30 | json`, `exec --json --shell=[cat "x"] | where [minutes>=30] | json`},
		{inline, "head --n 1 --n=2 |", "head --n=[2]"},
		{inline, "exec gh pr list --limit 5 --flag=x", "exec [gh] [pr] [list] [--limit] [5] [--flag=x]"},
		{inline, "exec --json -- gh --json a", "exec --json [gh] [--json] [a]"},
		{inline, "exec git checkout -- --json f", "exec [git] [checkout] [--] [--json] [f]"},
		{inline, "exec echo ${x} $a.json", "exec [echo] [${x}] [$a.json]"},
		{inline, "sort --desc --key a.b", "sort --desc --key=[a.b]"},
		{inline, "exec a | sort --desc=true --key ''", "exec [a] | sort --desc=[true]"},
		{inline, "exec a | template hi '{{x}}'  y", "exec [a] | template --text=[hi {{x}} y]"},
		{inline, "exec a | template --text '{{x | upper}}'", "exec [a] | template --text=[{{x | upper}}]"},
		{inline, "exec a | map k=v '{{a}}=3' x='a b'", "exec [a] | map [k=v] [{{a}}=3] [x=a b]"},
		{inline, "llm.invoke sum it up", "llm.invoke --prompt=[sum it up]"},
		{inline, "exec a | diff.last k", "exec [a] | diff.last --key=[k]"},
		{inline, "exec a | openclaw.invoke --tool t --action a --itemKey k --each --dryRun", "exec [a] | openclaw.invoke --action=[a] --dry-run --each --item-key=[k] --tool=[t]"},
		{inline, `exec a | pick "a, b"`, "exec [a] | pick [a, b]"},
		{inline, "ask --schema ''", "ask"},
		{workflow, "exec ${cmd} '${x}' a${y}b $a.json.n \"\\${z}\" '\\${z}'", `exec [<cmd>]* [<x>] [a<y>b] [<a.json.n>]* [${z}] [\<z>]`},
		{workflow, "head --n ${n}", "head --n=[<n>]"},
		{workflow, "exec a | where 'x == ${v}'", "exec [a] | where [x == <v>]"},
		{workflow, "exec echo --x=${v} $nope.other", "exec [echo] [--x=<v>] [$nope.other]"},
		{workflow, "exec a | map k=${v}", "exec [a] | map [k=<v>]"},
		{workflow, "template hi ${x} --text=", "template --text=[hi <x>]"},
		{workflow, "workflows.run --name github.pr.monitor --args-json '${j}'", "workflows.run --args-json=[<j>] --name=[github.pr.monitor]"},
	} {
		p, diags := run(tt.in, tt.ctx)
		if got := show(p); got != tt.want || len(diags) > 0 {
			t.Errorf("%s\n got %s\nwant %s\n%s", tt.in, got, tt.want, list(diags))
		}
	}
}

func TestDiagnostics(t *testing.T) {
	for _, tt := range []struct {
		ctx            Context
		in, want, hint string
	}{
		{inline, "", "1-1 E0501 Empty pipeline", ""},
		{inline, " \n", "1-3 E0501 Empty pipeline", ""},
		{inline, "json | | json", "7-9 E0501 Empty command stage", ""},
		{inline, "|", "1-2 E0501 Empty command stage", ""},
		{inline, "json ||", "7-8 E0501 Empty command stage", ""},
		{inline, "exec 'a | json", "6-7 E0501 Unclosed quote", ""},
		{inline, `exec '\\' | json`, "6-7 E0501 Unclosed quote", ""},
		{inline, "exec a | haed", "10-14 E0502 Unknown command: haed", "did you mean head"},
		{inline, "curl x", "1-5 E0502 Unknown command: curl", "exec"},
		{inline, "head 2", `6-7 E0508 head has no use for "2"`, "did you mean --n 2?"},
		{inline, "exec a | pick a, b", `18-19 E0508 pick has no use for "b"`, "pick a,b"},
		{inline, "exec a | where a >= 30", "18-23 E0508 where has no use for \">= 30\"", ""},
		{inline, "head --m 2", "6-9 E0503 head has no flag --m", "did you mean --n?"},
		{inline, "exec --limit 5 gh", "6-13 E0503 exec has no flag --limit", "exec PROGRAM --limit"},
		{inline, "exec gh --json a", "9-15 W0520 --json is exec's own flag, also behind the program", "exec -- PROGRAM"},
		{inline, "head --n x", "10-11 E0504 head --n must be a non-negative number", ""},
		{inline, "head --n", "6-9 E0504 head --n needs a value", ""},
		{inline, "sort --desc=false", "13-18 E0504 sort --desc takes no value", "leave the flag out"},
		{inline, "exec --stdin x cat", "14-15 E0504 exec --stdin must be raw, json, or jsonl (got x)", ""},
		{inline, "exec", "1-5 E0505 exec requires a command", ""},
		{inline, "groupBy", "1-8 E0505 groupBy requires --key", ""},
		{inline, "groupBy --key ''", "1-17 E0505 groupBy requires --key", ""},
		{inline, "state.get ''", "1-13 E0505 state.get requires a key", ""},
		{inline, "template", "1-9 E0505 template requires --text or --file (or positional text)", ""},
		{inline, "map --wrap a --unwrap b", "1-24 E0504 map cannot use both --wrap and --unwrap", ""},
		{inline, "map x", `5-6 E0508 map has no use for "x"`, "KEY=TEXT"},
		{inline, "where 'a ~ 1'", "10-14 E0506 Invalid where expression: a ~ 1", ""},
		{inline, `template --text "{{a | uper}}"`, "24-31 E0506 Unknown template filter: uper", "did you mean upper?"},
		{inline, "ask --schema '{'", "14-17 E0506 ask --schema must be valid JSON", ""},
		{inline, "ask --schema '[]'", "14-18 E0506 ask --schema must decode to a JSON schema object", ""},
		{inline, `ask --schema '{"type":"nope"}'`, "14-31 E0701 ask response schema is invalid", ""},
		{inline, "openclaw.invoke --tool t", "1-25 E0505 openclaw.invoke requires --tool and --action", ""},
		{inline, "llm.invoke x --metadata-json '[]'", "30-34 E0506 llm.invoke --metadata-json must be a JSON object", ""},
		{inline, "llm.invoke x --token abc", "22-25 W0523 --token stands in the file for everyone to read", ""},
		{inline, "exec a | exec b", "10-14 W0521 exec drops what is piped into it", "--stdin"},
		{inline, "exec a | approve | exec b", "", ""},
		{inline, "ask | groupBy", "7-14 E0505 groupBy requires --key", ""},
		{inline, "ask | groupBy | nope | head 2", "7-14 E0505 groupBy requires --key\n17-21 E0502 Unknown command: nope\n29-30 E0508 head has no use for \"2\"", ""},
		{inline, "exec a | json | head", "10-14 W0521 json prints its items and passes none on", ""},
		{workflow, "${x} a", "1-5 E0510 a stage's name cannot depend on the run", ""},
		{workflow, "head --${x} 1", "6-12 E0510 a flag's name cannot depend on the run", ""},
		{workflow, "exec $a.output", `6-15 E0205 results have no field "output"`, ""},
		{workflow, "exec x | approve", "10-17 E0507 Workflow step s halted for approval inside pipeline stage approve. Use a separate approval step in the workflow file.", ""},
		{workflow, "ask --emit", "1-4 E0509 Workflow step s halted before completion at pipeline stage ask", ""},
		{workflow, `openclaw.invoke --tool t --action a --args-json '{"p":"${p}"}'`, "56-60 W0522 a value is put into JSON text here", "escaped"},
		{workflow, `openclaw.invoke --tool t --action a --args-json '{"p":${p}'`, "55-59 W0522 a value is put into JSON text here\n49-60 E0506 openclaw.invoke --args-json must be valid JSON", ""},
	} {
		_, diags := run(tt.in, tt.ctx)
		if got := list(diags); got != tt.want || len(diags) > 0 && !strings.Contains(diags[0].Hint, tt.hint) {
			t.Errorf("%s\n got %s\nwant %s", tt.in, got, tt.want)
			for _, d := range diags {
				t.Log(d.Hint)
			}
		}
	}
}

// TestArgs compares with states that the reference saved.
func TestArgs(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{`exec  echo  'a b'  `, `{"_":["echo","a b"]}`}, {`head --n '' x`, `{"_":["x"],"n":""}`}, {`exec '--json' --shell="a b" "--x y" z`, `{"_":[],"json":true,"shell":"a b","x y":"z"}`},
		{`exec -- --json a`, `{"_":["a"],"":true,"json":true}`}, {`exec --=x a`, `{"_":["a"],"":"x"}`}, {`exec a --k --j v`, `{"_":["a"],"k":true,"j":"v"}`}, {`head --json v`, `{"_":[],"json":"v"}`},
		{`exec --a-b c --a.b=d=e`, `{"_":[],"a-b":"c","a.b":"d=e"}`}, {`x 'a\'b' c\ d "a\"b\\c\$d\n"`, `{"_":["a'b","c\\","d","a\"b\\c$d\\n"]}`}, {`x --''k v`, `{"_":[],"k":"v"}`},
		{`x --k -- v`, `{"_":[],"k":true,"":"v"}`}, {`x --__proto__ v`, `{"_":[]}`}, {`x --2 v --1 w b`, `{"1":"w","2":"v","_":["b"]}`}, {`exec --json=true a`, `{"_":["a"],"json":"true"}`},
		{"x \"a\nb\\\nc\"", `{"_":["a\nbc"]}`}, {"x \"\\`\\q\"", "{\"_\":[\"`\\\\q\"]}"}, {`head --n 1 --n=2 --n 3`, `{"_":[],"n":"3"}`}, {`x "\\"`, `{"_":["\\"]}`}, {"x \"a\\\r\nb\"", `{"_":["a\\\r\nb"]}`},
	} {
		_, args, err := parse.Args(tt.in)
		if got := args.JSON(); got != tt.want || err != nil {
			t.Errorf("%s: got %s, want %s (%v)", tt.in, got, tt.want, err)
		}
	}
	p, _ := run("exec a \u00a0|\n head --n 2\v", inline)
	if p.Stages[0].Raw != "exec a" || p.Stages[1].Raw != "head --n 2" || p.Stages[1].Args.JSON() != `{"_":[],"n":"2"}` {
		t.Errorf("%q %q %s", p.Stages[0].Raw, p.Stages[1].Raw, p.Stages[1].Args.JSON())
	}
}

func TestExamples(t *testing.T) {
	for _, s := range catalog.New().All() {
		if _, diags := run(s.Example, inline); len(diags) > 0 {
			t.Errorf("%s\n%s", s.Example, list(diags))
		}
	}
}

func TestFaults(t *testing.T) {
	for _, tt := range []struct {
		ctx            Context
		in, want       string
		errors, faulty bool
	}{
		{inline, "nope x", "Unknown command: nope", true, true},
		{inline, "head --n -1", "head --n must be a non-negative number", true, true},
		{inline, "where a", "Invalid where expression: a", true, true},
		{inline, "ask | where", "where requires an expression (e.g. field=value)", false, true},
		{inline, "approve | map --wrap a --unwrap b x=1", "map cannot use both --wrap and --unwrap", false, true},
		{inline, "head --foo 1 --n 2", "", true, false},
		{inline, "approve --limit x", "", true, false},
		{workflow, "approve", "Workflow step s halted for approval inside pipeline stage approve. Use a separate approval step in the workflow file.", true, true},
	} {
		p, diags := run(tt.in, tt.ctx)
		last := p.Stages[len(p.Stages)-1]
		if last.Fault != tt.want || diags.HasErrors() != tt.errors || len(diags) == 0 {
			t.Errorf("%s: fault %q, want %q; %s", tt.in, last.Fault, tt.want, list(diags))
		}
		if tt.faulty != (last.Fault != "") || tt.faulty && len(last.Flags)+len(last.Words) > 0 {
			t.Errorf("%s: a faulty stage has nothing but its fault", tt.in)
		}
	}
}

func FuzzPipeline(f *testing.F) {
	for _, s := range []string{
		`exec --json --shell "cat \"x\"" | where 'a>=1' | pick a,b | json`, "exec ${a} -- '${b}' | head --n ${n}", `template --text '{{a | truncate 3}}' |`,
		`llm.invoke --output-schema '{"type":"object"}' x ${y}`, "ask --schema '{\"a\": ${b}}'", "map a=b 'c = d'", "x 'a\\\\' | y", "\xff ''''|\u00a0",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, ctx := range []Context{inline, workflow} {
			p, diags := run(text, ctx)
			if p == nil && !diags.HasErrors() {
				t.Fatalf("%q: nothing, and no error", text)
			}
			for _, d := range diags {
				if d.Span.Start.Column < 1 || d.Span.End.Column < d.Span.Start.Column || d.Span.End.Column > len(text)+1 {
					t.Fatalf("%q: span %v", text, d)
				}
			}
			if p != nil && !diags.HasErrors() {
				if faults := ir.Check(&ir.Program{Pipeline: p}); ctx.Scope == nil && faults != nil {
					t.Fatalf("%q: %v", text, faults)
				}
			}
		}
	})
}
