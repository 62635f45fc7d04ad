// Package gatewaytest is a mock OpenClaw gateway for tests: it speaks the contract of a real one as observed (spec part 5) and can be told to
// misbehave. It also answers as an LLM adapter (POST to any other path).
package gatewaytest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/lobsterc/lobsterc/runtime/value"
)

// maxBody is the gateway's own bound on requests.
const maxBody = 2 << 20

// Call is a request as it arrived.
type Call struct {
	Method string
	Path   string // with the query
	Auth   string
	Type   string
	Body   string
}

// Answer is one scripted answer. Fields are looked at in this order.
type Answer struct {
	Delay time.Duration // before anything is sent
	// Reset cuts the connection without an answer; Cut cuts it in the middle of the body; Drip sends a byte of the body at a time, with this pause.
	Reset bool
	Cut   bool
	Drip  time.Duration
	// Raw is sent with Status (200) and Header.
	Status int
	Header map[string]string
	Raw    string
}

// Gateway is a running mock. Fields may be set before the first call.
type Gateway struct {
	URL string
	// Token is what callers must show; empty accepts all.
	Token string
	// Tools answer by name with the tool's result, or an error that becomes the gateway's. args is the request's.
	Tools map[string]func(action string, args value.Value) (value.Value, error)
	// Adapter answers requests to other paths than /tools/invoke; nil = 404.
	Adapter func(body value.Value) value.Value

	server *httptest.Server
	mu     sync.Mutex
	script []Answer
	calls  []Call
}

// BadRequest is an error of a tool that means "wrong parameters" (status 400).
type BadRequest string

func (e BadRequest) Error() string { return string(e) }

// Start runs a gateway until the test ends.
func Start(t testing.TB) *Gateway {
	g := New()
	t.Cleanup(g.Close)
	return g
}

// New runs a gateway until Close.
func New() *Gateway {
	g := &Gateway{Tools: map[string]func(string, value.Value) (value.Value, error){"llm-task": LLMTask, "echo": Echo}}
	g.server = httptest.NewServer(http.HandlerFunc(g.serve))
	g.URL = g.server.URL
	return g
}

// Close stops the gateway; running requests are cut.
func (g *Gateway) Close() {
	g.server.CloseClientConnections()
	g.server.Close()
}

// Script sets answers for the next calls, before the tools are asked; the last one is not repeated.
func (g *Gateway) Script(answers ...Answer) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.script = append(g.script, answers...)
}

// Calls are the requests so far.
func (g *Gateway) Calls() []Call {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]Call(nil), g.calls...)
}

// Echo is a tool that gives back what it got.
func Echo(action string, args value.Value) (value.Value, error) {
	return value.Object(value.M("action", value.String(action)), value.M("args", args)), nil
}

// LLMTask is the llm-task tool of a real gateway, with a model that always answers {"a": 1}. It knows none of the reference's fields.
func LLMTask(_ string, args value.Value) (value.Value, error) {
	if args.Get("prompt").Kind() != value.StringKind {
		return value.Value{}, BadRequest("prompt required")
	}
	if t := args.Get("temperature"); !t.IsAbsent() && t.Kind() != value.NumberKind {
		return value.Value{}, BadRequest("temperature must be a finite number")
	}
	answer := value.Object(value.M("a", value.Int(1)))
	return value.Object(
		value.M("content", value.Array(value.Object(value.M("type", value.String("text")), value.M("text", value.String(answer.Indent()))))),
		value.M("details", value.Object(value.M("json", answer), value.M("provider", value.String("mock")), value.M("model", value.String("mock-model")))),
	), nil
}

func (g *Gateway) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	g.mu.Lock()
	g.calls = append(g.calls, Call{r.Method, r.URL.RequestURI(), r.Header.Get("Authorization"), r.Header.Get("Content-Type"), string(body)})
	var scripted *Answer
	if len(g.script) > 0 {
		scripted, g.script = &g.script[0], g.script[1:]
	}
	g.mu.Unlock()
	switch {
	case scripted != nil:
		scripted.send(w, r)
	case r.URL.Path == "/tools/invoke":
		g.invoke(w, r, body)
	case g.Adapter != nil:
		v, _ := value.Parse(body)
		reply(w, 200, g.Adapter(v))
	default:
		http.Error(w, "Not Found", 404)
	}
}

// invoke is POST /tools/invoke.
func (g *Gateway) invoke(w http.ResponseWriter, r *http.Request, body []byte) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", "POST")
		http.Error(w, "Method Not Allowed", http.StatusMethodNotAllowed)
		return
	}
	if g.Token != "" && r.Header.Get("Authorization") != "Bearer "+g.Token {
		reply(w, 401, fault(false, "unauthorized", "Unauthorized"))
		return
	}
	if len(body) > maxBody {
		reply(w, 413, fault(false, "invalid_request_error", "Payload too large"))
		return
	}
	req, err := value.Parse(body)
	if err != nil {
		reply(w, 400, fault(false, "invalid_request_error", err.Error()))
		return
	}
	name := req.Get("tool").Str()
	if name == "" {
		name = req.Get("name").Str()
	}
	if name == "" {
		reply(w, 400, fault(true, "invalid_request", "tools.invoke requires name"))
		return
	}
	tool := g.Tools[name]
	if tool == nil {
		reply(w, 404, fault(true, "not_found", "Tool not available: "+name))
		return
	}
	result, err := tool(req.Get("action").Str(), req.Get("args"))
	switch err := err.(type) {
	case nil:
		reply(w, 200, value.Object(value.M("ok", value.Bool(true)), value.M("result", result)))
	case BadRequest:
		reply(w, 400, fault(true, "tool_error", err.Error()))
	default:
		reply(w, 500, fault(true, "tool_error", "tool execution failed"))
	}
}

func fault(ok bool, kind, message string) value.Value {
	e := value.Object(value.M("type", value.String(kind)), value.M("message", value.String(message)))
	if ok {
		return value.Object(value.M("ok", value.Bool(false)), value.M("error", e))
	}
	return value.Object(value.M("error", value.Object(value.M("message", value.String(message)), value.M("type", value.String(kind)))))
}

func reply(w http.ResponseWriter, status int, v value.Value) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	io.WriteString(w, v.JSON())
}

// send plays a scripted answer.
func (a *Answer) send(w http.ResponseWriter, r *http.Request) {
	select {
	case <-time.After(a.Delay):
	case <-r.Context().Done():
		return
	}
	if a.Reset {
		panic(http.ErrAbortHandler)
	}
	for k, v := range a.Header {
		w.Header().Set(k, v)
	}
	if a.Cut {
		w.Header().Set("Content-Length", fmt.Sprint(len(a.Raw)+10))
	}
	status := a.Status
	if status == 0 {
		status = 200
	}
	w.WriteHeader(status)
	if a.Drip == 0 {
		io.WriteString(w, a.Raw)
		return
	}
	for i := range len(a.Raw) {
		select {
		case <-time.After(a.Drip):
		case <-r.Context().Done():
			return
		}
		io.WriteString(w, a.Raw[i:i+1])
		w.(http.Flusher).Flush()
	}
}
