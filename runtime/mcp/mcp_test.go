package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lobsterc/lobsterc/runtime"
	"github.com/lobsterc/lobsterc/runtime/drive"
	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// The test binary stands in for programs that were built with --mcp: server and runs are real processes.

const programVar = "LOBSTERC_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if name := os.Getenv(programVar); name != "" {
		p := programs()[name]
		p.MCP = runtime.Serve(Serve)
		runtime.Main(p)
	}
	os.Exit(m.Run())
}

func shell(id, script string) drive.Step {
	return drive.Step{ID: id, Shell: func(*drive.Run) drive.Command { return drive.Command{Script: script} }}
}

func approve(id string) drive.Step {
	return drive.Step{ID: id, Approval: func(*drive.Run) drive.Approval {
		return drive.Approval{Prompt: "Go on with " + id + "?", Preview: value.String("the plan")}
	}}
}

// anything is a schema that all answers fit but the one that says so.
type anything struct{ source string }

func (s anything) Source() value.Value { v, _ := value.ParseString(s.source); return v }

func (s anything) Validate(v value.Value) error {
	if strings.Contains(v.JSON(), "wrong") {
		return &flow.SchemaError{Path: "/", Reason: "must be right"}
	}
	return nil
}

func ask(id, schema string) drive.Step {
	return drive.Step{ID: id, Input: func(*drive.Run) drive.Input { return drive.Input{Prompt: "Well?", Schema: anything{schema}} }}
}

func programs() map[string]runtime.Program {
	greet := workflow("greet", drive.Step{ID: "say", Shell: func(run *drive.Run) drive.Command {
		return drive.Command{Script: "echo hello " + run.Arg("times")}
	}}, drive.Step{ID: "never", When: func(*drive.Run) bool { return false }}, shell("last", `printf '%s' "$LOBSTER_ARG_WHO"`))
	greet.Workflow.Description = "Greets."
	greet.Effects = []string{"runs a shell"}
	greet.Workflow.Args = []drive.Arg{
		{Name: "who", Required: true, Description: "whom"}, {Name: "times", Default: value.Int(3)},
		{Name: "list", Default: value.Array()}, {Name: "key", Secret: true}, {Name: "n", Type: "integer"},
	}
	return map[string]runtime.Program{
		"greet":  greet,
		"gates":  workflow("the gates", shell("before", "echo 1 >>ran"), approve("one"), shell("mid", "echo 2 >>ran"), approve("two"), shell("after", "echo done")),
		"object": workflow("object", ask("in", `{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}`), shell("after", "echo done")),
		"scalar": workflow("scalar", ask("in", `{"type":"string"}`), shell("after", "echo done")),
		"nested": workflow("nested", ask("in", `{"type":"object","properties":{"n":{"type":"object"}}}`), shell("after", "echo done")),
		"fails":  workflow("fails", shell("first", "echo 1"), shell("bad", "echo oops >&2; exit 3")),
		"slow":   workflow("slow", shell("sleep", "echo $$ >pid.tmp; mv pid.tmp pid; exec sleep 60")),
	}
}

func workflow(name string, steps ...drive.Step) runtime.Program {
	return runtime.Program{Hash: "sha256:" + name, Workflow: drive.Workflow{Name: name, File: "w.lobster", Steps: steps}}
}

// client is a session with a server process.
type client struct {
	*sdk.ClientSession
	t        *testing.T
	dir      string
	mu       sync.Mutex
	progress []string
}

// older is the newest protocol in which servers ask while a call is open.
const older = "2025-11-25"

