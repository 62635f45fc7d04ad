package llm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/net/gatewaytest"
	"github.com/lobsterc/lobsterc/runtime/schema"
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

// call is one use of the stage against a gateway of its own.
type call struct {
	opt    InvokeOptions
	items  string
	env    string // fields; @ is the gateway's address
	dir    string
	script []gatewaytest.Answer
}

func (c call) run(t *testing.T) (gatewaytest.Outcome, *gatewaytest.Gateway) {
	t.Helper()
	g := gatewaytest.Start(t)
	g.Script(c.script...)
	if c.opt.Name == "" {
		c.opt.Name = "llm.invoke"
	}
	if c.opt.Prompt == "" {
		c.opt.Prompt = "p"
	}
	if c.dir == "" {
		c.dir = t.TempDir()
	}
	var items []value.Value
	if c.items != "" {
		items = parse(t, c.items).Items()
	}
	env := append(strings.Fields(strings.ReplaceAll(c.env, "@", g.URL)), "LOBSTER_CACHE_DIR="+filepath.Join(c.dir, "cache"))
	return gatewaytest.Run(t.Context(), Invoke(c.opt), items, c.dir, env...), g
}

func raw(texts ...string) (list []gatewaytest.Answer) {
	for _, t := range texts {
		list = append(list, gatewaytest.Answer{Raw: t})
	}
	return list
}

const (
	hi   = `{"ok":true,"result":{"output":{"text":"hi"}}}`
	http = "LOBSTER_LLM_ADAPTER_URL=@"
)

