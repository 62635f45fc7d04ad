// Package mail has the stages that read, sort and send mail: gog.gmail.search and gog.gmail.send, which run the program gog, and
// email.triage without a model. Triage with a model, which needs a network, is a package of its own and builds on this one.
package mail

import (
	"errors"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/proc"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// SearchOptions are the options of gog.gmail.search.
type SearchOptions struct {
	Query string
	Max   float64
}

const (
	search = "gog.gmail.search"
	send   = "gog.gmail.send"
)

// yield is what a stream calls for each item.
type yield = func(value.Value, error) bool

// Search finds mail with gog.
func Search(o SearchOptions) flow.Stage {
	return flow.Stage{Name: search, Effect: true, Gathers: true, Needs: needs, Run: func(env *flow.Env, in flow.Stream) flow.Stream {
		return func(y func(value.Value, error) bool) {
			err := flow.Drain(in)
			if err == nil {
				err = o.run(env, y)
			}
			if err != nil {
				y(value.Value{}, err)
			}
		}
	}}
}

// run asks gog and hands over what it found. Threads that come in an object, or in objects, are items each.
func (o *SearchOptions) run(env *flow.Env, y yield) error {
	out, err := gog(env, search, "gmail", "search", o.Query, "--json", "--max", value.NumberText(o.Max))
	if err != nil {
		return err
	}
	found, err := value.ParseString(value.TrimSpace(out))
	if err != nil {
		return errors.New(search + " expected JSON output")
	}
	parts := []value.Value{found}
	if found.Kind() == value.ArrayKind {
		parts = found.Items()
	}
	for _, part := range parts {
		items := []value.Value{part}
		if threads := part.Get("threads"); threads.Kind() == value.ArrayKind {
			items = threads.Items()
		}
		for _, v := range items {
			if !y(v, nil) {
				return nil
			}
		}
	}
	return nil
}

// SendOptions are the options of gog.gmail.send.
type SendOptions struct{ DryRun bool }

// Send sends each draft as a mail with gog. Once the first is on its way the step is not retried.
func Send(o SendOptions) flow.Stage {
	need := needs
	if o.DryRun {
		need = nil
	}
	return flow.Stage{Name: send, Effect: true, Dispatch: true, Needs: need, Run: func(env *flow.Env, in flow.Stream) flow.Stream {
		return func(y func(value.Value, error) bool) {
			for v, err := range in {
				if err == nil {
					v, err = o.send(env, v)
				}
				if !y(v, err) || err != nil {
					return
				}
			}
		}
	}}
}

// send sends one draft and gives what gog says.
func (o *SendOptions) send(env *flow.Env, draft value.Value) (value.Value, error) {
	if k := draft.Kind(); k != value.ObjectKind && k != value.ArrayKind {
		return value.Value{}, errors.New(send + " expects draft objects")
	}
	to, subject, body := field(draft, "to"), field(draft, "subject"), field(draft, "body")
	if to == "" {
		return value.Value{}, errors.New(send + " draft missing to")
	}
	ok := value.M("ok", value.Bool(true))
	if o.DryRun {
		return value.Object(ok, value.M("dryRun", value.Bool(true)), value.M("to", value.String(to)),
			value.M("subject", value.String(subject)), value.M("body", value.String(body))), nil
	}
	args := []string{"gmail", "send", "--to", to}
	if subject != "" {
		args = append(args, "--subject", subject)
	}
	if body != "" {
		args = append(args, "--body", body)
	}
	env.NoteDispatch()
	out, err := gog(env, send, append(args, "--json")...)
	if err != nil {
		return value.Value{}, err
	}
	if out == "" {
		return value.Object(ok), nil
	}
	if v, err := value.ParseString(value.TrimSpace(out)); err == nil {
		return v, nil
	}
	return value.Object(ok, value.M("raw", value.String(out))), nil
}

// field is the text of a draft's field, without white space around it; null and absent are empty.
func field(v value.Value, name string) string {
	x := v.Get(name)
	if x.IsNullish() {
		return ""
	}
	return value.TrimSpace(x.JSString())
}

// maxReason is how many UTF-16 units of stderr an error shows.
const maxReason = 400

// program is gog, or the program that GOG_BIN names.
func program(env *flow.Env) string {
	if p := value.TrimSpace(env.Getenv("GOG_BIN")); p != "" {
		return p
	}
	return "gog"
}

const notFound = "gog not found on PATH (install: https://github.com/steipete/gogcli)"

// needs is the Needs of the stages that run gog.
func needs(env *flow.Env) string {
	if proc.Have(program(env), env.Dir, env.Environ) {
		return ""
	}
	return notFound
}

// gog runs gog and gives what it prints.
func gog(env *flow.Env, stage string, args ...string) (string, error) {
	limit, err := proc.MaxOutput(env.Environ)
	if err != nil {
		return "", err
	}
	for i, arg := range args {
		args[i] = value.ToUTF8(arg) // half of a surrogate pair cannot be handed on
	}
	res, err := proc.Run(env.Ctx, proc.Spec{
		Argv: append([]string{program(env)}, args...), Dir: env.Dir, Env: env.Environ,
		Stderr: env.ChildStderr, MaxOutput: limit, Started: env.Started,
	})
	switch {
	case proc.IsNotFound(err):
		return "", errors.New(notFound)
	case err != nil:
		return "", err
	case !res.OK():
		reason := res.Stderr
		if value.LenUTF16(reason) > maxReason {
			reason = value.SliceUTF16(reason, 0, maxReason)
		}
		return "", errors.New(stage + " failed (" + res.CodeText() + "): " + reason)
	}
	return res.Stdout, nil
}
