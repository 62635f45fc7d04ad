package stage

import (
	"errors"
	"io"
	"strings"
	"unicode"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/proc"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// ExecOptions are the options of exec: either Shell or Words is set.
type ExecOptions struct {
	JSON  bool
	Stdin string // raw, json, jsonl or nothing
	Shell string
	Words []string
}

// Exec runs a program and gives what it prints, a line or an array element at a time, while it is still running. The program always
// runs to its end: when the stage after it has enough, the rest of the output is read and checked, and the exit code counts.
func Exec(o ExecOptions) flow.Stage {
	return flow.Stage{Name: "exec", Effect: true, Gathers: true, Run: func(env *flow.Env, in flow.Stream) flow.Stream {
		return func(y func(value.Value, error) bool) {
			x := execRun{o: &o, env: env}
			defer x.input.Close()
			p, err := x.start(in)
			if err != nil {
				fail(y, err)
				return
			}
			x.out = headReader{r: p.Stdout()}
			more := x.give(y)
			if err := x.finish(p); err != nil {
				if more {
					fail(y, err)
				} else {
					env.Late(err)
				}
				return
			}
			if more && x.null {
				y(value.Null, nil)
			}
		}
	}}
}

// execRun is one run of an exec stage.
type execRun struct {
	o     *ExecOptions
	env   *flow.Env
	input flow.Spool
	out   headReader
	null  bool  // --json and no output
	bad   error // why the output is no JSON
}

// start takes in the items and starts the program.
func (x *execRun) start(in flow.Stream) (*proc.Process, error) {
	o := x.o
	switch o.Stdin {
	case "", "raw", "json", "jsonl":
	default:
		return nil, errors.New("exec --stdin must be raw, json, or jsonl (got " + o.Stdin + ")")
	}
	if o.Shell == "" && (len(o.Words) == 0 || o.Words[0] == "") {
		return nil, errors.New("exec requires a command")
	}
	if err := x.takeIn(in); err != nil {
		return nil, err
	}
	limit, err := proc.MaxOutput(x.env.Environ)
	if err != nil {
		return nil, err
	}
	spec := proc.Spec{
		Argv: o.Words, Dir: x.env.Dir, Env: x.env.Environ, Stderr: x.env.ChildStderr,
		MaxOutput: limit, Started: x.env.Started,
	}
	script, shell := o.script()
	if shell {
		spec.Argv = proc.Shell(x.env.Environ, script, x.env.LoginShell)
	}
	spec.Argv = cleanArgs(spec.Argv)
	if x.input.Len() > 0 {
		spec.StdinFrom = x.input.CopyTo
	}
	p, err := proc.Start(x.env.Ctx, spec)
	if proc.IsNotFound(err) {
		if shell {
			return nil, errors.New("exec shell not found; check LOBSTER_SHELL or ComSpec")
		}
		return nil, errors.New("exec command not found: " + o.Words[0])
	}
	return p, err
}

// cleanArgs gives arguments as Node hands them on: half of a surrogate pair becomes U+FFFD.
func cleanArgs(args []string) []string {
	clean := make([]string, len(args))
	for i, arg := range args {
		clean[i] = value.ToUTF8(arg)
	}
	return clean
}

// script gives the command line for the shell. One word with white space in it is one, too.
func (o *ExecOptions) script() (script string, ok bool) {
	switch {
	case o.Shell != "":
		return o.Shell, true
	case len(o.Words) == 1 && strings.ContainsFunc(o.Words[0], unicode.IsSpace):
		return o.Words[0], true
	}
	return "", false
}

// takeIn reads all items, and keeps what the program is to get of them as text.
func (x *execRun) takeIn(in flow.Stream) error {
	if x.o.Stdin == "" {
		return flow.Drain(in)
	}
	form := inputForms[x.o.Stdin]
	buf := []byte(form.start)
	n := 0
	for v, err := range in {
		if err != nil {
			return err
		}
		if n > 0 {
			buf = append(buf, form.between...)
		}
		n++
		if buf = form.item(buf, v); len(buf) >= 32<<10 {
			if _, err := x.input.Write(buf); err != nil {
				return err
			}
			buf = buf[:0]
		}
	}
	if n > 0 || form.start != "" {
		buf = append(buf, form.end...)
	}
	_, err := x.input.Write(buf)
	return err
}

// inputForms are the forms that items can be given in.
var inputForms = map[string]struct {
	start, between, end string
	item                func([]byte, value.Value) []byte
}{
	"raw":   {between: "\n", item: appendRaw},
	"json":  {start: "[", between: ",", end: "]", item: func(dst []byte, v value.Value) []byte { return v.AppendJSON(dst) }},
	"jsonl": {between: "\n", end: "\n", item: appendPresent},
}

// appendRaw appends a string as it is and everything else as JSON.
func appendRaw(dst []byte, v value.Value) []byte {
	if v.Kind() == value.StringKind {
		return append(dst, value.ToUTF8(v.Str())...)
	}
	return appendPresent(dst, v)
}

// appendPresent appends JSON, and nothing for an absent value.
func appendPresent(dst []byte, v value.Value) []byte {
	if v.IsAbsent() {
		return dst
	}
	return v.AppendJSON(dst)
}

// give hands over what the program prints, and tells whether the consumer wants more. Output that nobody wants is still
// checked.
func (x *execRun) give(y yield) (more bool) {
	if x.o.JSON {
		return x.giveJSON(y)
	}
	lines := value.NewLineDecoder(&x.out)
	for {
		line, err := lines.Text()
		if err != nil {
			return true // Wait knows why, when it is not the end
		}
		if line != "" && !y(value.String(line), nil) {
			return false
		}
	}
}

func (x *execRun) giveJSON(y yield) (more bool) {
	dec := value.NewDecoder(&x.out)
	dec.TrimSpace()
	for {
		v, err := dec.Next()
		if err == io.EOF {
			x.null = dec.Empty()
			return true
		}
		if err != nil {
			x.bad = err
			return true
		}
		if !y(v, nil) {
			x.bad = dec.Drain()
			return false
		}
	}
}

// finish waits for the end of the program and says what was wrong with it.
func (x *execRun) finish(p *proc.Process) error {
	res, err := p.Wait()
	if err != nil {
		return err
	}
	if !res.OK() {
		text := value.TrimSpace(res.Stderr)
		if text == "" {
			text = value.TrimSpace(proc.DecodeUTF8(x.out.head))
		}
		if text == "" {
			text = x.o.command()
		}
		return errors.New("exec failed (" + res.CodeText() + "): " + text)
	}
	if x.bad != nil {
		return errors.New("exec --json could not parse stdout as JSON: " + x.bad.Error())
	}
	return nil
}

// command is the command for a message.
func (o *ExecOptions) command() string {
	if o.Shell != "" {
		return o.Shell
	}
	return o.Words[0]
}

// headReader keeps the beginning of what it reads, for the message of a program that fails and says nothing on stderr.
type headReader struct {
	r    io.Reader
	head []byte
}

const headSize = 64 << 10

func (h *headReader) Read(p []byte) (int, error) {
	n, err := h.r.Read(p)
	if keep := min(n, headSize-len(h.head)); keep > 0 {
		h.head = append(h.head, p[:keep]...)
	}
	return n, err
}
