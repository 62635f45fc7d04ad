package cli

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/lobsterc/lobsterc/codegen"
	"github.com/lobsterc/lobsterc/compiler"
	"github.com/lobsterc/lobsterc/compiler/gobuild"
	"github.com/lobsterc/lobsterc/ir"
	"github.com/lobsterc/lobsterc/ir/diag"
)

// unit is a program that was compiled and is to be built, run or shown.
type unit struct {
	*compiler.Result
	opts  compileOptions
	path  string // of the entry file, absolute; "" for a pipeline
	serve bool   // build it with --mcp
}

// ok tells whether there is a program: no errors.
func (u *unit) ok() bool { return u.Program != nil }

func compileFile(file string, o compileOptions) *unit {
	u := &unit{Result: compiler.Load(file, o.Options), opts: o}
	if abs, err := filepath.Abs(file); err == nil {
		u.path = abs
	}
	return u
}

// stdinName is what diagnostics call a workflow that comes from the standard input.
const stdinName = "<stdin>"

// compileStdin compiles the workflow on the standard input; its sub-workflows are looked for in the working directory.
func (e *env) compileStdin(o compileOptions) *unit {
	o.ReadFile = func(name string) ([]byte, error) {
		if name == stdinName {
			return io.ReadAll(e.stdin)
		}
		return os.ReadFile(name)
	}
	return &unit{Result: compiler.Load(stdinName, o.Options), opts: o}
}

func compilePipeline(text string, o compileOptions) *unit {
	return &unit{Result: compiler.LoadPipeline(text, o.Options), opts: o}
}

// source is what the unit's program is built from.
func (u *unit) source() (gobuild.Source, error) {
	hash := ir.Hash(u.Program)
	prov, err := gobuild.NewProvenance(Version, hash, u.Sources)
	if err != nil {
		return gobuild.Source{}, err
	}
	prov.MCP = u.serve
	prov.AddStages(u.opts.foreign)
	file := u.File
	if file == "" {
		file = u.Name
	}
	main, err := codegen.Emit(u.Program, codegen.Options{
		File: file, Provenance: prov.JSON(), Effects: u.Effects(u.opts.stages()).Summary(),
		Catalogue: u.opts.Catalogue,
		Serve:     u.serve,
	})
	if err != nil {
		return gobuild.Source{}, err
	}
	return gobuild.Source{Main: main, Hash: hash, IR: ir.Encode(u.Program), File: file, Foreign: u.opts.foreign}, nil
}

// cachedUnit finds the program of a hash that this lobsterc built before.
func cachedUnit(hash string, o compileOptions) (*unit, bool) {
	c, err := gobuild.OpenCache()
	if err != nil {
		return nil, false
	}
	data, file, ok := c.ProgramIR(hash)
	if !ok {
		return nil, false
	}
	p, err := ir.Decode(data)
	if err != nil {
		return nil, false
	}
	return &unit{Result: &compiler.Result{Program: p, Name: strings.TrimSuffix(file, filepath.Ext(file)), File: file}, opts: o}, true
}

// show prints a unit's diagnostics for people, on stderr.
func (e *env) show(u *unit) {
	if len(u.Diags) > 0 {
		diag.Text(e.stderr, u.Shown(), u.Line, color(e.stderr))
	}
}

// fixFile makes the safe edits in a file and compiles it again, as long as that changes something.
func (e *env) fixFile(file string, u *unit, o compileOptions) (*unit, int, error) {
	total := 0
	for range 10 {
		text, err := os.ReadFile(file) // with the byte order mark that u.Text lacks
		if err != nil {
			return u, total, failf("%s", plain(err))
		}
		fixed, n := diag.Fix(text, file, u.Diags)
		if n == 0 {
			return u, total, nil
		}
		info, err := os.Stat(file)
		if err != nil {
			return u, total, failf("%s", plain(err))
		}
		if err := gobuild.WriteMode(file, fixed, info.Mode().Perm()); err != nil {
			return u, total, failf("%s", plain(err))
		}
		total += n
		u = compileFile(file, o)
	}
	return u, total, nil
}
