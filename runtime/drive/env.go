package drive

import (
	"strings"

	"github.com/lobsterc/lobsterc/runtime/value"
)

// ArgVar is the environment variable of an argument: LOBSTER_ARG_ and the name in upper case, each run of other characters
// than A-Z and 0-9 one underscore, underscores at the edges cut. It is "" for a name that leaves nothing.
func ArgVar(name string) string {
	var b strings.Builder
	gap := false
	for _, r := range name {
		switch {
		case r >= 'a' && r <= 'z':
			r -= 'a' - 'A'
		case r == 'ı': // the two letters beyond ASCII whose upper case is in it
			r = 'I'
		case r == 'ſ':
			r = 'S'
		case r < '0' || r > '9' && r < 'A' || r > 'Z':
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte('_')
		}
		gap = false
		b.WriteByte(byte(r))
	}
	if b.Len() == 0 {
		return ""
	}
	return "LOBSTER_ARG_" + b.String()
}

// Environ builds a child's environment over the given one: for each layer the arguments' variables, then its own. The last
// entry of a name wins, which is what os/exec and flow.Env look for.
func Environ(parent []string, layers []EnvLayer) []string {
	env := parent[:len(parent):len(parent)]
	lookup := func(name string) (string, bool) { return lookupEnv(env, name) }
	for _, layer := range layers {
		if layer.Args {
			env = appendArgs(env, layer.Run.Args())
		}
		for _, v := range layer.Vars {
			env = append(env, v.Name+"="+v.Eval(layer.Run, lookup))
		}
	}
	return env
}

func appendArgs(env []string, args value.Value) []string {
	env = append(env, "LOBSTER_ARGS_JSON="+args.JSON())
	for name, v := range args.Members() {
		if variable := ArgVar(name); variable != "" {
			env = append(env, variable+"="+ArgText(v))
		}
	}
	return env
}

func lookupEnv(env []string, name string) (string, bool) {
	for i := len(env) - 1; i >= 0; i-- {
		if rest, ok := strings.CutPrefix(env[i], name); ok && strings.HasPrefix(rest, "=") {
			return rest[1:], true
		}
	}
	return "", false
}
