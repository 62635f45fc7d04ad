package codegen

import (
	"strings"
	"testing"

	"github.com/lobsterc/lobsterc/ir"
	"github.com/lobsterc/lobsterc/runtime/value"
)

func flagOf(name, v string) ir.Flag { return ir.Flag{Name: name, Value: text1(v)} }
func bare(name string) ir.Flag      { return ir.Flag{Name: name, Value: text1("true"), Bare: true} }
func holeFlag(name, arg string) ir.Flag {
	return ir.Flag{Name: name, Value: ir.Template{ir.ArgRef{Name: arg}}}
}
func words(list ...string) []ir.Word {
	var out []ir.Word
	for _, w := range list {
		out = append(out, ir.Word{Text: text1(w)})
	}
	return out
}

func holeWord(arg string) ir.Word {
	return ir.Word{Text: ir.Template{ir.ArgRef{Name: arg}}, Alone: true}
}

func st(name string, flags []ir.Flag, w ...ir.Word) ir.Stage {
	return ir.Stage{Name: name, Flags: flags, Words: w}
}

// stages is a program with a pipeline of every kind.
func stages() *ir.Program {
	ask := []ir.Stage{st("exec", nil, words("cat", "x")...), st("ask", []ir.Flag{flagOf("prompt", "Well?")})}
	ask[0].Raw, ask[0].Args = "exec cat ${x}", value.Object(value.M("_", value.Strings("cat", "${x}")))
	ask[1].Raw, ask[1].Args = "ask --prompt 'Well?'", value.Object(value.M("_", value.Array()), value.M("prompt", value.String("Well?")))
	return &ir.Program{Main: ir.Workflow{Name: "stages", Steps: []*ir.Step{
		pipe("rank", "exec --json --shell 'cat inbox.json' | where minutes>=30 | sort --key a.b --desc | head --n 3 | pick id,subject",
			st("exec", []ir.Flag{bare("json"), flagOf("shell", "cat inbox.json")}), st("where", nil, words("minutes>=30")...),
			st("sort", []ir.Flag{bare("desc"), flagOf("key", "a.b")}), st("head", []ir.Flag{flagOf("n", "3")}), st("pick", nil, words("id,subject")...)),
		pipe("text", "template --text ... | map ... | dedupe | groupBy --key k | json",
			st("template", []ir.Flag{flagOf("text", `{{id}}: {{a.b | upper | truncate 3 | date | default "x y"}} {{.}}`)}),
			st("map", []ir.Flag{flagOf("wrap", "w")}, words("k=v {{id}}")...), st("dedupe", nil), st("groupBy", []ir.Flag{flagOf("key", "k")}), st("json", nil)),
		pipe("late", "exec ${x} | where ${x} | head --n ${n} | sort --key ${x} | template ${x} | map k=${x}",
			ir.Stage{Name: "exec", Words: append(words("echo"), holeWord("x"))}, st("where", nil, holeWord("x")), st("head", []ir.Flag{holeFlag("n", "n")}),
			st("sort", []ir.Flag{holeFlag("key", "x")}), st("template", nil, holeWord("x")),
			st("map", nil, ir.Word{Text: ir.Template{ir.Text("k="), ir.ArgRef{Name: "x"}}})),
		pipe("asks", "exec cat ${x} | ask --prompt 'Well?'", ask...),
		pipe("invoke", "clawd.invoke --tool t --action a --args-json '{\"a\":[1]}' --each",
			st("clawd.invoke", []ir.Flag{flagOf("action", "a"), flagOf("args-json", `{"a":[1]}`), bare("each"), flagOf("tool", "t")})),
		pipe("hole", "clawd.invoke --tool ${t} --action a --args-json '{\"p\":\"a ${p}\",\"n\":${n}}'",
			st("clawd.invoke", []ir.Flag{flagOf("action", "a"), {Name: "args-json", Value: ir.Template{ir.Text(`{"p":"a `), ir.ArgRef{Name: "p"}, ir.Text(`","n":`), ir.ArgRef{Name: "n"}, ir.Text("}")}}, holeFlag("tool", "t")})),
		pipe("list", "commands.list", st("commands.list", nil)),
	}}}
}

// models is a program with the stages that bring a model's client with them.
func models() *ir.Program {
	return &ir.Program{Main: ir.Workflow{Name: "models", Steps: []*ir.Step{
		pipe("llm", "llm.invoke --temperature 0.2 --max-output-tokens 5 --output-schema '{}' hi there",
			st("llm.invoke", []ir.Flag{flagOf("max-output-tokens", "5"), flagOf("output-schema", "{}"), flagOf("temperature", "0.2")}, words("hi", "there")...)),
		pipe("mail", "email.triage --limit 5 --llm", st("email.triage", []ir.Flag{flagOf("limit", "5"), bare("llm")})),
	}}}
}

func pipe(id, source string, list ...ir.Stage) *ir.Step {
	return &ir.Step{ID: id, Do: &ir.Pipeline{Source: source, Stages: list}}
}

func TestEmitPipeline(t *testing.T) {
	got, err := Emit(&ir.Program{Pipeline: &ir.Pipeline{Source: "exec ls | head --n 1", Stages: []ir.Stage{
		st("exec", nil, words("ls")...), st("head", []ir.Flag{flagOf("n", "1")}),
	}}}, Options{File: "-e"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"rt.Inline(stages,\n\t\t\t\"exec\",\n\t\t\t\"head\",\n\t\t),", "stage.Exec(stage.ExecOptions{Words: []string{\"ls\"}}),", "stage.Head(stage.HeadOptions{N: 1}),", "package main\n\nimport (\n"} {
		if !strings.Contains(string(got), want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}
