package local

import (
	"context"
	"errors"
	"io"

	"github.com/lobsterc/lobsterc/runtime/drive"
	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/plain"
	"github.com/lobsterc/lobsterc/runtime/proc"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// Effect performs an effect, or answers from the record. The order is what makes a crash decidable: the start is on record
// before anything happens, the end before anybody hears of it.
func (e *Engine) Effect(ctx context.Context, effect *drive.Effect) (drive.Outcome, error) {
	if out, err, ok := e.log.ended(effect.Path); ok {
		return out, err
	}
	if ctx.Err() != nil {
		return drive.Outcome{}, context.Cause(ctx)
	}
	if err := e.resolve(ctx, effect); err != nil {
		return drive.Outcome{}, err
	}
	if out, err, ok := e.log.ended(effect.Path); ok { // a person said so
		return out, err
	}
	pipeline, pure := e.plan(effect)
	if err := e.log.start(effect.Path, pure); err != nil {
		return drive.Outcome{}, err
	}
	out, err := e.perform(ctx, effect, pipeline)
	if err != nil && (cancelled(ctx) || isBroken(err)) {
		// Nobody knows how far it came: it stays on record as started.
		return out, err
	}
	if recordErr := e.log.end(effect.Path, out, err, timedOut(ctx, err)); recordErr != nil {
		return out, recordErr
	}
	return out, err
}

// cancelled tells a run that is being ended from a step that ran out of its own time: the latter is a failure like any other.
func cancelled(ctx context.Context) bool {
	return ctx.Err() != nil && timedOut(ctx, ctx.Err()) == nil
}

// timedOut is the time limit that the effect ran into, if err comes from one.
func timedOut(ctx context.Context, err error) *drive.TimeoutError {
	if err == nil || ctx.Err() == nil {
		return nil
	}
	return plain.As[*drive.TimeoutError](context.Cause(ctx))
}

// isBroken tells that the engine failed, and not the effect.
func isBroken(err error) bool {
	return plain.As[*drive.Broken](err) != nil
}

// plan gives the stages of a pipeline step, and whether all of them are pure.
func (e *Engine) plan(effect *drive.Effect) (stages []flow.Stage, pure bool) {
	if effect.Step.Do == nil {
		return nil, false
	}
	stages = effect.Step.Stages(effect.Run)
	for _, s := range stages {
		if s.Effect || s.Dispatch {
			return stages, false
		}
	}
	return stages, true
}

func (e *Engine) perform(ctx context.Context, effect *drive.Effect, stages []flow.Stage) (drive.Outcome, error) {
	if p, ok := effect.Step.Do.(*drive.Stages); ok {
		return p.Perform(ctx, e, effect, stages)
	}
	return e.shell(ctx, effect)
}

// shell runs a command line (spec part 1, 2.1).
func (e *Engine) shell(ctx context.Context, effect *drive.Effect) (drive.Outcome, error) {
	cmd := effect.Step.Shell(effect.Run)
	environ := e.environ(effect)
	limit, err := proc.MaxOutput(environ)
	if err != nil {
		return drive.Outcome{}, err
	}
	res, err := proc.Run(ctx, proc.Spec{
		Argv:      proc.Shell(environ, value.ToUTF8(cmd.Script), e.LoginShell),
		Env:       environ,
		Dir:       e.dir(effect),
		Stdin:     stdinBytes(effect.Stdin),
		Stderr:    e.live(effect),
		MaxOutput: limit,
		Started:   func(pid int, start string) error { return e.log.process(effect.Path, pid, start) },
	})
	out := drive.Outcome{Dispatched: effect.Step.Dispatch}
	switch {
	case proc.IsNotFound(err):
		return drive.Outcome{}, errors.New("workflow shell not found; check LOBSTER_SHELL or ComSpec")
	case err != nil:
		return out, err
	}
	out.Stdout = &res.Stdout
	if res.Signal == "" {
		out.Exit = &res.Code
	}
	if !res.OK() {
		source := cmd.Source
		if source == "" {
			source = cmd.Script
		}
		text := trimmed(res.Stderr, res.Stdout)
		if text == "" {
			text = source
		}
		return out, errors.New("workflow command failed (" + res.CodeText() + "): " + text)
	}
	out.JSON = flow.TextJSON(res.Stdout)
	return out, nil
}

func stdinBytes(v value.Value) []byte {
	switch v.Kind() {
	case value.Absent, value.NullKind:
		return nil
	case value.StringKind:
		return []byte(value.ToUTF8(v.Str()))
	}
	return v.AppendJSON(nil)
}

func (e *Engine) live(effect *drive.Effect) io.Writer {
	if e.Live == nil {
		return nil
	}
	return e.Live(string(effect.Path))
}
