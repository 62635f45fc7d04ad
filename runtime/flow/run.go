package flow

import (
	"context"
	"errors"

	"github.com/lobsterc/lobsterc/runtime/value"
)

// Outcome is what a pipeline leaves behind when it ends well.
type Outcome struct {
	// Items are what the last stage gave.
	Items []value.Value
	// Rendered tells that a renderer printed to Env.Stdout.
	Rendered bool
}

// run is the state that the stages of one pipeline run share. Stages run on one goroutine, so it needs no lock.
type run struct {
	late error
	halt *Halt
}

// Run runs stages[from:] on items (nil = none) and collects what the last one gives. The error is a *Halt when a stage
// waits for a person; then everything before that stage has ended well.
//
// Stages are composed lazily and run on the caller's goroutine: an item is made when the stage after asks for it. Nothing
// outlives the call.
func Run(env *Env, stages []Stage, from int, items Stream) (Outcome, error) {
	out := Outcome{}
	err := Each(env, stages, from, items, func(v value.Value) { out.Items = append(out.Items, v.Detach()) })
	if err != nil {
		return Outcome{}, err
	}
	for i := from; i < len(stages); i++ {
		if stages[i].Render && !passes(env, stages, i) {
			out.Rendered = true
		}
	}
	return out, nil
}

// Each is Run that hands the items over one by one. Items may have been handed over when it fails.
func Each(env *Env, stages []Stage, from int, items Stream, each func(value.Value)) error {
	r := &run{}
	stream := items
	if stream == nil {
		stream = Empty
	}
	for i := from; i < len(stages); i++ {
		stage := &stages[i]
		local := *env
		local.run = r
		local.Passthrough = stage.Render && passes(env, stages, i)
		if stage.Effect && !stage.Gathers && i > from {
			stream = barrier(&local, stream)
		}
		stream = r.watch(local.Ctx, i, stage.Run(&local, stream))
	}
	for v, err := range stream {
		if err != nil {
			return err
		}
		each(v)
	}
	if r.late != nil {
		return r.late
	}
	return contextError(env.Ctx)
}

// passes tells whether the renderer at i passes its items on instead of printing: only a final one does, and only in
// tool mode.
func passes(env *Env, stages []Stage, i int) bool {
	return env.Passthrough && i == len(stages)-1
}

// Printed tells whether a renderer among stages has printed by the time that a later stage halts: a renderer always prints
// something, unless it is the last stage.
func Printed(stages []Stage) bool {
	for i := range stages {
		if stages[i].Render {
			return true
		}
	}
	return false
}

// ErrPrinted refuses a question of ask after something was printed, which a tool would not see.
var ErrPrinted = errors.New("requestInput cannot suspend after this command has produced output")

// checkEvery is how many items pass between two looks at the context.
const checkEvery = 1024

// watch looks after the output of stage i: it notes where a halt came from, ends the stream when the run is cancelled,
// and turns a failure that came too late for its own stream into an error at the end.
func (r *run) watch(ctx context.Context, i int, in Stream) Stream {
	return func(yield func(value.Value, error) bool) {
		n := 0
		for v, err := range in {
			if err != nil {
				r.noteHalt(i, err)
				yield(value.Value{}, err)
				return
			}
			if n++; n%checkEvery == 0 {
				if err := contextError(ctx); err != nil {
					yield(value.Value{}, err)
					return
				}
			}
			if !yield(v, nil) {
				return
			}
		}
		if r.late != nil {
			yield(value.Value{}, r.late)
		}
	}
}

// noteHalt fills the index of the halting stage. An error passes the watchers from the stage it came from onwards, so the first
// one to see a halt is its own.
func (r *run) noteHalt(i int, err error) {
	if h, ok := errors.AsType[*Halt](err); ok && r.halt != h {
		r.halt = h
		h.Stage = i
	}
}

// contextError is why ctx ended, or nil.
func contextError(ctx context.Context) error {
	if ctx == nil || ctx.Err() == nil {
		return nil
	}
	return context.Cause(ctx)
}

// Empty is the stream of no items.
func Empty(func(value.Value, error) bool) {}

// Fail is the stream that is nothing but an error.
func Fail(err error) Stream {
	return func(yield func(value.Value, error) bool) { yield(value.Value{}, err) }
}

// Items is the stream of the given items.
func Items(items ...value.Value) Stream {
	return func(yield func(value.Value, error) bool) {
		for _, v := range items {
			if !yield(v, nil) {
				return
			}
		}
	}
}

// Input is a step's stdin as the items of its pipeline: none, the elements of an array, or the one value.
func Input(v value.Value) Stream {
	switch v.Kind() {
	case value.Absent, value.NullKind:
		return Empty
	case value.ArrayKind:
		return func(yield func(value.Value, error) bool) {
			for item := range v.All() {
				if !yield(item, nil) {
					return
				}
			}
		}
	}
	return Items(v)
}

// Collect takes in a whole stream.
func Collect(in Stream) ([]value.Value, error) {
	var items []value.Value
	for v, err := range in {
		if err != nil {
			return nil, err
		}
		items = append(items, v.Detach())
	}
	return items, nil
}

// Drain takes in a whole stream and keeps nothing.
func Drain(in Stream) error {
	for _, err := range in {
		if err != nil {
			return err
		}
	}
	return nil
}