// TestRequests: where a question goes and how it looks, as recorded from the reference.
func TestRequests(t *testing.T) {
	f, n := 0.5, 77
	plain := `{"prompt":"p","artifacts":[],"artifactHashes":[],"schemaVersion":"v1"}`
	tests := []struct {
		name             string
		call             call
		path, auth, body string
		source           string
	}{
		{"http", call{env: http}, "/invoke", "", plain, "http"},
		{"path and token", call{env: "LOBSTER_LLM_ADAPTER_URL=@/ LOBSTER_LLM_ADAPTER_TOKEN=at"}, "/invoke", "Bearer at", plain, "http"},
		{"token flag", call{env: "LOBSTER_LLM_ADAPTER_URL=@/ LOBSTER_LLM_ADAPTER_TOKEN=at", opt: InvokeOptions{Token: "X"}}, "/invoke", "Bearer X", plain, "http"},
		{"pi first", call{env: http + " LOBSTER_PI_LLM_ADAPTER_URL=@/foo?x=1 LOBSTER_PI_LLM_ADAPTER_TOKEN=pt"}, "/foo?x=1", "Bearer pt", plain, "pi"},
		{"provider", call{env: http + " LOBSTER_PI_LLM_ADAPTER_URL=@/foo", opt: InvokeOptions{Provider: " HTTP "}}, "/invoke", "", plain, "http"},
		{"provider variable", call{env: http + " LOBSTER_PI_LLM_ADAPTER_URL=@/foo LOBSTER_LLM_PROVIDER=http"}, "/invoke", "", plain, "http"},
		{"task", call{env: "CLAWD_URL=@/x CLAWD_TOKEN=tk", opt: InvokeOptions{Name: "llm_task.invoke"}}, "/tools/invoke", "Bearer tk", `{"tool":"llm-task","action":"invoke","args":` + plain + `}`, "clawd"},
		{"task with a provider", call{env: http + " LOBSTER_LLM_PROVIDER=http", opt: InvokeOptions{Name: "llm_task.invoke"}}, "/invoke", "", plain, "clawd"},
		{"variables", call{env: http + " LOBSTER_LLM_MODEL=em LOBSTER_LLM_SCHEMA_VERSION=v7"}, "/invoke", "", `{"prompt":"p","model":"em","artifacts":[],"artifactHashes":[],"schemaVersion":"v7"}`, "http"},
		{"old variables", call{env: http + " LOBSTER_LLM_MODEL= LLM_TASK_MODEL=tm LLM_TASK_SCHEMA_VERSION=v6"}, "/invoke", "", `{"prompt":"p","model":"tm","artifacts":[],"artifactHashes":[],"schemaVersion":"v6"}`, "http"},
		{
			"all", call{env: http, opt: InvokeOptions{
				Model: "m", Artifacts: parse(t, `[{"kind":"x"},5]`), Metadata: parse(t, `{"z":1,"a":2}`), OutputSchema: schema.Lazy(parse(t, `{}`)), SchemaVersion: "v9", Temperature: &f, MaxOutputTokens: &n,
			}}, "/invoke", "",
			`{"prompt":"p","model":"m","artifacts":[{"kind":"x"},{"kind":"text","text":"5"}],"artifactHashes":["d8954039f5400e6446be22f214ca42837da7f194dc6262234c659c7cdd6ff891","d319b122da1970ed454c22adb3545270c70dfa672d25bb0999f2aefdb7b5ca68"],"metadata":{"z":1,"a":2},"outputSchema":{},"schemaVersion":"v9","maxOutputTokens":77,"temperature":0.5}`, "http",
		},
		{
			"items", call{env: http, items: `[1,"s",true,null,[1],{"b":1,"a":2}]`, opt: InvokeOptions{Artifacts: parse(t, `[{"kind":"x"}]`)}}, "/invoke", "",
			`{"prompt":"p","artifacts":[{"kind":"text","text":"1"},{"kind":"text","text":"s"},{"kind":"text","text":"true"},{"kind":"json","data":null},{"kind":"json","data":[1]},{"b":1,"a":2},{"kind":"x"}],"artifactHashes":["15f41b99f6db3755930908399361bbb88d181698cad6a7670f84110516f7dd96","49a79d0e6133e76f85c5fa8b201484515147c15d77c1e691489abd7d6a414bc9","8ac2ccac1fec188245ee465e1b9f462b440bb282ceff6fb04505604c886a193c","9a6a6264c1ed1fe2b5ebd595255ad43ddd989cf265ab7e3a3c66993c3645d2cb","f5ba40abf4276a5c5adaa27237843cdc61ccd4fc8a06a1d6023028567cf059d7","d3626ac30a87e6f7a6428233b3c68299976865fa5508e4267c5415c76af7a772","d8954039f5400e6446be22f214ca42837da7f194dc6262234c659c7cdd6ff891"],"schemaVersion":"v1"}`, "http",
		},
		{
			"gateway", call{env: "OPENCLAW_URL=@", items: `[{"a":1}]`, opt: InvokeOptions{OutputSchema: schema.Lazy(parse(t, `{}`)), MaxOutputTokens: &n}}, "/tools/invoke", "",
			`{"tool":"llm-task","action":"invoke","args":{"prompt":"p","artifacts":[{"a":1}],"artifactHashes":["015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862"],"outputSchema":{},"schemaVersion":"v1","maxOutputTokens":77,"input":[{"a":1}],"schema":{},"maxTokens":77}}`, "openclaw",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.call.script = raw(hi)
			got, g := tt.call.run(t)
			if len(got.Items) != 1 || got.Items[0].Get("source").Str() != tt.source {
				t.Fatalf("gave %s", got.Text())
			}
			c := g.Calls()[0]
			if len(g.Calls()) != 1 || c.Path != tt.path || c.Auth != tt.auth || c.Body != tt.body {
				t.Errorf("sent %+v\nwant %s", c, tt.body)
			}
		})
	}
}

