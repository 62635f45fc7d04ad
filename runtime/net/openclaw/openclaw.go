// Package openclaw holds openclaw.invoke and clawd.invoke: one call of a tool of an OpenClaw gateway, or one for each item
// (spec part 2 and part 5). It is the package that brings net/http into a program.
package openclaw

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/net/client"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// InvokeOptions are the stage's flags.
type InvokeOptions struct {
	// Name is the stage's name as written; error messages begin with it.
	Name   string
	Tool   string
	Action string
	// Args are the tool's arguments; Absent means {}.
	Args value.Value
	// Each makes one call for each item, which becomes the argument ItemKey.
	Each    bool
	ItemKey string
	URL     string
	Token   string
	// SessionKey and DryRun travel in the request.
	SessionKey string
	DryRun     bool
}

// Invoke is the stage. It makes all its calls before it gives a result, whatever the stages after it still want: an effect is never left half
// done, and a failing call is never hidden from the run.
func Invoke(o InvokeOptions) flow.Stage {
	return flow.Stage{
		Name: o.Name, Effect: true, Dispatch: true, Gathers: !o.Each, Needs: o.needs,
		Run: func(env *flow.Env, in flow.Stream) flow.Stream {
			return func(yield func(value.Value, error) bool) {
				results, err := o.run(env, in)
				if err != nil {
					yield(value.Value{}, err)
					return
				}
				for _, v := range results {
					if !yield(v, nil) {
						return
					}
				}
			}
		},
	}
}

func (o InvokeOptions) run(env *flow.Env, in flow.Stream) ([]value.Value, error) {
	call, err := o.prepare(env)
	if err != nil {
		return nil, err
	}
	var results []value.Value
	post := func(args value.Value) error {
		v, err := call(args)
		if v.Kind() == value.ArrayKind {
			results = append(results, v.Items()...)
		} else {
			results = append(results, v)
		}
		return err
	}
	if !o.Each {
		if err := flow.Drain(in); err != nil {
			return nil, err
		}
		err = post(o.args())
		return results, err
	}
	for item, err := range in {
		if err != nil {
			return nil, err
		}
		if err := post(o.args().With(o.itemKey(), item)); err != nil {
			return nil, err
		}
	}
	return results, nil
}

func (o InvokeOptions) itemKey() string {
	if o.ItemKey == "" {
		return "item"
	}
	return o.ItemKey
}

func (o InvokeOptions) args() value.Value {
	if o.Args.IsAbsent() {
		return value.Object()
	}
	return o.Args
}

// prepare checks everything that can be checked before the first call.
func (o InvokeOptions) prepare(env *flow.Env) (func(args value.Value) (value.Value, error), error) {
	if o.Tool == "" || o.Action == "" {
		return nil, fmt.Errorf("%s requires --tool and --action", o.Name)
	}
	u, err := o.endpoint(env.LookupEnv)
	if err != nil {
		return nil, err
	}
	token, err := o.token(env.LookupEnv, u)
	if err != nil {
		return nil, err
	}
	if o.Each && o.args().Kind() != value.ObjectKind {
		return nil, fmt.Errorf("%s --each requires --args-json to be an object", o.Name)
	}
	return func(args value.Value) (value.Value, error) {
		members := []value.Member{value.M("tool", value.String(o.Tool)), value.M("action", value.String(o.Action)), value.M("args", args)}
		if o.SessionKey != "" {
			members = append(members, value.M("sessionKey", value.String(o.SessionKey)))
		}
		if o.DryRun {
			members = append(members, value.M("dryRun", value.Bool(true)))
		}
		env.NoteDispatch()
		resp, err := client.Post(env, client.Request{URL: u, Token: token, Body: value.Object(members...)})
		if err != nil {
			return value.Value{}, err
		}
		return o.answer(resp)
	}, nil
}

type lookup func(string) (string, bool)

// firstSet gives the first variable that is set, also to nothing.
func firstSet(get lookup, names ...string) string {
	for _, name := range names {
		if v, ok := get(name); ok {
			return v
		}
	}
	return ""
}

// endpoint is the gateway's address; the path of what the user gave does not count.
func (o InvokeOptions) endpoint(get lookup) (*url.URL, error) {
	base := strings.TrimSpace(o.URL)
	if base == "" {
		base = strings.TrimSpace(firstSet(get, "OPENCLAW_URL", "CLAWD_URL"))
	}
	if base == "" {
		return nil, fmt.Errorf("%s requires --url or OPENCLAW_URL", o.Name)
	}
	u, err := client.ParseURL(base)
	if err != nil {
		return nil, err
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%s requires an http(s) --url", o.Name)
	}
	if u.User != nil {
		return nil, errors.New("Invalid URL: it must hold no user and password; use --token")
	}
	return &url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/tools/invoke"}, nil
}

// token is the flag's, or the environment's when the gateway is on this machine.
func (o InvokeOptions) token(get lookup, u *url.URL) (string, error) {
	if t := strings.TrimSpace(o.Token); t != "" {
		return t, nil
	}
	t := strings.TrimSpace(firstSet(get, "OPENCLAW_TOKEN", "CLAWD_TOKEN"))
	if t != "" && !client.IsLocal(u) {
		return "", fmt.Errorf("%s refuses to send OPENCLAW_TOKEN/CLAWD_TOKEN to non-local --url; pass --token explicitly for remote endpoints", o.Name)
	}
	return t, nil
}

// answer unwraps a response.
func (o InvokeOptions) answer(resp *client.Response) (value.Value, error) {
	if !resp.OK() {
		return value.Value{}, fmt.Errorf("%s failed (%d): %s", o.Name, resp.Status, resp.Quote())
	}
	v, err := resp.JSON()
	if err != nil {
		return value.Value{}, fmt.Errorf("%s expected JSON response", o.Name)
	}
	ok := v.Get("ok")
	if v.Kind() != value.ObjectKind || ok.IsAbsent() {
		return v, nil
	}
	if ok.Kind() == value.BoolKind && ok.Bool() {
		if result := v.Get("result"); !result.IsAbsent() {
			return result, nil
		}
		return value.Null, nil
	}
	message := "Unknown error"
	if m := v.Get("error").Prop("message"); !m.IsNullish() {
		message = m.JSString()
	}
	return value.Value{}, fmt.Errorf("%s tool error: %s", o.Name, message)
}

// needs is the stage's Needs.
func (o InvokeOptions) needs(env *flow.Env) string {
	u, err := o.endpoint(env.LookupEnv)
	if err == nil {
		_, err = o.token(env.LookupEnv, u)
	}
	if err != nil {
		return err.Error()
	}
	return ""
}
