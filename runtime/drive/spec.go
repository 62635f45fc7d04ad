package drive

import (
	"path"
	"strings"

	"github.com/lobsterc/lobsterc/runtime/value"
)

// Helpers for the functions of generated programs.

// Prompt is an approval gate that has a constant prompt and nothing else.
func Prompt(text string) func(*Run) Approval {
	return func(*Run) Approval { return Approval{Prompt: text} }
}

// Confirm is an approval gate without anything of its own.
func Confirm(*Run) Approval { return Approval{} }

// Constant is text that does not depend on the run.
func Constant(text string) func(*Run) string {
	return func(*Run) string { return text }
}

// Eval is the value of the variable.
func (v EnvVar) Eval(run *Run, lookup Lookup) string {
	if v.Value == nil {
		return v.Text
	}
	return v.Value(run, lookup)
}

// EnvText is $NAME or ${NAME} in the value of an environment variable: the argument of that name, else the variable that
// lookup finds, else raw, the text as the file has it.
func (r *Run) EnvText(lookup Lookup, name, raw string) string {
	if v := r.args.Get(name); !v.IsAbsent() {
		return ArgText(v)
	}
	if lookup != nil {
		if s, ok := lookup(name); ok {
			return s
		}
	}
	return raw
}

// JoinPath is a sub-workflow's path relative to the folder of the program's entry file; dir is the folder of the calling file.
func JoinPath(dir, file string) string {
	if path.IsAbs(file) {
		return path.Clean(file)
	}
	return path.Join(dir, file)
}

// Digits is a number that a double cannot hold; it keeps its digits.
func Digits(text string) value.Value {
	v, err := value.ParseString(text)
	if err != nil {
		panic("lobsterc bug: not a number in generated code: " + text)
	}
	return v
}

// Extend is a reference in a template that an argument follows directly: as in the reference implementation, which puts
// arguments in first, what tail starts with belongs to the path as far as it can: "$s.json${n}" with n = "1.5 h" is
// $s.json1.5 and then " h". Nothing else in tail is looked at.
func (r *Run) Extend(tail string, id, field string, path ...string) string {
	n := 0
	for i := 0; i < len(tail); i++ {
		if c := tail[i]; c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' {
			n = i + 1
		} else if c != '.' || n != i {
			break
		}
	}
	keys := strings.Split(strings.Join(append([]string{field}, path...), ".")+tail[:n], ".")
	return r.Text(id, keys[0], keys[1:]...) + tail[n:]
}

// Need is Ref in a program built with --compat, where a reference may lead nowhere: then the run fails.
func (r *Run) Need(id, field string, path ...string) value.Value {
	if _, ok := r.Result(id); !ok && !r.plan {
		Fail("Unknown step reference: " + strings.Join(append([]string{id, field}, path...), "."))
	}
	return r.Ref(id, field, path...)
}

// And is x && y in a program built with --compat, where both sides must be evaluated because either can fail the run.
func And(x, y bool) bool { return x && y }

// Or is x || y in a program built with --compat.
func Or(x, y bool) bool { return x || y }
