package ir

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/lobsterc/lobsterc/runtime/value"
)

// changeLines shows changes in one line each, for tables.
func changeLines(changes []Change) string {
	var lines []string
	for i := range changes {
		c := &changes[i]
		mark := ""
		if c.Weakens {
			mark = "!"
		}
		lines = append(lines, fmt.Sprintf("%s%s %s [%s|%s]", mark, c.Kind, c.where(), c.Old, c.New))
	}
	return strings.Join(lines, "\n")
}

func asks(id, prompt string) *Step {
	return &Step{ID: id, Approval: &Approval{Prompt: Template{Text(prompt)}}}
}

func says(id string, t ...Segment) *Step {
	return &Step{ID: id, Do: &Shell{Script: t, Source: Template(t).String()}}
}

func TestDiff(t *testing.T) {
	yes := true
	approver := func(name ...Segment) *Step {
		s := asks("g", "ok?")
		if name != nil {
			s.Approval.RequiredApprover = name
		}
		return s
	}
	different := asks("g", "ok?")
	different.Approval.DifferentApprover = &yes
	policy := func(s *Step, o OnError) *Step {
		s.OnError = o
		s.Approval = &Approval{}
		return s
	}
	tests := []struct {
		name     string
		from, to []*Step
		want     string
	}{
		{"nothing", []*Step{shell("a", "x")}, []*Step{shell("a", "x")}, ""},
		{"command", []*Step{shell("a", "x")}, []*Step{shell("a", "y")}, "command-changed a [run x|run y]"},
		{"step added", []*Step{shell("a", "x")}, []*Step{shell("a", "x"), shell("b", "y")}, "step-added b [|run y]"},
		{"gate removed", []*Step{asks("g", "ok?"), shell("a", "x")}, []*Step{shell("a", "x")}, "!gate-removed g [ok?|]"},
		{"gate added", []*Step{shell("a", "x")}, []*Step{asks("g", "ok?"), shell("a", "x")}, "gate-added g [|ok?]"},
		{"gate of a step removed", []*Step{policy(shell("a", "x"), Stop)}, []*Step{shell("a", "x")}, "!gate-removed a [Approve a?|]"},
		{"gate renamed", []*Step{asks("g", "ok?"), when(shell("a", "x"), "g")}, []*Step{asks("h", "ok?"), when(shell("a", "x"), "h")}, "step-renamed h [g|h]"},
		{"a chain of renames", []*Step{shell("a", "x"), says("b", Text("y "), ref("a", "stdout"))}, []*Step{shell("c", "x"), says("d", Text("y "), ref("c", "stdout"))},
			"step-renamed c [a|c]\nstep-renamed d [b|d]"},
		{"a rename in an open reference", []*Step{shell("a", "x"), says("b", OpenRef{ID: "a", Text: Template{Text("$a.json."), ArgRef{Name: "k"}}})},
			[]*Step{shell("c", "x"), says("b", OpenRef{ID: "c", Text: Template{Text("$c.json."), ArgRef{Name: "k"}}})}, "step-renamed c [a|c]"},
		{"renamed and changed", []*Step{shell("a", "x")}, []*Step{policy(shell("b", "x"), Stop)}, "gate-added b [|Approve b?]\nstep-renamed b [a|b]"},
		{"condition", []*Step{gate("g"), shell("a", "x")}, []*Step{gate("g"), when(shell("a", "x"), "g")}, "condition-changed a [always|$g.json]"},
		{"a gate may be skipped", []*Step{shell("a", "x"), asks("g", "ok?")}, []*Step{shell("a", "x"), when(asks("g", "ok?"), "a")}, "!gate-weakened g [always|$a.json]"},
		{"a gate is not skipped any more", []*Step{shell("a", "x"), when(asks("g", "ok?"), "a")}, []*Step{shell("a", "x"), asks("g", "ok?")}, "condition-changed g [$a.json|always]"},
		{"approver dropped", []*Step{approver(Text("ann"))}, []*Step{approver()}, "!gate-weakened g [ann|]"},
		{"approver chosen by the caller", []*Step{approver(Text("ann"))}, []*Step{approver(ArgRef{Name: "who"})}, "!gate-weakened g [ann|${who}]"},
		{"another approver", []*Step{approver(Text("ann"))}, []*Step{approver(Text("bob"))}, "gate-changed g [ann|bob]"},
		{"approver added", []*Step{approver()}, []*Step{approver(Text("bob"))}, "gate-changed g [|bob]"},
		{"initiator may approve", []*Step{different}, []*Step{asks("g", "ok?")}, "!gate-weakened g [another approver than the initiator|]"},
		{"prompt", []*Step{asks("g", "ok?")}, []*Step{asks("g", "sure?")}, "gate-changed g [ok?|sure?]"},
		{"failure skips the gate", []*Step{policy(shell("a", "x"), Stop)}, []*Step{policy(shell("a", "x"), Continue)}, "!gate-weakened a [stop|continue]"},
		{"order", []*Step{shell("a", "1"), shell("b", "2"), shell("c", "3")}, []*Step{shell("b", "2"), shell("c", "3"), shell("a", "1")}, "step-moved a [|]"},
		{"loop", []*Step{loop("l", shell("a", "1"))}, []*Step{loop("l", shell("a", "2"))}, "command-changed l.a [run 1|run 2]"},
		{"branch renamed", []*Step{parallel("p", shell("a", "1")), when(shell("z", "1"), "a")}, []*Step{parallel("p", shell("b", "1")), when(shell("z", "1"), "b")}, "step-renamed b [a|b]"},
		{"loop removed", []*Step{shell("z", ""), loop("l", shell("a", "1"))}, []*Step{shell("z", "")}, "step-removed l [for_each []|]\nstep-removed l.a [run 1|]"},
	}
	for _, tt := range tests {
		if got := changeLines(Diff(minimal(tt.from...), minimal(tt.to...))); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

func TestDiffProgram(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Program)
		want   string
	}{
		{"descriptions", func(p *Program) { p.Main.Description, p.Main.Steps[0].Description = "", "" }, ""},
		{"argument default", func(p *Program) { p.Main.Args[0].Default = value.String("eve") }, `argument-changed  [who string = "bob"|who string = "eve"]`},
		{"argument removed", func(p *Program) { p.Main.Args = p.Main.Args[:3] }, `argument-removed  [unset|]`},
		{"requirement", func(p *Program) { p.Main.RequireApproval = nil }, `!requirement-removed  [sends_email|]`},
		{"env", func(p *Program) { p.Main.Env[0].Value = Template{Text("x")} }, `env-changed  [A=${HOME}/x|A=x]`},
		{"cost", func(p *Program) { p.Main.CostLimit.Stop = true }, `cost-limit-changed  [$0.5, then warn|$0.5, then stop]`},
		{"login shell", func(p *Program) { p.LoginShell = false }, `login-shell-changed  [yes|no]`},
		{"child", func(p *Program) { p.Children[0].Workflow.Steps[0].Approval.RequiredApprover = Template{Text("x")} }, `gate-changed sub/child.lobster: x [|x]`},
		{"child renamed", func(p *Program) {
			p.Children[0].Path = "sub/kid.lobster"
			c := p.Main.Steps[5].Do.(*Call)
			c.Path, c.Candidates = Template{Text("sub/kid.lobster")}, []string{"sub/kid.lobster"}
		}, "command-changed c [workflow sub/child.lobster x=\"$a.stdout\" y=[{\"$number\":\"NaN\"},{\"$object\":{\"$number\":\"NaN\"}}]|" +
			"workflow sub/kid.lobster x=\"$a.stdout\" y=[{\"$number\":\"NaN\"},{\"$object\":{\"$number\":\"NaN\"}}]]\n" +
			"workflow-renamed sub/kid.lobster [sub/child.lobster|sub/kid.lobster]"},
		{"stage", func(p *Program) {
			p.Main.Steps[1].Do.(*Pipeline).Stages[0].Words[0].Text = Template{Text("rm -rf x")}
		}, `command-changed b [pipeline exec --json --stdin jsonl x | head ${n}|pipeline exec --json --stdin jsonl "rm -rf x" | head ${n}]`},
	}
	for _, tt := range tests {
		p := sample()
		tt.change(p)
		if got := changeLines(Diff(sample(), p)); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
	}
	if got := Diff(nil, sample()); len(got) == 0 || Weakens(got) {
		t.Errorf("a new program: %s", changeLines(got))
	}
	if got := Diff(sample(), nil); !Weakens(got) {
		t.Errorf("a deleted program: %s", changeLines(got))
	}
}

