package client

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/value"
)

func post(t *testing.T, address, token string) (*Response, error) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return Post(&flow.Env{Ctx: t.Context()}, Request{URL: u, Token: token, Body: value.Object()})
}

// quiet is a test server that does not write about broken handshakes.
func quiet(h http.HandlerFunc, secure bool) *httptest.Server {
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	if secure {
		s.StartTLS()
	} else {
		s.Start()
	}
	return s
}

// TestExplained: what a person reads when the connection itself fails.
func TestExplained(t *testing.T) {
	ok := func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "1") }
	plain, secure := quiet(ok, false), quiet(ok, true)
	defer plain.Close()
	defer secure.Close()
	tests := []struct{ name, address, want string }{
		{"untrusted", secure.URL, "signed by an authority that this machine does not trust"},
		{"no TLS", strings.Replace(plain.URL, "http:", "https:", 1), "does not speak TLS; the address should perhaps begin with http://"},
		{"refused", "http://127.0.0.1:1/", "nothing listens at 127.0.0.1:1"},
		{"no host", "http://gateway.invalid/", "cannot find the host gateway.invalid"},
	}
	for _, tt := range tests {
		_, err := post(t, tt.address, "")
		var f *Failure
		if !errors.As(err, &f) || !strings.HasPrefix(err.Error(), "fetch failed: ") || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// TestCertificates: the faults of a certificate that the handshake reports.
func TestCertificates(t *testing.T) {
	secure := quiet(func(w http.ResponseWriter, _ *http.Request) {}, true)
	defer secure.Close()
	dial := func(name string, at time.Time) error {
		pool := secure.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
		conn, err := tls.Dial("tcp", secure.Listener.Addr().String(), &tls.Config{RootCAs: pool, ServerName: name, Time: func() time.Time { return at }})
		if err == nil {
			conn.Close()
		}
		return err
	}
	u := &url.URL{Host: "h"}
	if got := explain(u, dial("other.test", time.Now())); !strings.HasPrefix(got, "the certificate of h is for another name") {
		t.Error(got)
	}
	if got := explain(u, dial("example.com", time.Unix(1<<33, 0))); !strings.HasPrefix(got, "the certificate of h has expired or is not valid yet") {
		t.Error(got)
	}
}

// TestStalled: an answer that stops coming ends the call.
func TestStalled(t *testing.T) {
	defer func(d time.Duration) { idleTimeout = d }(idleTimeout)
	idleTimeout = 50 * time.Millisecond
	release := make(chan struct{})
	s := quiet(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "{")
		w.(http.Flusher).Flush()
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}, false)
	defer s.Close()
	defer close(release)
	_, err := post(t, s.URL, "")
	if err == nil || !strings.Contains(err.Error(), "stalled; the request may have taken effect") {
		t.Errorf("got %v", err)
	}
}

// TestRedirects: followed on the same host; a token never goes to another one.
func TestRedirects(t *testing.T) {
	var seen []string
	other := quiet(func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Method+r.Header.Get("Authorization"))
		io.WriteString(w, "1")
	}, false)
	defer other.Close()
	target := ""
	s := quiet(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/here" {
			body, _ := io.ReadAll(r.Body)
			io.WriteString(w, r.Method+" "+r.Header.Get("Authorization")+" "+string(body))
			return
		}
		http.Redirect(w, r, target, http.StatusTemporaryRedirect)
	}, false)
	defer s.Close()
	target = "/here"
	if resp, err := post(t, s.URL, "t"); err != nil || resp.Text != "POST Bearer t {}" {
		t.Errorf("same host: %v %v", resp, err)
	}
	target = other.URL
	if _, err := post(t, s.URL, "t"); err == nil || !strings.Contains(err.Error(), "where the token does not belong") {
		t.Errorf("other host with a token: %v", err)
	}
	if _, err := post(t, s.URL, ""); err != nil || len(seen) != 1 || seen[0] != "POST" {
		t.Errorf("other host without a token: %v, seen %v", err, seen)
	}
	target = "/"
	if _, err := post(t, s.URL, ""); err == nil || !strings.Contains(err.Error(), "redirected too often") {
		t.Errorf("a circle: %v", err)
	}
}

// TestProxy: the environment's proxy is asked for hosts that are not local.
func TestProxy(t *testing.T) {
	req := &http.Request{URL: &url.URL{Scheme: "http", Host: "127.0.0.1:1"}}
	if p, err := transport().Proxy(req); p != nil || err != nil {
		t.Errorf("a proxy for this machine: %v %v", p, err)
	}
}

func TestParseURL(t *testing.T) {
	for _, good := range []string{"http://h", " https://h:1/p?q ", "ftp://h", "http://[::1]:5"} {
		if _, err := ParseURL(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{"", "nope", "127.0.0.1:80", "localhost:80", "http://", "http:///x", "http://h:port", "://h"} {
		if u, err := ParseURL(bad); err == nil {
			t.Errorf("%s: %+v", bad, u)
		}
	}
	for host, want := range map[string]bool{"localhost": true, "LOCALHOST:5": true, "127.0.0.1:1": true, "[::1]:2": true, "127.0.0.2": false, "0.0.0.0": false, "localhost.evil.org": false, "[::ffff:127.0.0.1]": false} {
		if got := IsLocal(&url.URL{Host: host}); got != want {
			t.Errorf("%s is local: %v", host, got)
		}
	}
}

func TestQuote(t *testing.T) {
	r := Response{Text: strings.Repeat("😀", 300)}
	if got := len([]rune(r.Quote())); got != 200 {
		t.Errorf("%d characters", got)
	}
}

// TestSilence: a server that accepts and says nothing is left when the step's time is up.
func TestSilence(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("Step 's' timed out after 30ms")
	time.AfterFunc(30*time.Millisecond, func() { cancel(why) })
	u := &url.URL{Scheme: "http", Host: l.Addr().String()}
	if _, err := Post(&flow.Env{Ctx: ctx}, Request{URL: u, Body: value.Null}); !errors.Is(err, why) {
		t.Errorf("got %v", err)
	}
}
