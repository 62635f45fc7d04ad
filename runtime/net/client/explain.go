package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"strings"
	"syscall"
)

// Failure is a request that got no complete answer. Its text begins as the reference's ("fetch failed") and goes on with the reason.
type Failure struct {
	Reason string
	Err    error
}

func (f *Failure) Error() string { return "fetch failed: " + f.Reason }
func (f *Failure) Unwrap() error { return f.Err }

// failure explains err; a cancelled run is no failure of the connection.
func failure(ctx context.Context, u *url.URL, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return &Failure{Reason: explain(u, err), Err: err}
}

func explain(u *url.URL, err error) string {
	var (
		dns   *net.DNSError
		redir *redirected
		to    interface{ Timeout() bool }
	)
	switch {
	case errors.As(err, &redir):
		return u.Host + ": " + redir.Error()
	case errors.As(err, &dns):
		return "cannot find the host " + dns.Name + "; check the address and the network"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nothing listens at " + u.Host + " (connection refused)"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return u.Host + " cut the connection before its answer was complete; the request may have taken effect"
	case errors.Is(err, errStalled):
		return "the answer of " + u.Host + " stalled; the request may have taken effect"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "no route to " + u.Host
	}
	if text := explainTLS(u, err); text != "" {
		return text
	}
	if errors.As(err, &to) && to.Timeout() || errors.Is(err, os.ErrDeadlineExceeded) {
		return u.Host + " did not answer in time"
	}
	return innermost(err)
}

// explainTLS words what is wrong with a certificate or with the protocol.
func explainTLS(u *url.URL, err error) string {
	var (
		unknown x509.UnknownAuthorityError
		name    x509.HostnameError
		invalid x509.CertificateInvalidError
		record  tls.RecordHeaderError
	)
	switch {
	case errors.As(err, &unknown):
		return "the certificate of " + u.Host + " is signed by an authority that this machine does not trust; SSL_CERT_FILE can name a file with more authorities"
	case errors.As(err, &name):
		return "the certificate of " + u.Host + " is for another name: " + name.Error()
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "the certificate of " + u.Host + " has expired or is not valid yet: " + invalid.Error()
	case errors.As(err, &invalid):
		return "the certificate of " + u.Host + " is not valid: " + invalid.Error()
	case errors.As(err, &record), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return u.Host + " does not speak TLS; the address should perhaps begin with http://"
	case strings.Contains(err.Error(), "malformed HTTP response"):
		return u.Host + " does not answer with HTTP; the address should perhaps begin with https://"
	}
	return ""
}

// innermost strips the "Post URL:" that net/http puts before an error.
func innermost(err error) string {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err.Error()
	}
	return err.Error()
}