// TestRefused: what fails before anything is sent.
func TestRefused(t *testing.T) {
	tests := []struct{ opt, env, want string }{
		{"", "", "llm.invoke could not resolve a provider. Set --provider or LOBSTER_LLM_PROVIDER"},
		{"", "LOBSTER_LLM_ADAPTER_URL=", "llm.invoke could not resolve a provider. Set --provider or LOBSTER_LLM_PROVIDER"},
		{"foo", http, "Unsupported llm provider: foo"},
		{"http", "", "llm.invoke requires LOBSTER_LLM_ADAPTER_URL for provider=http"},
		{"pi", http, "llm.invoke requires LOBSTER_PI_LLM_ADAPTER_URL for provider=pi"},
		{"openclaw", http, "llm.invoke requires OPENCLAW_URL (or CLAWD_URL) for provider=openclaw"},
		{"", "LOBSTER_LLM_ADAPTER_URL=nope", "llm.invoke request failed: Invalid URL"},
		{"", "LOBSTER_LLM_ADAPTER_URL=ftp://x", "llm.invoke request failed: fetch failed: the address must begin with http:// or https://"},
		{"", "LOBSTER_LLM_ADAPTER_URL=http://127.0.0.1:1", "llm.invoke request failed: fetch failed: nothing listens at 127.0.0.1:1 (connection refused)"},
		{"", "OPENCLAW_URL=http://gateway.invalid OPENCLAW_TOKEN=x", "llm.invoke refuses to send OPENCLAW_TOKEN/CLAWD_TOKEN to a host that is not local; pass --token explicitly for remote endpoints"},
		{"", "LOBSTER_LLM_ADAPTER_URL=http://gateway.invalid LOBSTER_LLM_ADAPTER_TOKEN=x", "llm.invoke refuses to send LOBSTER_LLM_ADAPTER_TOKEN to a host that is not local; pass --token explicitly for remote endpoints"},
		{"", http + " LOBSTER_RUN_STATE_KEY=///", "state key is empty/invalid"},
	}
	for _, tt := range tests {
		got, g := call{opt: InvokeOptions{Provider: tt.opt}, env: tt.env}.run(t)
		if got.Err == nil || got.Err.Error() != tt.want || len(g.Calls()) > 0 || len(got.Usage) > 0 {
			t.Errorf("%s %s: got %s, want %s", tt.opt, tt.env, got.Text(), tt.want)
		}
	}
	if got := (InvokeOptions{Name: "llm_task.invoke"}).Needs(&flow.Env{}); got != "llm_task.invoke requires OPENCLAW_URL (or CLAWD_URL) for provider=openclaw" {
		t.Error(got)
	}
}

// short gives what varies in an item.
func short(v value.Value) string {
	var members []value.Member
	for key, x := range v.Members() {
		switch key {
		case "kind", "schemaVersion", "cacheKey", "artifactHashes", "createdAt", "source", "cached":
			continue
		}
		if !x.IsNull() {
			members = append(members, value.M(key, x))
		}
	}
	return value.Object(members...).JSON()
}

// TestAnswers: what becomes of an answer, as recorded from the reference.
func TestAnswers(t *testing.T) {
	result := func(fields string) string { return `{"ok":true,"result":{"output":{"text":"a"}` + fields + `}}` }
	const invalid = "error: llm.invoke received invalid response envelope"
	plain := `{"status":"completed","output":{"format":"text","text":"a","data":null},"attemptCount":1}`
	empty := `{"status":"completed","output":{"format":"text","text":null,"data":null},"attemptCount":1}`
	tests := [][2]string{
		{result(``), plain},
		{`{"output":{"text":"a"}}`, plain},
		{result(`,"ok":false,"error":5,"id":"x"`), plain},
		{`{"ok":true,"result":{"output":{"text":"a"}},"error":{"message":"q"}}`, plain},
		{`{"ok":true}`, empty},
		{`{"ok":true,"output":{"text":"a"}}`, empty},
		{`{"ok":true,"result":{"output":{}}}`, empty},
		{`{"ok":true,"result":{"output":{"text":"","data":null}}}`, `{"status":"completed","output":{"format":"text","text":"","data":null},"attemptCount":1}`},
		{`{"ok":true,"result":{"output":{"data":5}}}`, `{"status":"completed","output":{"format":"json","text":null,"data":5},"attemptCount":1}`},
		{`{"ok":true,"result":{"output":{"format":"x"}}}`, `{"status":"completed","output":{"format":"x","text":null,"data":null},"attemptCount":1}`},
		{
			result(`,"runId":"R","model":"mm","prompt":"pp","status":"st","usage":{"x":1},"warnings":["w"],"metadata":{"k":1},"diagnostics":{"d":1},"extra":1`),
			`{"runId":"R","prompt":"pp","model":"mm","status":"st","output":{"format":"text","text":"a","data":null},"usage":{"x":1},"metadata":{"k":1},"warnings":["w"],"diagnostics":{"d":1},"attemptCount":1}`,
		},
		{result(`,"warnings":[]`), `{"status":"completed","output":{"format":"text","text":"a","data":null},"warnings":[],"attemptCount":1}`},
		{result(`,"runId":5`), invalid},
		{result(`,"model":null`), invalid},
		{result(`,"status":null`), invalid},
		{result(`,"usage":[]`), invalid},
		{result(`,"warnings":"w"`), invalid},
		{result(`,"warnings":[5]`), invalid},
		{result(`,"metadata":[]`), invalid},
		{result(`,"diagnostics":null`), invalid},
		{`{"ok":true,"result":{"output":{"text":null}}}`, invalid},
		{`{"ok":true,"result":{"output":{"format":5}}}`, invalid},
		{`{"ok":true,"result":{"output":null}}`, invalid},
		{`{"ok":true,"result":{}}`, invalid},
		{`{"ok":true,"result":null}`, invalid},
		{`{"ok":1,"result":{"output":{"text":"a"}}}`, invalid},
		{`{"result":{"output":{"text":"a"}}}`, invalid},
		{`[{"output":{"text":"a"}}]`, invalid},
		{`null`, invalid},
		{``, invalid},
		{`zz`, "error: llm.invoke request failed: Response was not JSON"},
		{`{"ok":false,"error":{"message":"boom"}}`, "error: llm.invoke remote error: boom"},
		{`{"ok":false,"error":{"message":5}}`, "error: llm.invoke remote error: 5"},
		{`{"ok":false}`, "error: llm.invoke remote error: llm adapter returned an error"},
		{`{"ok":false,"error":"str"}`, invalid},
	}
	for _, tt := range tests {
		got, g := call{env: http, script: raw(tt[0])}.run(t)
		text := got.Text()
		if got.Err == nil {
			text = short(got.Items[0])
		}
		if text != tt[1] || len(g.Calls()) != 1 {
			t.Errorf("%s:\n got %s\nwant %s", tt[0], text, tt[1])
		}
	}
}

