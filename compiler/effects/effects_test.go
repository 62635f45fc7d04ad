package effects

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/lobsterc/lobsterc/compiler/catalog"
	"github.com/lobsterc/lobsterc/ir"
	"github.com/lobsterc/lobsterc/runtime/value"
)

func TestShell(t *testing.T) {
	tests := []struct{ script, want string }{
		{"echo hi | jq . | sort", ""},
		{"git push origin main", "git push: local_exec, network"},
		{"cd x && git -C y commit -m 'a; curl b'", "git commit: local_exec"},
		{"curl -s https://api.example.org/x | jq .", "curl: local_exec, network @https://api.example.org/x"},
		{"rm -rf build && make all", "rm: local_exec, writes_files [build]; make: local_exec"},
		{"echo x > out.txt 2>/dev/null", "> out.txt: writes_files [out.txt]"},
		{"sudo -u bob env A=1 gog gmail send --to x", "gog gmail send: local_exec, network, sends_email"},
		{"timeout -k 5 10 ssh host 'rm x'", "ssh: local_exec, network"},
		{"sh -c 'git push; sendmail a'", "git push: local_exec, network; sendmail: local_exec, sends_email"},
		{"eval \"git push\"", "git push: local_exec, network"},
		{"find . -name x -exec rm {} +", "rm: local_exec, writes_files [{} +]"},
		{"find . -delete", "find -delete: local_exec, writes_files"},
		{"$TOOL push", "$TOOL: local_exec"},
		{"if x; then y; fi; for i in a; do z $i; done; f() { w; }; f", "x: local_exec; y: local_exec; z: local_exec; w: local_exec"},
		{"echo $(wget u)", "wget: local_exec, network"},
		{"if [[ a == b ]]; then true; fi", ""},
		{"if then", "shell text that does not parse: local_exec"},
		{"cat <<E | openclaw.invoke --tool message\nx\nE", "openclaw.invoke: calls_clawd_tool, local_exec, network"},
		{"openclaw agent --message hi", "openclaw agent: calls_openclaw_agent, local_exec, network"},
		{"sed -i s/a/b/ f; sed s/a/b/ f", "sed: local_exec, writes_files"},
		{"cp a b c; ln -s x y", "cp: local_exec, writes_files [c]; ln: local_exec, writes_files [y]"},
		{"npm test; npm install", "npm test: local_exec; npm install: local_exec, network"},
		{"gh pr merge 5", "gh pr merge: local_exec, network"},
	}
	for _, tt := range tests {
		var got []string
		for _, e := range merge(readShell(NewScript(ir.Template{ir.Text(tt.script)})).effects) {
			line := e.What + ": " + strings.Join(e.Kinds, ", ")
			if e.Endpoint != "" {
				line += " @" + e.Endpoint
			}
			if len(e.Files) > 0 {
				line += fmt.Sprintf(" %v", e.Files)
			}
			got = append(got, line)
		}
		if text := strings.Join(got, "; "); text != tt.want {
			t.Errorf("%s\n got %s\nwant %s", tt.script, text, tt.want)
		}
	}
}

func TestIs(t *testing.T) {
	tests := []struct {
		script ir.Template
		name   string
		want   bool
	}{
		{ir.Template{ir.Text("git push")}, "cmd:git push", true},
		{ir.Template{ir.Text("git -C x push origin")}, "cmd:git push", true},
		{ir.Template{ir.Text("/usr/bin/git push")}, "cmd:git", true},
		{ir.Template{ir.Text("git pull")}, "cmd:git push", false},
		{ir.Template{ir.Text("git "), ir.ArgRef{Name: "what"}}, "cmd:git push", true},
		{ir.Template{ir.ArgRef{Name: "tool"}, ir.Text(" push")}, "cmd:git push", true},
		{ir.Template{ir.Text("sh -c 'git push'")}, "cmd:git push", true},
		{ir.Template{ir.Text("echo git push")}, "cmd:git push", false},
		{ir.Template{ir.Text("gog gmail send")}, "sends_email", true},
		{ir.Template{ir.Text("rm x")}, "effects", true},
		{ir.Template{ir.Text("clawd.invoke --tool message")}, "tool:message", true},
	}
	for _, tt := range tests {
		got := false
		for _, e := range readShell(NewScript(tt.script)).effects {
			got = got || e.Is(tt.name)
		}
		if got != tt.want {
			t.Errorf("%s is %s: got %v", tt.script, tt.name, got)
		}
	}
}

// example is a program that reads and does a little of everything.
func example() *ir.Program {
	fetch := run("fetch", "")
	fetch.Do.(*ir.Shell).Script = ir.Template{ir.Text("curl https://x.test/ -d "), ir.ArgRef{Name: "who"}, ir.Text(` "$HOME" "$LOBSTER_ARG_MAX_N" "$SET" "$T"; LOCAL=1; echo $LOCAL > log`)}
	fetch.Env = []ir.EnvVar{{Name: "T", Value: ir.Template{ir.EnvRef{Name: "TOKEN", Raw: "$TOKEN"}}}}
	keep := &ir.Step{ID: "keep", Do: &ir.Pipeline{Source: "state.set seen", Stages: []ir.Stage{
		{Name: "exec", Flags: []ir.Flag{{Name: "shell", Value: ir.Template{ir.Text("git push")}}}},
		{Name: "state.set", Words: []ir.Word{{Text: ir.Template{ir.Text("seen")}}}},
		{Name: "openclaw.invoke", Flags: []ir.Flag{{Name: "action", Value: ir.Template{ir.Text("send")}}, {Name: "tool", Value: ir.Template{ir.Text("message")}}}}}}}
	p := program(fetch, gate("g"), keep, when(&ir.Lit{Value: value.Bool(false)}, run("dead", "git push")))
	p.Main.Args = []ir.Arg{{Name: "who"}, {Name: "max-n"}}
	p.Main.Env = []ir.EnvVar{{Name: "SET", Value: ir.Template{ir.Text("1")}}}
	return p
}