func TestPrintDiff(t *testing.T) {
	changes := Diff(minimal(asks("g", "ok?"), shell("a", "x\ny")), minimal(shell("a", "```\n")))
	tests := map[string]string{
		"text": "gates\n! g: approval gate removed\n    - ok?\ncommands\n  a: what the step executes changed\n    - run x\n    - y\n    + run ```\n\n! = a gate is gone or weaker\n",
		"json": `{
  "changed": true,
  "weakened": true,
  "changes": [
    {
      "group": "gates",
      "kind": "gate-removed",
      "step": "g",
      "message": "approval gate removed",
      "old": "ok?",
      "weakens": true
    },
    {
      "group": "commands",
      "kind": "command-changed",
      "step": "a",
      "message": "what the step executes changed",
      "old": "run x\ny",
      "new": "run ` + "```" + `\n"
    }
  ]
}
`,
		"markdown": "> **A gate is gone or weaker.** Look at the entries marked with ⚠.\n\n### Gates\n\n- ⚠ `g`: approval gate removed\n  ```diff\n  - ok?\n  ```\n\n" +
			"### Commands\n\n- `a`: what the step executes changed\n  ````diff\n  - run x\n  - y\n  + run ```\n  ````\n\n",
	}
	for format, want := range tests {
		var b bytes.Buffer
		if err := PrintDiff(&b, changes, format); err != nil {
			t.Fatal(err)
		}
		if b.String() != want {
			t.Errorf("%s:\n%s\nwant\n%s", format, b.String(), want)
		}
	}
	if err := PrintDiff(&bytes.Buffer{}, nil, "xml"); err == nil {
		t.Error("an unknown format was accepted")
	}
}