// TestGatewayAnswers: the gateway's envelope around either form.
func TestGatewayAnswers(t *testing.T) {
	tests := [][2]string{
		{`{"ok":true,"result":{"ok":true,"result":{"output":{"text":"nested"}}}}`, `{"status":"completed","output":{"format":"text","text":"nested","data":null},"attemptCount":1}`},
		{`{"output":{"text":"bare"}}`, `{"status":"completed","output":{"format":"text","text":"bare","data":null},"attemptCount":1}`},
		{`{"ok":true,"result":{"ok":false,"error":{"message":"inner"}}}`, "error: llm.invoke remote error: inner"},
		{`{"ok":false,"error":{"message":"boom"}}`, "error: llm.invoke request failed: openclaw adapter error: boom"},
		{`{"ok":false}`, "error: llm.invoke request failed: openclaw adapter error: Unknown error"},
		{
			`{"ok":true,"result":{"content":[{"type":"text","text":"x"}],"details":{"json":{"a":1},"model":"m"}}}`,
			`{"model":"m","status":"completed","output":{"format":"json","text":"x","data":{"a":1}},"attemptCount":1}`,
		},
		{`{"ok":true,"result":{"content":[],"details":{}}}`, `{"status":"completed","output":{"format":"text","text":null,"data":null},"attemptCount":1}`},
	}
	for _, tt := range tests {
		got, _ := call{env: "OPENCLAW_URL=@", script: raw(tt[0])}.run(t)
		text := got.Text()
		if got.Err == nil {
			text = short(got.Items[0])
		}
		if text != tt[1] {
			t.Errorf("%s:\n got %s\nwant %s", tt[0], text, tt[1])
		}
	}
	said.Clear()
	got, _ := call{env: "OPENCLAW_URL=@", opt: InvokeOptions{OutputSchema: schema.Lazy(parse(t, `{"required":["a"]}`))}}.run(t)
	if got.Err != nil || got.Items[0].Path("output", "data", "a").Float() != 1 || !strings.Contains(got.Stderr, "no token usage") {
		t.Errorf("a real llm-task: %s, stderr %q", got.Text(), got.Stderr)
	}
}

