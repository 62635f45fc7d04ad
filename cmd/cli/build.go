package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/lobsterc/lobsterc/compiler/gobuild"
	"github.com/lobsterc/lobsterc/ir"
	"github.com/lobsterc/lobsterc/ir/diag"
)

// compileFlags declares the flags of every command that compiles.
func compileFlags(fs *pflag.FlagSet, o *compileOptions) {
	stagesFlag(fs, o)
	fs.BoolVar(&o.Compat, "compat", false, "let pass what the reference would only find when it runs")
	fs.BoolVar(&o.LoginShell, "login-shell", false, "run shell steps in a login shell (sh -lc)")
	fs.StringArrayVar(&o.Includes, "include", nil, "take sub-workflows in whose path depends on an argument: a `GLOB` (repeatable)")
	fs.BoolVar(&o.Strict, "strict", false, "turn warnings into errors")
}

// source says what is to be compiled: files, or one pipeline.
type buildFlags struct {
	opts    compileOptions
	expr    string
	output  string
	emitGo  string
	targets []string
	wanted  []gobuild.Target // what targets says
	report  bool
	quiet   bool
	serve   bool
}

func buildCommand(e *env, fs *pflag.FlagSet) func([]string) error {
	b := &buildFlags{}
	fs.StringVarP(&b.output, "output", "o", "", "the executable; with several files or targets, a folder")
	fs.StringVarP(&b.expr, "expr", "e", "", "compile a `PIPELINE` instead of a file")
	fs.StringArrayVar(&b.targets, "target", nil, "build for `GOOS/GOARCH` (repeatable)")
	fs.BoolVar(&b.serve, "mcp", false, "make an executable that can also serve the Model Context Protocol (BIN mcp)")
	fs.StringVar(&b.emitGo, "emit-go", "", "keep the generated Go module in this `DIR`")
	fs.BoolVar(&b.report, "report", false, "show where the bytes of the executable go")
	fs.BoolVarP(&b.quiet, "quiet", "q", false, "print nothing but errors")
	compileFlags(fs, &b.opts)
	return func(files []string) error { return e.buildAll(b, files) }
}

// job is one executable to make.
type job struct {
	unit   *unit
	target gobuild.Target
	output string
}

func (e *env) buildAll(b *buildFlags, files []string) error {
	if (b.expr != "") == (len(files) > 0) {
		return usagef("give workflow files, or a pipeline with -e")
	}
	targets, err := parseTargets(b.targets)
	if err != nil {
		return err
	}
	b.wanted = targets
	units, err := e.units(b, files)
	if err != nil {
		return err
	}
	jobs, err := plan(b, units, targets)
	if err != nil {
		return err
	}
	for _, j := range jobs {
		if err := gobuild.CheckOutput(j.output); err != nil {
			return err
		}
	}
	if b.emitGo != "" {
		if len(units) != 1 {
			return usagef("--emit-go keeps one module: give one file")
		}
		if err := emitModule(units[0], b.emitGo); err != nil {
			return err
		}
	}
	return e.runJobs(b, jobs)
}

func parseTargets(texts []string) ([]gobuild.Target, error) {
	var list []gobuild.Target
	for _, t := range texts {
		target, err := gobuild.ParseTarget(t)
		if err != nil {
			return nil, usagef("%s", err)
		}
		list = append(list, target)
	}
	return list, nil
}

// units compiles everything before anything is built, so that all faults show at once.
func (e *env) units(b *buildFlags, files []string) ([]*unit, error) {
	if err := e.loadStages(&b.opts, b.wanted...); err != nil {
		return nil, err
	}
	var units []*unit
	if b.expr != "" {
		units = append(units, compilePipeline(b.expr, b.opts))
	}
	for _, f := range files {
		if err := checkSource(f); err != nil {
			return nil, err
		}
		units = append(units, compileFile(f, b.opts))
	}
	ok := true
	for _, u := range units {
		u.serve = b.serve
		e.show(u)
		ok = ok && u.ok()
	}
	if !ok {
		return nil, &exitError{exitFailed, ""}
	}
	return units, nil
}

// checkSource is checkFile for commands in which a bad file is no usage error.
func checkSource(file string) error {
	if err := checkFile(file); err != nil {
		return failf("%s", err)
	}
	return nil
}

// plan decides where each executable goes.
func plan(b *buildFlags, units []*unit, targets []gobuild.Target) ([]job, error) {
	if len(targets) == 0 {
		targets = []gobuild.Target{gobuild.Host()}
	}
	var jobs []job
	if len(units) == 1 && len(targets) == 1 {
		out := b.output
		if out == "" {
			out = units[0].Name + targets[0].Exe()
		}
		if info, err := os.Stat(out); err == nil && info.IsDir() {
			out = filepath.Join(out, units[0].Name+targets[0].Exe())
		}
		return []job{{units[0], targets[0], out}}, nil
	}
	seen := map[string]bool{}
	for _, u := range units {
		for _, t := range targets {
			name := u.Name + t.Exe()
			if len(targets) > 1 {
				name = u.Name + "_" + t.OS + "_" + t.Arch + t.Exe()
			}
			out := filepath.Join(b.output, name)
			if seen[out] {
				return nil, usagef("two workflows would be built to %s: give them other file names", out)
			}
			seen[out] = true
			jobs = append(jobs, job{u, t, out})
		}
	}
	if b.output != "" {
		if err := os.MkdirAll(b.output, 0o777); err != nil {
			return nil, failf("%s", plain(err))
		}
	}
	return jobs, nil
}

