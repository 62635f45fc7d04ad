package syntax

import (
	"github.com/lobsterc/lobsterc/ir/diag"
)

// Workflow is a workflow file. Fields of optional keys are nil or zero when the key is absent, null where that is fine, or faulty.
type Workflow struct {
	Source      *Source
	Root        *Node
	Name        *Scalar
	Description *Scalar
	Args        []*Arg
	Env         []EnvVar
	Cwd         *Scalar
	TimeoutMS   int64
	CostLimit   *CostLimit
	// RequireApproval are the effects of x-require-approval.
	RequireApproval []*Scalar
	Steps           []*Step
}

// Arg is a declared argument. Default is nil when there is none.
type Arg struct {
	Name        *Scalar
	Default     *Node
	Description string
	Required    bool
	Type        string
	Secret      bool
}

// EnvVar is an entry of env whose value is a string.
type EnvVar struct{ Name, Value *Scalar }

// CostLimit is cost_limit.
type CostLimit struct {
	Node   *Node
	MaxUSD float64
	Stop   bool
}

// Step is a step, a branch of a parallel step or a sub-step of a loop. At most one of Run, Pipeline, Workflow, Parallel and
// Loop is set.
type Step struct {
	Node        *Node
	ID          *Scalar
	Description *Scalar
	When        *Entry // when, else condition; nil when absent or null
	Run         *Scalar
	Pipeline    *Scalar
	Workflow    *Scalar
	Args        []Entry // workflow_args
	Parallel    *Parallel
	Loop        *Loop
	Env         []EnvVar
	Cwd         *Scalar
	Stdin       *Node // nil when absent or null
	TimeoutMS   int64
	OnError     string // "" = stop
	Retry       *Retry
	Input       *Input
	Approval    *Approval
}

// Pos is where the step starts.
func (s *Step) Pos() diag.Pos { return s.Node.Span.Start }

// Key is the place of a key of the step; the step itself when it has no such key.
func (s *Step) Key(name string) diag.Span {
	if e := s.Node.Entry(name); e != nil {
		return e.Key.Span
	}
	return s.Node.Span
}

// Parallel is parallel.
type Parallel struct {
	Node      *Node
	Any       bool
	TimeoutMS int64
	Branches  []*Step
}

// Loop is for_each with its keys.
type Loop struct {
	Items    *Scalar
	ItemVar  string
	IndexVar string
	Batch    int
	PauseMS  float64
	Steps    []*Step
}

// Retry is retry with its defaults filled in.
type Retry struct {
	Node        *Node
	Max         int
	Exponential bool
	DelayMS     float64
	MaxDelayMS  float64
	Jitter      bool
}

// Input is an input gate.
type Input struct {
	Node     *Node
	Prompt   *Scalar
	Schema   *Node
	Defaults *Node
}

// Approval is an approval gate. Fields are nil when they are not given.
type Approval struct {
	Node              *Node
	Prompt            *Scalar
	Items             *Node // a list
	Preview           *Scalar
	InitiatedBy       *Scalar
	RequiredApprover  *Scalar
	DifferentApprover *bool
}
