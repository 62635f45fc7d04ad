package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lobsterc/lobsterc/runtime/value"
)

// grace is how long a program that is told to end may take: it ends its own children first.
const grace = 15 * time.Second

// run runs the program of a call to its end or its next gate, and gives the envelope that it prints.
func (s *Server) run(ctx context.Context, w work, p *progress) (value.Value, error) {
	argv, environ, err := w.tool.Command(ctx)
	if err != nil {
		return value.Value{}, err
	}
	stdin, err := json.Marshal(w.request)
	if err != nil {
		return value.Value{}, err
	}
	cmd := exec.CommandContext(ctx, argv[0], append(argv[1:len(argv):len(argv)], "--request=-", "--events=-")...)
	cmd.Env = append(os.Environ(), environ...)
	cmd.Stdin = bytes.NewReader(stdin)
	var out bytes.Buffer
	said := &lines{each: func(line string) { s.heard(line, p) }}
	cmd.Stdout, cmd.Stderr = &out, said
	cmd.WaitDelay = grace
	cmd.Cancel = func() error {
		if cmd.Process.Signal(syscall.SIGTERM) == nil {
			return nil
		}
		return cmd.Process.Kill()
	}
	err = cmd.Run()
	said.flush()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return value.Value{}, ctx.Err()
	case err != nil && !errors.As(err, &exit):
		return value.Value{}, fmt.Errorf("cannot run %s: %w", w.tool.Name, err)
	}
	env, parseErr := value.Parse(out.Bytes())
	if parseErr != nil || env.Kind() != value.ObjectKind {
		return value.Value{}, fmt.Errorf("%s did not answer with one JSON document (%v)", w.tool.Name, err)
	}
	return env, nil
}

// heard takes a line that a program wrote to stderr: an event, or something for people.
func (s *Server) heard(line string, p *progress) {
	if strings.HasPrefix(line, `{"event":`) {
		if v, err := value.ParseString(line); err == nil {
			p.event(v)
			return
		}
	}
	if s.Stderr != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		fmt.Fprintln(s.Stderr, line)
	}
}

// lines hands over whole lines of what is written to it.
type lines struct {
	each func(string)
	rest []byte
}

func (l *lines) Write(p []byte) (int, error) {
	l.rest = append(l.rest, p...)
	for {
		line, rest, ok := bytes.Cut(l.rest, []byte("\n"))
		if !ok {
			return len(p), nil
		}
		l.each(string(line))
		l.rest = rest
	}
}

func (l *lines) flush() {
	if len(l.rest) > 0 {
		l.each(string(l.rest))
	}
}

// progress turns the events of a run into notifications, for a client that wants them.
type progress struct {
	ctx   context.Context
	req   *sdk.CallToolRequest
	token any
	steps int
	ended map[string]bool
	last  float64
}

func newProgress(ctx context.Context, req *sdk.CallToolRequest, steps int) *progress {
	return &progress{ctx: ctx, req: req, token: req.Params.GetProgressToken(), steps: steps, ended: map[string]bool{}, last: -1}
}

// event reports a step of the entry workflow: half a step when it begins, a whole one when it ends. In a resumed run the steps
// of earlier processes come again; the number only ever rises.
func (p *progress) event(e value.Value) {
	path := e.Get("path").Text()
	if p.token == nil || path == "" || strings.ContainsAny(path, "/[@+") {
		return
	}
	step := e.Get("step").Text()
	at, word := float64(len(p.ended)), ""
	switch e.Get("event").Text() {
	case "step.started":
		at, word = at+0.5, "running"
	case "gate.waiting":
		at, word = at+0.75, "waiting"
	case "step.finished":
		word = "ok"
	case "step.skipped":
		word = "skipped"
	case "step.failed":
		word = "failed: " + e.Get("message").Text()
	default:
		return
	}
	if word != "running" && word != "waiting" {
		p.ended[step] = true
		at = float64(len(p.ended))
	}
	if at <= p.last {
		return
	}
	p.last = at
	// A client that cannot be told does not end the run.
	_ = p.req.Session.NotifyProgress(p.ctx, &sdk.ProgressNotificationParams{
		ProgressToken: p.token, Progress: at, Total: float64(p.steps), Message: step + ": " + word,
	})
}
