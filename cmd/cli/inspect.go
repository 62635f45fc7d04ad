package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/lobsterc/lobsterc/compiler"
	"github.com/lobsterc/lobsterc/compiler/editor"
	"github.com/lobsterc/lobsterc/compiler/effects"
	"github.com/lobsterc/lobsterc/compiler/gobuild"
	"github.com/lobsterc/lobsterc/compiler/graph"
	"github.com/lobsterc/lobsterc/compiler/syntax"
	"github.com/lobsterc/lobsterc/ir"
	"github.com/lobsterc/lobsterc/ir/diag"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// effectsCommand shows what a program can do.
func effectsCommand(e *env, fs *pflag.FlagSet) func([]string) error {
	b := &buildFlags{}
	var format string
	fs.StringVar(&format, "format", "text", "text or json")
	fs.StringVarP(&b.expr, "expr", "e", "", "look at a `PIPELINE` instead of a file")
	compileFlags(fs, &b.opts)
	return func(files []string) error {
		if len(files) > 1 || (b.expr != "") == (len(files) > 0) {
			return usagef("give one workflow file, or a pipeline with -e")
		}
		if format != "text" && format != "json" {
			return usagef("--format must be text or json, got %q", format)
		}
		units, err := e.units(b, files)
		if err != nil {
			return err
		}
		return units[0].Effects(units[0].opts.stages()).Print(e.stdout, format)
	}
}

// diffCommand compares two programs in meaning.
func diffCommand(e *env, fs *pflag.FlagSet) func([]string) error {
	var format string
	o := compileOptions{Options: compiler.Options{Compat: true}}
	fs.StringVar(&format, "format", "text", "text, json or markdown")
	stagesFlag(fs, &o)
	return func(files []string) error {
		if err := e.loadStages(&o); err != nil {
			return err
		}
		if os.Getenv("GIT_DIFF_PATH_TOTAL") != "" && len(files) != 2 || len(files) == 7 {
			return e.gitDiff(files, format, o)
		}
		if len(files) != 2 {
			return usagef("give two workflows, IR files, programs, or hashes of programs in the cache")
		}
		return e.diff(files, format, o)
	}
}

// gitDiff is diff as git calls it: path old-file old-hex old-mode new-file new-hex new-mode, for a renamed file also the new path and
// how similar it is, and for one with conflicts the path alone. Any other exit code than 0 would end the whole git diff, so what cannot be
// compared is only said.
func (e *env) gitDiff(files []string, format string, o compileOptions) error {
	switch len(files) {
	case 1:
		_, err := fmt.Fprintf(e.stdout, "diff %s\nthe file has conflicts\n", files[0])
		return err
	case 7:
		fmt.Fprintf(e.stdout, "diff %s\n", files[0])
	case 9:
		fmt.Fprintf(e.stdout, "diff %s %s\n", files[0], files[7])
	default:
		return usagef("git gives a path, two files and their ids")
	}
	err := e.diff([]string{files[1], files[4]}, format, o)
	var x *exitError
	if errors.As(err, &x) && x.message == "" {
		return nil
	}
	if err != nil {
		_, err = fmt.Fprintln(e.stdout, err)
	}
	return err
}

func (e *env) diff(files []string, format string, o compileOptions) error {
	if format != "text" && format != "json" && format != "markdown" {
		return usagef("--format must be text, json or markdown, got %q", format)
	}
	from, err := e.programOf(files[0], o)
	if err != nil {
		return err
	}
	to, err := e.programOf(files[1], o)
	if err != nil {
		return err
	}
	changes := append(ir.Diff(from, to), effects.Diff(from, to, o.stages())...)
	if err := ir.PrintDiff(e.stdout, changes, format); err != nil {
		return err
	}
	switch {
	case ir.Weakens(changes):
		return &exitError{exitWeaker, ""}
	case len(changes) > 0:
		return &exitError{exitFailed, ""}
	}
	return nil
}

// programOf reads a workflow, a file of IR, or a program that lobsterc built; /dev/null is the empty program.
func (e *env) programOf(file string, o compileOptions) (*ir.Program, error) {
	if file == os.DevNull {
		return &ir.Program{}, nil
	}
	if strings.HasPrefix(file, "sha256:") { // as a program that refuses a paused run names both
		u, ok := cachedUnit(file, o)
		if !ok {
			return nil, failf("no program of hash %s is in the cache", file)
		}
		return u.Program, nil
	}
	if _, data, err := gobuild.ReadProvenance(file); err == nil {
		return ir.Decode(data)
	} else if !errors.Is(err, gobuild.ErrNotOurs) {
		return nil, failf("%s", plain(err))
	}
	u := compileFile(file, o)
	if !u.ok() {
		e.show(u)
		return nil, failf("%s cannot be compiled, so it cannot be compared", file)
	}
	return u.Program, nil
}

