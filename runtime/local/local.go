// Package local is the engine of one process on one machine: it performs a run's effects, keeps its journal, asks its
// questions, and saves it when nobody is there to answer. See spec part 3, sections 2 to 4, and part 6, 5 to 13.
//
// Every answer that the engine gives is recorded under its path. A run that is continued, after a pause or after a crash, is driven again
// from its start (or from its last snapshot), and the engine answers from the record as far as it goes.
package local

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"time"

	"github.com/lobsterc/lobsterc/runtime/crash"
	"github.com/lobsterc/lobsterc/runtime/drive"
	"github.com/lobsterc/lobsterc/runtime/plain"
	"github.com/lobsterc/lobsterc/runtime/proc"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// Config is the world of an engine.
type Config struct {
	// Environ is the parent environment of child processes; Dir their working directory when a step names none.
	Environ []string
	Dir     string
	// LoginShell: shell steps run with -lc.
	LoginShell bool
	// Stderr takes warnings, retry notes and, as it comes, what children write to theirs when Live is set.
	Stderr io.Writer
	Live   func(step string) io.Writer
	// StateDir gives the state directory for stages that keep state.
	StateDir func() (string, error)
	// Ask asks on the terminal: it prints a prompt and reads a line. Nil when nobody can be asked.
	Ask func(ctx context.Context, prompt string) (string, error)
	// Show shows what an approval is about before the question; may be nil.
	Show func(*drive.Gate)
	// HumanMode: pipelines cannot halt for input (spec part 7, 8).
	HumanMode bool
	// Pause saves the run at a gate and gives the *drive.Paused that ends it.
	Pause func(ctx context.Context, g *drive.Gate) error
	// Run is the run's id. Children find it, with the effect's path, in LOBSTERC_EFFECT.
	Run string
	// InDoubt is the caller's decision about interrupted effects: "", "rerun", "done" or "cancel".
	InDoubt string
	// Observe sees the events.
	Observe func(drive.Event)
}

// Engine implements drive.Engine.
type Engine struct {
	Config
	log *Log
	mu  plain.Mutex
}

// New makes an engine that records in log.
func New(cfg Config, log *Log) *Engine {
	return &Engine{Config: cfg, log: log}
}

// Timeout bounds a context by the clock.
func (e *Engine) Timeout(ctx context.Context, d time.Duration, cause error) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, d, cause)
}

// Notify passes an event on; warnings and retries are told on stderr in the reference's words.
func (e *Engine) Notify(ev drive.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch ev.Kind {
	case drive.Warning:
		if !e.log.told() {
			plain.Print(e.Stderr, ev.Message, "\n")
		}
	case drive.StepRetry:
		plain.Print(e.Stderr, "[RETRY] Step '", ev.StepID, "' failed (attempt ", plain.Int(ev.Attempt), "/", plain.Int(ev.Max), "): ", ev.Message,
			". Retrying in ", plain.Millis(ev.Delay), "ms...\n")
	}
	if e.Observe != nil {
		e.Observe(ev)
	}
}

// Sleep waits, unless the run is still being replayed.
func (e *Engine) Sleep(ctx context.Context, s drive.Sleep) (time.Duration, error) {
	d := s.D
	if s.Jitter {
		d += time.Duration((rand.Float64()*0.2 - 0.1) * float64(d))
	}
	if s.Max > 0 && s.Jitter {
		d = min(d, s.Max)
	}
	if e.log.replaying() {
		return d, nil
	}
	if s.Before != nil {
		s.Before(d)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return d, nil
	case <-ctx.Done():
		return d, context.Cause(ctx)
	}
}

// Fork performs effects at the same time.
func (e *Engine) Fork(ctx context.Context, path drive.Path, effects []*drive.Effect, any bool) ([]drive.Settled, error) {
	if any {
		if i := e.log.firstEnded(effects); i >= 0 {
			out, err := e.Effect(ctx, effects[i])
			e.log.passOver(effects)
			return []drive.Settled{{Index: i, Outcome: out, Err: err}}, nil
		}
	}
	// Questions come one after the other, and before anything new is started.
	for _, effect := range effects {
		if err := e.resolve(ctx, effect); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := make(chan drive.Settled, len(effects))
	for i, effect := range effects {
		go func() {
			defer crash.Guard()
			done <- e.settle(ctx, i, effect)
		}()
	}
	all := make([]drive.Settled, len(effects))
	first := -1
	for range effects {
		s := <-done
		all[s.Index] = s
		if first < 0 {
			first = s.Index
			if any {
				cancel(errLost)
			}
		}
	}
	if !any {
		return all, nil
	}
	// The record says who was first, so that a replay finds the same winner.
	if i := e.log.firstEnded(effects); i >= 0 {
		first = i
	}
	return all[first : first+1], nil
}

// settle performs one effect of a Fork.
func (e *Engine) settle(ctx context.Context, i int, effect *drive.Effect) (s drive.Settled) {
	s.Index = i
	defer drive.RecoverFailure(&s.Err)
	s.Outcome, s.Err = e.Effect(ctx, effect)
	return s
}

// errLost cancels the branches that lost a race.
var errLost = errors.New("another branch was first")

// environ is the environment of an effect's children and stages.
func (e *Engine) environ(effect *drive.Effect) []string {
	return append(drive.Environ(e.Environ, effect.Env), e.tag(effect.Path))
}

// tag is the variable that marks the processes of an effect. It is the same whenever the effect runs again, so that it serves as
// a key for whatever the effect calls, and it finds processes whose number could not be recorded any more.
func (e *Engine) tag(path drive.Path) string { return "LOBSTERC_EFFECT=" + e.Run + "/" + string(path) }

// Reap ends what earlier processes of this run left running: commands in which they were interrupted.
func (e *Engine) Reap(ctx context.Context) error {
	for path, left := range e.log.survivors() {
		err := proc.KillGroup(ctx, left.pid, left.start)
		if err == nil && left.pid == 0 && e.Run != "" {
			err = proc.KillTagged(ctx, e.tag(path))
		}
		if err != nil {
			return &drive.Broken{Err: plain.Wrap("an interrupted command ("+string(path)+") cannot be ended", err)}
		}
	}
	return nil
}

func (e *Engine) dir(effect *drive.Effect) string {
	if effect.Dir == "" {
		return e.Dir
	}
	return effect.Dir
}

func trimmed(texts ...string) string {
	for _, t := range texts {
		if t = value.TrimSpace(t); t != "" {
			return t
		}
	}
	return ""
}
