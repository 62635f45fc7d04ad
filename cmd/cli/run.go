package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lobsterc/lobsterc/compiler"
	"github.com/lobsterc/lobsterc/compiler/gobuild"
	"github.com/lobsterc/lobsterc/runtime/intent"
	"github.com/lobsterc/lobsterc/runtime/state"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// runLine is the command line of `lobsterc run`: what is to be run, our own options, and the words for the program.
type runLine struct {
	opts compiler.Options
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
	u, err := compileRun(r)
	if err != nil || !u.ok() {
		return e.runFailed(r.tool, err, u)
	}
	if !r.tool && isTerminal(e.stderr) {
		e.show(u) // warnings; elsewhere a run prints what the program prints, and check is there for them
	}
	return e.become(u, r.rest, r.tool)
}

func compileRun(r *runLine) (*unit, error) {
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

// resumeCommand finds the program of a paused run and resumes it. It always answers with an envelope, as the reference does.
func resumeCommand(e *env, args []string) int {
	r, err := parseResume(args)
	if err != nil {
		e.envelope("parse_error", err.Error(), value.Value{})
		return exitUsage
	}
	u, err := e.findProgram(r)
	if err != nil {
		kind, code := "runtime_error", exitFailed
		if isUsage(err) {
			kind, code = "parse_error", exitUsage
		}
		e.envelope(kind, err.Error(), value.Value{})
		return code
	}
	if u == nil {
		return exitOK // cancelled without its program
	}
	return e.become(u, append([]string{"--resume=" + r.target, "--mode=tool"}, r.rest...), true)
}

type resumeLine struct {
	target   string
	token    state.Token
	stateDir string
	words    intent.Words
	intent   intent.Intent
	rest     []string // for the program
}

// parseResume reads the command line in the order of the reference's errors.
func parseResume(args []string) (*resumeLine, error) {
	r := &resumeLine{}
	token, id := "", ""
	for i := 0; i < len(args); i++ {
		name, val, joined := cutFlag(args[i])
		next := func() string {
			if !joined && i+1 < len(args) {
				i++
				return args[i]
			}
			return val
		}
		switch name {
		case "token":
			token = next()
		case "id":
			id = next()
		case "approve", "decision":
			r.words.Approve = next()
		case "response-json":
			r.words.Response, r.words.Answered = next(), true
		case "cancel":
			r.words.Cancel = "true"
			if _, ok := intent.Truth(val); joined || ok {
				r.words.Cancel = val
			} else if i+1 < len(args) {
				if _, ok := intent.Truth(args[i+1]); ok {
					r.words.Cancel = next()
				}
			}
		case "state-dir":
			r.stateDir = next()
			r.rest = append(r.rest, "--state-dir="+r.stateDir)
		case "":
			if token == "" && id == "" {
				token = args[i]
			} else {
				return r, fmt.Errorf("unexpected argument %q", args[i])
			}
		default:
			if takesValue, ok := programFlags[name]; !ok {
				return r, fmt.Errorf("unknown flag --%s", name)
			} else if takesValue {
				r.rest = append(r.rest, "--"+name+"="+next())
			} else {
				r.rest = append(r.rest, args[i])
			}
		}
	}
	if r.target = id; id == "" {
		r.target = token
	}
	return r, r.check()
}

func (r *resumeLine) check() error {
	if r.target == "" {
		return errors.New("resume requires --token or --id")
	}
	var err error
	if r.intent, err = intent.Parse(r.words); err != nil {
		return err
	}
	if !r.intent.Given {
		return intent.ErrNone
	}
	switch {
	case r.intent.Cancel:
		r.rest = append(r.rest, "--cancel")
	case r.intent.Decided:
		r.rest = append(r.rest, "--approve="+r.words.Approve)
	default:
		r.rest = append(r.rest, "--response-json="+r.words.Response)
	}
	return nil
}

// findProgram finds the program that a paused run belongs to: by its hash in the cache, else by its source.
func (e *env) findProgram(r *resumeLine) (*unit, error) {
	dir, err := state.FindDir(r.stateDir, os.Environ())
	if err != nil {
		return nil, err
	}
	store := state.Open(dir)
	if len(r.target) == 8 {
		r.token, err = store.Approval(r.target)
	} else {
		r.token, err = state.ParseToken(r.target)
	}
	if err != nil {
		return nil, usagef("%s", err)
	}
	p, err := store.Paused(r.token.Key)
	var corrupt *state.CorruptError
	switch {
	case errors.Is(err, state.ErrGone) || err == nil && p.State.IsAbsent():
		if r.intent.Cancel {
			return nil, errors.New("Resume state not found")
		}
		return nil, r.token.NotFound()
	case r.intent.Cancel && (err == nil || errors.As(err, &corrupt)) && p.State.Get("runId").IsAbsent():
		return nil, e.cancelRun(store, r.token.Key)
	case err != nil:
		return nil, err
	}
	if hash := p.State.Get("program").Get("hash").Text(); hash != "" {
		if u, ok := cachedUnit(hash); ok {
			return u, nil
		}
	}
	return e.rebuild(r, p.State)
}

// cancelRun cancels a paused run that has no journal: its program is not needed.
func (e *env) cancelRun(store *state.Store, key string) error {
	if err := store.Remove(e.ctx, key); err != nil {
		return err
	}
	v := value.Object(
		value.M("protocolVersion", value.Int(1)), value.M("ok", value.Bool(true)), value.M("status", value.String("cancelled")),
		value.M("output", value.Array()), value.M("requiresApproval", value.Null), value.M("requiresInput", value.Null),
	)
	fmt.Fprintln(e.stdout, v.Indent())
	return nil
}

// rebuild compiles what a paused run came from: its file, or its stages.
func (e *env) rebuild(r *resumeLine, st value.Value) (*unit, error) {
	if r.token.Kind == state.PipelineResume {
		stages, ok := state.StagesOf(st.Get("pipeline"))
		if !ok {
			return nil, errors.New("Invalid pipeline resume state")
		}
		raw := make([]string, len(stages))
		for i, s := range stages {
			raw[i] = s.Raw
		}
		return compiled(compilePipeline(strings.Join(raw, " | "), compiler.Options{Compat: true}))
	}
	file := st.Get("filePath").Text()
	if file == "" {
		return nil, errors.New("Invalid workflow resume state")
	}
	if _, err := os.Stat(file); err != nil {
		return nil, fmt.Errorf("the program of this run is not in the cache, and its source cannot be read: %s", plain(err))
	}
	return compiled(compileFile(file, compiler.Options{Compat: true}))
}

func compiled(u *unit) (*unit, error) {
	if !u.ok() {
		return nil, errors.New(u.Diags[0].Error())
	}
	return u, nil
}

// fromReference turns the reference's command line into ours: a first word that is no command is a pipeline.
func fromReference(args []string) []string {
	known := []string{"run", "resume", "graph", "doctor", "version", "help", "completion"}
	if len(args) > 0 && !slices.Contains(known, args[0]) && !strings.HasPrefix(args[0], "-") {
		return append([]string{"run"}, args...)
	}
	return args
}