// graphCommand draws a workflow; its messages are the reference's.
func graphCommand(e *env, fs *pflag.FlagSet) func([]string) error {
	var file, format, argsJSON string
	o := compileOptions{Options: compiler.Options{Compat: true}}
	stagesFlag(fs, &o)
	fs.StringVar(&file, "file", "", "the workflow `FILE`")
	fs.StringVar(&format, "format", "mermaid", "mermaid, dot, ascii or svg")
	fs.StringVar(&argsJSON, "args-json", "", "arguments as a JSON object, for the labels")
	return func(files []string) error {
		if file == "" && len(files) == 1 {
			file = files[0]
		}
		if file == "" {
			return usagef("graph requires a workflow file path (use --file <path>)")
		}
		if format != "mermaid" && format != "dot" && format != "ascii" && format != "svg" {
			return usagef("graph --format must be one of: mermaid, dot, ascii")
		}
		args := value.Object()
		if argsJSON != "" {
			var err error
			if args, err = value.ParseString(argsJSON); err != nil {
				return usagef("graph --args-json must be valid JSON")
			}
		}
		if err := e.loadStages(&o); err != nil {
			return err
		}
		return e.graph(file, format, args, o)
	}
}

func (e *env) graph(file, format string, args value.Value, o compileOptions) error {
	if err := checkFile(file); err != nil {
		return err
	}
	if format == "svg" {
		return e.svg(file, o)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return failf("%s", plain(err))
	}
	// Like the reference, a graph wants a file of the right shape and does not mind what its conditions say.
	src := syntax.NewSource(file, text)
	tree, diags := syntax.Parse(src)
	if diags.HasErrors() {
		diag.Text(e.stderr, diags, func(_ string, line int) string { return src.Line(line) }, color(e.stderr))
		return &exitError{exitFailed, ""}
	}
	drawn, _ := graph.FromFile(tree.Root.JSON(), args).Render(format)
	_, err = fmt.Fprint(e.stdout, value.ToUTF8(drawn))
	return err
}

// svg draws a program with its gates and effects, so it must compile.
func (e *env) svg(file string, o compileOptions) error {
	u := compileFile(file, o)
	if !u.ok() {
		e.show(u)
		return &exitError{exitFailed, ""}
	}
	_, err := fmt.Fprint(e.stdout, graph.SVG(u.Program, o.stages()))
	return err
}

// schemaCommand prints the JSON Schema of workflow files, or of IR.
func schemaCommand(e *env, fs *pflag.FlagSet) func([]string) error {
	var irSchema bool
	fs.BoolVar(&irSchema, "ir", false, "the schema of IR instead of workflow files")
	return func(args []string) error {
		if len(args) > 0 {
			return usagef("schema takes no argument")
		}
		text := editor.Schema
		if irSchema {
			text = ir.Schema
		}
		_, err := fmt.Fprint(e.stdout, text)
		return err
	}
}

// verifyCommand tells what a program was built from, and with FILE whether that is so.
func verifyCommand(e *env, fs *pflag.FlagSet) func([]string) error {
	var asJSON bool
	o := compileOptions{}
	fs.BoolVar(&asJSON, "json", false, "print JSON")
	compileFlags(fs, &o)
	return func(files []string) error {
		if len(files) != 1 && len(files) != 2 {
			return usagef("give a program, and to compare it the workflow that it was built from")
		}
		prov, _, err := gobuild.ReadProvenance(files[0])
		if err != nil {
			return failf("%s: %s", files[0], plain(err))
		}
		if len(files) == 1 {
			return e.printProvenance(prov, asJSON)
		}
		return e.verify(files[0], files[1], prov, o)
	}
}