// connect starts a server and a session. elicit answers its questions; nil = the client has no forms.
func connect(t *testing.T, name string, protocol string, elicit func(*sdk.ElicitParams) *sdk.ElicitResult) *client {
	t.Helper()
	c := &client{t: t, dir: t.TempDir()}
	opt := &sdk.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.progress = append(c.progress, fmt.Sprintf("%g/%g %s", r.Params.Progress, r.Params.Total, r.Params.Message))
	}}
	if elicit != nil {
		opt.ElicitationHandler = func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) { return elicit(r.Params), nil }
	}
	cmd := exec.Command(os.Args[0], "mcp", "--state-dir=state")
	cmd.Dir, cmd.Stderr = c.dir, os.Stderr
	cmd.Env = append(os.Environ(), programVar+"="+name)
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, opt).
		Connect(t.Context(), &sdk.CommandTransport{Command: cmd}, &sdk.ClientSessionOptions{ProtocolVersion: protocol})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	c.ClientSession = session
	return c
}

// call calls a tool and gives the envelope, or the text when there is none.
func (c *client) call(tool string, args any) (value.Value, string, bool) {
	c.t.Helper()
	p := &sdk.CallToolParams{Name: tool, Arguments: args}
	p.SetProgressToken("token")
	res, err := c.CallTool(c.t.Context(), p)
	if err != nil {
		c.t.Fatal(err)
	}
	text := res.Content[0].(*sdk.TextContent).Text
	data, err := json.Marshal(res.StructuredContent)
	if err != nil {
		c.t.Fatal(err)
	}
	env, _ := value.Parse(data)
	return env, text, res.IsError
}

func (c *client) ran() string {
	data, _ := os.ReadFile(c.dir + "/ran")
	return strings.ReplaceAll(string(data), "\n", "")
}

func protocols(t *testing.T, f func(t *testing.T, protocol string)) {
	for name, protocol := range map[string]string{"newest": "", "older": older} {
		t.Run(name, func(t *testing.T) { f(t, protocol) })
	}
}

func TestList(t *testing.T) {
	protocols(t, func(t *testing.T, protocol string) {
		c := connect(t, "greet", protocol, nil)
		list, err := c.ListTools(t.Context(), nil)
		if err != nil || len(list.Tools) != 2 {
			t.Fatal(list, err)
		}
		greet := list.Tools[0]
		schema, _ := json.Marshal(greet.InputSchema)
		want := `{"properties":{"list":{"default":[],"type":"array"},"n":{"type":"integer"},"times":{"default":3,"type":"number"},` +
			`"who":{"description":"whom"}},"required":["who"],"type":"object"}`
		if greet.Name != "greet" || greet.Description != "Greets.\n\nWhat it can do:\n- runs a shell" || string(schema) != want {
			t.Errorf("%s: %s\n%s", greet.Name, greet.Description, schema)
		}
		if list.Tools[1].Name != "resume" {
			t.Error(list.Tools[1].Name)
		}
	})
}

func TestCall(t *testing.T) {
	protocols(t, func(t *testing.T, protocol string) {
		c := connect(t, "greet", protocol, nil)
		env, _, isError := c.call("greet", map[string]any{"who": "it's \"you\"", "times": 5})
		if got := env.Get("output").JSON(); isError || got != `["it's \"you\""]` {
			t.Errorf("got %s", env.JSON())
		}
		if _, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "greet", Arguments: map[string]any{"who": "x"}}); err != nil {
			t.Error(err) // without a progress token
		}
		env, text, isError := c.call("greet", nil)
		if !isError || !strings.Contains(text, "missing argument who") || env.Path("error", "type").Text() != "parse_error" {
			t.Errorf("without a required argument: %s", text)
		}
		c.Close() // all notifications have come
		c.mu.Lock()
		defer c.mu.Unlock()
		want := "0.5/3 say: running|1/3 say: ok|2/3 never: skipped|2.5/3 last: running|3/3 last: ok"
		if got := strings.Join(c.progress, "|"); got != want {
			t.Errorf("progress %s", got)
		}
	})
}

func TestFailure(t *testing.T) {
	c := connect(t, "fails", "", nil)
	env, text, isError := c.call("fails", nil)
	if !isError || !strings.Contains(text, "oops") || env.Path("_meta", "steps", "0", "status").Text() != "ok" || env.Path("_meta", "steps", "1", "status").Text() != "failed" {
		t.Errorf("got %s", text)
	}
}

