package graph

import (
	"testing"

	"github.com/lobsterc/lobsterc/runtime/value"
)

func TestFromIR(t *testing.T) {
	program, err := value.ParseString(`{"ir":1,"main":{"steps":[
		{"id":"a","shell":{"script":["echo ",{"arg":"who"},{"arg":"unset"}," ",{"ref":"z.json"}]}},
		{"id":"b","when":{"or":[{"and":[{"not":{"ref":"a.json"}},{"or":[{"lit":1},{"lit":"x"}]}]},{"==":[{"ref":"a.stdout"},{"lit":null}]}]},
		 "pipeline":{"source":"exec ${who} | json","stages":[]},"stdin":{"ref":"a.json"}},
		{"id":"c","call":{"path":"x.lobster"},"approval":{},"stdin":{"literal":[{"$a":["$b.json"]}]}},
		{"id":"d","parallel":{"wait":"any","branches":[]}},
		{"id":"e","loop":{"items":{"ref":"b.json"},"steps":[]}},
		{"id":"f","approval":{},"stdin":{"text":["x ",{"ref":"e.json"}]}},
		{"id":"g","input":{"prompt":"?","schema":{}}},
		{"id":"h","shell":{"script":" "}}]}}`)
	if err != nil {
		t.Fatal(err)
	}
	arg := func(name string) (string, bool) { return "bob", name == "who" }
	want := `Workflow Graph

Nodes:
- a [run] (run: echo bob${unset} $z.json)
- b [pipeline] (pipeline: exec bob | json)
- c [workflow] (workflow: x.lobster)
- d [parallel] (parallel (any))
- e [for_each] (for_each: $b.json)
- f [approval] (approval gate)
- g [input] (input request)
- h [run]

Edges:
- a -> b (next)
- a -> b (stdin)
- a -> b (when: !$a.json && (1 || "x") || $a.stdout == null)
- b -> c (next)
- b -> c (stdin)
- c -> d (next)
- d -> e (next)
- b -> e (for_each)
- e -> f (next)
- e -> f (stdin)
- f -> g (next)
- g -> h (next)
`
	g := FromIR(program, arg)
	if got, ok := g.Render("ascii"); !ok || got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if !g.Nodes[2].Gate || g.Nodes[4].Gate {
		t.Error("only a step with an approval is a gate")
	}
	if _, ok := g.Render("svg"); ok {
		t.Error("svg is not drawn here")
	}
	pipeline, _ := value.ParseString(`{"ir":1,"pipeline":{"source":"json","stages":[]}}`)
	if got, _ := FromIR(pipeline, arg).Render("mermaid"); got != "flowchart TD\n  pipeline[\"pipeline\\npipeline: json\"]\n\n" {
		t.Errorf("pipeline: %q", got)
	}
}

func TestCut(t *testing.T) {
	tests := []struct{ text, want string }{
		{"12345", "12345"},
		{"123456", "1234…"},
		{"1é345", "1é345"},
		{"12😀5", "12😀5"},
		{"12😀56", "12😀…"},
		{"123😀6", "123\uFFFD…"},
	}
	for _, tt := range tests {
		if got := cut(tt.text, 5); got != tt.want {
			t.Errorf("cut(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestExpand(t *testing.T) {
	arg := func(name string) (string, bool) { return "<" + name + ">", name != "no" }
	for text, want := range map[string]string{"": "", "${a}": "<a>", "${no}${a-b_1}": "${no}<a-b_1>", "${a b}${}$${": "${a b}${}$${", "x${": "x${"} {
		if got := Expand(text, arg); got != want {
			t.Errorf("Expand(%q) = %q, want %q", text, got, want)
		}
	}
}
