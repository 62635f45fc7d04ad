// Package client sends JSON over HTTP for the stages that leave the machine. It sends a request exactly once, bounds what it reads, keeps tokens
// on the host they are meant for, and says in plain words what went wrong with a connection.
package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/proc"
	"github.com/lobsterc/lobsterc/runtime/value"
)

const (
	// defaultMax bounds a response when LOBSTER_MAX_HTTP_RESPONSE_BYTES does not.
	defaultMax   = 256 << 20
	maxRedirects = 20
	// maxErrorText is how much of an answer an error message quotes.
	maxErrorText = 400
)

// Waits as the reference's HTTP client has them. They are variables for the tests.
var (
	connectTimeout = 10 * time.Second
	headerTimeout  = 300 * time.Second
	idleTimeout    = 300 * time.Second // between two reads of a body
)

// Request is one POST of a JSON document.
type Request struct {
	URL   *url.URL
	Token string // bearer token, empty for none
	Body  value.Value
}

// Response is an answer, whatever its status.
type Response struct {
	Status int
	Reason string // "Not Found"
	Text   string // the body as UTF-8, without byte order mark
}

// OK tells whether the status is one of success.
func (r *Response) OK() bool { return r.Status >= 200 && r.Status < 300 }

// Quote is the beginning of the body, for error messages.
func (r *Response) Quote() string {
	units := 0
	for i, c := range r.Text {
		if units++; c > 0xffff {
			units++
		}
		if units > maxErrorText {
			return r.Text[:i]
		}
	}
	return r.Text
}

// JSON parses the body; an empty one is null.
func (r *Response) JSON() (value.Value, error) {
	if r.Text == "" {
		return value.Null, nil
	}
	return value.ParseString(r.Text)
}

// ParseURL reads an address that a person set.
func ParseURL(s string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil || u.Scheme == "" || u.Host == "" && (u.Scheme == "http" || u.Scheme == "https") || u.Host == "" && u.Opaque != "" {
		return nil, errors.New("Invalid URL")
	}
	return u, nil
}

// IsLocal tells whether u is on this machine, where tokens of the environment may go.
func IsLocal(u *url.URL) bool {
	switch strings.ToLower(u.Hostname()) {
	case "localhost", "127.0.0.1", "::1":
		return true
	}
	return false
}

// transport is shared, so that many calls use one connection. HTTP/2 is left out: gateways are local and calls are few.
var transport = sync.OnceValue(func() *http.Transport {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	dialer := &net.Dialer{Timeout: connectTimeout}
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           dialer.DialContext,
		TLSHandshakeTimeout:   connectTimeout,
		ResponseHeaderTimeout: headerTimeout,
		IdleConnTimeout:       30 * time.Second,
		Protocols:             &protocols,
	}
})

// Post sends r and reads the answer. It never sends twice by itself: POST is not idempotent, so the transport repeats it only when nothing
// of it was written. A redirect to another host is refused when a token would be lost or travel along.
func Post(env *flow.Env, r Request) (*Response, error) {
	limit, err := maxResponse(env)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(env.Ctx)
	defer cancel()
	body := r.Body.AppendJSON(nil)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.URL.String(), bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("Invalid URL")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "lobsterc")
	if r.Token != "" {
		if strings.ContainsAny(r.Token, "\r\n") {
			return nil, errors.New("the token holds a line break")
		}
		req.Header.Set("Authorization", "Bearer "+r.Token)
	}
	c := &http.Client{Transport: transport(), CheckRedirect: redirectPolicy(r)}
	resp, err := c.Do(req)
	if err != nil {
		return nil, failure(env.Ctx, r.URL, err)
	}
	defer resp.Body.Close()
	data, err := readBody(resp.Body, limit, cancel)
	if err != nil {
		var over *tooLong
		if errors.As(err, &over) {
			return nil, over
		}
		return nil, failure(env.Ctx, r.URL, err)
	}
	text := strings.TrimPrefix(proc.DecodeUTF8(data), "\ufeff")
	return &Response{Status: resp.StatusCode, Reason: strings.TrimSpace(strings.TrimPrefix(resp.Status, fmt.Sprint(resp.StatusCode))), Text: text}, nil
}

func redirectPolicy(r Request) func(*http.Request, []*http.Request) error {
	return func(req *http.Request, via []*http.Request) error {
		if len(via) > maxRedirects {
			return errors.New("redirected too often")
		}
		if r.Token != "" && (req.URL.Host != r.URL.Host || req.URL.Scheme != r.URL.Scheme) {
			return &redirected{req.URL.Host}
		}
		return nil
	}
}

type redirected struct{ host string }

func (e *redirected) Error() string {
	return "it redirects to " + e.host + ", where the token does not belong; use that address if you trust it"
}

type tooLong struct{ limit int64 }

func (e *tooLong) Error() string {
	return fmt.Sprintf("HTTP response body exceeded %d bytes", e.limit)
}

// readBody reads up to limit bytes; a body that stalls longer than idleTimeout is cut by cancel.
func readBody(body io.Reader, limit int64, cancel context.CancelFunc) ([]byte, error) {
	stalled := false
	timer := time.AfterFunc(idleTimeout, func() { stalled = true; cancel() })
	defer timer.Stop()
	var buf bytes.Buffer
	chunk := make([]byte, 32<<10)
	for {
		n, err := body.Read(chunk)
		buf.Write(chunk[:n])
		if int64(buf.Len()) > limit {
			return nil, &tooLong{limit}
		}
		switch {
		case err == io.EOF:
			return buf.Bytes(), nil
		case err != nil && !timer.Stop() && stalled:
			return nil, errStalled
		case err != nil:
			return nil, err
		}
		timer.Reset(idleTimeout)
	}
}

var errStalled = errors.New("the answer stalled")

func maxResponse(env *flow.Env) (int64, error) {
	text := strings.TrimSpace(env.Getenv("LOBSTER_MAX_HTTP_RESPONSE_BYTES"))
	if text == "" {
		return defaultMax, nil
	}
	n := value.StringNumber(text)
	if n != math.Trunc(n) || n < 1 || n > 1<<53-1 {
		return 0, errors.New("LOBSTER_MAX_HTTP_RESPONSE_BYTES must be a positive safe integer (bytes)")
	}
	return int64(n), nil
}