// TestFaults: statuses and connections that fail. One request each, and nothing is billed.
func TestFaults(t *testing.T) {
	cut := "error: llm.invoke request failed: fetch failed: @ cut the connection before its answer was complete; the request may have taken effect"
	tests := []struct {
		answer gatewaytest.Answer
		want   string
	}{
		{gatewaytest.Answer{Status: 503, Raw: strings.Repeat("z", 600)}, "error: llm.invoke request failed: 503 Service Unavailable: " + strings.Repeat("z", 400)},
		{gatewaytest.Answer{Status: 429, Raw: "slow down"}, "error: llm.invoke request failed: 429 Too Many Requests: slow down"},
		{gatewaytest.Answer{Status: 500, Raw: "<html>"}, "error: llm.invoke request failed: 500 Internal Server Error: <html>"},
		{gatewaytest.Answer{Status: 401}, "error: llm.invoke request failed: 401 Unauthorized: "},
		{gatewaytest.Answer{Raw: "<html>"}, "error: llm.invoke request failed: Response was not JSON"},
		{gatewaytest.Answer{Reset: true}, cut},
		{gatewaytest.Answer{Cut: true, Raw: `{"ok":`}, cut},
	}
	for i, tt := range tests {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			got, g := call{env: http, script: []gatewaytest.Answer{tt.answer}}.run(t)
			if text := strings.ReplaceAll(got.Text(), strings.TrimPrefix(g.URL, "http://"), "@"); text != tt.want {
				t.Errorf("got %s\nwant %s", text, tt.want)
			}
			if len(g.Calls()) != 1 || len(got.Usage) != 0 {
				t.Errorf("%d calls, billed %v", len(g.Calls()), got.Usage)
			}
		})
	}
}

// TestValidation: a wrong answer is asked again with its faults, at most so often, and every answer is billed.
func TestValidation(t *testing.T) {
	bad := `{"ok":true,"result":{"output":{"data":{}},"usage":{"inputTokens":1}}}`
	good := `{"ok":true,"result":{"output":{"data":{"a":1,"b":2}},"usage":{"inputTokens":2},"model":"m2"}}`
	const failure = "error: llm.invoke output failed schema validation: / must have required property 'a'; / must have required property 'b'"
	zero, two := 0, 2
	tests := []struct {
		opt    InvokeOptions
		env    string
		script []string
		calls  int
		want   string
	}{
		{InvokeOptions{}, "", []string{bad, bad, bad}, 2, failure},
		{InvokeOptions{}, "", []string{bad, good}, 2, ""},
		{InvokeOptions{MaxValidationRetries: &two}, "", []string{bad, bad, bad, bad}, 3, failure},
		{InvokeOptions{MaxValidationRetries: &zero}, "", []string{bad, bad}, 1, failure},
		{InvokeOptions{}, "LOBSTER_LLM_VALIDATION_RETRIES=0", []string{bad, bad}, 1, failure},
		{InvokeOptions{}, "LLM_TASK_VALIDATION_RETRIES=2", []string{bad, bad, bad, bad}, 3, failure},
		{InvokeOptions{}, "LOBSTER_LLM_VALIDATION_RETRIES=x", []string{bad, bad, bad}, 2, failure},
		{InvokeOptions{}, "", []string{`{"output":{"text":"{\"a\":1,\"b\":2}"}}`, `{"output":{"text":"x"}}`}, 2, "error: llm.invoke output failed schema validation: / must be object"},
	}
	for i, tt := range tests {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			tt.opt.OutputSchema = schema.Lazy(parse(t, `{"type":"object","required":["a","b"]}`))
			got, g := call{opt: tt.opt, env: http + " " + tt.env, script: raw(tt.script...)}.run(t)
			if len(g.Calls()) != tt.calls {
				t.Fatalf("%d calls, want %d", len(g.Calls()), tt.calls)
			}
			if tt.want != "" && got.Text() != tt.want {
				t.Errorf("got %s, want %s", got.Text(), tt.want)
			}
			if tt.want == "" && (got.Err != nil || got.Items[0].Get("attemptCount").Float() != 2 || len(got.Usage) != 2 || got.Usage[1].Model != "m2") {
				t.Errorf("got %s, billed %v", got.Text(), got.Usage)
			}
			if tt.want == failure && len(got.Usage) != tt.calls {
				t.Errorf("billed %d of %d calls", len(got.Usage), tt.calls)
			}
			if tt.calls > 1 && tt.want != "error: llm.invoke output failed schema validation: / must be object" &&
				!strings.HasSuffix(g.Calls()[1].Body, `"retryContext":{"attempt":2,"validationErrors":["/ must have required property 'a'","/ must have required property 'b'"]}}`) {
				t.Errorf("asked again with %s", g.Calls()[1].Body)
			}
		})
	}
}