// TestElicitation: a client with forms goes through both gates in one call.
func TestElicitation(t *testing.T) {
	protocols(t, func(t *testing.T, protocol string) {
		for _, tt := range []struct {
			answers []*sdk.ElicitResult
			status  string
			ran     string
		}{
			{[]*sdk.ElicitResult{yes(true), yes(true)}, "ok", "12"},
			{[]*sdk.ElicitResult{yes(false)}, "cancelled", "1"},
			{[]*sdk.ElicitResult{yes(true), {Action: "decline"}}, "cancelled", "12"},
		} {
			var asked []string
			c := connect(t, "gates", protocol, func(p *sdk.ElicitParams) *sdk.ElicitResult {
				asked = append(asked, p.Message)
				return tt.answers[len(asked)-1]
			})
			env, text, _ := c.call("the_gates", nil)
			if env.Get("status").Text() != tt.status || c.ran() != tt.ran || len(asked) != len(tt.answers) || asked[0] != "Go on with one?\n\nthe plan" {
				t.Errorf("asked %q, ran %s: %s", asked, c.ran(), text)
			}
		}
	})
}

func yes(b bool) *sdk.ElicitResult {
	return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"approve": b}}
}

// TestDismissed: a question that nobody answers leaves the run waiting under its token.
func TestDismissed(t *testing.T) {
	protocols(t, func(t *testing.T, protocol string) {
		c := connect(t, "gates", protocol, func(*sdk.ElicitParams) *sdk.ElicitResult { return &sdk.ElicitResult{Action: "cancel"} })
		_, text, isError := c.call("the_gates", nil)
		_, rest, _ := strings.Cut(text, `token "`)
		token, _, ok := strings.Cut(rest, `"`)
		if isError || !ok {
			t.Fatal(text)
		}
		if env, text, _ := c.call("resume", map[string]any{"token": token, "approve": false}); env.Get("status").Text() != "cancelled" {
			t.Error(text)
		}
	})
}

// TestToken: a client without forms gets tokens, and answers with the tool resume.
func TestToken(t *testing.T) {
	protocols(t, func(t *testing.T, protocol string) {
		c := connect(t, "gates", protocol, nil)
		env, text, _ := c.call("the_gates", nil)
		token := env.Path("requiresApproval", "resumeToken").Text()
		if env.Get("status").Text() != "needs_approval" || !strings.Contains(text, "call the tool resume") {
			t.Fatal(text)
		}
		if _, text, isError := c.call("resume", map[string]any{"token": token}); !isError || !strings.Contains(text, "approve required") {
			t.Error(text)
		}
		env, text, _ = c.call("resume", map[string]any{"token": token, "approve": true})
		id := env.Path("requiresApproval", "approvalId").Text()
		if id == "" || c.ran() != "12" {
			t.Fatal(text)
		}
		if _, text, isError := c.call("resume", map[string]any{"token": token, "approve": true}); !isError || !strings.Contains(text, "Workflow resume state not found") {
			t.Errorf("the same token again: %s", text)
		}
		env, text, _ = c.call("resume", map[string]any{"token": id, "approve": true})
		if got := env.Get("output").JSON(); got != `["done\n"]` || env.Path("_meta", "steps").Len() != 5 {
			t.Error(text)
		}
		for _, args := range []any{nil, map[string]any{"token": ""}, map[string]any{"token": 3}, map[string]any{"token": "nonsense", "approve": true}} {
			if _, text, isError := c.call("resume", args); !isError {
				t.Errorf("%v: %s", args, text)
			}
		}
	})
}