func TestPrint(t *testing.T) {
	want := `STEP   CAN DO                        EFFECTS                    BEHIND
fetch  curl https://x.test/          local_exec, network        -
       > log                         writes_files               -
keep   git push                      local_exec, network        g
       state.set seen                writes_state               g
       openclaw.invoke message/send  calls_clawd_tool, network  g
dead   never runs

gates: g (approval)
arguments read: max-n, who
environment read: HOME, TOKEN
endpoints: https://x.test/
state keys: seen
files: log
`
	var b bytes.Buffer
	r := Analyze(example(), catalog.New())
	if err := r.Print(&b, "text"); err != nil || b.String() != want {
		t.Errorf("%v\n%s\nwant\n%s", err, b.String(), want)
	}
	b.Reset()
	if err := r.Print(&b, "json"); err != nil {
		t.Fatal(err)
	}
	v, err := value.Parse(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if got := v.Path("steps", "2", "effects", "0").JSON(); got != `{"what":"git push","effects":["local_exec","network"],"command":["git","push"],"files":[],"behind":[{"step":"g","kind":"approval"}]}` {
		t.Errorf("json: %s", got)
	}
	if err := r.Print(&b, "xml"); err == nil {
		t.Error("an unknown format was accepted")
	}
	if got := strings.Join(r.Summary(), "; "); got != "calls_clawd_tool (after approval); local_exec; network; writes_files; writes_state (after approval)" {
		t.Errorf("summary: %s", got)
	}
}

func TestRequire(t *testing.T) {
	tests := []struct{ names, want string }{
		{"network", "error: step fetch can do network (curl)"},
		{"cmd:git push", ""},
		{"writes_state;calls_clawd_tool", ""},
		{"effects", "error: step fetch can do effects (curl); error: step fetch can do effects (> log)"},
		{"sends_mail", `warning: x-require-approval names an unknown effect "sends_mail"`},
		{"stage:state.set", ""},
	}
	for _, tt := range tests {
		var got []string
		for _, d := range Require(example(), catalog.New(), strings.Split(tt.names, ";")) {
			text, _, _ := strings.Cut(d.Message, " and no approval")
			got = append(got, d.Severity.String()+": "+text)
		}
		if text := strings.Join(got, "; "); text != tt.want {
			t.Errorf("%s: got %s, want %s", tt.names, text, tt.want)
		}
	}
	p := program(input("i"), send())
	p.Main.RequireApproval = []string{"sends_email"}
	if list := Require(p, catalog.New(), nil); len(list) != 1 || len(list[0].Notes) != 1 {
		t.Errorf("an input request must not count as approval: %v", list)
	}
}

func TestDiff(t *testing.T) {
	tests := []struct {
		name     string
		from, to *ir.Program
		want     string
	}{
		{"same", program(gate("g"), send()), program(gate("g"), send()), ""},
		{"moved before the gate", program(gate("g"), send()), program(send(), gate("g")), "gate-weakened send behind g -> behind no gate !"},
		{"gate gone", program(gate("g"), send()), program(send()), "gate-weakened send behind g -> behind no gate !"},
		{"one of two", program(gate("g"), gate("h"), send()), program(gate("g"), send()), ""},
		{"effect added", program(gate("g"), send()), program(gate("g"), send(), run("x", "git push")), "effect-added x  -> behind g"},
		{"effect removed", program(send(), run("x", "git push")), program(send()), "effect-removed x behind no gate -> "},
		{"also from an open place", program(gate("g"), send()), program(run("x", "gog gmail send"), gate("g"), send()), "gate-weakened x behind g -> behind no gate !"},
		{"one command of two", program(run("w", "inbox list"), gate("g"), run("x", "inbox apply")), program(run("w", "inbox list"), run("x", "inbox apply"), gate("g")),
			"gate-weakened x behind g -> behind no gate !"},
		{"changed and moved", program(run("w", "inbox list"), gate("g"), run("x", "inbox apply")), program(run("w", "inbox list"), run("x", "inbox apply --all"), gate("g")),
			"gate-weakened x behind g -> behind no gate !"},
		{"moved behind one of two", program(gate("g"), gate("h"), send()), program(gate("g"), send(), gate("h")), "gate-weakened send behind g, h -> behind g !"},
		{"new program", nil, program(send()), "effect-added send  -> behind no gate"},
	}
	for _, tt := range tests {
		var got []string
		for _, c := range Diff(tt.from, tt.to, catalog.New()) {
			line := fmt.Sprintf("%s %s %s -> %s", c.Kind, c.Step, c.Old, c.New)
			if c.Weakens {
				line += " !"
			}
			got = append(got, line)
		}
		if text := strings.Join(got, "; "); text != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, text, tt.want)
		}
	}
}
