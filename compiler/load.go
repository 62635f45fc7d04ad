package compiler

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lobsterc/lobsterc/compiler/catalog"
	"github.com/lobsterc/lobsterc/compiler/effects"
	"github.com/lobsterc/lobsterc/compiler/expr"
	"github.com/lobsterc/lobsterc/compiler/gobuild"
	"github.com/lobsterc/lobsterc/compiler/lint"
	"github.com/lobsterc/lobsterc/compiler/lower"
	"github.com/lobsterc/lobsterc/compiler/syntax"
	"github.com/lobsterc/lobsterc/ir"
	"github.com/lobsterc/lobsterc/ir/diag"
)

// loader is the state of compiling one program.
type loader struct {
	opt       Options
	path      string // of the entry file, as it was given
	dir       string // absolute folder of the entry file
	catalogue *catalog.Catalogue
	result    *Result
	children  map[string]*syntax.Workflow // the sub-workflows that were read, by path
}

func newLoader(path string, opt Options) *loader {
	l := &loader{opt: opt, path: path, catalogue: opt.catalogue(), children: map[string]*syntax.Workflow{}}
	if l.opt.ReadFile == nil {
		l.opt.ReadFile = os.ReadFile
	}
	abs, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		abs = filepath.Dir(path)
	}
	l.dir = abs
	l.result = &Result{path: path, Name: strings.TrimSuffix(baseName(path), ".ir"), texts: map[string]*syntax.Source{}}
	if path != "" {
		l.result.File = filepath.Base(path)
	}
	return l
}

// read reads a file by its path relative to the entry file's folder. Diagnostics name it as the entry file was named.
func (l *loader) read(name string) (*syntax.Source, error) {
	shown := filepath.Join(filepath.Dir(l.path), filepath.FromSlash(name))
	if name == filepath.Base(l.path) {
		shown = l.path
	}
	data, err := l.opt.ReadFile(shown)
	if err != nil {
		return nil, err
	}
	src := syntax.NewSource(shown, data)
	l.result.texts[shown] = src
	l.result.Sources = append(l.result.Sources, gobuild.File{Name: name, Data: data})
	return src, nil
}

// entry reads the entry file.
func (l *loader) entry() *syntax.Source {
	src, err := l.read(filepath.Base(l.path))
	if err == nil {
		return src
	}
	abs := filepath.Join(l.dir, filepath.Base(l.path))
	var pe *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		l.result.Diags.Errorf(diag.NoFile, diag.Span{}, "workflow file not found: %s", abs)
	case errors.As(err, &pe):
		l.result.Diags.Errorf(diag.NoFile, diag.Span{}, "%s cannot be read: %v", abs, pe.Err)
	default:
		l.result.Diags.Errorf(diag.NoFile, diag.Span{}, "%s cannot be read: %v", abs, err)
	}
	return nil
}

// lower makes the program of the entry file's tree.
func (l *loader) lower(w *syntax.Workflow) *ir.Program {
	p, diags := lower.Program(w, lower.Options{
		Catalogue:  l.catalogue,
		Entry:      filepath.Base(l.path),
		Read:       l.read,
		Relative:   l.relative,
		Absolute:   func(name string) string { return filepath.Join(l.dir, filepath.FromSlash(name)) },
		Includes:   l.includes(),
		LoginShell: l.opt.LoginShell,
		Parsed:     func(path string, w *syntax.Workflow) { l.children[path] = w },
	})
	if nameless(l.result.Diags) {
		// A step without an id is missing from the tree: that others refer to it is no second fault.
		diags = slices.DeleteFunc(diags, func(d diag.Diagnostic) bool { return d.Code == diag.UnknownStep || d.Code == diag.UnknownMaybe })
	}
	l.result.Diags = append(l.result.Diags, diags...)
	for _, effect := range l.opt.RequireApproval {
		if !slices.Contains(p.Main.RequireApproval, effect) {
			p.Main.RequireApproval = append(p.Main.RequireApproval, effect)
		}
	}
	return p
}

func nameless(diags diag.List) bool {
	return slices.ContainsFunc(diags, func(d diag.Diagnostic) bool {
		return d.Code == diag.NoID || d.Code == diag.BadStep || d.Code == diag.DuplicateID
	})
}

// relative makes an absolute path relative to the entry file's folder.
func (l *loader) relative(name string) (string, error) {
	rel, err := filepath.Rel(l.dir, name)
	return filepath.ToSlash(rel), err
}

// includes expands the patterns of --include to paths relative to the entry file's folder.
func (l *loader) includes() (names []string) {
	for _, pattern := range l.opt.Includes {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			l.result.Diags.Warnf(diag.NoInclude, diag.Span{}, "--include %s names no file", pattern)
		}
		for _, file := range found {
			abs, err := filepath.Abs(file)
			if err != nil || !syntax.IsWorkflowName(file) {
				continue
			}
			if rel, err := l.relative(abs); err == nil && !slices.Contains(names, rel) {
				names = append(names, path.Clean(rel))
			}
		}
	}
	slices.Sort(names)
	return names
}

// lint adds the warnings, and the errors of effects that lack a required gate.
func (l *loader) lint(p *ir.Program) {
	diags := &l.result.Diags
	if l.result.Workflow != nil {
		*diags = append(*diags, lint.File(l.result.Workflow, l.catalogue)...)
	}
	for _, name := range slices.Sorted(maps.Keys(l.children)) {
		if child := l.children[name]; child != nil {
			*diags = append(*diags, lint.File(child, l.catalogue)...)
		}
	}
	if !l.unsound() {
		l.result.effects = effects.Analyze(p, l.catalogue)
		*diags = append(*diags, lint.Program(p, l.catalogue, l.result.effects, nil)...)
	}
}

func source(s *syntax.Scalar) expr.Source { return expr.Source{Text: s.Text, At: s.PosAt} }
