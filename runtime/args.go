package runtime

import (
	"strings"

	"github.com/lobsterc/lobsterc/runtime/drive"
	"github.com/lobsterc/lobsterc/runtime/plain"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// givenArgs are the arguments of the command line, before defaults.
type givenArgs struct {
	json  string   // --args-json
	named []string // --arg NAME=VALUE
	flags []argFlag
}

// argFlag is an argument's own flag, when it was given.
type argFlag struct {
	arg  *Arg
	text string
}

// resolveArgs gives the arguments of the run: defaults, then --args-json, then --arg, then the arguments' own flags. Secrets
// come from the environment, or ask asks for them (nil when nobody can be asked).
func resolveArgs(declared []Arg, given givenArgs, getenv func(string) (string, bool), ask func(name string) (string, error)) (value.Value, error) {
	var list []drive.NamedValue
	if given.json != "" {
		v, err := value.ParseString(given.json)
		if err != nil {
			return value.Value{}, usage(badArgsJSON)
		}
		list = append(list, entries(v)...)
	}
	for _, text := range given.named {
		name, val, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return value.Value{}, usage("--arg wants NAME=VALUE, got " + plain.Quote(text))
		}
		v, err := argValue(findArg(declared, name), name, val)
		if err != nil {
			return value.Value{}, err
		}
		list = append(list, drive.NamedValue{Name: name, Value: v})
	}
	for _, f := range given.flags {
		v, err := argValue(f.arg, f.arg.Name, f.text)
		if err != nil {
			return value.Value{}, err
		}
		list = append(list, drive.NamedValue{Name: f.arg.Name, Value: v})
	}
	list, err := withSecrets(declared, list, getenv, ask)
	if err != nil {
		return value.Value{}, err
	}
	args := drive.ResolveArgs(declared, list)
	return args, checkArgs(declared, args)
}

// entries reads --args-json as the reference does: the members of an object, an array's elements or a string's characters
// under their index; nothing else has any.
func entries(v value.Value) []drive.NamedValue {
	var list []drive.NamedValue
	switch v.Kind() {
	case value.ObjectKind:
		for k, x := range v.Members() {
			list = append(list, drive.NamedValue{Name: k, Value: x})
		}
	case value.ArrayKind:
		for i, x := range v.Items() {
			list = append(list, drive.NamedValue{Name: plain.Int(i), Value: x})
		}
	case value.StringKind:
		i := 0
		for _, r := range v.Str() {
			list = append(list, drive.NamedValue{Name: plain.Int(i), Value: value.String(string(r))})
			i++
		}
	}
	return list
}

func findArg(declared []Arg, name string) *Arg {
	for i := range declared {
		if declared[i].Name == name {
			return &declared[i]
		}
	}
	return nil
}

// argValue reads an argument's text from the command line: as JSON where its type, or its default, is not a string.
func argValue(a *Arg, name, text string) (value.Value, error) {
	kind := ""
	if a != nil {
		kind = a.Type
		if kind == "" {
			kind = typeOfDefault(a.Default)
		}
		if a.Secret {
			return value.Value{}, usage("argument " + name + " is secret: give it in the environment variable " + drive.ArgVar(name) + ", not on the command line")
		}
	}
	if kind == "" || kind == "string" {
		return value.String(text), nil
	}
	v, err := value.ParseString(text)
	if err != nil || !hasType(v, kind) {
		return value.Value{}, usage("argument " + name + " must be " + article(kind) + ", got " + plain.Quote(text))
	}
	return v, nil
}

func typeOfDefault(v value.Value) string {
	switch v.Kind() {
	case value.BoolKind:
		return "boolean"
	case value.NumberKind:
		return "number"
	case value.ArrayKind:
		return "array"
	case value.ObjectKind:
		return "object"
	}
	return ""
}

func hasType(v value.Value, kind string) bool {
	switch kind {
	case "string":
		return v.Kind() == value.StringKind
	case "number":
		return v.Kind() == value.NumberKind
	case "integer":
		return v.Kind() == value.NumberKind && v.Float() == float64(int64(v.Float()))
	case "boolean":
		return v.Kind() == value.BoolKind
	case "array":
		return v.Kind() == value.ArrayKind
	case "object":
		return v.Kind() == value.ObjectKind
	}
	return true
}

func article(kind string) string {
	if strings.ContainsRune("aeiou", rune(kind[0])) {
		return "an " + kind
	}
	return "a " + kind
}

// withSecrets adds the secret arguments, whose values never stand on a command line.
func withSecrets(declared []Arg, list []drive.NamedValue, getenv func(string) (string, bool), ask func(string) (string, error)) ([]drive.NamedValue, error) {
	for i := range declared {
		a := &declared[i]
		if !a.Secret {
			continue
		}
		text, ok := getenv(drive.ArgVar(a.Name))
		if !ok && ask != nil && a.Default.IsAbsent() {
			var err error
			if text, err = ask(a.Name); err != nil {
				return nil, err
			}
			ok = true
		}
		if ok {
			list = append(list, drive.NamedValue{Name: a.Name, Value: value.String(text)})
		}
	}
	return list, nil
}

// checkArgs holds the declared rules against the arguments: required ones are there, types fit.
func checkArgs(declared []Arg, args value.Value) error {
	for i := range declared {
		a := &declared[i]
		v := args.Get(a.Name)
		switch {
		case v.IsAbsent() && a.Required && a.Secret:
			return usage("missing argument " + a.Name + ": set " + drive.ArgVar(a.Name) + " (it is secret)")
		case v.IsAbsent() && a.Required:
			return usage("missing argument " + a.Name + ": give --arg " + a.Name + "=VALUE or --args-json '{\"" + a.Name + "\": ...}'")
		case v.IsAbsent() || v.IsNull() || a.Type == "":
		case !hasType(v, a.Type):
			return usage("argument " + a.Name + " must be " + article(a.Type) + ", got " + v.JSON())
		}
	}
	return nil
}