func TestFormatExpr(t *testing.T) {
	a, b := &RefExpr{Ref: ref("a", "json", "x")}, &Lit{Value: value.String("q\"")}
	tests := []struct {
		x    Expr
		want string
	}{
		{&Logic{Or: true, X: &Logic{X: a, Y: b}, Y: a}, `$a.json.x && "q\"" || $a.json.x`},
		{&Logic{X: &Logic{Or: true, X: a, Y: b}, Y: a}, `($a.json.x || "q\"") && $a.json.x`},
		{&Logic{X: a, Y: &Logic{X: a, Y: b}}, `$a.json.x && ($a.json.x && "q\"")`},
		{&Not{X: &Compare{Op: "<", X: a, Y: &Lit{Value: value.Int(1)}}}, `!($a.json.x < 1)`},
		{&Compare{Op: "==", X: &Not{X: a}, Y: &Lit{Value: value.Null}}, `!$a.json.x == null`},
		{&Compare{Op: "==", X: a, Y: &Compare{Op: "!=", X: a, Y: b}}, `$a.json.x == ($a.json.x != "q\"")`},
	}
	for _, tt := range tests {
		if got := FormatExpr(tt.x); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}

func TestString(t *testing.T) {
	got := sample().String()
	for _, want := range []string{"workflow triage\n", "  a: run echo ${who}\n", `  b: pipeline exec x | head ${n} when !$a.json.0.x || 3 <= null < $a.json`, "    p1: run gog gmail send\n", "child sub/child.lobster"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q not in\n%s", want, got)
		}
	}
}
