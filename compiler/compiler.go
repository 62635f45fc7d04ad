// Package compiler is the driver of lobsterc's front end: it reads a workflow file, an inline pipeline or a file of IR and
// gives the program, with everything that there is to say about it.
//
// Check reads as the list of phases: read, decode (compiler/syntax), resolve and lower (compiler/lower, which has
// compiler/expr and compiler/pipeline read the texts), the IR's own check, and the warnings (compiler/lint). Each phase works on what the
// one before left sound, so that one run shows all independent faults.
package compiler

import (
	"path/filepath"
	"slices"

	"github.com/lobsterc/lobsterc/compiler/catalog"
	"github.com/lobsterc/lobsterc/compiler/effects"
	"github.com/lobsterc/lobsterc/compiler/gobuild"
	"github.com/lobsterc/lobsterc/compiler/pipeline"
	"github.com/lobsterc/lobsterc/compiler/syntax"
	"github.com/lobsterc/lobsterc/ir"
	"github.com/lobsterc/lobsterc/ir/diag"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// Options say how to compile.
type Options struct {
	// Compat turns errors that can be compiled all the same into warnings.
	Compat bool
	// Strict turns warnings into errors.
	Strict bool
	// LoginShell makes shell steps use `sh -lc`.
	LoginShell bool
	// Includes are patterns of files that calls with a path from the run can name; relative to the working directory.
	Includes []string
	// RequireApproval lists effects that must be behind a gate, in addition to what the file lists.
	RequireApproval []string
	// Catalogue describes the stages; nil = the built-in ones.
	Catalogue *catalog.Catalogue
	// ReadFile replaces os.ReadFile in tests.
	ReadFile func(path string) ([]byte, error)
}

// Result is what compiling gave.
type Result struct {
	// Program is nil when there are errors.
	Program *ir.Program
	// Diags has errors first, in the order of the phases, then warnings by place.
	Diags diag.List
	// Name is the base name of the file without its extension; "pipeline" for a pipeline.
	Name string
	// File is the base name of the entry file; empty for a pipeline.
	File string
	// Sources are the files that were read, named by slash paths relative to the entry file's folder.
	Sources []gobuild.File
	// Workflow is the entry file's tree; nil for pipelines, IR and files without structure.
	Workflow *syntax.Workflow

	path    string                    // of the entry file, as diagnostics name it
	texts   map[string]*syntax.Source // by the name in diagnostics
	effects *effects.Report           // nil when the phase that needs it did not run
}

// Effects says what the program can do. stages are those that it was compiled with.
func (r *Result) Effects(stages *catalog.Catalogue) *effects.Report {
	if r.effects == nil {
		r.effects = effects.Analyze(r.Program, stages)
	}
	return r.effects
}

// Line is the text of a line of a source, for printing diagnostics.
func (r *Result) Line(file string, line int) string {
	if src := r.texts[file]; src != nil {
		return src.Line(line)
	}
	return ""
}

// Text is the text of a source by its name in diagnostics; nil when it was not read.
func (r *Result) Text(file string) []byte {
	if src := r.texts[file]; src != nil {
		return src.Text
	}
	return nil
}

func (o Options) catalogue() *catalog.Catalogue {
	if o.Catalogue == nil {
		return catalog.New()
	}
	return o.Catalogue
}

// Load compiles the file at path: a workflow, or IR when it is JSON with a top-level integer "ir".
func Load(path string, opt Options) *Result {
	l := newLoader(path, opt)
	src := l.entry()
	if src == nil {
		return l.finish(nil)
	}
	if p, ok := l.decodeIR(src); ok {
		return l.finish(p)
	}
	w := l.decode(src)
	if w == nil {
		return l.finish(nil)
	}
	p := l.lower(w)
	l.check(p)
	l.lint(p)
	return l.finish(p)
}

// LoadPipeline compiles the text of an inline pipeline.
func LoadPipeline(text string, opt Options) *Result {
	l := newLoader("", opt)
	l.result.Name = "pipeline"
	s := syntax.TextScalar("pipeline", text)
	l.result.texts["pipeline"] = s.Source()
	p := &ir.Program{LoginShell: opt.LoginShell}
	p.Pipeline = pipeline.Parse(source(s), pipeline.Context{Catalogue: l.catalogue}, &l.result.Diags)
	if p.Pipeline == nil {
		return l.finish(nil)
	}
	l.check(p)
	l.lint(p)
	return l.finish(p)
}

// decodeIR reads src as IR when it is; ok is false when it is something else.
func (l *loader) decodeIR(src *syntax.Source) (p *ir.Program, ok bool) {
	if !syntax.IsJSON(src.Name) {
		return nil, false
	}
	v, err := value.Parse(src.Text)
	if err != nil || !ir.IsIR(v) {
		return nil, false
	}
	p, err = ir.Decode(src.Text)
	if err != nil {
		l.result.Diags.Errorf(diag.BadIR, src.Span(0, 1), "%v", err)
		return nil, true
	}
	for s := range p.Stages() {
		if _, ok := l.catalogue.Lookup(s.Name); !ok && s.Fault == "" {
			l.result.Diags.Errorf(diag.UnknownStage, src.Span(0, 1), "unknown stage %q", s.Name)
			return nil, true
		}
	}
	return p, true
}

// decode reads the entry file's tree.
func (l *loader) decode(src *syntax.Source) *syntax.Workflow {
	w, diags := syntax.Parse(src)
	l.result.Diags = append(l.result.Diags, diags...)
	l.result.Workflow = w
	return w
}

// finish sorts what was found and decides whether there is a program.
func (l *loader) finish(p *ir.Program) *Result {
	r := l.result
	l.tidy()
	downgraded := false
	for i := range r.Diags {
		d := &r.Diags[i]
		if info, _ := diag.Explain(d.Code); l.opt.Compat && d.Severity == diag.Error && info.Compilable {
			d.Severity, downgraded = diag.Warning, true
		} else if l.opt.Strict && d.Severity == diag.Warning {
			d.Severity = diag.Error
		}
	}
	var warnings diag.List
	r.Diags = slices.DeleteFunc(r.Diags, func(d diag.Diagnostic) bool {
		if d.Severity == diag.Warning {
			warnings = append(warnings, d)
		}
		return d.Severity == diag.Warning
	})
	warnings.Sort()
	if len(r.Diags) == 0 && p != nil {
		r.Program = p
		p.Compat = p.Compat || downgraded
	}
	r.Diags = append(r.Diags, warnings...)
	return r
}

// check has the IR check itself: what the front end lets through and it refuses is a bug of the front end.
func (l *loader) check(p *ir.Program) {
	if l.unsound() {
		return
	}
	p.Compat = p.Compat || l.result.Diags.HasErrors() // which are all compilable
	err := ir.Check(p)
	p.Compat = false
	if err != nil {
		panic("lobsterc bug: " + err.Error())
	}
}

// unsound tells whether an error stands that leaves the program incomplete.
func (l *loader) unsound() bool {
	return slices.ContainsFunc(l.result.Diags, func(d diag.Diagnostic) bool {
		info, _ := diag.Explain(d.Code)
		return d.Severity == diag.Error && !info.Compilable
	})
}

// baseName is a file's name without folder and extension.
func baseName(file string) string {
	base := filepath.Base(file)
	return base[:len(base)-len(filepath.Ext(base))]
}
