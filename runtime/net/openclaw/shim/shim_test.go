package shim

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/net/gatewaytest"
	"github.com/lobsterc/lobsterc/runtime/value"
)

func TestRun(t *testing.T) {
	gw := gatewaytest.New()
	defer gw.Close()
	gw.Tools = map[string]func(string, value.Value) (value.Value, error){
		"echo": func(action string, args value.Value) (value.Value, error) {
			if action == "fail" {
				return value.Value{}, errors.New("it hurts")
			}
			return args, nil
		},
	}
	tests := []struct {
		args, stdin, stdout, stderr string
		exit                        int
	}{
		{`openclaw.invoke --tool echo --action say --args-json {"a":1}`, "", `[{"a":1}]`, "", 0},
		{`clawd.invoke --tool=echo --action say --each --itemKey k`, `[1,2]`, `[{"k":1},{"k":2}]`, "", 0},
		{`openclaw.invoke --tool echo --action say --each`, `{"x":1}`, `[{"item":{"x":1}}]`, "", 0},
		{`openclaw.invoke --tool echo --action say --each`, `[1,`, ``, "Error: the items on stdin must be JSON: ", 1},
		{`openclaw.invoke --tool echo --action fail`, "", "", "openclaw.invoke failed (500): ", 1},
		{`openclaw.invoke --tool echo`, "", "", "Parse error: openclaw.invoke requires --tool and --action", 2},
		{`clawd.invoke --tool echo --action say --args-json {`, "", "", "Parse error: clawd.invoke --args-json must be valid JSON", 2},
		{`clawd.invoke --tool echo --action say word`, "", "", `Parse error: clawd.invoke takes no words, got "word"`, 2},
		{`clawd.invoke --tol echo`, "", "", "did you mean --tool?", 2},
	}
	for _, tt := range tests {
		var stdout, stderr bytes.Buffer
		env := &flow.Env{Ctx: context.Background(), Environ: []string{"OPENCLAW_URL=" + gw.URL}, Stdout: &stdout, Stderr: &stderr, NoteDispatch: func() {}}
		exit := Run(strings.Fields(tt.args), strings.NewReader(tt.stdin), env)
		got := stdout.String()
		if v, err := value.ParseString(got); err == nil {
			got = v.JSON()
		}
		if exit != tt.exit || got != tt.stdout || !strings.Contains(stderr.String(), tt.stderr) {
			t.Errorf("%s: exit %d, stdout %s, stderr %s", tt.args, exit, got, stderr.String())
		}
	}
}
