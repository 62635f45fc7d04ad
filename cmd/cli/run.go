package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lobsterc/lobsterc/compiler/gobuild"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// runLine is the command line of `lobsterc run`: what is to be run, our own options, and the words for the program.
type runLine struct {
	opts compileOptions
	file string // --file, or a path
	text string // a pipeline
	tool bool
	rest []string
}

// programFlags are the flags of compiled programs that may stand before FILE; true: the flag takes a value.
var programFlags = map[string]bool{
	"mode": true, "args-json": true, "arg": true, "state-dir": true, "cwd": true, "timeout-ms": true, "max-stdout-bytes": true,
	"events": true, "request": true, "in-doubt": true, "dry-run": false, "quiet": false, "verbose": false, "detailed-exit-codes": false,
	"no-journal": false, "keep-journal": false, "sync": false, "no-preflight": false, "allow-changed": false,
}

// parseRun reads the command line by spec part 6, 23: our flags stand before FILE, all after it goes to the program as it is.
// With --file, unknown flags go there too.
func parseRun(args []string) (*runLine, error) {
	r := &runLine{tool: os.Getenv("LOBSTER_MODE") == "tool"}
	var words []string
	for i := 0; i < len(args); i++ {
		name, val, joined := cutFlag(args[i])
		take := func() (string, error) {
			if joined {
				return val, nil
			}
			if i+1 >= len(args) {
				return "", usagef("--%s needs a value", name)
			}
			i++
			return args[i], nil
		}
		takesValue, forProgram := programFlags[name]
		var err error
		switch {
		case name == "":
			words = append(words, args[i])
			if r.file == "" && isPath(args[i]) && len(words) == 1 {
				r.rest = append(r.rest, args[i+1:]...)
				i = len(args)
			}
		case name == "file":
			r.file, err = take()
		case name == "compat":
			r.opts.Compat = true
		case name == "login-shell":
			r.opts.LoginShell = true
		case name == "strict":
			r.opts.Strict = true
		case name == "stages":
			if val, err = take(); err == nil {
				r.opts.packages = append(r.opts.packages, val)
			}
		case name == "include":
			if val, err = take(); err == nil {
				r.opts.Includes = append(r.opts.Includes, val)
			}
		case forProgram && takesValue:
			if val, err = take(); err == nil {
				r.rest = append(r.rest, "--"+name+"="+val)
			}
			if name == "mode" {
				r.tool = val == "tool"
			}
		case forProgram || r.file != "":
			r.rest = append(r.rest, args[i])
		case len(words) > 0:
			words = append(words, args[i])
		default:
			return r, usagef("unknown flag %s before the file; flags of the program stand after it", args[i])
		}
		if err != nil {
			return r, err
		}
	}
	r.note()
	return r, r.target(words)
}

// note looks for --mode among the words for the program.
func (r *runLine) note() {
	for i, w := range r.rest {
		if w == "--mode=tool" || w == "--mode" && i+1 < len(r.rest) && r.rest[i+1] == "tool" {
			r.tool = true
		}
	}
}

func (r *runLine) target(words []string) error {
	switch {
	case r.file != "":
		r.rest = append(r.rest, words...)
	case len(words) > 0 && isPath(words[0]):
		r.file = words[0]
	default:
		r.text = strings.Join(words, " ")
	}
	return nil
}

// cutFlag splits --name=value; name is "" when the word is no flag.
func cutFlag(word string) (name, val string, joined bool) {
	rest, ok := strings.CutPrefix(word, "--")
	if !ok || rest == "" {
		return "", "", false
	}
	return strings.Cut(rest, "=")
}

// runCommand builds into the cache and becomes the program.
func runCommand(e *env, args []string) int {
	r, err := parseRun(args)
	if err != nil {
		return e.runFailed(r.tool, err, nil)
	}
	u, err := e.compileRun(r)
	if err != nil || !u.ok() {
		return e.runFailed(r.tool, err, u)
	}
	if !r.tool && isTerminal(e.stderr) {
		e.show(u) // warnings; elsewhere a run prints what the program prints, and check is there for them
	}
	return e.become(u, r.rest, r.tool)
}

