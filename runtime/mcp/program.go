package mcp

import (
	"context"
	"os"
	"strings"

	"github.com/lobsterc/lobsterc/runtime"
)

// NoTimeout is the flag with which programs are run here: what bounds a call is its client, who cancels it. Flags of the user
// come after it and win.
const NoTimeout = "--timeout-ms=9000000000000"

// Serve serves the program that was built with it; it stands in the program's table.
func Serve(ctx context.Context, p *runtime.Program, s runtime.Serving) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	argv := append([]string{exe, NoTimeout}, s.Flags...)
	t := &Tool{
		Name: s.Name, Description: Describe(p.Workflow.Description, p.Effects), Args: p.Workflow.Args, Steps: len(p.Workflow.Steps), Hash: p.Hash,
		Command: func(context.Context) ([]string, []string, error) { return argv, nil, nil },
	}
	server := &Server{Name: s.Name, Version: p.Hash, Tools: []*Tool{t}, StateDir: s.StateDir, Stderr: s.Stderr}
	return server.Serve(ctx, s.Stdin, s.Stdout)
}

// Describe is a tool's description: what the workflow says of itself, and what it can do.
func Describe(text string, effects []string) string {
	text = strings.TrimSpace(text)
	if len(effects) == 0 {
		return text
	}
	if text != "" {
		text += "\n\n"
	}
	return text + "What it can do:\n- " + strings.Join(effects, "\n- ")
}
