// Package spec turns the stages that a Go package registers into JSON for the compiler. It runs inside a small program that lobsterc
// generates; no compiled workflow links it.
package spec

import (
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"runtime"
	"strings"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/host"
	"github.com/lobsterc/lobsterc/runtime/stage"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// Main prints the stages as JSON and gives the exit code: 1 when a registration is wrong, which it explains on stderr.
func Main(groups ...[]host.Stage) int {
	var list []value.Value
	for _, group := range groups {
		for i := range group {
			v, err := describe(&group[i])
			if err != nil {
				fmt.Fprintf(os.Stderr, "stage %q: %v\n", group[i].Name, err)
				return 1
			}
			list = append(list, v)
		}
	}
	if _, err := io.WriteString(os.Stdout, value.Array(list...).JSON()+"\n"); err != nil {
		return 1
	}
	return 0
}

func describe(s *host.Stage) (value.Value, error) {
	pkg, name, options, err := constructor(s.New)
	if err != nil {
		return value.Value{}, err
	}
	flags, words, err := fields(options)
	if err != nil {
		return value.Value{}, err
	}
	return value.Object(
		value.M("name", value.String(s.Name)), value.M("summary", value.String(s.Summary)),
		value.M("usage", value.Strings(s.Usage...)), value.M("notes", value.Strings(s.Notes...)), value.M("example", value.String(s.Example)),
		value.M("effects", value.Strings(s.Effects...)), value.M("dispatch", value.Bool(s.Dispatch)), value.M("ignoresInput", value.Bool(s.IgnoresInput)),
		value.M("package", value.String(pkg)), value.M("constructor", value.String(name)),
		value.M("flags", value.Array(flags...)), value.M("words", words),
	), nil
}

var stageType = reflect.TypeFor[flow.Stage]()

// constructor gives package and name of a constructor, and the type of its options, nil when it takes none.
func constructor(f any) (pkg, name string, options reflect.Type, err error) {
	v := reflect.ValueOf(f)
	if v.Kind() != reflect.Func || v.IsNil() {
		return "", "", nil, errors.New("New must be a function")
	}
	t := v.Type()
	if t.NumOut() != 1 || t.Out(0) != stageType || t.NumIn() > 1 {
		return "", "", nil, fmt.Errorf("New is %v, it must be func() flow.Stage or func(XOptions) flow.Stage", t)
	}
	full := runtime.FuncForPC(v.Pointer()).Name()
	slash := strings.LastIndexByte(full, '/') + 1
	last, name, _ := strings.Cut(full[slash:], ".")
	pkg = full[:slash] + strings.ReplaceAll(last, "%2e", ".")
	if name == "" || strings.ToUpper(name[:1]) != name[:1] || strings.Contains(name, ".") {
		return "", "", nil, fmt.Errorf("New is %s, it must be an exported function of the package", full)
	}
	if t.NumIn() == 0 {
		return pkg, name, nil, nil
	}
	options = t.In(0)
	if options.Kind() != reflect.Struct || options.Name() != name+"Options" || options.PkgPath() != pkg {
		return "", "", nil, fmt.Errorf("%s takes %v, it must take a struct named %sOptions of its own package", name, options, name)
	}
	return pkg, name, options, nil
}

// fields reads the flags and the words off the options.
func fields(options reflect.Type) (flags []value.Value, words value.Value, err error) {
	if options == nil {
		return nil, value.Value{}, nil
	}
	for i := range options.NumField() {
		f := options.Field(i)
		name, isFlag := f.Tag.Lookup("flag")
		title, isWords := f.Tag.Lookup("words")
		var v value.Value
		switch {
		case isFlag == isWords || !f.IsExported():
			return nil, words, fmt.Errorf("%s.%s must be exported and have one of the tags `flag` and `words`", options, f.Name)
		case isFlag:
			if v, err = flag(&f, name); err == nil {
				flags = append(flags, v)
			}
		case !words.IsAbsent():
			return nil, words, fmt.Errorf("%s has two fields for words", options)
		default:
			words, err = positional(&f, title)
		}
		if err != nil {
			return nil, words, fmt.Errorf("%s.%s %w", options, f.Name, err)
		}
	}
	return flags, words, nil
}

// types are the catalogue's types by Go type.
var types = map[reflect.Type]string{
	reflect.TypeFor[bool](): "boolean", reflect.TypeFor[int](): "integer", reflect.TypeFor[*int](): "integer",
	reflect.TypeFor[float64](): "number", reflect.TypeFor[*float64](): "number", reflect.TypeFor[string](): "text", reflect.TypeFor[[]string](): "names",
	reflect.TypeFor[value.Value](): "JSON", reflect.TypeFor[flow.Schema](): "JSON Schema",
	reflect.TypeFor[stage.Path](): "path", reflect.TypeFor[stage.Predicate](): "comparison", reflect.TypeFor[stage.Text](): "template",
}

func flag(f *reflect.StructField, names string) (value.Value, error) {
	typ, ok := types[f.Type]
	if !ok {
		return value.Value{}, fmt.Errorf("is %v, which no flag can be", f.Type)
	}
	all := strings.Split(names, ",")
	if all[0] == "" {
		return value.Value{}, errors.New("has no name in its tag `flag`")
	}
	text, hasDefault := f.Tag.Lookup("default")
	values, isEnum := f.Tag.Lookup("values")
	number := f.Type.Kind() == reflect.Int || f.Type.Kind() == reflect.Float64
	switch {
	case isEnum && typ != "text":
		return value.Value{}, errors.New("has `values`, which only a string can have")
	case isEnum:
		typ = "word"
	case number && !hasDefault && !isSet(f, "required"):
		text, hasDefault = "0", true
	case f.Type.Kind() == reflect.Pointer && hasDefault:
		return value.Value{}, errors.New("has a default, so it needs no pointer")
	}
	if number && !hasDefault {
		return value.Value{}, fmt.Errorf("is required: make it a *%v, or give it a default", f.Type)
	}
	m := []value.Member{
		value.M("name", value.String(all[0])), value.M("aliases", value.Strings(all[1:]...)), value.M("type", value.String(typ)),
		value.M("field", value.String(f.Name)), value.M("help", value.String(f.Tag.Get("help"))), value.M("required", value.Bool(isSet(f, "required"))),
		value.M("secret", value.Bool(isSet(f, "secret"))), value.M("file", value.Bool(isSet(f, "file"))),
	}
	if hasDefault {
		m = append(m, value.M("default", value.String(text)))
	}
	if isEnum {
		m = append(m, value.M("values", value.Strings(strings.Split(values, ",")...)))
	}
	return value.Object(m...), nil
}

// positional describes the field that takes the words.
func positional(f *reflect.StructField, title string) (value.Value, error) {
	each := false
	switch f.Type {
	case reflect.TypeFor[string]():
	case reflect.TypeFor[[]string]():
		each = true
	default:
		return value.Value{}, fmt.Errorf("is %v: words are a string or a []string", f.Type)
	}
	return value.Object(
		value.M("name", value.String(title)), value.M("each", value.Bool(each)), value.M("field", value.String(f.Name)),
		value.M("help", value.String(f.Tag.Get("help"))), value.M("required", value.Bool(isSet(f, "required"))),
	), nil
}

func isSet(f *reflect.StructField, tag string) bool { return f.Tag.Get(tag) == "true" }
