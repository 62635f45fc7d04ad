package runtime

import (
	"github.com/lobsterc/lobsterc/runtime/blob"
	"github.com/lobsterc/lobsterc/runtime/drive"
	"github.com/lobsterc/lobsterc/runtime/state"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// Program is a whole compiled program: a workflow, or an inline pipeline when Pipeline is set.
type Program struct {
	// Name is the program's name when it is a pipeline; a workflow has its own.
	Name string
	// Hash identifies what the program means: "sha256:" and the hash of the canonical IR.
	Hash string
	// Provenance and IR are JSON, marked (package blob) so that they can be read out of the executable.
	Provenance string
	IR         string
	// LoginShell makes shell steps use `sh -lc`.
	LoginShell bool

	// Effects is what the program can do, a line each, for --help.
	Effects []string
	// Meter makes the meter of what model calls cost; nil in programs that cannot spend.
	Meter func(getenv func(string) string) Meter
	// Preflight is Preflight in programs whose stages need something of their surroundings, nil in others.
	Preflight func(a *app, args value.Value, from int, known []*drive.Result) error
	// MCP serves the program to clients of the Model Context Protocol; nil in programs built without --mcp.
	MCP Server

	Workflow Workflow
	Pipeline InlinePipeline
}

// ProvenanceJSON is what the program was built from.
func (p *Program) ProvenanceJSON() string { return blob.Body(p.Provenance) }

// IRJSON is the canonical IR.
func (p *Program) IRJSON() string { return blob.Body(p.IR) }

// Meter is what a run needs to count its spend, beyond what the driver does.
type Meter interface {
	drive.Meter
	// Summary is _meta.cost; Absent while nothing was spent.
	Summary() value.Value
	// Save and Restore keep the spend in the state of a paused run.
	Save(*state.Workflow)
	Restore(*state.Workflow)
}
