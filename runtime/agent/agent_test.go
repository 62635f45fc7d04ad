package agent

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/net/gatewaytest"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// fake writes an executable that records its arguments, prints OUT, writes ERR and exits with CODE.
func fake(t *testing.T) (bin, argv string) {
	t.Helper()
	dir := t.TempDir()
	bin, argv = filepath.Join(dir, "oc"), filepath.Join(dir, "argv")
	script := "#!/bin/sh\nfor a; do printf '<%s>' \"$a\"; done > " + argv + "\nprintf '%s' \"$ERR\" >&2\nprintf '%s' \"$OUT\"\nexit ${CODE:-0}\n"
	if err := os.WriteFile(bin, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return bin, argv
}

func TestAgent(t *testing.T) {
	seconds := 5
	items, err := value.ParseString(`[1,"s",null,{"a":1}]`)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name  string
		opt   AgentOptions
		items []value.Value
		env   []string
		argv  string
		want  string
	}{
		{name: "plain", opt: AgentOptions{Prompt: " hi there ", Agent: " a "}, env: []string{`OUT={"a":1}`}, argv: "<agent><--json><--message><hi there><--agent><a>", want: `[{"a":1}]`},
		{
			name: "all", opt: AgentOptions{Prompt: "p", Agent: "a", Model: "m", SessionKey: "k", SessionID: "i", Thinking: "high", Timeout: &seconds, Local: true}, env: []string{"OUT={}\n\n"},
			argv: "<agent><--json><--message><p><--agent><a><--model><m><--session-key><k><--session-id><i><--thinking><high><--timeout><5><--local>", want: `[{}]`,
		},
		{
			name: "items", opt: AgentOptions{Prompt: "p", SessionID: "i"}, items: items.Items(), env: []string{"OUT={}"},
			argv: "<agent><--json><--message><p\n\nPipeline input (JSONL):\n1\n\"s\"\nnull\n{\"a\":1}><--session-id><i>", want: `[{}]`,
		},
		{name: "no prompt", opt: AgentOptions{Agent: "a"}, want: "error: openclaw.agent requires --prompt, --message, or positional text"},
		{name: "no agent", opt: AgentOptions{Prompt: "p"}, want: "error: openclaw.agent requires --agent, --session-key, or --session-id"},
		{name: "array", opt: AgentOptions{Prompt: "p", Agent: "a"}, env: []string{"OUT=[1]"}, argv: "<agent><--json><--message><p><--agent><a>", want: "error: openclaw.agent expected JSON output from `openclaw agent --json`"},
		{name: "empty", opt: AgentOptions{Prompt: "p", Agent: "a"}, argv: "<agent><--json><--message><p><--agent><a>", want: "error: openclaw.agent expected JSON output from `openclaw agent --json`"},
		{name: "stderr", opt: AgentOptions{Prompt: "p", Agent: "a"}, env: []string{"OUT=o", "ERR= some err \n", "CODE=3"}, argv: "<agent><--json><--message><p><--agent><a>", want: "error: openclaw.agent failed: some err"},
		{name: "stdout", opt: AgentOptions{Prompt: "p", Agent: "a"}, env: []string{"OUT=nope", "CODE=3"}, argv: "<agent><--json><--message><p><--agent><a>", want: "error: openclaw.agent failed: nope"},
		{name: "code", opt: AgentOptions{Prompt: "p", Agent: "a"}, env: []string{"CODE=3"}, argv: "<agent><--json><--message><p><--agent><a>", want: "error: openclaw.agent failed: exited with code 3"},
		{name: "missing", opt: AgentOptions{Prompt: "p", Agent: "a"}, env: []string{"LOBSTER_OPENCLAW_BIN=/nope/x"}, want: "error: openclaw.agent could not find the OpenClaw CLI"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bin, argv := fake(t)
			env := append([]string{"PATH=/usr/bin:/bin", "LOBSTER_OPENCLAW_BIN=" + bin}, tt.env...)
			got := gatewaytest.Run(t.Context(), Agent(tt.opt), tt.items, "", env...)
			if got.Text() != tt.want {
				t.Errorf("gave %s, want %s", got.Text(), tt.want)
			}
			args, _ := os.ReadFile(argv)
			if string(args) != tt.argv {
				t.Errorf("ran %s, want %s", args, tt.argv)
			}
			if ran := got.Dispatches == 1; ran != (tt.argv != "") {
				t.Errorf("%d dispatches", got.Dispatches)
			}
		})
	}
}

func TestNeeds(t *testing.T) {
	stage := Agent(AgentOptions{})
	if got := stage.Needs(&flow.Env{Environ: []string{"PATH=/nope"}}); got == "" {
		t.Error("finds an executable where there is none")
	}
	if got := stage.Needs(&flow.Env{Environ: []string{"PATH=/bin:/usr/bin", "LOBSTER_OPENCLAW_BIN=sh"}}); got != "" {
		t.Error(got)
	}
}
