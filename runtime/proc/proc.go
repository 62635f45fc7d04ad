// Package proc runs child processes for workflow steps and pipeline stages: each in a session and process group of its own, with bounded
// and captured output, and with an end that leaves nothing of its group behind. See spec part 1, 2.1.
//
// A process ends in this order: its pipes reach their end (a background child that holds one is waited for, as the
// reference does), its main process exits but is not reaped yet, what is left of the group is killed, and only then is
// the main process reaped. While it is unreaped its number cannot be given to another process, so a signal to the group never hits a
// stranger.
package proc

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"
)

// Grace is the time between the polite and the hard end of a cancelled process.
const Grace = 250 * time.Millisecond

// Spec says what to run.
type Spec struct {
	// Argv is the program and its arguments. A program without a slash is looked up in the PATH of Env.
	Argv []string
	// Dir is the working directory; empty means the caller's.
	Dir string
	// Env is the whole environment, "NAME=value" each; the last entry of a name wins.
	Env []string
	// Stdin is written to the child, then its stdin is closed. StdinFrom, when set, writes the input itself; it
	// runs in a goroutine of its own. A child that does not read to the end is no error: writes then fail with an
	// error that StdinFrom may return. Any other error of StdinFrom kills the process and is what Wait returns.
	Stdin     []byte
	StdinFrom func(io.Writer) error
	// Stderr gets what the child writes there, as it comes. Nil: it is only captured. Errors of the writer are ignored.
	Stderr io.Writer
	// MaxOutput bounds stdout and stderr, each. 0 = no limit.
	MaxOutput int64
	// Started is called right after the start with the process number, which is the group's too, and the start time (see StartTime).
	// An error ends the process at once and is what the caller gets.
	Started func(pid int, start string) error
}

// Result is how a process ended.
type Result struct {
	// Code is the exit code, -1 when a signal ended the process.
	Code int
	// Signal names the signal that ended the process ("SIGKILL"), empty when it exited.
	Signal string
	// Stdout and Stderr are what was captured, as UTF-8 with bad bytes replaced. Stdout is empty in the streaming form.
	Stdout string
	Stderr string
}

// OK tells whether the process exited with 0.
func (r Result) OK() bool { return r.Code == 0 && r.Signal == "" }

// CodeText is the exit code for messages: "null" for a process that a signal ended, as the reference has it.
func (r Result) CodeText() string {
	if r.Signal != "" {
		return "null"
	}
	return strconv.Itoa(r.Code)
}

// OutputError reports a process that wrote more than it may.
type OutputError struct{ Limit int64 }

func (e *OutputError) Error() string {
	return "Process output exceeded " + strconv.FormatInt(e.Limit, 10) + " bytes"
}

// NotFoundError reports a program that does not exist.
type NotFoundError struct{ Name string }

func (e *NotFoundError) Error() string { return "spawn " + e.Name + " ENOENT" }

// DirError reports a working directory that cannot be used.
type DirError struct {
	Dir string
	Err error
}

func (e *DirError) Error() string {
	return "working directory " + strconv.Quote(e.Dir) + " cannot be used: " + reason(e.Err)
}
func (e *DirError) Unwrap() error { return e.Err }

// StartError reports a program that exists and cannot be started.
type StartError struct {
	Name string
	Err  error
}

// The reference names the program only in the errors that its platform library reports late.
func (e *StartError) Error() string {
	code := errorName(e.Err)
	switch code {
	case "E2BIG", "ENOTDIR", "ELOOP", "ENOEXEC", "ENOMEM", "EINVAL", "ETXTBSY":
		return "spawn " + code
	}
	return "spawn " + e.Name + " " + code
}
func (e *StartError) Unwrap() error { return e.Err }

// Killer is a cancellation cause that says whether to end processes at once, without SIGTERM first. Causes that are timeouts
// (Timeout() true, such as context.DeadlineExceeded) always do.
type Killer interface {
	error
	KillAtOnce() bool
}

// atOnce tells whether a cancellation with this cause kills without a grace period.
func atOnce(cause error) bool {
	if k, ok := errors.AsType[Killer](cause); ok {
		return k.KillAtOnce()
	}
	t, ok := errors.AsType[timeout](cause)
	return ok && t.Timeout()
}

type timeout interface {
	error
	Timeout() bool
}

// Run runs a process to its end and captures its output. A non-zero exit is no error; an error means that the process did not
// start, was cancelled (the error is the context's cause) or broke a limit. Then there is no output.
func Run(ctx context.Context, spec Spec) (Result, error) {
	var out capture
	p, err := start(ctx, &spec, &out)
	if err != nil {
		return Result{Code: -1}, err
	}
	res, err := p.Wait()
	if err != nil {
		return res, err
	}
	res.Stdout = out.text()
	return res, nil
}

// reason is the short text of a system error, without the operation and path around it.
func reason(err error) string {
	for next := err; next != nil; next = errors.Unwrap(err) {
		err = next
	}
	return err.Error()
}

// lookup gives the value of a variable, the last entry winning.
func lookup(environ []string, name string) (string, bool) {
	for i := len(environ) - 1; i >= 0; i-- {
		if k, v, ok := strings.Cut(environ[i], "="); ok && sameVar(k, name) {
			return v, true
		}
	}
	return "", false
}
