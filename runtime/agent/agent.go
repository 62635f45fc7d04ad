// Package agent holds openclaw.agent: one turn of an OpenClaw agent through its command line (spec part 2 and part 7, 30). It has a package of
// its own so that programs with it link no HTTP.
package agent

import (
	"errors"
	"strconv"
	"strings"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/proc"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// maxOutput bounds what the agent may print.
const maxOutput = 10 << 20

// AgentOptions are the stage's flags; Prompt may also come from words.
type AgentOptions struct {
	Prompt     string
	Agent      string
	Model      string
	SessionKey string
	SessionID  string
	Thinking   string
	Timeout    *int // seconds
	Local      bool
}

// Agent is the stage. Its item is the object that the agent prints.
func Agent(o AgentOptions) flow.Stage {
	return flow.Stage{
		Name: "openclaw.agent", Effect: true, Dispatch: true, Gathers: true, Needs: needs,
		Run: func(env *flow.Env, in flow.Stream) flow.Stream {
			return func(yield func(value.Value, error) bool) {
				yield(o.run(env, in))
			}
		},
	}
}

func (o AgentOptions) run(env *flow.Env, in flow.Stream) (value.Value, error) {
	argv, err := o.argv(in)
	if err != nil {
		return value.Value{}, err
	}
	result, err := proc.Run(env.Ctx, proc.Spec{
		Argv: append([]string{binary(env.LookupEnv)}, argv...), Dir: env.Dir, Env: env.Environ, Stderr: env.ChildStderr, MaxOutput: maxOutput,
		Started: func(pid int, start string) error {
			env.NoteDispatch()
			if env.Started == nil {
				return nil
			}
			return env.Started(pid, start)
		},
	})
	switch {
	case proc.IsNotFound(err):
		return value.Value{}, errors.New("openclaw.agent could not find the OpenClaw CLI")
	case err != nil:
		return value.Value{}, err
	case !result.OK():
		return value.Value{}, errors.New("openclaw.agent failed: " + why(result))
	}
	v, err := value.ParseString(strings.TrimSpace(result.Stdout))
	if err != nil || v.Kind() != value.ObjectKind {
		return value.Value{}, errors.New("openclaw.agent expected JSON output from `openclaw agent --json`")
	}
	return v, nil
}

// argv is the command line behind the executable, in the reference's order.
func (o AgentOptions) argv(in flow.Stream) ([]string, error) {
	items, err := flow.Collect(in)
	if err != nil {
		return nil, err
	}
	prompt := strings.TrimSpace(o.Prompt)
	if prompt == "" {
		return nil, errors.New("openclaw.agent requires --prompt, --message, or positional text")
	}
	options := [][2]string{
		{"--agent", o.Agent}, {"--model", o.Model}, {"--session-key", o.SessionKey}, {"--session-id", o.SessionID}, {"--thinking", o.Thinking},
	}
	if strings.TrimSpace(o.Agent+o.SessionKey+o.SessionID) == "" {
		return nil, errors.New("openclaw.agent requires --agent, --session-key, or --session-id")
	}
	if len(items) > 0 {
		lines := []byte(prompt + "\n\nPipeline input (JSONL):")
		for _, item := range items {
			lines = item.AppendJSON(append(lines, '\n'))
		}
		prompt = string(lines)
	}
	argv := []string{"agent", "--json", "--message", prompt}
	for _, opt := range options {
		if v := strings.TrimSpace(opt[1]); v != "" {
			argv = append(argv, opt[0], v)
		}
	}
	if o.Timeout != nil {
		argv = append(argv, "--timeout", strconv.Itoa(*o.Timeout))
	}
	if o.Local {
		argv = append(argv, "--local")
	}
	return argv, nil
}

func why(r proc.Result) string {
	for _, text := range []string{r.Stderr, r.Stdout} {
		if text = strings.TrimSpace(text); text != "" {
			return text
		}
	}
	return "exited with code " + r.CodeText()
}

func binary(get func(string) (string, bool)) string {
	if bin, _ := get("LOBSTER_OPENCLAW_BIN"); strings.TrimSpace(bin) != "" {
		return strings.TrimSpace(bin)
	}
	return "openclaw"
}

// needs is the stage's Needs.
func needs(env *flow.Env) string {
	bin := binary(env.LookupEnv)
	if proc.Have(bin, env.Dir, env.Environ) {
		return ""
	}
	return "openclaw.agent could not find the OpenClaw CLI: there is no " + bin + "; install it or set LOBSTER_OPENCLAW_BIN"
}
