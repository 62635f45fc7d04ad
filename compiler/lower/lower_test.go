package lower

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
	"testing"

	"github.com/lobsterc/lobsterc/compiler/syntax"
	"github.com/lobsterc/lobsterc/ir"
	"github.com/lobsterc/lobsterc/ir/diag"
)

// lowerText lowers main.lobster of a set of files.
func lowerText(t *testing.T, files map[string]string, includes ...string) (*ir.Program, diag.List) {
	t.Helper()
	w, diags := syntax.Parse(syntax.NewSource("main.lobster", []byte(files["main.lobster"])))
	if w == nil {
		t.Fatal(diags)
	}
	p, more := Program(w, Options{
		Entry: "main.lobster",
		Read: func(name string) (*syntax.Source, error) {
			text, ok := files[name]
			if !ok {
				return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
			}
			return syntax.NewSource(name, []byte(text)), nil
		},
		Relative: func(name string) (string, error) { return strings.TrimPrefix(name, "/base/"), nil },
		Absolute: func(name string) string { return path.Join("/base", name) },
		Includes: includes,
	})
	return p, append(diags, more...)
}

func show(diags diag.List) string {
	var b strings.Builder
	for _, d := range diags {
		fmt.Fprintf(&b, "%s %s: %s\n", d.Span.Start, d.Code, d.Message)
	}
	return b.String()
}

const child = "steps: [{id: c, run: echo}]"

func TestDiagnostics(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"steps:\n  - {id: a, run: x, when: $b.json}\n  - {id: b, run: x}", "main.lobster:2:27 E0204: step \"b\" has no result here\n"},
		{"steps:\n  - {id: a, run: x, when: $a.json}", "main.lobster:2:27 E0204: step \"a\" has no result here\n"},
		{"steps:\n  - {id: a, run: x, stdin: $colect.json}\n", "main.lobster:2:28 E0203: unknown step \"colect\"\n"},
		{"steps:\n  - {id: a, run: x, when: 5}\n", "main.lobster:2:27 E0402: Unsupported condition type\n"},
		{"steps:\n  - id: a\n    run: x\n    when: \"1 = 1\"\n", "main.lobster:4:14 E0401: Unsupported condition: 1 = 1\n"},
		{"steps:\n  - id: a\n    run: x\n    when: >\n      1 ==\n      1 2\n", "main.lobster:6:9 E0401: Unsupported condition: 1 == 1 2\n"},
		{"steps:\n  - {id: a, for_each: x, steps: [{id: t, run: x}]}", "main.lobster:2:23 E0403: Workflow step a for_each: expected array, got string\n"},
		{"steps:\n  - {id: a, for_each: $b.json, steps: [{id: t, run: x}]}", "main.lobster:2:23 E0203: unknown step \"b\"\n"},
		{"steps:\n  - {id: l, run: x}\n  - {id: a, for_each: $l.json, steps: [{id: t, run: x, when: $u.json}, {id: u, run: x, stdin: $item.json, when: $t.json}]}", "main.lobster:3:62 E0204: step \"u\" has no result here\n"},
		{"steps:\n  - {id: l, run: x}\n  - {id: a, for_each: $l.json, steps: [{id: t, run: x}]}\n  - {id: z, run: x, when: $t.json}", "main.lobster:4:27 E0203: unknown step \"t\"\n"},
		{"steps:\n  - {id: l, parallel: {branches: [{id: b, run: x},{id: c, run: x, stdin: $b.json}]}}\n  - {id: z, run: x, when: $b.json}", "main.lobster:2:74 E0204: step \"b\" has no result here\n"},
		{"steps:\n  - {id: l, run: x, approval: {prompt: '$l.json'}}", ""},
		{"steps:\n  - {id: l, input: {prompt: '$l.json', responseSchema: {type: nope}}}", "main.lobster:2:30 W0208: step \"l\" has no result here, so this stays as written\nmain.lobster:2:63 E0701: Workflow step l input.responseSchema is invalid: schema is invalid: data/type must be equal to one of the allowed values, data/type must be array, data/type must match a schema in anyOf\n"},
		{"env: {X: $b.json}\nsteps:\n  - {id: a, run: x}\n  - {id: b, run: x, env: {Y: $a.json}}", ""},
		{"steps:\n  - {id: a, workflow: nope.lobster}", "main.lobster:2:23 E0601: Workflow step a workflow file not found: /base/nope.lobster\n"},
		{"steps:\n  - {id: a, workflow: sub/up.lobster}", "sub/up.lobster:1:27 E0602: Workflow step u creates a cycle: /base/main.lobster is already being executed\n"},
		{"steps:\n  - {id: a, workflow: '${x}.lobster'}", "main.lobster:2:24 E0603: the path of this sub-workflow depends on the run\n"},
		{"steps:\n  - {id: a, workflow: bad.lobster}", "bad.lobster:1:1 E0301: Workflow file requires a non-empty steps array\n"},
		{"steps:\n  - {id: a, workflow: /base/c.lobster, workflow_args: {x: '$a.json', y: [1]}}", "main.lobster:2:60 W0208: step \"a\" has no result here, so this stays as written\n"},
	} {
		_, diags := lowerText(t, map[string]string{"main.lobster": test.text, "c.lobster": child, "bad.lobster": "{}",
			"sub/up.lobster": "steps: [{id: u, workflow: ../main.lobster}]"})
		if got := show(diags); got != test.want {
			t.Errorf("%s\n got %s\nwant %s", test.text, got, test.want)
		}
	}
}

