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

// serve is `BIN mcp [flags]`: the workflow as a server of the Model Context Protocol on stdin and stdout.
func (a *app) serve(flags []string) int {
	opt, err := parseFlags(a.program, flags)
	in, inOK := a.stdin.(io.ReadCloser)
	out, outOK := a.stdout.(io.WriteCloser)
	switch {
	case a.program.MCP == nil:
		err = usage("this program does not serve MCP: build it with `lobsterc build --mcp`")
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
		err = a.program.MCP(ctx, a.program, Serving{
			Name: a.program.name(), Flags: flags, StateDir: opt.stateDir, Stdin: in, Stdout: out, Stderr: a.stderr,
		})
	}
	o := failed(err)
	if err != nil && plain.As[*signalError](err) == nil {
		plain.Print(a.stderr, "Error: ", err.Error(), "\n")
	}
	return o.code(false)
}
