package ir

import (
	"bytes"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/lobsterc/lobsterc/ir/diag"
	"github.com/lobsterc/lobsterc/runtime/value"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

func ref(id string, path ...string) StepRef { return StepRef{ID: id, Path: path} }

// sample uses every node once.
func sample() *Program {
	yes := true
	return &Program{
		Main: Workflow{
			Name: "triage", Description: "Sorts mail.",
			Args: []Arg{
				{Name: "who", Description: "whom", Default: value.String("bob"), Type: "string"},
				{Name: "n", Default: value.Number(math.Inf(1)), Required: true, Secret: true},
				{Name: "none", Default: value.Null}, {Name: "unset"},
			},
			Env:             []EnvVar{{Name: "A", Value: Template{EnvRef{Name: "HOME", Raw: "${HOME}"}, Text("/x")}}},
			Cwd:             Template{ArgRef{Name: "who"}},
			TimeoutMS:       5,
			CostLimit:       &CostLimit{MaxUSD: 0.5},
			RequireApproval: []string{"sends_email"},
			Steps: []*Step{
				{ID: "a", Description: "first", Do: &Shell{Script: Template{Text("echo "), ArgRef{Name: "who"}}, Source: "echo ${who}"}, TimeoutMS: 9,
					OnError: Continue, Retry: &Retry{Max: 3, Exponential: true, DelayMS: 10, MaxDelayMS: 20, Jitter: true}},
				{ID: "b", When: &Logic{Or: true, X: &Not{X: &RefExpr{Ref: ref("a", "json", "0", "x")}}, Y: &Compare{Op: "<=", X: &Lit{Value: value.Int(3)}, Y: &Lit{Value: value.Null}}},
					Stdin: &Stdin{Ref: &StepRef{ID: "a", Path: []string{"json"}}},
					Do: &Pipeline{Source: "exec x | head ${n}", Stages: []Stage{
						{Name: "exec", Flags: []Flag{{Name: "json", Value: Template{Text("true")}, Bare: true}, {Name: "stdin", Value: Template{Text("jsonl")}}}, Words: []Word{{Text: Template{Text("x")}}},
							Raw: "exec x", Args: value.Object(value.M("_", value.Array(value.String("x"))))},
						{Name: "head", Words: []Word{{Text: Template{ArgRef{Name: "n"}}, Alone: true}}}}}},
				{ID: "g", Approval: &Approval{Prompt: Template{Text("Go, "), ref("b", "stdout"), Text("?")}, Items: value.Array(value.Int(1)), Preview: Template{}, InitiatedBy: Template{Text("me")},
					RequiredApprover: Template{Text("you")}, DifferentApprover: &yes}},
				{ID: "p", Do: &Parallel{Any: true, TimeoutMS: 7, Branches: []*Step{{ID: "p1", Do: &Shell{Script: Template{Text("gog gmail send")}, Dispatch: true, Source: "gog gmail send"}}}}},
				{ID: "l", Do: &Loop{Items: &Stdin{Ref: &StepRef{ID: "a", Path: []string{"json"}}}, ItemVar: "it", IndexVar: "index", Batch: 2, PauseMS: 3,
					Steps: []*Step{{ID: "l1", OnError: SkipRest, When: &Logic{X: &RefExpr{Ref: ref("it", "json")}, Y: &Lit{Value: value.Bool(true)}}, Do: &Shell{Script: Template{Text("true")}, Source: "other text"}}}}},
				{ID: "c", Do: &Call{Path: Template{Text("sub/child.lobster")}, Dir: ".", Candidates: []string{"sub/child.lobster"},
					Args: []CallArg{{Name: "x", Text: Template{ref("a", "stdout")}}, {Name: "y", Literal: value.Array(value.Number(math.NaN()), value.Object(value.M("$number", value.String("NaN"))))}}}},
				{ID: "o", Do: &Shell{Script: Template{OpenRef{ID: "a", Text: Template{Text("$a.json."), ArgRef{Name: "who"}, Text(".x")}}, Text("!")}, Source: "$a.json.${who}.x!"}},
				{ID: "i", Input: &Input{Prompt: Template{Text("Say")}, Schema: value.Object(value.M("type", value.String("object"))), Defaults: value.Object()}},
			},
		},
		Children:   []Child{{Path: "sub/child.lobster", Workflow: Workflow{Name: "child", CostLimit: &CostLimit{MaxUSD: 1, Stop: true}, Steps: []*Step{{ID: "x", Stdin: &Stdin{Literal: value.Array()}, Approval: &Approval{}}}}}},
		LoginShell: true,
	}
}

// minimal is a program of one step.
func minimal(s ...*Step) *Program {
	return &Program{Main: Workflow{Steps: s}}
}

func shell(id, script string) *Step {
	return &Step{ID: id, Do: &Shell{Script: Template{Text(script)}, Source: script}}
}

func TestRoundTrip(t *testing.T) {
	inline := &Program{Pipeline: &Pipeline{Source: "json", Stages: []Stage{{Name: "json", Raw: "json"}}}}
	for name, p := range map[string]*Program{"sample": sample(), "minimal": minimal(shell("a", "true")), "pipeline": inline} {
		if err := Check(p); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		text := Encode(p)
		back, err := Decode(text)
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, text)
		}
		if again := Encode(back); !bytes.Equal(again, text) {
			t.Errorf("%s: not a fixed point:\n%s\n%s", name, text, again)
		}
		if Hash(back) != Hash(p) {
			t.Errorf("%s: the hash changed", name)
		}
	}
	if text := string(Encode(minimal(shell("a", "true")))); text != `{"ir":1,"main":{"steps":[{"id":"a","shell":{"script":"true"}}]}}` {
		t.Errorf("minimal program: %s", text)
	}
}

