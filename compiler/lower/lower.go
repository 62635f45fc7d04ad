// Package lower turns syntax trees into the program (package ir): it resolves ids, references, arguments and sub-workflows,
// has conditions, templates and pipelines read (compiler/expr, compiler/pipeline), and fills in defaults.
//
// A program is closed, so lowering one file may read others: each sub-workflow is read and lowered once, however often it is called.
// What the reference would only find at run time and in every run is an error here.
package lower

import (
	"cmp"
	"maps"
	"slices"

	"github.com/lobsterc/lobsterc/compiler/catalog"
	"github.com/lobsterc/lobsterc/compiler/expr"
	"github.com/lobsterc/lobsterc/compiler/syntax"
	"github.com/lobsterc/lobsterc/ir"
	"github.com/lobsterc/lobsterc/ir/diag"
)

// Options say how to lower.
type Options struct {
	// Catalogue describes the stages; nil = the built-in ones.
	Catalogue *catalog.Catalogue
	// Entry is the slash path of the entry file relative to its own folder: its base name.
	Entry string
	// Read gives a sub-workflow by its slash path relative to the entry file's folder. The error is of kind fs.ErrNotExist when
	// there is none.
	Read func(path string) (*syntax.Source, error)
	// Relative makes an absolute path relative to the entry file's folder; nil when there are no files at all.
	Relative func(path string) (string, error)
	// Absolute names a relative path in messages.
	Absolute func(path string) string
	// Includes are the candidates for calls whose path depends on the run, as slash paths like those of Read.
	Includes []string
	// LoginShell makes shell steps use `sh -lc`.
	LoginShell bool
	// Parsed is told of each sub-workflow that was read.
	Parsed func(path string, w *syntax.Workflow)
}

// Program lowers a workflow with all that it calls. The program is complete when no diagnostic is an error; with errors that
// have a meaning all the same (diag.Info.Compilable) it is fit for --compat.
func Program(w *syntax.Workflow, opt Options) (*ir.Program, diag.List) {
	if opt.Catalogue == nil {
		opt.Catalogue = catalog.New()
	}
	l := &lowerer{opt: opt, children: map[string]*ir.Workflow{}, active: map[string]bool{opt.Entry: true}}
	p := &ir.Program{LoginShell: opt.LoginShell}
	p.Main = *l.workflow(w, opt.Entry)
	for _, name := range slices.SortedFunc(maps.Keys(l.children), cmp.Compare[string]) {
		p.Children = append(p.Children, ir.Child{Path: name, Workflow: *l.children[name]})
	}
	return p, l.diags
}

// lowerer is the state of lowering one program.
type lowerer struct {
	opt      Options
	diags    diag.List
	children map[string]*ir.Workflow // by path
	active   map[string]bool         // the workflows that are being lowered: calling one of them is a cycle
}

// file is the state of lowering one workflow file.
type file struct {
	*lowerer
	path  string // relative to the entry file's folder
	known map[string]bool
	later map[string]diag.Pos
}

func (l *lowerer) workflow(w *syntax.Workflow, path string) *ir.Workflow {
	f := &file{lowerer: l, path: path, known: map[string]bool{}, later: map[string]diag.Pos{}}
	all := map[string]bool{}
	for _, s := range w.Steps {
		for _, id := range stepIDs(s) {
			all[id.Text] = true
			f.later[id.Text] = id.Span.Start
		}
	}
	out := &ir.Workflow{Pos: w.Root.Pos(), Name: text(w.Name), Description: text(w.Description), TimeoutMS: w.TimeoutMS}
	for _, a := range w.Args {
		if a.Name.Text == "" {
			f.diags.Warnf(diag.IgnoredValue, a.Name.Span, "an argument without a name is ignored")
			continue
		}
		arg := ir.Arg{Pos: a.Name.Span.Start, Name: a.Name.Text, Description: a.Description, Required: a.Required, Type: a.Type, Secret: a.Secret}
		if a.Default != nil {
			arg.Default = a.Default.JSON()
		}
		out.Args = append(out.Args, arg)
	}
	// The workflow's env is evaluated anew for each step, so it may name any of them.
	out.Env = f.env(w.Env, &expr.Scope{Known: all})
	out.Cwd = f.template(w.Cwd, f.scope(), expr.ArgsOnly)
	if c := w.CostLimit; c != nil {
		out.CostLimit = &ir.CostLimit{Pos: c.Node.Pos(), MaxUSD: c.MaxUSD, Stop: c.Stop}
	}
	for _, s := range w.RequireApproval {
		out.RequireApproval = append(out.RequireApproval, s.Text)
	}
	for _, s := range w.Steps {
		out.Steps = append(out.Steps, f.step(s))
		for _, id := range stepIDs(s) {
			f.known[id.Text] = true
			delete(f.later, id.Text)
		}
	}
	return out
}

// stepIDs are the ids that a step makes known: its own and those of its branches.
func stepIDs(s *syntax.Step) []*syntax.Scalar {
	ids := []*syntax.Scalar{s.ID}
	if s.Parallel != nil {
		for _, b := range s.Parallel.Branches {
			ids = append(ids, b.ID)
		}
	}
	return ids
}

// scope is what can be referred to at the current step.
func (f *file) scope() *expr.Scope { return &expr.Scope{Known: f.known, Later: f.later} }

// with is the scope with more names known.
func with(sc *expr.Scope, ids ...string) *expr.Scope {
	out := &expr.Scope{Known: maps.Clone(sc.Known), Later: maps.Clone(sc.Later)}
	for _, id := range ids {
		out.Known[id] = true
		delete(out.Later, id)
	}
	return out
}

func text(s *syntax.Scalar) string {
	if s == nil {
		return ""
	}
	return s.Text
}

func source(s *syntax.Scalar) expr.Source { return expr.Source{Text: s.Text, At: s.PosAt} }

// template lowers text with holes; nil stays nil.
func (f *file) template(s *syntax.Scalar, sc *expr.Scope, mode expr.Mode) ir.Template {
	if s == nil {
		return nil
	}
	return expr.Template(source(s), sc, mode, &f.diags)
}

func (f *file) env(vars []syntax.EnvVar, sc *expr.Scope) (out []ir.EnvVar) {
	for _, v := range vars {
		if v.Name.Text == "" {
			f.diags.Warnf(diag.IgnoredValue, v.Name.Span, "a variable without a name is ignored")
			continue
		}
		out = append(out, ir.EnvVar{Pos: v.Name.Span.Start, Name: v.Name.Text, Value: f.template(v.Value, sc, expr.Env)})
	}
	return out
}