func (e *env) printProvenance(p *gobuild.Provenance, asJSON bool) error {
	if asJSON {
		enc := json.NewEncoder(e.stdout)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(p)
	}
	fmt.Fprintf(e.stdout, "lobsterc %s, %s, %s\nIR       %s\nruntime  %s\n", p.Lobsterc, p.Go, p.Target, p.IR, p.Runtime)
	for _, s := range p.Sources {
		fmt.Fprintf(e.stdout, "source   %s sha256:%s\n", s.Name, s.SHA256)
	}
	for _, s := range p.Stages {
		fmt.Fprintf(e.stdout, "stages   %s sha256:%s\n", s.Name, s.SHA256)
	}
	fmt.Fprintf(e.stdout, "flags    %s\n", strings.Join(p.Flags, " "))
	return nil
}

func (e *env) verify(program, file string, prov *gobuild.Provenance, o compileOptions) error {
	built, err := gobuild.ParseTarget(prov.Target)
	if err != nil {
		return failf("%s", err)
	}
	if err := e.loadStages(&o, built); err != nil {
		return err
	}
	if err := checkSource(file); err != nil {
		return err
	}
	u := compileFile(file, o)
	if !u.ok() {
		e.show(u)
		return &exitError{exitFailed, ""}
	}
	u.serve = prov.MCP
	have, err := os.ReadFile(program)
	if err != nil {
		return failf("%s", plain(err))
	}
	src, err := u.source()
	if err != nil {
		return err
	}
	b, err := gobuild.New(e.ctx)
	if err != nil {
		return err
	}
	b.Slow = e.slowNote
	res, err := b.Build(e.ctx, src, built)
	if err != nil {
		return err
	}
	if bytes.Equal(have, res.Data) {
		fmt.Fprintf(e.stdout, "%s is what %s gives, bit for bit\n", program, file)
		return nil
	}
	for _, line := range gobuild.Differences(have, res.Data) {
		fmt.Fprintln(e.stdout, line)
	}
	return failf("%s is not what %s gives", program, file)
}

func stagesCommand(e *env, fs *pflag.FlagSet) func([]string) error {
	var o compileOptions
	stagesFlag(fs, &o)
	return func(args []string) error {
		if err := e.loadStages(&o); err != nil {
			return err
		}
		if len(args) > 1 {
			return usagef("give one stage, or none for the list")
		}
		list := o.stages()
		if len(args) == 0 {
			_, err := fmt.Fprint(e.stdout, list.List())
			return err
		}
		text, ok := list.Describe(args[0])
		if !ok {
			names := list.Nearest(args[0])
			hint := ""
			if len(names) > 0 {
				hint = fmt.Sprintf(" (did you mean %s?)", strings.Join(names, ", "))
			}
			return usagef("there is no stage %q%s", args[0], hint)
		}
		_, err := fmt.Fprint(e.stdout, text)
		return err
	}
}

func explainCommand(e *env, _ *pflag.FlagSet) func([]string) error {
	return func(args []string) error {
		if len(args) != 1 {
			return usagef("give one code, such as E0203")
		}
		info, ok := diag.Explain(diag.Code(strings.ToUpper(args[0])))
		if !ok {
			return usagef("there is no diagnostic %q", args[0])
		}
		_, err := fmt.Fprint(e.stdout, info)
		return err
	}
}

func cacheCommand(e *env, fs *pflag.FlagSet) func([]string) error {
	var clean bool
	fs.BoolVar(&clean, "clean", false, "empty the cache; what paused runs need stays")
	return func([]string) error {
		c, err := gobuild.OpenCache()
		if err != nil {
			return err
		}
		if clean {
			return c.Clean()
		}
		info := c.Info()
		_, err = fmt.Fprintf(e.stdout, "%s: %d programs, %d of at most %d MB\n", info.Dir, info.Programs, info.Bytes>>20, info.MaxBytes>>20)
		return err
	}
}

func warmCommand(e *env, fs *pflag.FlagSet) func([]string) error {
	var targets []string
	var serving bool
	fs.StringArrayVar(&targets, "target", nil, "warm for `GOOS/GOARCH` (repeatable)")
	fs.BoolVar(&serving, "mcp", false, "also for programs that serve MCP")
	return func([]string) error {
		list, err := parseTargets(targets)
		if err != nil {
			return err
		}
		if len(list) == 0 {
			list = []gobuild.Target{gobuild.Host()}
		}
		b, err := gobuild.New(e.ctx)
		if err != nil {
			return err
		}
		for _, t := range list {
			fmt.Fprintf(e.stderr, "warming for %s\n", t)
			if err := b.Warm(e.ctx, t, serving); err != nil {
				return err
			}
		}
		return nil
	}
}
