package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/lobsterc/lobsterc/compiler"
	"github.com/lobsterc/lobsterc/runtime/intent"
	"github.com/lobsterc/lobsterc/runtime/state"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// resumeCommand finds the program of a paused run and resumes it. It always answers with an envelope, as the reference does.
func resumeCommand(e *env, args []string) int {
	r, err := parseResume(args)
	if err != nil {
		e.envelope("parse_error", err.Error(), value.Value{})
		return exitUsage
	}
	u, err := (*unit)(nil), e.loadStages(&r.opts)
	if err == nil {
		u, err = e.findProgram(r)
	}
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
	opts     compileOptions
	target   string
	byID     bool
	token    state.Token
	stateDir string
	words    intent.Words
	intent   intent.Intent
	rest     []string // for the program
}

// parseResume reads the command line in the order of the reference's errors.
func parseResume(args []string) (*resumeLine, error) {
	r := &resumeLine{opts: compileOptions{Options: compiler.Options{Compat: true}}}
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
			switch {
			case joined:
				r.words.Cancel = cmp.Or(val, " ") // an empty value is no answer
			case i+1 < len(args) && !strings.HasPrefix(args[i+1], "--"):
				r.words.Cancel = next()
			default:
				r.words.Cancel = "true"
			}
		case "stages":
			r.opts.packages = append(r.opts.packages, next())
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
	r.target, r.byID = id, id != ""
	if !r.byID {
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
	if r.byID || state.IsApprovalID(r.target) {
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
		if u, ok := cachedUnit(hash, r.opts); ok {
			return u, u.knowsStages()
		}
	}
	return e.rebuild(r, p.State)
}

// cancelRun cancels a paused run that has no journal: its program is not needed.
func (e *env) cancelRun(store *state.Store, key string) error {
	err := store.Cancel(e.ctx, key)
	if errors.Is(err, state.ErrGone) {
		return errors.New("Resume state not found")
	}
	if err != nil {
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
		return compiled(compilePipeline(strings.Join(raw, " | "), r.opts))
	}
	file := st.Get("filePath").Text()
	if file == "" {
		return nil, errors.New("Invalid workflow resume state")
	}
	if _, err := os.Stat(file); err != nil {
		return nil, fmt.Errorf("the program of this run is not in the cache, and its source cannot be read: %s", plain(err))
	}
	return compiled(compileFile(file, r.opts))
}

func compiled(u *unit) (*unit, error) {
	if !u.ok() {
		return nil, errors.New(u.Diags[0].Error())
	}
	return u, nil
}
