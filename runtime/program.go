package runtime

import "github.com/lobsterc/lobsterc/runtime/blob"

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

	Workflow Workflow
	Pipeline func(*Run) Pipeline
}

// ProvenanceJSON is what the program was built from.
func (p *Program) ProvenanceJSON() string { return blob.Body(p.Provenance) }

// IRJSON is the canonical IR.
func (p *Program) IRJSON() string { return blob.Body(p.IR) }