// TestWhole lowers one file with every construct; the program must pass the IR's own check.
func TestWhole(t *testing.T) {
	main := `
name: whole
description: all of it
args: {who: {default: you, description: d}, n: {type: integer, required: true}, key: {secret: true}}
env: {HOME_DIR: "$HOME/${who}"}
cwd: /tmp/${who}
timeout_ms: 5000
cost_limit: {max_usd: "2", action: warn}
x-require-approval: [sends_email]
steps:
  - {id: fetch, run: "cat ${who} $HOME", stdin: [1], retry: {max: 3, backoff: exponential, delay_ms: 1.5}, on_error: continue, timeout_ms: 10}
  - {id: pick, pipeline: "head --n 2 | json", stdin: $fetch.json, env: {A: b}, cwd: sub}
  - {id: gate, approval: {prompt: "send $pick.json?", items: [1], preview: p, requiredApprover: "${who}", require_different_approver: true}}
  - {id: ask, input: {prompt: Name?, responseSchema: {type: object}, defaults: {a: 1}}, when: $gate.approved && "x" != 'y'}
  - {id: both, parallel: {wait: any, timeout_ms: 9, branches: [{id: b1, run: x}, {id: b2, pipeline: "exec echo"}]}, on_error: skip_rest}
  - {id: each, for_each: $pick.json, item_var: row, batch_size: 2, pause_ms: 7, env: {R: $row.json}, steps: [{id: t, run: "echo $row.json $b1.json", when: $index.json < 3, on_error: continue}]}
  - {id: sub, workflow: c.lobster, workflow_args: {a: "${who}", b: [1]}}
  - {id: any, workflow: "${who}.lobster"}
  - {id: send, run: openclaw agent --message hi, retry: {max: 2}}
`
	p, diags := lowerText(t, map[string]string{"main.lobster": main, "c.lobster": child, "d.lobster": child}, "c.lobster", "d.lobster", "main.lobster")
	if diags.HasErrors() {
		t.Fatal(show(diags))
	}
	if err := ir.Check(p); err != nil {
		t.Fatal(err)
	}
	if len(p.Children) != 2 || len(p.Main.Steps) != 9 {
		t.Errorf("%d children, %d steps", len(p.Children), len(p.Main.Steps))
	}
	if s := p.Main.Steps[8].Do.(*ir.Shell); !s.Dispatch {
		t.Error("dispatch overlooked")
	}
	if r := p.Main.Steps[0].Retry; *r != (ir.Retry{Pos: r.Pos, Max: 3, Exponential: true, DelayMS: 1, MaxDelayMS: 30000}) {
		t.Errorf("%+v", r)
	}
	back, err := ir.Decode(ir.Encode(p))
	if err != nil || ir.Hash(back) != ir.Hash(p) {
		t.Errorf("does not survive its encoding: %v", err)
	}
}

func TestDispatches(t *testing.T) {
	for text, want := range map[string]bool{
		"openclaw.invoke --tool x": true, "echo hi && clawd.invoke x": true, "openclaw agent --message hi": true, "openclaw status": false,
		"gog gmail send --to x": true, "gog gmail list": false, "FOO=1 timeout 5 openclaw agent": true, "echo 'openclaw agent'": false,
		"echo $(openclaw.invoke x)": true, "if (( x; then openclaw agent": true, "/usr/bin/openclaw.invoke": true, `"openclaw" agent`: true,
		"gog -a me gmail send": false, "grep openclaw agent": false, "openclaw.invoke": true,
	} {
		if got := dispatches(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