func (e *env) compileRun(r *runLine) (*unit, error) {
	if err := e.loadStages(&r.opts); err != nil {
		return nil, err
	}
	if r.file == "" {
		return compilePipeline(r.text, r.opts), nil
	}
	if err := checkFile(r.file); err != nil {
		return nil, err
	}
	return compileFile(r.file, r.opts), nil
}

// checkFile says what is wrong with a path before anything is read.
func checkFile(file string) error {
	abs, err := filepath.Abs(file)
	if err != nil {
		abs = file
	}
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, os.ErrNotExist) && file == "-":
		return usagef("only check reads a workflow from the standard input; give a file")
	case errors.Is(err, os.ErrNotExist):
		return usagef("workflow file not found: %s", abs)
	case err != nil:
		return usagef("%s", plain(err))
	case info.IsDir():
		return usagef("%s is a directory, not a workflow file", abs)
	case !isWorkflowName(file):
		return usagef("workflow file must end in .lobster, .yaml, .yml or .json: %s", abs)
	}
	return nil
}

// runFailed reports what kept a program from running: an error, or the diagnostics of u; in tool mode as one envelope, the
// first diagnostic its message.
func (e *env) runFailed(tool bool, err error, u *unit) int {
	kind, code := "parse_error", exitUsage
	if err != nil && !isUsage(err) {
		kind, code = "runtime_error", exitFailed
	}
	switch {
	case tool && err != nil:
		e.envelope(kind, err.Error(), value.Value{})
	case tool:
		e.envelope(kind, u.Diags[0].Message, value.Object(value.M("diagnostics", u.Diags.JSON())))
	case err != nil && code == exitUsage:
		fmt.Fprintln(e.stderr, "Parse error: "+err.Error())
	case err != nil:
		fmt.Fprintln(e.stderr, "Error: "+err.Error())
	default:
		e.show(u)
	}
	return code
}

func isUsage(err error) bool {
	var x *exitError
	return errors.As(err, &x) && x.code == exitUsage
}

// envelope prints a failure as tool mode has it.
func (e *env) envelope(kind, message string, meta value.Value) {
	v := value.Object(
		value.M("protocolVersion", value.Int(1)), value.M("ok", value.Bool(false)),
		value.M("error", value.Object(value.M("type", value.String(kind)), value.M("message", value.String(message)))),
		value.M("_meta", meta),
	)
	fmt.Fprintln(e.stdout, v.Indent())
}

// become replaces this process by the program, built into the cache.
func (e *env) become(u *unit, args []string, tool bool) int {
	path, err := e.build(u)
	if err != nil {
		return e.runFailed(tool, err, nil)
	}
	environ := os.Environ()
	if u.path != "" {
		environ = append(environ, "LOBSTERC_SOURCE="+u.path)
	}
	if err := execProgram(path, append([]string{u.Name}, args...), environ, e); err != nil {
		return e.runFailed(tool, fmt.Errorf("cannot start the program: %s", plain(err)), nil)
	}
	return e.exit
}

// build gives the path of the program in the cache.
func (e *env) build(u *unit) (string, error) {
	b, err := gobuild.New(e.ctx)
	if err != nil {
		return "", err
	}
	b.Slow = e.slowNote
	src, err := u.source()
	if err != nil {
		return "", err
	}
	res, err := b.Build(e.ctx, src, gobuild.Host())
	if err != nil {
		return "", err
	}
	return res.Path, nil
}

// slowNote is said on a terminal before the first build of all.
func (e *env) slowNote() {
	if color(e.stderr) {
		fmt.Fprintln(e.stderr, "lobsterc: the first build fills the Go toolchain's caches and takes about 20 seconds")
	}
}

// fromReference turns the reference's command line into ours: a first word that is no command is a pipeline. Its doctor always
// answers with an envelope, in which all further words are notes.
func fromReference(args []string) []string {
	if len(args) == 0 {
		return []string{"help"}
	}
	if args[0] == "doctor" {
		return append([]string{"doctor", "--mode=tool", "--"}, args[1:]...)
	}
	known := []string{"run", "resume", "graph", "doctor", "version", "help", "completion"}
	if _, ours := map[string]bool{"-h": true, "--help": true, "-v": true, "-V": true, "--version": true}[args[0]]; !ours && !slices.Contains(known, args[0]) {
		return append([]string{"run"}, args...)
	}
	return args
}