func TestInput(t *testing.T) {
	protocols(t, func(t *testing.T, protocol string) {
		for _, tt := range []struct {
			program string
			content map[string]any
			asked   string // the schema of the form
			status  string
		}{
			{"object", map[string]any{"n": 3}, `"n":{"type":"number"}`, "ok"},
			{"scalar", map[string]any{"response": "x"}, `"response":{"type":"string"}`, "ok"},
			{"scalar", map[string]any{"response": "wrong"}, `"response":{"type":"string"}`, ""},
			{"nested", nil, "", "needs_input"},
		} {
			asked := ""
			c := connect(t, tt.program, protocol, func(p *sdk.ElicitParams) *sdk.ElicitResult {
				data, _ := json.Marshal(p.RequestedSchema)
				asked = string(data)
				return &sdk.ElicitResult{Action: "accept", Content: tt.content}
			})
			env, text, _ := c.call(tt.program, nil)
			if !strings.Contains(asked, tt.asked) || env.Get("status").Text() != tt.status || tt.asked == "" && asked != "" {
				t.Errorf("%s: asked %s, got %s", tt.program, asked, text)
			}
			if tt.status == "" && !strings.Contains(text, "must be right") {
				t.Errorf("a wrong answer: %s", text)
			}
		}
	})
}

// TestCancel: cancelling a call ends its run and what the run started.
func TestCancel(t *testing.T) {
	protocols(t, func(t *testing.T, protocol string) {
		c := connect(t, "slow", protocol, nil)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			_, err := c.CallTool(ctx, &sdk.CallToolParams{Name: "slow"})
			ended <- err
		}()
		pid := c.pid()
		cancel()
		if err := <-ended; err == nil {
			t.Error("the call ended well")
		}
		gone(t, pid)
		if _, err := c.ListTools(t.Context(), nil); err != nil {
			t.Errorf("the server is not there any more: %v", err)
		}
	})
}

// TestLeave: a client that leaves takes its runs with it, and the server ends.
func TestLeave(t *testing.T) {
	for _, leave := range []func(*exec.Cmd, io.Closer){
		func(_ *exec.Cmd, stdin io.Closer) { stdin.Close() },
		func(cmd *exec.Cmd, _ io.Closer) { cmd.Process.Signal(syscall.SIGTERM) },
	} {
		c := &client{t: t, dir: t.TempDir()}
		cmd := exec.Command(os.Args[0], "mcp", "--state-dir=state")
		cmd.Dir, cmd.Env = c.dir, append(os.Environ(), programVar+"=slow")
		stdin, err := cmd.StdinPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(stdin, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
		fmt.Fprintln(stdin, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		fmt.Fprintln(stdin, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"slow"}}`)
		pid := c.pid()
		leave(cmd, stdin)
		cmd.Wait()
		gone(t, pid)
	}
}

// pid waits for the process that the slow step starts.
func (c *client) pid() string {
	c.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if data, err := os.ReadFile(c.dir + "/pid"); err == nil {
			return strings.TrimSpace(string(data))
		}
	}
	c.t.Fatal("the step does not start")
	return ""
}

func gone(t *testing.T, pid string) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); exec.Command("kill", "-0", pid).Run() == nil; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the run goes on")
		}
	}
}

// TestManyCalls: calls at the same time do not disturb each other.
func TestManyCalls(t *testing.T) {
	c := connect(t, "greet", "", nil)
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			who := fmt.Sprintf("number %d", i)
			res, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "greet", Arguments: map[string]any{"who": who}})
			if err != nil {
				t.Error(err)
				return
			}
			data, _ := json.Marshal(res.StructuredContent)
			if env, _ := value.Parse(data); env.Path("output", "0").Text() != who {
				t.Errorf("%s: %s", who, data)
			}
		})
	}
	wg.Wait()
}

func TestToolNames(t *testing.T) {
	s := &Server{Tools: []*Tool{{Name: "a b"}, {Name: "a/b"}, {Name: "resume"}, {Name: "grüße"}, {Name: ""}, {Name: strings.Repeat("x", 300)}}}
	names := s.named()
	for _, want := range []string{"a_b", "a_b_2", "resume_2", "gr__e", "workflow", strings.Repeat("x", 100)} {
		if names[want] == nil {
			t.Errorf("no %q in %v", want, names)
		}
	}
}
