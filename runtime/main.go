package runtime

import (
	"context"
	"errors"
	"io"
	"os"
	"path"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/term"

	"github.com/lobsterc/lobsterc/runtime/crash"
	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/plain"
	"github.com/lobsterc/lobsterc/runtime/proc"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// Main runs a compiled program with the process's command line and exits.
func Main(p Program) {
	a := &app{program: &p, argv: os.Args[1:], stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, environ: os.Environ(), began: time.Now()}
	a.takeSource()
	os.Exit(a.main())
}

// app is one process of a compiled program.
type app struct {
	program *Program
	argv    []string
	stdin   io.Reader
	stdout  io.Writer
	stderr  io.Writer
	environ []string
	source  string // the file that lobsterc compiled for this run
	began   time.Time

	opt      *options
	tool     bool
	terminal io.Reader // stdin, when a person sits there
	report   *reporter
	printing atomic.Bool // tool mode: the one document is being written
	// later is done once the answer is out.
	later []func(exit int)
}

// sourceVar is how `lobsterc run` tells a program which file it compiled.
const sourceVar = "LOBSTERC_SOURCE"

// takeSource takes that word out of the environment: other compiled programs that this one starts come from other files.
func (a *app) takeSource() {
	a.source = a.env(sourceVar)
	kept := a.environ[:0:0]
	for _, pair := range a.environ {
		if !strings.HasPrefix(pair, sourceVar+"=") {
			kept = append(kept, pair)
		}
	}
	a.environ = kept
}

// afterwards has f called once the answer is out; it is not called when the answer could not be written.
func (a *app) afterwards(f func(exit int)) { a.later = append(a.later, f) }

func (p *Program) name() string {
	switch {
	case p.Workflow.Name != "":
		return p.Workflow.Name
	case p.Name != "":
		return p.Name
	}
	base := path.Base(p.Workflow.File)
	return strings.TrimSuffix(base, path.Ext(base))
}

func (a *app) getenv(name string) (string, bool) {
	for i := len(a.environ) - 1; i >= 0; i-- {
		if rest, ok := strings.CutPrefix(a.environ[i], name); ok && strings.HasPrefix(rest, "=") {
			return rest[1:], true
		}
	}
	return "", false
}

//go:noinline
func (a *app) env(name string) string {
	v, _ := a.getenv(name)
	return v
}

// main gives the exit code. Whatever happens in tool mode, stdout gets one JSON object.
func (a *app) main() (exit int) {
	if len(a.argv) > 0 && a.argv[0] == "mcp" {
		return a.mcp(a.argv[1:])
	}
	opt, err := parseFlags(a.program, a.argv)
	a.opt = opt
	a.tool = opt.mode == "tool" || opt.mode == "" && (a.env("LOBSTER_MODE") == "tool" || opt.resuming || opt.request != "") ||
		err != nil && wantsTool(a.argv)
	a.report = newReporter(a)
	defer a.report.close()
	if err != nil {
		return a.finish(failed(err))
	}
	if done, err := a.info(); done || err != nil {
		if err != nil {
			return a.finish(failed(err))
		}
		return exitOK
	}
	crash.Handle(func(p any, stack []byte) {
		if a.tool && !a.printing.CompareAndSwap(false, true) {
			select {} // the run has ended and is answering
		}
		os.Exit(a.crashed(p, stack))
	})
	defer func() {
		if p := recover(); p != nil {
			a.printing.Store(true)
			exit = a.crashed(p, stack())
		}
	}()
	exit, told := a.tell(a.operate())
	for _, f := range a.later {
		if told {
			f(exit)
		}
	}
	return exit
}

// wantsTool tells whether a command line that cannot be read asks for tool mode: then the answer is one document all the same.
func wantsTool(argv []string) bool {
	for i, word := range argv {
		name, val, joined := strings.Cut(word, "=")
		if !joined && i+1 < len(argv) {
			val = argv[i+1]
		}
		if name == "--mode" && val == "tool" || name == "--request" || name == "--resume" {
			return true
		}
	}
	return false
}

// operate does what was asked: run, resume, or a request from stdin.
func (a *app) operate() *outcome {
	ctx, over := withSignals(context.Background())
	defer over()
	if a.opt.request != "" {
		if err := a.readRequest(ctx); err != nil {
			return failed(err)
		}
	}
	if a.opt.cwd != "" {
		if err := os.Chdir(a.opt.cwd); err != nil {
			return failed(usage("--cwd " + a.opt.cwd + ": " + plainError(err)))
		}
	}
	if a.opt.timeoutMS > 0 {
		var cancel context.CancelFunc
		limit := time.Duration(min(a.opt.timeoutMS, maxMillis)) * time.Millisecond
		ctx, cancel = context.WithTimeoutCause(ctx, limit, &limitError{"lobster runtime timed out"})
		defer cancel()
	}
	if a.tool && a.opt.maxStdout > 0 {
		var cancel context.CancelCauseFunc
		ctx, cancel = context.WithCancelCause(ctx)
		defer cancel(nil)
		a.stderr = &bounded{w: a.stderr, left: a.opt.maxStdout, over: func() { cancel(&limitError{"lobster stderr exceeded maxStdoutBytes"}) }}
	}
	if !a.tool && a.opt.response == "" && !a.opt.dryRun && isTerminal(a.stdin) {
		a.terminal = a.stdin
	}
	switch {
	case a.opt.dryRun:
		return a.dryRun()
	case a.opt.resuming:
		return a.resume(ctx)
	}
	return a.start(ctx)
}

// maxMillis is the longest time that a duration can hold.
const maxMillis = int64(1<<63-1) / int64(time.Millisecond)

// limitError ends a run at one of the tool limits; processes are killed at once.
type limitError struct{ message string }

func (l *limitError) Error() string    { return l.message }
func (l *limitError) KillAtOnce() bool { return true }

func isTerminal(r any) bool {
	f, ok := r.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// args resolves the arguments of a new run.
func (a *app) args() (value.Value, error) {
	return resolveArgs(a.program.Workflow.Args, a.opt.given, a.getenv, a.secretAsker())
}

func (a *app) secretAsker() func(string) (string, error) {
	f, ok := a.stdin.(*os.File)
	if a.terminal == nil || !ok {
		return nil
	}
	return func(name string) (string, error) {
		plain.Print(a.stderr, name, ": ")
		text, err := term.ReadPassword(int(f.Fd()))
		plain.Print(a.stderr, "\n")
		return string(text), err
	}
}

func (a *app) dryRun() *outcome {
	args, err := a.args()
	if err != nil {
		return failed(err)
	}
	var text string
	if a.program.Pipeline != nil {
		if text, err = a.program.Pipeline.plan(args); err != nil {
			return failed(err)
		}
	} else {
		text = a.program.Workflow.PlanText(args)
	}
	plain.Print(a.stderr, value.ToUTF8(a.report.mask(text)))
	return &outcome{status: statusOK, silent: true}
}

// finish prints how the run ended and gives the exit code.
func (a *app) finish(o *outcome) int {
	exit, _ := a.tell(o)
	return exit
}

// tell prints how the run ended. told is false when that could not be written; a reader that has gone has been told.
func (a *app) tell(o *outcome) (exit int, told bool) {
	if a.tool && !a.printing.CompareAndSwap(false, true) {
		select {} // a crash elsewhere is answering
	}
	a.report.finished(o)
	if a.tool {
		return a.finishTool(o)
	}
	return a.finishHuman(o)
}

func (a *app) finishTool(o *outcome) (exit int, told bool) {
	text, o := a.document(o)
	if _, err := a.stdout.Write(append(text, '\n')); err != nil && !isBrokenPipe(err) {
		plain.Print(a.stderr, "Error: cannot write the result: ", plainError(err), "\n")
		return exitFailed, false
	}
	return o.code(a.opt.detailed), true
}

// document is the one document of tool mode. One that is too large is replaced by an error; what of _meta still fits stays.
func (a *app) document(o *outcome) ([]byte, *outcome) {
	render := func(o *outcome, meta value.Value) []byte {
		return o.envelope(meta, a.report.mask).AppendIndent(nil, "  ")
	}
	meta := a.report.meta()
	text := render(o, meta)
	fits := func() bool { return a.opt.maxStdout <= 0 || int64(len(text)) <= a.opt.maxStdout }
	if fits() {
		return text, o
	}
	o = failed(errors.New("lobster stdout exceeded maxStdoutBytes"))
	if text = render(o, meta); !fits() {
		text = render(o, value.Object(value.M("run", meta.Get("run")), value.M("program", meta.Get("program"))))
	}
	return text, o
}

func (a *app) finishHuman(o *outcome) (exit int, told bool) {
	if o.err != nil {
		prefix := "Error: "
		if usage := plain.As[*usageError](o.err); usage != nil {
			prefix = "Parse error: "
			if usage.message == badArgsJSON {
				prefix = ""
			}
		}
		plain.Print(a.stderr, prefix, a.report.mask(o.err.Error()), "\n")
		if hint := a.report.hint(); hint != "" {
			plain.Print(a.stderr, hint, "\n")
		}
		return o.code(a.opt.detailed), true
	}
	var text []byte
	switch {
	case o.silent:
	case o.status == statusNeedsApproval || o.status == statusNeedsInput:
		text = value.Object(o.members()...).AppendIndent(nil, "  ")
	case len(o.output) > 0 || o.always:
		text = value.Array(o.output...).AppendIndent(nil, "  ")
	}
	if len(text) > 0 {
		if _, err := a.stdout.Write(append(text, '\n')); err != nil && !isBrokenPipe(err) {
			plain.Print(a.stderr, "Error: cannot write the result: ", plainError(err), "\n")
			return exitFailed, false
		}
	}
	return o.code(a.opt.detailed), true
}

// crashed reports a bug of ours without breaking the contract of tool mode.
func (a *app) crashed(p any, stack []byte) int {
	message := "lobsterc bug: " + panicText(p)
	plain.Print(a.stderr, message, "\n", string(stack))
	proc.KillAll(&limitError{message})
	if !a.tool {
		return exitUsage
	}
	exit, _ := a.finishTool(failed(errors.New(message)))
	return exit
}

// stack is where the program stands.
func stack() []byte {
	buf := make([]byte, 64<<10)
	return buf[:runtime.Stack(buf, false)]
}

// panicText is what a panic says, without package fmt.
func panicText(p any) string {
	switch p := p.(type) {
	case string:
		return p
	case error:
		return p.Error()
	}
	return "a panic of a type of its own"
}

// noteUsage bills a model call of an inline pipeline: there is no limit to hold it against.
func (a *app) noteUsage(flow.Usage) {}

// readLine reads up to the end of a line and not a byte further. A person's line is short, so it reads byte by byte.
func readLine(r io.Reader) (string, error) {
	var line []byte
	for {
		var b [1]byte
		n, err := r.Read(b[:])
		line = append(line, b[:n]...)
		if err != nil || n > 0 && b[0] == '\n' {
			return string(line), err
		}
	}
}

// ask prints a prompt on the terminal and reads a line.
func (a *app) ask(ctx context.Context, prompt string) (string, error) {
	a.report.pause()
	plain.Print(a.stdout, prompt)
	ctx, cancel := a.inputTimeout(ctx)
	defer cancel()
	type read struct {
		line string
		err  error
	}
	got := make(chan read, 1)
	go func() {
		line, err := readLine(a.terminal)
		if err == io.EOF && line != "" {
			err = nil
		}
		got <- read{strings.TrimRight(line, "\r\n"), err}
	}()
	select {
	case r := <-got:
		return r.line, r.err
	case <-ctx.Done():
		plain.Print(a.stdout, "\n")
		return "", context.Cause(ctx)
	}
}

// inputTimeout bounds the wait for a line by LOBSTER_APPROVAL_INPUT_TIMEOUT_MS.
func (a *app) inputTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	ms := value.StringNumber(a.env("LOBSTER_APPROVAL_INPUT_TIMEOUT_MS"))
	if !(ms > 0) {
		return ctx, func() {}
	}
	wait := time.Duration(ms) * time.Millisecond
	cause := errors.New("Timed out waiting for input (" + plain.Millis(wait) + "ms)")
	return context.WithTimeoutCause(ctx, wait, cause)
}
