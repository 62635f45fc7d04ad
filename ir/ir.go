// Package ir is the program that lobsterc compiles: plain data between the front end and the code generator. It has no
// behaviour but checking itself (check.go), its canonical JSON (json.go), its hash (hash.go) and the comparison of two programs
// (diff.go). A program is closed: the workflows that it calls are inside it. See spec part 4, section 3, and part 6, 14.
//
// Every node carries its position, which canonical JSON leaves out, so that a comment or white space in the source changes nothing.
package ir

import (
	"github.com/lobsterc/lobsterc/ir/diag"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// Version is the value of the top-level key "ir" that marks a JSON file as IR.
const Version = 1

// Program is a whole program: a workflow with every workflow that it can call, or an inline pipeline.
type Program struct {
	Main Workflow
	// Pipeline is set, and Main.Steps is empty, when the program is an inline pipeline.
	Pipeline *Pipeline
	// Children are the sub-workflows, each once, ordered by Path.
	Children []Child
	// LoginShell makes shell steps use `sh -lc` (lobsterc build --login-shell).
	LoginShell bool
	// Compat marks a program that was compiled although it has errors (--compat): Check then allows references that
	// point forward or nowhere, and calls of workflows that do not exist. They fail when they are reached.
	Compat bool
}

// Child is a sub-workflow. Path is slash-separated and relative to the folder of the entry file, as Call.Candidates name it.
type Child struct {
	Path     string
	Workflow Workflow
}

// Workflow is one workflow file.
type Workflow struct {
	Pos         diag.Pos
	Name        string
	Description string
	Args        []Arg // in file order
	Env         []EnvVar
	Cwd         Template // nil = the caller's
	TimeoutMS   int64    // 0 = none
	CostLimit   *CostLimit
	// RequireApproval lists the effects that must be behind a gate (x-require-approval).
	RequireApproval []string
	Steps           []*Step
}

// Arg is a declared argument. Default is Absent when there is none; `default: null` is Null.
type Arg struct {
	Pos         diag.Pos
	Name        string
	Description string
	Default     value.Value
	Required    bool
	Type        string // string|number|integer|boolean|array|object, "" = any
	Secret      bool
}

// EnvVar sets an environment variable for child processes.
type EnvVar struct {
	Pos   diag.Pos
	Name  string
	Value Template
}

// CostLimit is `cost_limit`. Action is "warn" or "stop" (default).
type CostLimit struct {
	Pos    diag.Pos
	MaxUSD float64
	Stop   bool
}

// Step is one step: of a workflow, of a loop, or a branch of a parallel step (the latter two use fewer fields).
type Step struct {
	Pos         diag.Pos
	ID          string
	Description string
	When        Expr // nil = always
	Do          Exec // nil = nothing is executed: a gate, or a synthetic step that takes its stdin as its result
	Env         []EnvVar
	Cwd         Template // nil = the workflow's
	Stdin       *Stdin   // nil = none
	TimeoutMS   int64    // 0 = none
	OnError     OnError
	Retry       *Retry
	Input       *Input
	Approval    *Approval
}

// OnError says what a failure of a step does to the run.
type OnError uint8

// The error policies; Stop is the default.
const (
	Stop OnError = iota
	Continue
	SkipRest
)

// Retry is `retry`; Max counts all attempts, delays are milliseconds.
type Retry struct {
	Pos         diag.Pos
	Max         int
	Exponential bool
	DelayMS     int64
	MaxDelayMS  int64
	Jitter      bool
}

// Exec is what a step executes: *Shell, *Pipeline, *Call, *Parallel or *Loop.
type Exec interface{ exec() }

func (*Shell) exec()    {}
func (*Pipeline) exec() {}
func (*Call) exec()     {}
func (*Parallel) exec() {}
func (*Loop) exec()     {}

// Shell runs a command line in a shell.
type Shell struct {
	Pos    diag.Pos
	Script Template
	// Source is the command as the file has it, for error messages that must not print arguments.
	Source string
	// Dispatch: the command hands something to the outside that cannot be taken back, so the step is never retried.
	Dispatch bool
}

// Pipeline runs native stages.
type Pipeline struct {
	Pos    diag.Pos
	Source string // the text as the file has it
	Stages []Stage
}

// Stage is one stage of a pipeline, checked against the catalogue. Aliases are kept as written in Name.
type Stage struct {
	Pos   diag.Pos
	Name  string
	Flags []Flag // at most one of each name, ordered by name
	Words []Word // the positional arguments
	// Raw is the stage's text and Args its arguments as the reference parses them; saved states of paused pipelines carry both.
	Raw  string
	Args value.Value
	// Fault makes this a stage that fails with that message when it starts: it is wrong, which only --compat, or a gate in
	// front of it that may never be passed, lets through. Flags and Words are then empty, and Name may be no known stage.
	Fault string
}

// Flag is a flag of a stage with its value. A flag without a value is the text "true".
type Flag struct {
	Pos   diag.Pos
	Name  string
	Value Template
	// Bare: the flag stood without a value.
	Bare bool
}

// Word is a positional argument. Alone: the word is exactly one unquoted hole (spec part 6, 4).
type Word struct {
	Pos   diag.Pos
	Text  Template
	Alone bool
}

// Call runs a sub-workflow. Candidates are paths in Program.Children: exactly one when the path is known, else all that
// --include named; Path is then evaluated, joined to Dir and must name one of them.
type Call struct {
	Pos        diag.Pos
	Path       Template
	Dir        string // slash path of the calling file's folder, relative to the entry file's folder ("." for the same)
	Candidates []string
	Args       []CallArg // in file order
}

// CallArg is an entry of workflow_args: a string is a template, anything else a literal.
type CallArg struct {
	Pos     diag.Pos
	Name    string
	Text    Template    // nil when Literal holds the value
	Literal value.Value // Absent when Text does
}

// Parallel runs its branches at the same time. Branch steps use ID, Do (shell or pipeline), Env, Cwd and Stdin.
type Parallel struct {
	Pos       diag.Pos
	Any       bool
	TimeoutMS int64
	Branches  []*Step
}

// Loop is for_each. Items is the exact reference, or a template whose text can only fail (kept for --compat).
type Loop struct {
	Pos      diag.Pos
	Items    *Stdin
	ItemVar  string
	IndexVar string
	Batch    int
	PauseMS  int64
	Steps    []*Step
}

// Stdin is a value given to a step: exactly one of Ref (the value itself), Text and Literal is set.
type Stdin struct {
	Pos     diag.Pos
	Ref     *StepRef
	Text    Template
	Literal value.Value
}

// Approval is an approval gate. Nil templates and Absent values are unset.
type Approval struct {
	Pos              diag.Pos
	Prompt           Template
	Items            value.Value // Absent, or an array
	Preview          Template
	InitiatedBy      Template
	RequiredApprover Template
	// DifferentApprover is require_different_approver; nil = unset (the environment may fill it).
	DifferentApprover *bool
}

// Input is an input gate.
type Input struct {
	Pos      diag.Pos
	Prompt   Template
	Schema   value.Value
	Defaults value.Value // Absent when there are none
}

// Template is text with holes. Nil means "not given"; an empty text is a Template with one empty Text or none (non-nil).
type Template []Segment

// Segment is Text, ArgRef, StepRef, OpenRef or EnvRef.
type Segment interface{ segment() }

func (Text) segment()    {}
func (ArgRef) segment()  {}
func (StepRef) segment() {}
func (OpenRef) segment() {}
func (EnvRef) segment()  {}

// Text is literal text.
type Text string

// ArgRef is ${name}: the argument as text when it exists at run time, else the literal spelling.
type ArgRef struct {
	Pos  diag.Pos
	Name string
}

// StepRef is $id.path: the value when a result of id exists, else the literal spelling. Path has at least one element.
type StepRef struct {
	Pos  diag.Pos
	ID   string
	Path []string
}

// OpenRef is a reference that an argument may continue, as in $fetch.json.${field}: Text starts with the literal $ID and goes on with
// whatever may belong to the reference. When the program runs, Text is expanded first; the reference that it starts with is then
// replaced, and the rest stays. A step's id never comes from an argument.
type OpenRef struct {
	Pos  diag.Pos
	ID   string
	Text Template // Text, ArgRef and, in env values, EnvRef
}

// EnvRef is $NAME or ${NAME} in an env value: an argument of that name first, then the environment, else Raw as written.
type EnvRef struct {
	Pos  diag.Pos
	Name string
	Raw  string
}

// Expr is a condition: *Lit, *RefExpr, *Not, *Logic or *Compare. Nodes are pointers so that a check can mark them.
type Expr interface{ expr() }

func (*Lit) expr()     {}
func (*RefExpr) expr() {}
func (*Not) expr()     {}
func (*Logic) expr()   {}
func (*Compare) expr() {}

// Lit is a literal: null, boolean, number or string.
type Lit struct {
	Pos   diag.Pos
	Value value.Value
}

// RefExpr is a step reference.
type RefExpr struct{ Ref StepRef }

// Not is !X.
type Not struct {
	Pos diag.Pos
	X   Expr
}

// Logic is X && Y, or X || Y when Or is set. Both sides are always evaluated.
type Logic struct {
	Pos  diag.Pos
	Or   bool
	X, Y Expr
}

// Compare is X OP Y, OP one of == != < <= > >=.
type Compare struct {
	Pos  diag.Pos
	Op   string
	X, Y Expr
}
