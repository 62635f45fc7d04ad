package runtime

import (
	"errors"
	"testing"

	"github.com/lobsterc/lobsterc/runtime/value"
)

func TestResolveArgs(t *testing.T) {
	declared := []Arg{
		{Name: "who", Default: value.String("bob")},
		{Name: "n", Default: value.Int(3)},
		{Name: "list", Type: "array"},
		{Name: "need", Required: true},
		{Name: "pin", Secret: true},
	}
	env := map[string]string{"LOBSTER_ARG_PIN": "1234", "LOBSTER_ARG_WHO": "not taken: it is no secret"}
	getenv := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	flag := func(i int, text string) argFlag { return argFlag{&declared[i], text} }
	for _, tc := range []struct {
		name  string
		given givenArgs
		want  string // JSON, or the error
	}{
		{"defaults and a secret", givenArgs{json: `{"need":1}`}, `{"who":"bob","n":3,"need":1,"pin":"1234"}`},
		{"later beats earlier", givenArgs{json: `{"need":1,"n":4}`, named: []string{"n=5"}, flags: []argFlag{flag(1, "6")}}, `{"who":"bob","n":6,"need":1,"pin":"1234"}`},
		{"undeclared", givenArgs{json: `{"need":null}`, named: []string{"x=1=2"}}, `{"who":"bob","n":3,"need":null,"x":"1=2","pin":"1234"}`},
		{"array as the reference reads it", givenArgs{json: `["a"]`, named: []string{"need=x"}}, `{"0":"a","who":"bob","n":3,"need":"x","pin":"1234"}`},
		{"missing", givenArgs{}, `missing argument need: give --arg need=VALUE or --args-json '{"need": ...}'`},
		{"bad JSON", givenArgs{json: `{`}, badArgsJSON},
		{"bad type", givenArgs{flags: []argFlag{flag(1, "x")}}, `argument n must be a number, got "x"`},
		{"bad type in JSON", givenArgs{json: `{"need":1,"list":{}}`}, `argument list must be an array, got {}`},
		{"secret on the command line", givenArgs{named: []string{"pin=1"}}, `argument pin is secret: give it in the environment variable LOBSTER_ARG_PIN, not on the command line`},
		{"no name", givenArgs{named: []string{"=1"}}, `--arg wants NAME=VALUE, got "=1"`},
	} {
		args, err := resolveArgs(declared, tc.given, getenv, nil)
		got := args.JSON()
		if err != nil {
			got = err.Error()
			var usage *usageError
			if !errors.As(err, &usage) {
				t.Errorf("%s: %v is no usage error", tc.name, err)
			}
		}
		if got != tc.want {
			t.Errorf("%s: got %s, want %s", tc.name, got, tc.want)
		}
	}
}