func (e *env) runJobs(b *buildFlags, jobs []job) error {
	builder, err := gobuild.New(e.ctx)
	if err != nil {
		return err
	}
	builder.Slow = e.slowNote
	for i, j := range jobs {
		if len(jobs) > 1 && !b.quiet {
			fmt.Fprintf(e.stderr, "[%d/%d] %s %s\n", i+1, len(jobs), j.output, j.target)
		}
		src, err := j.unit.source()
		if err != nil {
			return err
		}
		res, err := builder.Build(e.ctx, src, j.target)
		if err != nil {
			return err
		}
		if err := gobuild.Write(j.output, res.Data); err != nil {
			return failf("%s", plain(err))
		}
		if b.report {
			if err := e.printSizes(j.output, res.Data); err != nil {
				return err
			}
		}
	}
	return nil
}

func (e *env) printSizes(name string, data []byte) error {
	report, err := gobuild.Sizes(data)
	if err != nil {
		return err
	}
	fmt.Fprintf(e.stdout, "%s:\n", name)
	return report.Print(e.stdout, 20)
}

func emitCommand(e *env, fs *pflag.FlagSet) func([]string) error {
	b := &buildFlags{}
	fs.StringVarP(&b.output, "output", "o", "", "the folder for the module (required)")
	fs.StringVarP(&b.expr, "expr", "e", "", "compile a `PIPELINE` instead of a file")
	fs.BoolVar(&b.serve, "mcp", false, "the module of an executable that can also serve the Model Context Protocol")
	compileFlags(fs, &b.opts)
	return func(files []string) error {
		if len(files) > 1 || (b.expr != "") == (len(files) > 0) {
			return usagef("give one workflow file, or a pipeline with -e")
		}
		if b.output == "" {
			return usagef("give the folder for the module with -o")
		}
		units, err := e.units(b, files)
		if err != nil {
			return err
		}
		return emitModule(units[0], b.output)
	}
}

func emitModule(u *unit, dir string) error {
	src, err := u.source()
	if err != nil {
		return err
	}
	return gobuild.WriteModule(dir, src)
}

func irCommand(e *env, fs *pflag.FlagSet) func([]string) error {
	b := &buildFlags{}
	var positions, hash bool
	fs.BoolVar(&positions, "positions", false, "with the source position of every node")
	fs.BoolVar(&hash, "hash", false, "print the program hash alone")
	fs.StringVarP(&b.expr, "expr", "e", "", "compile a `PIPELINE` instead of a file")
	compileFlags(fs, &b.opts)
	return func(files []string) error {
		if len(files) > 1 || (b.expr != "") == (len(files) > 0) {
			return usagef("give one workflow file, or a pipeline with -e")
		}
		units, err := e.units(b, files)
		if err != nil {
			return err
		}
		if hash {
			_, err = fmt.Fprintln(e.stdout, ir.Hash(units[0].Program))
			return err
		}
		_, err = e.stdout.Write(append(ir.EncodeIndent(units[0].Program, positions), '\n'))
		return err
	}
}

func checkCommand(e *env, fs *pflag.FlagSet) func([]string) error {
	b := &buildFlags{}
	var format string
	var fix bool
	fs.StringVar(&format, "format", "text", "text, json, sarif or github")
	fs.BoolVar(&fix, "fix", false, "make the safe edits in the files")
	fs.StringVarP(&b.expr, "expr", "e", "", "check a `PIPELINE` instead of files")
	fs.StringArrayVar(&b.opts.RequireApproval, "require-approval", nil, "`EFFECT` that must be behind a gate, such as sends_email or cmd:rm (repeatable)")
	compileFlags(fs, &b.opts)
	return func(files []string) error {
		if (b.expr != "") == (len(files) > 0) {
			return usagef("give workflow files, or a pipeline with -e")
		}
		return e.check(b, files, format, fix)
	}
}

func (e *env) check(b *buildFlags, files []string, format string, fix bool) error {
	if !slices.Contains([]string{"text", "json", "sarif", "github"}, format) {
		return usagef("--format must be text, json, sarif or github, got %q", format)
	}
	if err := e.loadStages(&b.opts); err != nil {
		return err
	}
	var all diag.List
	var missing []string
	show := func(u *unit) {
		all = append(all, u.Shown()...)
		if format == "text" {
			e.show(u)
		}
	}
	if b.expr != "" {
		show(compilePipeline(b.expr, b.opts))
	}
	for _, f := range files {
		if f == "-" {
			if fix {
				return usagef("--fix needs a file")
			}
			show(e.compileStdin(b.opts))
			continue
		}
		if err := checkFile(f); err != nil {
			missing = append(missing, err.Error())
			continue
		}
		u := compileFile(f, b.opts)
		if fix {
			fixed, n, err := e.fixFile(f, u, b.opts)
			if err != nil {
				return err
			}
			if u = fixed; n > 0 {
				fmt.Fprintf(e.stderr, "%s: made %d %s\n", f, n, plural(n, "edit"))
			}
		}
		show(u)
	}
	if err := e.printFormat(all, format); err != nil {
		return err
	}
	if len(missing) > 0 {
		return failf("%s", strings.Join(missing, "\n"))
	}
	if all.HasErrors() {
		return &exitError{exitFailed, ""}
	}
	return nil
}

// printFormat prints diagnostics for machines, on stdout.
func (e *env) printFormat(list diag.List, format string) error {
	switch format {
	case "json":
		return diag.JSON(e.stdout, list)
	case "sarif":
		return diag.SARIF(e.stdout, list, Version)
	case "github":
		return diag.GitHub(e.stdout, list)
	}
	return nil
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}
