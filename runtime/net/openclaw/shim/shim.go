// Package shim is openclaw.invoke as a program of its own: the stage's flags come from the command line, items for --each from
// stdin. lobsterc builds it once and keeps it, so that shell steps can call openclaw.invoke and clawd.invoke as commands.
package shim

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/lobsterc/lobsterc/runtime/flags"
	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/net/openclaw"
	"github.com/lobsterc/lobsterc/runtime/plain"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// Main runs the process's command line; the first word is the name of the stage. It gives the exit code: 2 for a command line that is wrong.
func Main() int {
	env := &flow.Env{
		Ctx: context.Background(), Environ: os.Environ(), Stdout: os.Stdout, Stderr: os.Stderr,
		NoteDispatch: func() {}, NoteUsage: func(flow.Usage) {},
	}
	return Run(os.Args[1:], os.Stdin, env)
}

// Run is Main with everything given to it. What the tool answers is printed to env.Stdout as a JSON array of items.
func Run(args []string, stdin io.Reader, env *flow.Env) int {
	o, err := parse(args)
	if err != nil {
		io.WriteString(env.Stderr, "Parse error: "+err.Error()+"\n")
		return 2
	}
	input := flow.Stream(flow.Empty)
	if o.Each {
		input = items(stdin)
	}
	out, err := flow.Run(env, []flow.Stage{openclaw.Invoke(o)}, 0, input)
	if err == nil {
		_, err = io.WriteString(env.Stdout, value.Array(out.Items...).Indent()+"\n")
	}
	if err != nil {
		io.WriteString(env.Stderr, "Error: "+err.Error()+"\n")
		return 1
	}
	return 0
}

// parse reads the stage's flags.
func parse(args []string) (o openclaw.InvokeOptions, err error) {
	if len(args) == 0 {
		return o, errors.New("name the stage first")
	}
	o.Name = args[0]
	argsJSON := ""
	list := []flags.Flag{
		{Name: "tool", To: &o.Tool}, {Name: "action", To: &o.Action}, {Name: "args-json", To: &argsJSON},
		{Name: "each", To: &o.Each}, {Name: "item-key", To: &o.ItemKey}, {Name: "itemKey", To: &o.ItemKey},
		{Name: "url", To: &o.URL}, {Name: "token", To: &o.Token}, {Name: "session-key", To: &o.SessionKey}, {Name: "sessionKey", To: &o.SessionKey},
		{Name: "dry-run", To: &o.DryRun}, {Name: "dryRun", To: &o.DryRun},
	}
	words, err := flags.Parse(list, args[1:])
	switch {
	case err != nil:
		return o, err
	case len(words) > 0:
		return o, errors.New(o.Name + " takes no words, got " + plain.Quote(words[0]))
	case o.Tool == "" || o.Action == "":
		return o, errors.New(o.Name + " requires --tool and --action")
	case argsJSON == "":
		return o, nil
	}
	if o.Args, err = value.ParseString(argsJSON); err != nil {
		return o, errors.New(o.Name + " --args-json must be valid JSON")
	}
	return o, nil
}

// items are the elements of a JSON array on r, or the one JSON value.
func items(r io.Reader) flow.Stream {
	return func(yield func(value.Value, error) bool) {
		for v, err := range value.NewDecoder(r).All() {
			if err != nil {
				err = plain.Wrap("the items on stdin must be JSON", err)
			}
			if !yield(v, err) || err != nil {
				return
			}
		}
	}
}
