package codegen

import (
	"flag"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lobsterc/lobsterc/ir"
	"github.com/lobsterc/lobsterc/ir/diag"
	"github.com/lobsterc/lobsterc/runtime/value"
)

var update = flag.Bool("update", false, "rewrite testdata")

func at(line int) diag.Pos                   { return diag.Pos{File: "jacket-advice.lobster", Line: line, Column: 5} }
func text1(s string) ir.Template             { return ir.Template{ir.Text(s)} }
func sref(id string, p ...string) ir.StepRef { return ir.StepRef{ID: id, Path: p} }

func jacket() *ir.Program {
	return &ir.Program{Main: ir.Workflow{
		Name: "jacket-advice",
		Args: []ir.Arg{{Name: "location", Default: value.String("Phoenix")}},
		Steps: []*ir.Step{
			{Pos: at(6), ID: "fetch", Do: &ir.Shell{Pos: at(7), Source: "weather --json ${location}",
				Script: ir.Template{ir.Text("weather --json "), ir.ArgRef{Name: "location"}}}},
			{Pos: at(9), ID: "confirm", Approval: &ir.Approval{Prompt: text1("Want jacket advice from the LLM?")},
				Stdin: &ir.Stdin{Ref: &ir.StepRef{ID: "fetch", Path: []string{"json"}}}},
			{Pos: at(13), ID: "advice", When: &ir.RefExpr{Ref: ir.StepRef{Pos: at(18), ID: "confirm", Path: []string{"approved"}}},
				Do: &ir.Shell{Pos: at(14), Source: "echo yes", Script: text1("echo yes")}},
		},
	}}
}

// everything is a program with each construct that needs no stage.
func everything() *ir.Program {
	yes := true
	or := &ir.Logic{Or: true, X: &ir.Not{X: &ir.RefExpr{Ref: sref("a", "json", "0", "x")}},
		Y: &ir.Compare{Op: "<=", X: &ir.Lit{Value: value.Int(-3)}, Y: &ir.RefExpr{Ref: sref("a", "stdout")}}}
	big, _ := value.ParseString("123456789012345678901234567890")
	return &ir.Program{
		LoginShell: true,
		Main: ir.Workflow{
			Name: "every*/thing\n// injected", Description: "Line one.\nLine `two`.",
			Args: []ir.Arg{{Name: "who", Description: "whom", Type: "string", Required: true, Secret: true}, {Name: "n", Default: big},
				{Name: "o", Default: value.Object(value.M("a", value.Array(value.Number(1.5), value.Null, value.Bool(true))))}},
			Env:       []ir.EnvVar{{Name: "PATH", Value: ir.Template{ir.Text("/opt/bin:"), ir.EnvRef{Name: "PATH", Raw: "$PATH"}}}, {Name: "MODE", Value: text1("fast")}},
			Cwd:       ir.Template{ir.ArgRef{Name: "who"}},
			TimeoutMS: 60000, CostLimit: &ir.CostLimit{MaxUSD: 0.25, Stop: true},
			Steps: []*ir.Step{
				{Pos: at(3), ID: "a", Do: &ir.Shell{Pos: at(3), Source: "set -e\necho ${who}\nsend", Script: ir.Template{ir.Text("set -e\necho "), ir.ArgRef{Name: "who"}, ir.Text("\nsend")}, Dispatch: true},
					TimeoutMS: 1500, OnError: ir.Continue, Retry: &ir.Retry{Max: 3, Exponential: true, DelayMS: 1000, MaxDelayMS: 30000, Jitter: true}, Env: []ir.EnvVar{{Name: "X", Value: ir.Template{sref("a", "json")}}}},
				{Pos: at(9), ID: "a-b", When: &ir.Logic{X: or, Y: &ir.Not{X: or}}, Do: &ir.Shell{Source: "x", Script: text1("x")}},
				{Pos: at(10), ID: "a_b", When: &ir.Compare{Op: "!=", X: &ir.Compare{Op: "==", X: &ir.RefExpr{Ref: sref("a", "approved")}, Y: &ir.Lit{Value: value.Bool(true)}}, Y: &ir.Lit{Value: value.String("x\n")}},
					Do: &ir.Shell{Source: "y", Script: text1("y")}, OnError: ir.SkipRest},
				{Pos: at(11), ID: "*/ //\n\x00", When: &ir.Lit{Value: value.Bool(false)}, Approval: &ir.Approval{}},
				{Pos: at(12), ID: "gate", Stdin: &ir.Stdin{Literal: value.Array(value.Int(1))}, Approval: &ir.Approval{Prompt: ir.Template{ir.Text("Go "), sref("a", "stdout"), ir.Text("?")},
					Items: value.Array(value.Int(1)), Preview: text1("p"), InitiatedBy: text1("me"), RequiredApprover: text1("you"), DifferentApprover: &yes}},
				{Pos: at(13), ID: "par", Do: &ir.Parallel{Any: true, TimeoutMS: 700, Branches: []*ir.Step{
					{ID: "p1", Do: &ir.Shell{Source: "one", Script: text1("one")}, Stdin: &ir.Stdin{Text: ir.Template{ir.ArgRef{Name: "who"}}}},
					{ID: "p2", Do: &ir.Shell{Source: "two", Script: text1("two")}, Cwd: text1("/tmp")}}}},
				{Pos: at(14), ID: "each", Do: &ir.Loop{Items: &ir.Stdin{Ref: &ir.StepRef{ID: "a", Path: []string{"json"}}}, ItemVar: "item", IndexVar: "index", Batch: 2, PauseMS: 30,
					Steps: []*ir.Step{{ID: "s", When: &ir.RefExpr{Ref: sref("item", "json")}, Do: &ir.Shell{Source: "echo $item.json", Script: ir.Template{ir.Text("echo "), sref("item", "json")}}}}}},
				{Pos: at(15), ID: "c", Do: &ir.Call{Path: text1("sub/child.lobster"), Dir: ".", Candidates: []string{"sub/child.lobster"},
					Args: []ir.CallArg{{Name: "x", Text: ir.Template{sref("a", "stdout")}}, {Name: "y", Literal: value.Int(1)}}}},
				{Pos: at(16), ID: "d", Do: &ir.Call{Path: ir.Template{ir.ArgRef{Name: "who"}}, Dir: "sub", Candidates: []string{"sub/child.lobster", "sub/child.yaml"}}},
				{Pos: at(17), ID: "i", Stdin: &ir.Stdin{Ref: &ir.StepRef{ID: "a", Path: []string{"json"}}}, Input: &ir.Input{Prompt: text1("Say"),
					Schema: value.Object(value.M("type", value.String("object"))), Defaults: value.Object()}},
			},
		},
		Children: []ir.Child{
			{Path: "sub/child.lobster", Workflow: ir.Workflow{Name: "child", Steps: []*ir.Step{{ID: "a", Do: &ir.Shell{Source: "z", Script: text1("z")}}}}},
			{Path: "sub/child.yaml", Workflow: ir.Workflow{Steps: []*ir.Step{{ID: "a", Do: &ir.Shell{Source: "z", Script: text1("z")}}}}},
		},
	}
}

