// Package mcp serves compiled workflows as tools of the Model Context Protocol over stdio. A program has it when it was built with
// `lobsterc build --mcp`; `lobsterc mcp DIR` serves a folder of workflows with it.
//
// Every call runs the program as a process of its own in tool mode, with a request on stdin (package runtime, request.go) and its events
// on stderr. So calls cannot disturb each other, a call that is cancelled ends like a run that gets a SIGTERM, and a gate leaves
// nothing behind in the server: the run is paused on disk, whoever answers resumes it by its token.
package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Tool is a workflow to serve.
type Tool struct {
	Name        string
	Description string
	Args        []Arg
	// Steps is how many steps the entry workflow has; 0 = not known.
	Steps int
	// Hash is the program's.
	Hash string
	// Command gives the command line that runs the program, and what to add to its environment.
	Command func(context.Context) (argv, environ []string, err error)
}

// Server serves tools.
type Server struct {
	Name, Version string
	Tools         []*Tool
	// StateDir is where paused runs are kept, "" = where programs keep them by default.
	StateDir string
	// Stderr takes what the programs say there, beside their events.
	Stderr io.Writer

	mu    sync.Mutex
	owner map[string]*Tool // of the tokens given out here
	calls sync.WaitGroup
}

const resumeName = "resume"

// Serve answers one client until it leaves or ctx ends. All runs have ended when it returns.
func (s *Server) Serve(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer s.calls.Wait()
	defer cancel(nil)
	s.owner = map[string]*Tool{}
	server := sdk.NewServer(&sdk.Implementation{Name: s.Name, Version: s.Version}, &sdk.ServerOptions{
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}},
		Instructions: "Each tool runs a workflow. A run that stops for a person answers with status needs_approval or needs_input and a resumeToken: " +
			"ask the person, then call the tool " + resumeName + " with the token and the answer.",
	})
	for name, t := range s.named() {
		server.AddTool(&sdk.Tool{Name: name, Description: t.Description, InputSchema: inputSchema(t.Args)}, s.handler(ctx, s.runTool(t)))
	}
	server.AddTool(&sdk.Tool{
		Name: resumeName, Description: "Answers a run that waits for a person, and goes on with it.", InputSchema: json.RawMessage(resumeSchema),
	}, s.handler(ctx, s.resumeTool))
	ended := make(chan error, 1)
	go func() {
		ended <- server.Run(ctx, &sdk.IOTransport{Reader: leaving{in, func() { cancel(errLeft) }}, Writer: out})
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		// A read of stdin may not come back: the process ends without it.
		if err := context.Cause(ctx); err != errLeft {
			return err
		}
		return nil
	}
}

var errLeft = errors.New("the client has left")

// leaving is what a client sends; that it ends stops the runs, whose answers nobody would get.
type leaving struct {
	io.ReadCloser
	left func()
}

func (l leaving) Read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p)
	if err != nil {
		l.left()
	}
	return n, err
}

// named gives the tools names that the protocol allows, each its own.
func (s *Server) named() map[string]*Tool {
	names := map[string]*Tool{}
	for _, t := range s.Tools {
		base := toolName(t.Name)
		name := base
		for n := 2; names[name] != nil || name == resumeName; n++ {
			name = fmt.Sprintf("%s_%d", base, n)
		}
		names[name] = t
	}
	return names
}

func toolName(text string) string {
	name := strings.Map(func(r rune) rune {
		if r < 0x80 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-.", r)) {
			return r
		}
		return '_'
	}, text)
	if name == "" {
		return "workflow"
	}
	return name[:min(len(name), 100)]
}

// work is one call: the program, and the request for it.
type work struct {
	tool    *Tool
	request request
}

// request is what a program reads from stdin.
type request struct {
	Action   string          `json:"action"`
	ArgsJSON string          `json:"argsJson,omitempty"`
	Token    string          `json:"token,omitempty"`
	Approve  *bool           `json:"approve,omitempty"`
	Response json.RawMessage `json:"response,omitempty"`
	Cancel   bool            `json:"cancel,omitempty"`
}

// handler wraps a call: it ends with the server, and the server waits for it.
func (s *Server) handler(server context.Context, plan func(*sdk.CallToolRequest) (work, error)) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		s.calls.Add(1)
		defer s.calls.Done()
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(server, cancel)()
		w, err := plan(req)
		if err == nil {
			var res *sdk.CallToolResult
			if res, err = s.call(ctx, req, w); err == nil {
				return res, nil
			}
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return failed(err), nil
	}
}

// failed is a result that tells the model what went wrong.
func failed(err error) *sdk.CallToolResult {
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: err.Error()}}}
}

// runTool plans a call of a workflow.
func (s *Server) runTool(t *Tool) func(*sdk.CallToolRequest) (work, error) {
	return func(req *sdk.CallToolRequest) (work, error) {
		args := req.Params.Arguments
		if len(args) == 0 || string(args) == "null" {
			args = json.RawMessage("{}")
		}
		return work{t, request{Action: "run", ArgsJSON: string(args)}}, nil
	}
}
