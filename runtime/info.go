package runtime

import (
	"errors"
	"io"
	"io/fs"
	"strings"
	"syscall"

	"github.com/lobsterc/lobsterc/runtime/drive"
	"github.com/lobsterc/lobsterc/runtime/flags"
	"github.com/lobsterc/lobsterc/runtime/graph"
	"github.com/lobsterc/lobsterc/runtime/plain"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// info answers what needs no run: --help, --version, --ir, --runs. done tells that it did.
func (a *app) info() (done bool, err error) {
	switch o := a.opt; {
	case o.help:
		return true, a.print(a.help())
	case o.version:
		return true, a.print(a.version())
	case o.ir:
		return true, a.print(strings.TrimRight(a.program.IRJSON(), "\n") + "\n")
	case o.graph != "":
		return true, a.printGraph(o.graph)
	case o.runs:
		return true, a.listRuns()
	}
	return false, nil
}

func (a *app) print(text string) error {
	if _, err := io.WriteString(a.stdout, text); err != nil && !isBrokenPipe(err) {
		return errors.New("cannot write to stdout: " + plainError(err))
	}
	return nil
}

// printGraph draws the workflow from the embedded IR.
func (a *app) printGraph(format string) error {
	ir, err := value.ParseString(a.program.IRJSON())
	if err != nil {
		return errors.New("lobsterc bug: the embedded IR cannot be read")
	}
	args, err := a.args()
	if err != nil {
		return err
	}
	text, ok := graph.FromIR(ir, func(name string) (string, bool) {
		v := args.Get(name)
		return drive.ArgText(v), !v.IsAbsent()
	}).Render(format)
	if !ok {
		return usage("graph --format must be one of: mermaid, dot, ascii")
	}
	return a.print(value.ToUTF8(text))
}

// version tells what the program was built from.
func (a *app) version() string {
	if a.opt.json {
		return strings.TrimRight(a.program.ProvenanceJSON(), "\n") + "\n"
	}
	text := a.program.name() + " " + a.program.Hash + "\n"
	if v, err := value.ParseString(a.program.ProvenanceJSON()); err == nil {
		for _, key := range []string{"lobsterc", "go", "target"} {
			if s := v.Get(key); s.Truthy() {
				text += key + ": " + s.Text() + "\n"
			}
		}
	}
	return text
}

// help shows what the program is, its arguments, its gates, and its flags.
func (a *app) help() string {
	p := a.program
	text := p.name()
	if d := p.Workflow.Description; d != "" {
		text += ": " + strings.TrimSpace(d)
	}
	text += "\n\nUsage:\n"
	for _, usage := range []string{"[flags]", "--resume TOKEN --approve yes|no", "--resume TOKEN --response-json JSON"} {
		text += "  " + p.name() + " " + usage + "\n"
	}
	if len(p.Workflow.Args) > 0 {
		text += "\nArguments:\n"
		for i := range p.Workflow.Args {
			text += argHelp(&p.Workflow.Args[i])
		}
	}
	if gates := gateHelp(&p.Workflow); gates != "" {
		text += "\nIt stops for a person at:\n" + gates
	}
	if len(p.Effects) > 0 {
		text += "\nWhat it can do:\n  " + strings.Join(p.Effects, "\n  ") + "\n"
	}
	return text + "\nFlags:\n" + flags.Help(new(options).list(), 100)
}

func argHelp(arg *Arg) string {
	var notes []string
	if arg.Type != "" {
		notes = append(notes, arg.Type)
	}
	switch {
	case arg.Secret:
		notes = append(notes, "secret: from the environment")
	case !arg.Default.IsAbsent():
		notes = append(notes, "default "+arg.Default.JSON())
	case arg.Required:
		notes = append(notes, "required")
	}
	line := "  --" + arg.Name
	if len(notes) > 0 {
		line += "  (" + strings.Join(notes, ", ") + ")"
	}
	if arg.Description != "" {
		line += "\n        " + strings.ReplaceAll(strings.TrimSpace(arg.Description), "\n", "\n        ")
	}
	return line + "\n"
}

// gateHelp lists the gates of the entry workflow and its children.
func gateHelp(wf *Workflow) (text string) {
	for i := range wf.Steps {
		st := &wf.Steps[i]
		switch {
		case st.Approval != nil:
			text += "  " + st.ID + " (approval)\n"
		case st.Input != nil:
			text += "  " + st.ID + " (input)\n"
		}
	}
	return text
}

// plainError is an operating system's error in plain words, without the call that failed.
func plainError(err error) string {
	if path := plain.As[*fs.PathError](err); path != nil {
		err = path.Err
	}
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return "the disk is full"
	case errors.Is(err, syscall.EROFS):
		return "the file system is read-only"
	case errors.Is(err, fs.ErrNotExist):
		return "no such file or directory"
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	}
	return err.Error()
}

// departing is an output whose reader may leave: what is written afterwards goes nowhere, and that is no failure.
type departing struct {
	w    io.Writer
	gone bool
}

func (d *departing) Write(p []byte) (int, error) {
	if d.gone {
		return len(p), nil
	}
	n, err := d.w.Write(p)
	if err != nil && isBrokenPipe(err) {
		d.gone = true
		return len(p), nil
	}
	return n, err
}

func isBrokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }

// warn tells a person about something that does not stop the run.
//
//go:noinline
func (a *app) warn(text string) { plain.Print(a.stderr, "warning: ", text, "\n") }
