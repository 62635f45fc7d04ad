package runtime

import (
	"context"
	"errors"
	"io"
	"path/filepath"

	"github.com/lobsterc/lobsterc/runtime/plain"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// maxRequest bounds a request on stdin, in bytes.
const maxRequest = 16 << 20

// readRequest reads the JSON request that an agent's tool call carries (spec part 3, section 1) and sets the options from it.
func (a *app) readRequest(ctx context.Context) error {
	data, err := a.readStdin(ctx)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return errors.New("cannot read the request from stdin: " + plainError(err))
	}
	if len(data) > maxRequest {
		return usage("the request on stdin is larger than " + plain.Int(maxRequest) + " bytes")
	}
	v, err := value.Parse(data)
	if err != nil || v.Kind() != value.ObjectKind {
		return usage("the request on stdin must be a JSON object")
	}
	if err := a.requestLimits(v); err != nil {
		return err
	}
	switch action := v.Get("action"); action.Text() {
	case "run":
		if s := v.Get("argsJson"); s.Truthy() {
			a.opt.given.json = s.Text()
		}
		return nil
	case "resume":
		return a.requestResume(v)
	case "":
		return usage("action required")
	default:
		return usage("Unknown action: " + action.Text())
	}
}

// readStdin reads all of stdin; a signal ends the wait for a caller that sends nothing.
func (a *app) readStdin(ctx context.Context) ([]byte, error) {
	var data []byte
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		data, err = io.ReadAll(io.LimitReader(a.stdin, maxRequest+1))
	}()
	select {
	case <-done:
		return data, err
	case <-ctx.Done():
		return nil, nil
	}
}

// requestLimits reads cwd, timeoutMs (at least 200) and maxStdoutBytes (at least 1024). A request without them has the limits of the
// command line, else 20000 and 512000.
func (a *app) requestLimits(v value.Value) error {
	number := func(flag *int64, key string, standard, least int64) {
		switch n := v.Get(key); {
		case n.Kind() == value.NumberKind:
			*flag = max(least, int64(min(n.Float(), float64(maxMillis))))
		case *flag == 0:
			*flag = standard
		}
	}
	number(&a.opt.timeoutMS, "timeoutMs", 20000, 200)
	number(&a.opt.maxStdout, "maxStdoutBytes", 512000, 1024)
	cwd := v.Get("cwd")
	if !cwd.Truthy() {
		return nil
	}
	switch dir := cwd.Text(); {
	case filepath.IsAbs(dir):
		return usage("cwd must be a relative path")
	case !filepath.IsLocal(dir):
		return usage("cwd must stay within the gateway working directory")
	default:
		a.opt.cwd = dir
	}
	return nil
}

func (a *app) requestResume(v value.Value) error {
	token := v.Get("token").Text()
	if token == "" {
		token = v.Get("approvalId").Text()
	}
	if token == "" {
		return usage("token or approvalId required")
	}
	a.opt.resuming, a.opt.resume = true, token
	approve, response, cancel := v.Get("approve"), v.Get("response"), v.Get("cancel")
	if approve.IsAbsent() && response.IsAbsent() && !cancel.Truthy() {
		return usage("approve required")
	}
	if !approve.IsAbsent() {
		a.opt.approve = approve.Text()
	}
	if !response.IsAbsent() {
		a.opt.answered, a.opt.response = true, response.JSON()
	}
	if cancel.Truthy() {
		a.opt.cancel = "true"
	}
	return nil
}