func TestPositions(t *testing.T) {
	p := minimal(shell("a", "true"))
	p.Main.Pos = diag.Pos{File: "a.lobster", Line: 1, Column: 1}
	p.Main.Steps[0].Pos = diag.Pos{File: "a.lobster", Line: 3, Column: 5}
	p.Main.Steps[0].Do.(*Shell).Pos = diag.Pos{File: "c:x.lobster", Line: 4, Column: 1}
	text := EncodeIndent(p, true)
	back, err := Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(back.Main.Steps[0].Do, p.Main.Steps[0].Do) || back.Main.Steps[0].Pos != p.Main.Steps[0].Pos {
		t.Errorf("positions changed:\n%s\n%s", text, EncodeIndent(back, true))
	}
	if bytes.Contains(Encode(p), []byte("pos")) {
		t.Error("canonical JSON holds positions")
	}
}

// TestHash: descriptions and positions are not part of the meaning, everything else is, children included.
func TestHash(t *testing.T) {
	base := Hash(sample())
	if !strings.HasPrefix(base, "sha256:") || len(base) != 71 {
		t.Errorf("hash %q", base)
	}
	tests := []struct {
		name    string
		change  func(*Program)
		changes bool
	}{
		{"workflow description", func(p *Program) { p.Main.Description = "" }, false},
		{"argument description", func(p *Program) { p.Main.Args[0].Description = "x" }, false},
		{"step description", func(p *Program) { p.Main.Steps[0].Description = "x" }, false},
		{"position", func(p *Program) { p.Main.Steps[0].Pos = diag.Pos{Line: 7} }, false},
		{"split text", func(p *Program) {
			p.Main.Steps[4].Do.(*Loop).Steps[0].Do.(*Shell).Script = Template{Text("tr"), Text(""), Text("ue")}
		}, false},
		{"name", func(p *Program) { p.Main.Name = "x" }, true},
		{"child's step", func(p *Program) { p.Children[0].Workflow.Steps[0].ID = "y" }, true},
		{"required approval", func(p *Program) { p.Main.RequireApproval = nil }, true},
		{"an odd number", func(p *Program) { p.Main.Args[1].Default = value.Null }, true},
		{"empty template", func(p *Program) { p.Main.Steps[2].Approval.Preview = nil }, true},
	}
	for _, tt := range tests {
		p := sample()
		tt.change(p)
		if (Hash(p) != base) != tt.changes {
			t.Errorf("%s: hash changed = %v, want %v", tt.name, !tt.changes, tt.changes)
		}
	}
}

