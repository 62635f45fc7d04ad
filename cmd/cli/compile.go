package cli

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/lobsterc/lobsterc/codegen"
	"github.com/lobsterc/lobsterc/compiler/catalog"
	"github.com/lobsterc/lobsterc/compiler/expr"
	"github.com/lobsterc/lobsterc/compiler/gobuild"
	"github.com/lobsterc/lobsterc/compiler/lower"
	"github.com/lobsterc/lobsterc/compiler/pipeline"
	"github.com/lobsterc/lobsterc/compiler/syntax"
	"github.com/lobsterc/lobsterc/ir"
	"github.com/lobsterc/lobsterc/ir/diag"
)

type compileOptions struct {
	Compat          bool
	LoginShell      bool
	Includes        []string
	RequireApproval []string
}

// unit is a compiled program before it is built.
type unit struct {
	name    string // of the executable
	file    string // the entry file's base name
	path    string // absolute, "" for pipelines
	program *ir.Program
	sources []gobuild.File
}

func compileFile(file string, o compileOptions) (*unit, diag.List, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, failf("%s", plain(err))
	}
	abs, _ := filepath.Abs(file)
	dir := filepath.Dir(abs)
	src := syntax.NewSource(file, text)
	tree, diags := syntax.Parse(src)
	if diags.HasErrors() {
		return nil, diags, nil
	}
	u := &unit{file: filepath.Base(file), path: abs, sources: []gobuild.File{{Name: filepath.Base(file), Data: text}}}
	u.name = strings.TrimSuffix(u.file, filepath.Ext(u.file))
	prog, more := lower.Program(tree, lower.Options{
		Entry: u.file, Includes: o.Includes, LoginShell: o.LoginShell,
		Read: func(path string) (*syntax.Source, error) {
			data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(path)))
			if err != nil {
				return nil, err
			}
			u.sources = append(u.sources, gobuild.File{Name: path, Data: data})
			return syntax.NewSource(path, data), nil
		},
		Relative: func(path string) (string, error) { return filepath.Rel(dir, path) },
		Absolute: func(path string) string { return filepath.Join(dir, path) },
	})
	u.program = prog
	return u, append(diags, more...), nil
}

func compilePipeline(text string, o compileOptions) (*unit, diag.List, error) {
	var diags diag.List
	src := expr.Source{Text: text, At: func(i int) diag.Pos { return diag.Pos{File: "pipeline", Line: 1, Column: i + 1} }}
	p := pipeline.Parse(src, pipeline.Context{Catalogue: catalog.New()}, &diags)
	u := &unit{name: "pipeline", file: "pipeline", program: &ir.Program{Pipeline: p, LoginShell: o.LoginShell}}
	return u, diags, nil
}

// source is what the unit's program is built from.
func (u *unit) source() (gobuild.Source, error) {
	hash := ir.Hash(u.program)
	prov, err := gobuild.NewProvenance(Version, hash, u.sources)
	if err != nil {
		return gobuild.Source{}, err
	}
	main, err := codegen.Emit(u.program, codegen.Options{File: u.file, Provenance: prov.JSON()})
	if err != nil {
		return gobuild.Source{}, err
	}
	return gobuild.Source{Main: main, Hash: hash, IR: ir.Encode(u.program)}, nil
}
