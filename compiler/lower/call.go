package lower

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"

	"github.com/lobsterc/lobsterc/compiler/expr"
	"github.com/lobsterc/lobsterc/compiler/syntax"
	"github.com/lobsterc/lobsterc/ir"
	"github.com/lobsterc/lobsterc/ir/diag"
)

// call lowers a call of a sub-workflow and, the first time, the sub-workflow itself.
func (f *file) call(s *syntax.Step, sc *expr.Scope) *ir.Call {
	out := &ir.Call{Pos: s.Workflow.PosAt(0), Path: f.template(s.Workflow, sc, expr.Full), Dir: path.Dir(f.path)}
	for _, e := range s.Args {
		arg := ir.CallArg{Pos: e.Key.Span.Start, Name: e.Key.Text}
		if e.Value.IsString() {
			arg.Text = f.template(e.Value.Scalar, sc, expr.Full)
		} else {
			arg.Literal = e.Value.JSON()
		}
		out.Args = append(out.Args, arg)
	}
	span := s.Workflow.SpanAt(0, len(s.Workflow.Text))
	name, constant := out.Path.Constant()
	if !constant {
		f.dynamic(out, span)
		return out
	}
	name, ok := f.resolve(name, span)
	if !ok {
		return out
	}
	if f.active[name] {
		f.diags.Errorf(diag.Cycle, span, "Workflow step %s creates a cycle: %s is already being executed", s.ID.Text, f.opt.Absolute(name))
		return out
	}
	if f.child(name, s.ID.Text, span) {
		out.Candidates = []string{name}
	}
	return out
}

// dynamic fills in the candidates of a path that is only known at run time. One that leads back to a caller is left out: running it
// would be a cycle.
func (f *file) dynamic(out *ir.Call, span diag.Span) {
	if len(f.opt.Includes) == 0 {
		f.diags.Errorf(diag.DynamicPath, span, "the path of this sub-workflow depends on the run").Hint =
			"name the files that it can be with --include GLOB"
		return
	}
	for _, name := range f.opt.Includes {
		if !f.active[name] && f.child(name, "", span) {
			out.Candidates = append(out.Candidates, name)
		}
	}
}

// resolve makes a path in the file one that is relative to the entry file's folder.
func (f *file) resolve(name string, span diag.Span) (string, bool) {
	if !path.IsAbs(name) && !filepath.IsAbs(name) {
		return path.Join(path.Dir(f.path), name), true
	}
	rel, err := f.opt.Relative(name)
	if err != nil {
		f.diags.Errorf(diag.NoSubWorkflow, span, "%s has no path from the folder of this file", name)
		return "", false
	}
	return rel, true
}

// child lowers a sub-workflow unless that was done.
func (f *file) child(name, step string, span diag.Span) bool {
	if _, ok := f.children[name]; ok {
		return true
	}
	src, err := f.opt.Read(name)
	if err != nil {
		f.unreadable(name, step, span, err)
		return false
	}
	w, diags := syntax.Parse(src)
	f.diags = append(f.diags, diags...)
	if w == nil {
		return false
	}
	if f.opt.Parsed != nil {
		f.opt.Parsed(name, w)
	}
	f.active[name] = true
	out := f.workflow(w, name)
	delete(f.active, name)
	f.children[name] = out
	return true
}

func (f *file) unreadable(name, step string, span diag.Span, err error) {
	if errors.Is(err, fs.ErrNotExist) {
		d := f.diags.Errorf(diag.NoSubWorkflow, span, "Workflow step %s workflow file not found: %s", step, f.opt.Absolute(name))
		d.Hint = "the path is relative to the file it stands in"
		return
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	f.diags.Errorf(diag.NoSubWorkflow, span, "%s cannot be read: %v", f.opt.Absolute(name), err)
}
