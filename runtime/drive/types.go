// Package drive decides what a workflow does next: order, conditions, gates, retries, timeouts, loops, branches, children,
// on_error. It does nothing itself: whatever touches the world goes through Engine, and every answer of the engine can be
// recorded and replayed. So the driver is deterministic: no clock, no random, no goroutine of its own, no file, no environment.
//
// A resume is the same run again with recorded answers: the driver starts at the first step (or at a snapshot's index), the engine
// answers what is known, and the run goes on where the answers end.
//
// Generated programs hold a Workflow: a table of steps with pure functions that say what each step is to do.
package drive

import (
	"time"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// Workflow is a compiled workflow.
type Workflow struct {
	Name        string
	Description string
	// File is the source's slash path relative to the folder of the program's entry file.
	File string
	Args []Arg
	Env  []EnvVar
	Cwd  func(*Run) string // nil = the caller's directory
	// Timeout bounds the whole run; 0 = none.
	Timeout   time.Duration
	CostLimit *CostLimit
	Steps     []Step
}

// Arg is a declared argument.
type Arg struct {
	Name        string
	Description string
	Default     value.Value // Absent = none
	Required    bool
	Type        string // "", string, number, integer, boolean, array, object
	Secret      bool
}

// CostLimit is cost_limit.
type CostLimit struct {
	MaxUSD float64
	Stop   bool
}

// Lookup finds a variable of an environment.
type Lookup = func(name string) (string, bool)

// EnvVar is a variable for child processes: Text, or what Value gives when it is set. Value is called inside the effect with a
// lookup of the environment so far.
type EnvVar struct {
	Name  string
	Text  string
	Value func(run *Run, lookup Lookup) string
}

// Step is one step. At most one of Shell and Do is set; with none, the step is a gate or takes its Stdin as its result. All
// functions are pure: they read run and return what to do.
type Step struct {
	ID   string
	Line int // in the source file
	When func(*Run) bool

	Shell func(*Run) Command
	Do    Exec

	// Stdin is the step's input; nil = none.
	Stdin func(*Run) value.Value
	Env   []EnvVar
	Cwd   func(*Run) string

	Timeout time.Duration
	OnError OnError
	Retry   *Retry
	// Dispatch: the shell command hands something to the outside, so the step is never retried.
	Dispatch bool

	Input    func(*Run) Input
	Approval func(*Run) Approval

	// Plan holds what a dry run prints and cannot compute from the functions above; nil = nothing.
	Plan *Plan
}

// Plan is what a dry run prints and the functions of a step do not tell.
type Plan struct {
	// Refs: the command or the pipeline holds references to steps, which are unknown when nothing has run.
	Refs bool
	// Stdin is the source text of a stdin that holds references; a dry run prints no other.
	Stdin string
	// ForEach is the source text of for_each.
	ForEach string
	// Pipeline and Workflow give the source text with its arguments expanded.
	Pipeline func(*Run) string
	Workflow func(*Run) string
}

// Command is a shell command to run. Source is the command as the file has it, for error messages; empty means that it is
// Script.
type Command struct {
	Script string
	Source string
}

// Pipeline is a pipeline to run.
type Pipeline struct {
	Stages []flow.Stage
}

// Call runs a sub-workflow. Pick gives the workflow, or nil and the path that is not part of the program.
type Call struct {
	Pick func(*Run) (*Workflow, string)
	Args func(*Run) []NamedValue
}

// NamedValue is a name with a value.
type NamedValue struct {
	Name  string
	Value value.Value
}

// Parallel runs branches at the same time.
type Parallel struct {
	Any      bool
	Timeout  time.Duration
	Branches []Step
}

// Loop runs Steps for each item.
type Loop struct {
	Items    func(*Run) value.Value
	ItemVar  string
	IndexVar string
	Batch    int
	Pause    time.Duration
	Steps    []Step
}

// OnError says what a failure of a step does to the run.
type OnError uint8

// The error policies.
const (
	Stop OnError = iota
	Continue
	SkipRest
)

// Retry says how often and after what delays a failed step is tried again.
type Retry struct {
	Max         int
	Exponential bool
	Delay       time.Duration
	MaxDelay    time.Duration
	Jitter      bool
}

// Approval is an approval gate as the file has it, with its templates expanded. Empty strings and Absent values are unset.
type Approval struct {
	Prompt            string
	Items             value.Value
	Preview           value.Value
	InitiatedBy       string
	RequiredApprover  string
	DifferentApprover *bool
}

// Input is an input gate with its templates expanded.
type Input struct {
	Prompt   string
	Schema   flow.Schema
	Defaults value.Value
	// Subject is the step's stdin; nil function result rules apply when Absent (spec part 1, 2.4).
	Subject value.Value
}