// TestReplay: what is kept and when it is used; the files are the reference's.
func TestReplay(t *testing.T) {
	const key = "1a556e0023483310379119c52571f3405a56afaaae024499c406b569cc4b0de2"
	dir := t.TempDir()
	one := `{"ok":true,"result":{"output":{"text":"one"},"model":"gpt-4o","usage":{"inputTokens":1}}}`
	ask := func(opt InvokeOptions, env string) (source string, calls int) {
		t.Helper()
		got, g := call{opt: opt, env: http + " " + env, dir: dir, script: raw(one)}.run(t)
		if got.Err != nil {
			t.Fatal(got.Err)
		}
		if n := len(g.Calls()); n != len(got.Usage) {
			t.Errorf("%d calls, billed %d", n, len(got.Usage))
		}
		return got.Items[0].Get("source").Str(), len(g.Calls())
	}
	expect := func(what string, opt InvokeOptions, env, source string) {
		t.Helper()
		want := 0
		if source == "http" || source == "clawd" {
			want = 1
		}
		if got, n := ask(opt, env); got != source || n != want {
			t.Errorf("%s: from %s after %d calls, want %s", what, got, n, source)
		}
	}
	expect("first", InvokeOptions{StateKey: "My Key"}, "", "http")
	cacheFile, stateFile := filepath.Join(dir, "cache", "llm.invoke", key+".json"), filepath.Join(dir, "state", "my_key.json")
	cached, _ := os.ReadFile(cacheFile)
	if v, err := value.Parse(cached); err != nil || v.Get("items").At(0).Get("cached").Bool() || !strings.HasPrefix(string(cached), "{\n  \"items\": [") || v.Get("cacheKey").Str() != key {
		t.Errorf("cache file: %s", cached)
	}
	kept, _ := os.ReadFile(stateFile)
	if v, err := value.Parse(kept); err != nil || v.Get("type").Str() != "llm.invoke" || v.Get("version").Float() != 1 {
		t.Errorf("state file: %s", kept)
	}
	expect("again", InvokeOptions{StateKey: "My Key"}, "", "run_state")
	expect("other key", InvokeOptions{StateKey: "Other"}, "", "cache")
	expect("variable", InvokeOptions{}, "LOBSTER_RUN_STATE_KEY=my_key", "run_state")
	expect("refresh", InvokeOptions{Refresh: true}, "", "http")
	expect("refresh variable", InvokeOptions{}, "LOBSTER_LLM_FORCE_REFRESH=on", "http")
	expect("no refresh", InvokeOptions{}, "LOBSTER_LLM_FORCE_REFRESH=0 LLM_TASK_FORCE_REFRESH=1", "cache")
	expect("no cache", InvokeOptions{DisableCache: true}, "", "http")
	expect("no cache but a run", InvokeOptions{DisableCache: true, StateKey: "My Key"}, "", "run_state")
	expect("other stage", InvokeOptions{Name: "llm_task.invoke", Provider: "http", StateKey: "My Key"}, "", "clawd")
	expect("other prompt", InvokeOptions{Prompt: "pq"}, "", "http")
	if err := os.WriteFile(cacheFile, []byte("{broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	expect("broken cache", InvokeOptions{}, "", "http")
	expect("mended cache", InvokeOptions{}, "", "cache")
	got, _ := call{env: http, dir: dir}.run(t)
	if v := got.Items[0]; !v.Get("cached").Bool() || !v.Get("replayed").Bool() || v.Path("output", "text").Str() != "one" {
		t.Errorf("replayed %s", got.Text())
	}
}

// TestUnwritableCache: the answer is paid for, so it is given.
func TestUnwritableCache(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "cache"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	got, _ := call{env: http, dir: dir, script: raw(hi)}.run(t)
	if got.Err != nil || !strings.Contains(got.Stderr, "could not keep its answer") {
		t.Errorf("got %s, stderr %q", got.Text(), got.Stderr)
	}
}

func TestCancelled(t *testing.T) {
	g := gatewaytest.Start(t)
	g.Script(gatewaytest.Answer{Delay: time.Minute})
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("Received SIGTERM")
	time.AfterFunc(20*time.Millisecond, func() { cancel(why) })
	got := gatewaytest.Run(ctx, Invoke(InvokeOptions{Name: "llm.invoke", Prompt: "p", DisableCache: true}), nil, "", "LOBSTER_LLM_ADAPTER_URL="+g.URL)
	if !errors.Is(got.Err, why) || len(got.Usage) > 0 {
		t.Errorf("got %v", got.Err)
	}
}