func TestDecodeErrors(t *testing.T) {
	tests := []struct{ text, want string }{
		{`[]`, `ir: top level: must be an object`},
		{`{`, `ir: `},
		{`{}`, `ir: ir: must be the integer 1`},
		{`{"ir":2}`, `ir: ir: version 2 is not known to this lobsterc (it knows 1)`},
		{`{"ir":1,"x":2}`, `ir: x: unknown key`},
		{`{"ir":1}`, `ir: main.steps: must not be empty`},
		{`{"ir":1,"main":{"steps":[{}]}}`, `ir: main.steps[0].id: must be a string`},
		{`{"ir":1,"main":{"steps":[{"id":"a"}]}}`, `ir: main.steps[0]: executes nothing and is no gate`},
		{`{"ir":1,"main":{"steps":[{"id":"a","shell":{"script":[{"arg":"a b"}]}}]}}`, `ir: main.steps[0].shell.script[0]: "a b" is no argument name`},
		{`{"ir":1,"main":{"steps":[{"id":"a","shell":{"script":[{"env":"A"}]}}]}}`, `ir: main.steps[0].shell.script[0]: a variable of the environment may only stand in env values`},
		{`{"ir":1,"main":{"steps":[{"id":"a","shell":{}}]}}`, `ir: main.steps[0].shell.script: is missing`},
		{`{"ir":1,"main":{"steps":[{"id":"a","shell":{"script":"x","y":1}}]}}`, `ir: main.steps[0].shell.y: unknown key`},
		{`{"ir":1,"main":{"steps":[{"id":"a","shell":{"script":"x"},"pipeline":{"stages":[]}}]}}`, `ir: main.steps[0].pipeline: a step executes one thing only`},
		{`{"ir":1,"main":{"steps":[{"id":"a","approval":{},"timeout_ms":0}]}}`, `ir: main.steps[0].timeout_ms: must be an integer from 1 to 2147483647`},
		{`{"ir":1,"main":{"steps":[{"id":"a","approval":{},"when":{"ref":"b.json"}}]}}`, `ir: main.steps[0].when: "$b.json" names no earlier step`},
		{`{"ir":1,"main":{"steps":[{"id":"a","approval":{},"when":{"and":[{"lit":1}]}}]}}`, `ir: main.steps[0].when.and: must be a list of two conditions`},
		{`{"ir":1,"main":{"steps":[{"id":"a","approval":{}},{"id":"a","approval":{}}]}}`, `ir: main.steps[1].id: must be unique and not empty ("a")`},
		{`{"ir":1,"main":{"steps":[{"id":"a","approval":{},"on_error":"stop"}]}}`, `ir: main.steps[0].on_error: must be one of: continue, skip_rest`},
		{`{"ir":1,"main":{"steps":[{"id":"a","call":{"path":"x","candidates":["x"]}}]}}`, `ir: main.steps[0].call.candidates[0]: "x" is not part of the program`},
		{`{"ir":1,"main":{"steps":[{"id":"a","approval":{},"pos":"x"}]}}`, `ir: main.steps[0].pos: must be LINE:COLUMN or FILE:LINE:COLUMN`},
	}
	for _, tt := range tests {
		_, err := Decode([]byte(tt.text))
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s:\n got %v\nwant %s", tt.text, err, tt.want)
		}
	}
}

// TestSchema: the published schema accepts what Encode writes, with and without positions, and refuses unknown keys.
func TestSchema(t *testing.T) {
	compile := func() *jsonschema.Schema {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(Schema))
		if err != nil {
			t.Fatal(err)
		}
		c := jsonschema.NewCompiler()
		if err := c.AddResource("ir.json", doc); err != nil {
			t.Fatal(err)
		}
		return c.MustCompile("ir.json")
	}
	schema := compile()
	p := sample()
	p.Main.Steps[0].Pos = diag.Pos{File: "f", Line: 1, Column: 2}
	for text, ok := range map[string]bool{
		string(Encode(p)):                    true,
		string(EncodeIndent(p, true)):        true,
		`{"ir":1,"main":{"stpes":[]}}`:       false,
		`{"ir":1,"main":{"steps":[{}]}}`:     false,
		`{"ir":2,"main":{"steps":[]}}`:       false,
		`{"ir":1,"pipeline":{"stages":"x"}}`: false,
	} {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(doc); (err == nil) != ok {
			t.Errorf("%s\nvalid = %v, want %v: %v", text, err == nil, ok, err)
		}
	}
}

// FuzzDecode: no text makes Decode panic, and what it accepts encodes to a fixed point.
func FuzzDecode(f *testing.F) {
	f.Add(Encode(sample()))
	f.Add(EncodeIndent(sample(), true))
	f.Add([]byte(`{"ir":1,"pipeline":{"source":"json","stages":[{"name":"json"}]}}`))
	f.Add([]byte(`{"ir":1,"main":{"steps":[{"id":"a","approval":{"items":[{"$number":"-0"},{"$object":{"$number":1}}]}}]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Decode(data)
		if err != nil {
			return
		}
		text := Encode(p)
		back, err := Decode(text)
		if err != nil {
			t.Fatalf("own text refused: %v\n%s", err, text)
		}
		if again := Encode(back); !bytes.Equal(text, again) {
			t.Fatalf("not a fixed point:\n%s\n%s", text, again)
		}
	})
}
