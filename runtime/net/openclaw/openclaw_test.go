package openclaw

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/net/gatewaytest"
	"github.com/lobsterc/lobsterc/runtime/value"
)

func parse(t testing.TB, text string) value.Value {
	t.Helper()
	v, err := value.ParseString(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func options(o InvokeOptions) InvokeOptions {
	o.Name, o.Tool, o.Action = "openclaw.invoke", "t", "a"
	return o
}

// TestRequests: what is sent, as recorded from the reference. @ stands for the gateway's address.
func TestRequests(t *testing.T) {
	tests := []struct {
		name  string
		opt   InvokeOptions
		args  string
		items string
		env   []string
		auth  string
		want  []string
		out   string
	}{
		{name: "plain", env: []string{"OPENCLAW_URL=@/base/x?y=1"}, want: []string{`{"tool":"t","action":"a","args":{}}`}, out: `[{"a":1},2]`},
		{
			name: "all", opt: InvokeOptions{SessionKey: "S", DryRun: true}, args: `{"z":1,"b":[1.0]}`, env: []string{"OPENCLAW_URL=@", "OPENCLAW_TOKEN=tok", "CLAWD_TOKEN=tok2"},
			auth: "Bearer tok", want: []string{`{"tool":"t","action":"a","args":{"z":1,"b":[1]},"sessionKey":"S","dryRun":true}`}, out: `[{"a":1},2]`,
		},
		{name: "token flag", opt: InvokeOptions{Token: "T"}, env: []string{"OPENCLAW_URL=@", "OPENCLAW_TOKEN=x"}, auth: "Bearer T", want: []string{`{"tool":"t","action":"a","args":{}}`}, out: `[{"a":1},2]`},
		{name: "trimmed", env: []string{"CLAWD_URL= @ ", "CLAWD_TOKEN= ct "}, auth: "Bearer ct", want: []string{`{"tool":"t","action":"a","args":{}}`}, out: `[{"a":1},2]`},
		{name: "set to nothing", env: []string{"CLAWD_URL=@", "CLAWD_TOKEN=ct", "OPENCLAW_TOKEN="}, want: []string{`{"tool":"t","action":"a","args":{}}`}, out: `[{"a":1},2]`},
		{name: "args no object", args: `[1]`, env: []string{"OPENCLAW_URL=@"}, want: []string{`{"tool":"t","action":"a","args":[1]}`}, out: `[{"a":1},2]`},
		{name: "args null", args: `null`, env: []string{"OPENCLAW_URL=@"}, want: []string{`{"tool":"t","action":"a","args":null}`}, out: `[{"a":1},2]`},
		{name: "items do not matter", items: `[1,2]`, env: []string{"OPENCLAW_URL=@"}, want: []string{`{"tool":"t","action":"a","args":{}}`}, out: `[{"a":1},2]`},
		{
			name: "each", opt: InvokeOptions{Each: true, ItemKey: "k"}, args: `{"k":5,"y":1}`, items: `[1,{"q":2}]`, env: []string{"OPENCLAW_URL=@"},
			want: []string{`{"tool":"t","action":"a","args":{"k":1,"y":1}}`, `{"tool":"t","action":"a","args":{"k":{"q":2},"y":1}}`}, out: `[{"a":1},2,{"a":1},2]`,
		},
		{name: "each of none", opt: InvokeOptions{Each: true}, items: `[]`, env: []string{"OPENCLAW_URL=@"}, out: `[]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := gatewaytest.Start(t)
			g.Tools["t"] = func(string, value.Value) (value.Value, error) { return parse(t, `[{"a":1},2]`), nil }
			o := options(tt.opt)
			if tt.args != "" {
				o.Args = parse(t, tt.args)
			}
			var items []value.Value
			if tt.items != "" {
				items = parse(t, tt.items).Items()
			}
			for i := range tt.env {
				tt.env[i] = strings.ReplaceAll(tt.env[i], "@", g.URL)
			}
			got := gatewaytest.Run(t.Context(), Invoke(o), items, t.TempDir(), tt.env...)
			if got.Text() != tt.out {
				t.Errorf("gave %s, want %s", got.Text(), tt.out)
			}
			calls := g.Calls()
			if len(calls) != len(tt.want) || got.Dispatches != len(tt.want) {
				t.Fatalf("%d calls, %d dispatches, want %d", len(calls), got.Dispatches, len(tt.want))
			}
			for i, c := range calls {
				if c.Method != "POST" || c.Path != "/tools/invoke" || c.Type != "application/json" || c.Auth != tt.auth || c.Body != tt.want[i] {
					t.Errorf("sent %+v, want %s", c, tt.want[i])
				}
			}
		})
	}
}

// TestRefused: what fails before anything is sent.
func TestRefused(t *testing.T) {
	tests := []struct {
		opt  InvokeOptions
		args string
		env  string
		want string
	}{
		{want: "openclaw.invoke requires --url or OPENCLAW_URL"},
		{env: "OPENCLAW_URL=", want: "openclaw.invoke requires --url or OPENCLAW_URL"},
		{env: "OPENCLAW_URL=nope", want: "Invalid URL"},
		{env: "OPENCLAW_URL=127.0.0.1:80", want: "Invalid URL"},
		{env: "OPENCLAW_URL=localhost:80", want: "Invalid URL"},
		{env: "OPENCLAW_URL=http://", want: "Invalid URL"},
		{env: "OPENCLAW_URL=http://u:p@127.0.0.1:1", want: "Invalid URL: it must hold no user and password; use --token"},
		{env: "OPENCLAW_URL=ftp://127.0.0.1", want: "openclaw.invoke requires an http(s) --url"},
		{env: "OPENCLAW_URL=http://gateway.invalid OPENCLAW_TOKEN=x", want: "openclaw.invoke refuses to send OPENCLAW_TOKEN/CLAWD_TOKEN to non-local --url; pass --token explicitly for remote endpoints"},
		{env: "OPENCLAW_URL=http://127.0.0.2:1 CLAWD_TOKEN=x", want: "openclaw.invoke refuses to send OPENCLAW_TOKEN/CLAWD_TOKEN to non-local --url; pass --token explicitly for remote endpoints"},
		{env: "OPENCLAW_URL=http://localhost:1 LOBSTER_MAX_HTTP_RESPONSE_BYTES=x", want: "LOBSTER_MAX_HTTP_RESPONSE_BYTES must be a positive safe integer (bytes)"},
		{opt: InvokeOptions{Each: true}, args: `[5]`, env: "OPENCLAW_URL=http://localhost:1", want: "openclaw.invoke --each requires --args-json to be an object"},
		{opt: InvokeOptions{Token: "a\nb"}, env: "OPENCLAW_URL=http://localhost:1", want: "the token holds a line break"},
		{env: "OPENCLAW_URL=http://127.0.0.1:1", want: "fetch failed: nothing listens at 127.0.0.1:1 (connection refused)"},
	}
	for _, tt := range tests {
		o := options(tt.opt)
		if tt.args != "" {
			o.Args = parse(t, tt.args)
		}
		got := gatewaytest.Run(t.Context(), Invoke(o), nil, "", strings.Fields(tt.env)...)
		if got.Err == nil || got.Err.Error() != tt.want {
			t.Errorf("%s: got %s, want %s", tt.env, got.Text(), tt.want)
		}
	}
}

// TestAnswers: what becomes of an answer, as recorded from the reference. One request each: nothing is sent twice.
func TestAnswers(t *testing.T) {
	tests := []struct {
		answer gatewaytest.Answer
		env    string
		want   string
	}{
		{answer: gatewaytest.Answer{Raw: `{"ok":true,"result":{"x":1}}`}, want: `[{"x":1}]`},
		{answer: gatewaytest.Answer{Raw: `{"ok":true,"result":null}`}, want: `[null]`},
		{answer: gatewaytest.Answer{Raw: `{"ok":true}`}, want: `[null]`},
		{answer: gatewaytest.Answer{Raw: `{"ok":true,"result":[]}`}, want: `[]`},
		{answer: gatewaytest.Answer{Raw: `{"ok":false}`}, want: "error: openclaw.invoke tool error: Unknown error"},
		{answer: gatewaytest.Answer{Raw: `{"ok":false,"error":{"message":"boom"}}`}, want: "error: openclaw.invoke tool error: boom"},
		{answer: gatewaytest.Answer{Raw: `{"ok":false,"error":{"message":""}}`}, want: "error: openclaw.invoke tool error: "},
		{answer: gatewaytest.Answer{Raw: `{"ok":false,"error":{"message":{}}}`}, want: "error: openclaw.invoke tool error: [object Object]"},
		{answer: gatewaytest.Answer{Raw: `{"ok":false,"error":"boom"}`}, want: "error: openclaw.invoke tool error: Unknown error"},
		{answer: gatewaytest.Answer{Raw: `{"ok":"yes","result":5}`}, want: "error: openclaw.invoke tool error: Unknown error"},
		{answer: gatewaytest.Answer{Raw: `{"ok":null,"result":5}`}, want: "error: openclaw.invoke tool error: Unknown error"},
		{answer: gatewaytest.Answer{Raw: `{"result":5}`}, want: `[{"result":5}]`},
		{answer: gatewaytest.Answer{Raw: `[1,2]`}, want: `[1,2]`},
		{answer: gatewaytest.Answer{Raw: `5`}, want: `[5]`},
		{answer: gatewaytest.Answer{Raw: ``}, want: `[null]`},
		{answer: gatewaytest.Answer{Status: 204}, want: `[null]`},
		{answer: gatewaytest.Answer{Raw: "\ufeff{\"ok\":true,\"result\":\"\xff\"}"}, want: `["�"]`},
		{answer: gatewaytest.Answer{Raw: `<html>`}, want: "error: openclaw.invoke expected JSON response"},
		{answer: gatewaytest.Answer{Status: 401, Raw: `{"error":{}}`}, want: `error: openclaw.invoke failed (401): {"error":{}}`},
		{answer: gatewaytest.Answer{Status: 500, Raw: "<html>" + strings.Repeat("x", 600)}, want: "error: openclaw.invoke failed (500): <html>" + strings.Repeat("x", 394)},
		{answer: gatewaytest.Answer{Status: 429, Header: map[string]string{"Retry-After": "1"}, Raw: "slow down"}, want: "error: openclaw.invoke failed (429): slow down"},
		{answer: gatewaytest.Answer{Status: 500}, want: "error: openclaw.invoke failed (500): "},
		{answer: gatewaytest.Answer{Raw: strings.Repeat("1", 200)}, env: "LOBSTER_MAX_HTTP_RESPONSE_BYTES=100", want: "error: HTTP response body exceeded 100 bytes"},
		{answer: gatewaytest.Answer{Status: 500, Raw: strings.Repeat("1", 200)}, env: "LOBSTER_MAX_HTTP_RESPONSE_BYTES=100", want: "error: HTTP response body exceeded 100 bytes"},
		{answer: gatewaytest.Answer{Reset: true}, want: "error: fetch failed: @ cut the connection before its answer was complete; the request may have taken effect"},
		{answer: gatewaytest.Answer{Cut: true, Raw: `{"ok":`}, want: "error: fetch failed: @ cut the connection before its answer was complete; the request may have taken effect"},
		{answer: gatewaytest.Answer{Status: 307, Header: map[string]string{"Location": "http://elsewhere.invalid/x"}}, env: "OPENCLAW_TOKEN=t", want: "error: fetch failed: @: it redirects to elsewhere.invalid, where the token does not belong; use that address if you trust it"},
		{answer: gatewaytest.Answer{Raw: `[7]`, Drip: time.Millisecond}, want: `[7]`},
	}
	for i, tt := range tests {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			g := gatewaytest.Start(t)
			g.Script(tt.answer)
			got := gatewaytest.Run(t.Context(), Invoke(options(InvokeOptions{})), nil, "", append(strings.Fields(tt.env), "OPENCLAW_URL="+g.URL)...)
			text := strings.ReplaceAll(got.Text(), strings.TrimPrefix(g.URL, "http://"), "@")
			if text != tt.want {
				t.Errorf("got %s\nwant %s", text, tt.want)
			}
			if n := len(g.Calls()); n != 1 || got.Dispatches != 1 {
				t.Errorf("%d requests, %d dispatches", n, got.Dispatches)
			}
		})
	}
}

// TestGateway speaks the whole contract of a real gateway.
func TestGateway(t *testing.T) {
	g := gatewaytest.Start(t)
	g.Token = "secret"
	g.Tools["boom"] = func(string, value.Value) (value.Value, error) { return value.Value{}, errors.New("inside") }
	run := func(tool string, args string, env ...string) string {
		o := InvokeOptions{Name: "clawd.invoke", Tool: tool, Action: "json", Args: parse(t, args)}
		return gatewaytest.Run(t.Context(), Invoke(o), nil, "", append(env, "CLAWD_URL="+g.URL)...).Text()
	}
	tests := []struct{ tool, args, token, want string }{
		{"echo", `{"x":1}`, "secret", `[{"action":"json","args":{"x":1}}]`},
		{"echo", `{}`, "wrong", `error: clawd.invoke failed (401): {"error":{"message":"Unauthorized","type":"unauthorized"}}`},
		{"nope", `{}`, "secret", `error: clawd.invoke failed (404): {"ok":false,"error":{"type":"not_found","message":"Tool not available: nope"}}`},
		{"boom", `{}`, "secret", `error: clawd.invoke failed (500): {"ok":false,"error":{"type":"tool_error","message":"tool execution failed"}}`},
		{"llm-task", `{"prompt":"p","temperature":"x"}`, "secret", `error: clawd.invoke failed (400): {"ok":false,"error":{"type":"tool_error","message":"temperature must be a finite number"}}`},
	}
	for _, tt := range tests {
		if got := run(tt.tool, tt.args, "CLAWD_TOKEN="+tt.token); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.tool, got, tt.want)
		}
	}
	big := `{"x":"` + strings.Repeat("x", 3<<20) + `"}`
	if got := run("echo", big, "CLAWD_TOKEN=secret"); !strings.Contains(got, "(413)") {
		t.Errorf("a big body: %.200s", got)
	}
}

func TestCancelled(t *testing.T) {
	g := gatewaytest.Start(t)
	g.Script(gatewaytest.Answer{Delay: time.Minute})
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("Step 's' timed out after 20ms")
	time.AfterFunc(20*time.Millisecond, func() { cancel(why) })
	got := gatewaytest.Run(ctx, Invoke(options(InvokeOptions{})), nil, "", "OPENCLAW_URL="+g.URL)
	if !errors.Is(got.Err, why) || len(g.Calls()) > 1 || got.Dispatches != 1 {
		t.Errorf("got %v, %d calls", got.Err, len(g.Calls()))
	}
}

// TestEachStopsAtFault: the call after a failing one is not made, and a consumer that leaves early stops no call.
func TestEachStopsAtFault(t *testing.T) {
	g := gatewaytest.Start(t)
	g.Script(gatewaytest.Answer{Raw: `1`}, gatewaytest.Answer{Status: 500}, gatewaytest.Answer{Raw: `3`})
	items := []value.Value{value.Int(1), value.Int(2), value.Int(3)}
	got := gatewaytest.Run(t.Context(), Invoke(options(InvokeOptions{Each: true})), items, "", "OPENCLAW_URL="+g.URL)
	if got.Err == nil || len(g.Calls()) != 2 || len(got.Items) != 0 {
		t.Errorf("got %s after %d calls", got.Text(), len(g.Calls()))
	}
}

func TestNeeds(t *testing.T) {
	if got := Invoke(options(InvokeOptions{})).Needs(&flow.Env{}); got != "openclaw.invoke requires --url or OPENCLAW_URL" {
		t.Error(got)
	}
	if got := Invoke(options(InvokeOptions{URL: "http://h", Token: "t"})).Needs(&flow.Env{}); got != "" {
		t.Error(got)
	}
}
