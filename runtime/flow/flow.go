// Package flow is what a pipeline is made of: streams of values, the stages that transform them, and the halts that stop
// a pipeline for a person. Stages themselves live in runtime/stage and its siblings; who runs them is runtime/drive's
// engine. See spec part 2, section 2, and part 6, section 5.
package flow

import (
	"context"
	"io"
	"iter"

	"github.com/lobsterc/lobsterc/runtime/value"
)

// Stream is a lazy sequence of items. A pair with a non-nil error is the last one, and its value means nothing. A
// consumer that has enough simply stops (yield returns false); the producer then releases what it holds, and a producer that runs a
// process still drains and checks it, and tells Env.Late what it finds.
type Stream = iter.Seq2[value.Value, error]

// Stage transforms one stream into another. Values are immutable: a stage never changes an item in place.
type Stage struct {
	// Name as the pipeline text has it ("exec"); Raw is the text of the stage as written, and Args its arguments as
	// the reference parses them ({"_": [words], flag: string|true}): saved states carry both. Args and Raw are only
	// set in programs that can pause inside this pipeline.
	Name string
	Raw  string
	Args value.Value
	// Effect marks a stage that touches the world. It gets its first item only after everything before it has ended
	// well (spec part 6, 5).
	Effect bool
	// Dispatch marks a stage that hands something to the outside that cannot be taken back: once it ran, the step is
	// not retried (spec part 1, 2.8).
	Dispatch bool
	// Render marks json and table: stages that print for people.
	Render bool
	// Gathers marks a stage that itself takes in all of its input before it does anything else, so that its input need
	// not be held for it.
	Gathers bool
	// Fault is what is wrong with a stage that can only fail, nil in all others.
	Fault error
	// Schema is what the answer must satisfy that a stage which halts for input wants; nil in all others.
	Schema Schema
	// Needs says, before anything runs, what the stage wants of its surroundings and cannot find there (a gateway, an executable), with what
	// to set; empty when all is well. Nil: it needs nothing. It touches nothing and sends nothing.
	Needs func(env *Env) string
	// Run starts the stage. It must do nothing before the stream that it returns is ranged over.
	Run func(env *Env, in Stream) Stream
}

// Env is the world of one pipeline run.
type Env struct {
	Ctx context.Context
	// Environ is the environment of the pipeline's step, "NAME=value" each; stages look variables up with Getenv and
	// hand the list to child processes.
	Environ []string
	// Dir is the working directory for child processes and relative files; empty means the process's own.
	Dir string
	// StepID is the workflow step, or empty in an inline pipeline.
	StepID string
	// Stdout takes what renderers print. In tool mode and in workflow steps it is a buffer or discards.
	Stdout io.Writer
	// Stderr takes warnings.
	Stderr io.Writer
	// ChildStderr takes, live, what children write to their stderr; nil when nobody watches (it is captured all the same).
	ChildStderr io.Writer
	// LoginShell makes shell command lines run in a login shell.
	LoginShell bool
	// Started is called right after a child process started, with its number and start time; an error ends the child. Nil
	// when nobody keeps a record.
	Started func(pid int, start string) error
	// Passthrough makes a renderer pass its items on instead of swallowing them (tool mode of an inline pipeline).
	Passthrough bool
	// StateDir gives the state directory, or an error that says why there is none.
	StateDir func() (string, error)
	// Ask asks a person on the terminal: it prints prompt and reads a line. Nil when nobody can be asked; then
	// approve and ask halt.
	Ask func(ctx context.Context, prompt string) (string, error)
	// NoteDispatch records that something has gone out to the world (see Stage.Dispatch); never nil.
	NoteDispatch func()
	// NoteUsage bills one live model call; never nil.
	NoteUsage func(Usage)

	// run is the pipeline run that this Env belongs to; Run makes a copy of the caller's Env for it.
	run *run
}

// Late reports a failure to a run whose consumer has already stopped taking items: a child process that ended badly after
// `head` had enough. Every stage that waits for the end of its input then sees the error there.
func (e *Env) Late(err error) {
	if e.run != nil && e.run.late == nil {
		e.run.late = err
	}
}

// Getenv looks a variable up in Environ; the last entry of a name wins.
func (e *Env) Getenv(name string) string {
	v, _ := e.LookupEnv(name)
	return v
}

// LookupEnv is Getenv that tells "set to nothing" from "not set".
func (e *Env) LookupEnv(name string) (string, bool) {
	for i := len(e.Environ) - 1; i >= 0; i-- {
		kv := e.Environ[i]
		if len(kv) > len(name) && kv[len(name)] == '=' && kv[:len(name)] == name {
			return kv[len(name)+1:], true
		}
	}
	return "", false
}

// Usage is what a model call reports; see spec part 2 (Cost) and part 7, 33.
type Usage struct {
	CacheKey string
	Model    string
	// Usage is the provider's usage object, as it came.
	Usage value.Value
}

// HaltKind says what a halted pipeline waits for.
type HaltKind uint8

// The kinds of halt.
const (
	HaltApproval HaltKind = iota
	HaltInput
)

// Halt is the error by which approve and ask stop a pipeline: nothing failed, a person must answer. Items are complete:
// everything before the halting stage has ended.
type Halt struct {
	Kind HaltKind
	// Stage is the index of the halting stage in its pipeline; the runner fills it.
	Stage int
	// Prompt, Items and Preview as the request shows them. Preview is Absent when there is none.
	Prompt  string
	Items   []value.Value
	Preview value.Value
	// Schema, Subject and Defaults belong to input halts; Absent when there is none.
	Schema   value.Value
	Subject  value.Value
	Defaults value.Value
	// SameStage: the answer is given to the halting stage itself (ask); otherwise the pipeline goes on after it with
	// Items (approve), or with the answer (ask --emit).
	SameStage bool
}

// Error is for the rare reader that does not know halts.
func (h *Halt) Error() string { return "pipeline halted: " + h.Prompt }

// Schema is a JSON Schema that can be asked. Programs that need none link no validator.
type Schema interface {
	// Source is the schema as JSON.
	Source() value.Value
	// Validate gives nil, or an error of type *SchemaError that names the first fault.
	Validate(value.Value) error
}

// SchemaError is a fault that a Schema finds, in the words of the reference (part 7, 22).
type SchemaError struct {
	Path   string // a JSON pointer, "/" at the root
	Reason string
}

func (e *SchemaError) Error() string { return e.Path + ": " + e.Reason }
