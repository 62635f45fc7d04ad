package runtime

import (
	"context"
	"errors"
	"io"

	"github.com/lobsterc/lobsterc/runtime/plain"
)

// Serving is how `BIN mcp` was started.
type Serving struct {
	Name string
	// Flags are for each run; StateDir is among them.
	Flags    []string
	StateDir string
	Stdin    io.ReadCloser
	Stdout   io.WriteCloser
	Stderr   io.Writer
}

// Server is what `BIN mcp` runs. A program that is not to serve has none, and links nothing of this.
type Server interface {
	serve(a *app, flags []string) int
}

// Serve makes a server of the function that talks to the client.
func Serve(talk func(context.Context, *Program, Serving) error) Server { return server(talk) }

type server func(context.Context, *Program, Serving) error

// mcp is `BIN mcp [flags]`.
func (a *app) mcp(flags []string) int {
	if a.program.MCP == nil {
		plain.Print(a.stderr, "Error: this program does not serve MCP: build it with `lobsterc build --mcp`\n")
		return exitUsage
	}
	return a.program.MCP.serve(a, flags)
}

// serve is the workflow as a server of the Model Context Protocol on stdin and stdout.
func (talk server) serve(a *app, flags []string) int {
	opt, err := parseFlags(a.program, flags)
	in, inOK := a.stdin.(io.ReadCloser)
	out, outOK := a.stdout.(io.WriteCloser)
	switch {
	case err != nil:
	case opt.help:
		plain.Print(a.stdout, a.program.name(), " mcp [flags]\n\nServes the workflow to a client of the Model Context Protocol on stdin and stdout. "+
			"The flags hold for each run.\n")
		return exitOK
	case opt.resuming || opt.request != "" || opt.events != "" || opt.mode == "human" || opt.dryRun || opt.runs:
		err = usage("mcp takes flags that hold for each run, such as --state-dir, --cwd, --timeout-ms and --max-stdout-bytes")
	case !inOK || !outOK:
		err = errors.New("mcp needs stdin and stdout")
	}
	ctx, over := withSignals(context.Background())
	defer over()
	if err == nil {
		err = talk(ctx, a.program, Serving{
			Name: a.program.name(), Flags: flags, StateDir: opt.stateDir, Stdin: in, Stdout: out, Stderr: a.stderr,
		})
	}
	o := failed(err)
	if err != nil && plain.As[*signalError](err) == nil {
		plain.Print(a.stderr, "Error: ", err.Error(), "\n")
	}
	return o.code(false)
}
