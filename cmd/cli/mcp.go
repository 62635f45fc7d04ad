package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/spf13/pflag"

	"github.com/lobsterc/lobsterc/ir"
	"github.com/lobsterc/lobsterc/runtime/mcp"
)

// mcpCommand serves a folder of workflows to a client of the Model Context Protocol on stdin and stdout.
func mcpCommand(e *env, fs *pflag.FlagSet) func([]string) error {
	var opts compileOptions
	var stateDir string
	var timeout, maxStdout int64
	fs.StringVar(&stateDir, "state-dir", "", "where paused runs are kept (default ~/.lobster/state)")
	fs.Int64Var(&timeout, "timeout-ms", 0, "end a run after `N` milliseconds")
	fs.Int64Var(&maxStdout, "max-stdout-bytes", 0, "fail when a run prints more than `N` bytes (default 512000)")
	compileFlags(fs, &opts)
	return func(args []string) error {
		if len(args) != 1 {
			return usagef("give the folder of the workflows")
		}
		flags := []string{mcp.NoTimeout}
		if timeout > 0 {
			flags = append(flags, fmt.Sprintf("--timeout-ms=%d", timeout))
		}
		if maxStdout > 0 {
			flags = append(flags, fmt.Sprintf("--max-stdout-bytes=%d", maxStdout))
		}
		if stateDir != "" {
			flags = append(flags, "--state-dir="+stateDir)
		}
		if err := e.loadStages(&opts); err != nil {
			return err
		}
		tools, err := e.tools(args[0], flags, opts)
		if err != nil {
			return err
		}
		in, inOK := e.stdin.(io.ReadCloser)
		out, outOK := e.stdout.(io.WriteCloser)
		if !inOK || !outOK {
			return failf("mcp needs stdin and stdout")
		}
		server := &mcp.Server{Name: "lobsterc", Version: Version, Tools: tools, StateDir: stateDir, Stderr: e.stderr}
		return server.Serve(e.ctx, in, out)
	}
}

// tools compiles the workflows of a folder. One with errors is reported and left out; none at all is an error.
func (e *env) tools(dir string, flags []string, opts compileOptions) ([]*mcp.Tool, error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, usagef("%s", plain(err))
	}
	var tools []*mcp.Tool
	for _, f := range files {
		if f.IsDir() || strings.ToLower(filepath.Ext(f.Name())) != ".lobster" {
			continue
		}
		u := compileFile(filepath.Join(dir, f.Name()), opts)
		e.show(u)
		if u.ok() {
			tools = append(tools, e.tool(u, flags))
		}
	}
	if len(tools) == 0 {
		return nil, failf("there is no workflow to serve in %s: files end in .lobster", dir)
	}
	return tools, nil
}

// tool is a workflow as a tool; it is built when it is first called.
func (e *env) tool(u *unit, flags []string) *mcp.Tool {
	main := &u.Program.Main
	name := main.Name
	if name == "" {
		name = u.Name
	}
	t := &mcp.Tool{
		Name: name, Description: mcp.Describe(main.Description, u.Effects(u.opts.stages()).Summary()),
		Steps: len(main.Steps), Hash: ir.Hash(u.Program),
	}
	for _, a := range main.Args {
		t.Args = append(t.Args, mcp.Arg{Name: a.Name, Description: a.Description, Default: a.Default, Required: a.Required, Type: a.Type, Secret: a.Secret})
	}
	built := sync.OnceValues(func() (string, error) { return e.build(u) })
	t.Command = func(context.Context) ([]string, []string, error) {
		path, err := built()
		return append([]string{path}, flags...), []string{"LOBSTERC_SOURCE=" + u.path}, err
	}
	return t
}
