// Package runtime is what a generated program imports, as rt: Main, which runs it, and the types of its table.
package runtime

import (
	"github.com/lobsterc/lobsterc/runtime/drive"
	"github.com/lobsterc/lobsterc/runtime/local"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// The types of a compiled workflow; see package drive.
type (
	Workflow   = drive.Workflow
	Arg        = drive.Arg
	EnvVar     = drive.EnvVar
	Lookup     = drive.Lookup
	CostLimit  = drive.CostLimit
	Step       = drive.Step
	Plan       = drive.Plan
	Command    = drive.Command
	Pipeline   = drive.Pipeline
	Call       = drive.Call
	NamedValue = drive.NamedValue
	Parallel   = drive.Parallel
	Loop       = drive.Loop
	Retry      = drive.Retry
	Approval   = drive.Approval
	Input      = drive.Input
	Run        = drive.Run
	Value      = value.Value
)

// Stages makes a step of a pipeline.
func Stages(list func(*Run) Pipeline) *drive.Stages { return local.Stages(list) }

// The error policies of steps.
const (
	Stop     = drive.Stop
	Continue = drive.Continue
	SkipRest = drive.SkipRest
)

// Prompt is an approval gate that has a constant prompt and nothing else.
func Prompt(text string) func(*Run) Approval { return drive.Prompt(text) }

// Confirm is an approval gate without anything of its own.
func Confirm(run *Run) Approval { return drive.Confirm(run) }

// Constant is text that does not depend on the run.
func Constant(text string) func(*Run) string { return drive.Constant(text) }

// JoinPath is a sub-workflow's path relative to the folder of the program's entry file.
func JoinPath(dir, file string) string { return drive.JoinPath(dir, file) }

// Digits is a number that a double cannot hold; it keeps its digits.
func Digits(text string) Value { return drive.Digits(text) }
