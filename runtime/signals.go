package runtime

import (
	"context"
	"os"
	"os/signal"
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

// withSignals gives a context that the first ending signal cancels. A second one ends all children at once.
func withSignals(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	// A closed pipe is an error of the write, not the end of the run; children start with the default again.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case s := <-signals:
				cause := &signalError{s.(syscall.Signal)}
				if ctx.Err() != nil {
					proc.KillAll(cause)
				}
				cancel(cause)
			case <-done:
				return
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel(nil)
	}
}