func TestEmit(t *testing.T) {
	tests := []struct {
		name string
		prog *ir.Program
		opt  Options
	}{
		{"jacket", jacket(), Options{File: "jacket-advice.lobster", Provenance: []byte(`{"lobsterc":"test"}`)}},
		{"stages", stages(), Options{File: "stages.lobster"}},
		{"models", models(), Options{File: "models.lobster"}},
		{"everything", everything(), Options{File: "every\nthing.lobster"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Emit(tt.prog, tt.opt)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", tt.name+".go.golden")
			if *update {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != string(want) {
				t.Errorf("%s differs; run go test -update and look at the difference.\n%s", file, got)
			}
			if again, _ := Emit(tt.prog, tt.opt); string(again) != string(got) {
				t.Error("two emissions differ")
			}
		})
	}
}

// TestVet compiles and vets what is emitted, here in the repository, where its imports are found.
func TestVet(t *testing.T) {
	for _, name := range []string{"jacket", "everything", "stages"} {
		src, err := os.ReadFile(filepath.Join("testdata", name+".go.golden"))
		if err != nil {
			t.Fatal(err)
		}
		dir, err := os.MkdirTemp("testdata", "vet-")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		if err := os.WriteFile(filepath.Join(dir, "main.go"), src, 0o644); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("go", "vet", "./"+dir).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
		if formatted, err := format.Source(src); err != nil || string(formatted) != string(src) {
			t.Errorf("%s is not formatted: %v", name, err)
		}
	}
}

// TestCompat: where references may lead nowhere, they are checked, and both sides of a condition are evaluated.
func TestCompat(t *testing.T) {
	prog := &ir.Program{Compat: true, Main: ir.Workflow{Steps: []*ir.Step{{ID: "a", Stdin: &ir.Stdin{Ref: &ir.StepRef{ID: "no", Path: []string{"json"}}},
		When: &ir.Logic{Or: true, X: &ir.Lit{Value: value.Bool(true)}, Y: &ir.Not{X: &ir.RefExpr{Ref: sref("no", "json", "x")}}}, Do: &ir.Shell{Source: "x", Script: text1("x")}}}}}
	got, err := Emit(prog, Options{File: "a.lobster", Effects: []string{"runs x"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`return rt.Or(true, !run.Need("no", "json", "x").Truthy())`, `return run.Need("no", "json")`, `"runs x",`} {
		if !strings.Contains(string(got), want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}

func TestTemplate(t *testing.T) {
	arg := ir.ArgRef{Name: "n"}
	tests := []struct {
		t    ir.Template
		want string
	}{
		{ir.Template{}, `""`},
		{ir.Template{ir.Text("a"), ir.Text("b"), arg}, `"ab" + run.Arg("n")`},
		{ir.Template{sref("s", "json"), ir.Text(" "), arg}, `run.Text("s", "json") + " " + run.Arg("n")`},
		{ir.Template{sref("s", "json"), ir.OpenRef{ID: "s", Text: ir.Template{ir.Text("$s.id"), arg}}}, `run.Text("s", "json") + run.OpenText("$s.id"+run.Arg("n"))`},
		{ir.Template{sref("s", "json", "x"), arg, ir.Text("y"), sref("s", "id")}, `run.Extend(run.Arg("n")+"y", "s", "json", "x") + run.Text("s", "id")`},
		{ir.Template{sref("s", "json"), sref("s", "id")}, `run.Text("s", "json") + run.Text("s", "id")`},
		{ir.Template{ir.Text("a\nb\nc")}, "`a\nb\nc`"},
		{ir.Template{ir.Text("a\nb`\nc")}, `"a\nb` + "`" + `\nc"`},
		{ir.Template{ir.Text("a\nb \nc")}, `"a\nb \nc"`},
	}
	for _, tt := range tests {
		if got := template(tt.t).GoString(); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}

// TestServe: only programs that are to serve MCP name the server.
func TestServe(t *testing.T) {
	for _, serve := range []bool{false, true} {
		got, err := Emit(jacket(), Options{File: "a.lobster", Serve: serve})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(got), "runtime/mcp") != serve || strings.Contains(string(got), "mcp.Serve") != serve {
			t.Errorf("serve %v:\n%s", serve, got)
		}
	}
}
