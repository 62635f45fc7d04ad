package runtime

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	"github.com/lobsterc/lobsterc/runtime/proc"
)

// signalError is the cause of a run that a signal ends.
type signalError struct{ sig syscall.Signal }

func (s *signalError) Error() string { return "Received " + signalName(s.sig) }

// exit is the shell's convention: 128 and the signal's number.
func (s *signalError) exit() int { return 128 + int(s.sig) }

func signalName(s syscall.Signal) string {
	switch s {
	case syscall.SIGINT:
		return "SIGINT"
	case syscall.SIGTERM:
		return "SIGTERM"
	case syscall.SIGHUP:
		return "SIGHUP"
	case syscall.SIGQUIT:
		return "SIGQUIT"
	}
	return s.String()
}

// withSignals gives a context that the first ending signal cancels. A second one ends all children at once. Once over was called
// there is nothing left but to print the answer, and a signal ends the process on the spot. (Giving the signals back would do the
// same and costs as much as a tenth of a small run: the Go runtime changes them one by one, on another thread.)
func withSignals(parent context.Context) (ctx context.Context, over func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	// A closed pipe is an error of the write, not the end of the run; children start with the default again.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	var printing atomic.Bool
	go func() {
		for s := range signals {
			cause := &signalError{s.(syscall.Signal)}
			if printing.Load() {
				os.Exit(cause.exit())
			}
			if ctx.Err() != nil {
				proc.KillAll(cause)
			}
			cancel(cause)
		}
	}()
	return ctx, func() {
		printing.Store(true)
		cancel(nil)
	}
}
