package late

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"unicode/utf8"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/stage"
	"github.com/lobsterc/lobsterc/runtime/stage/filter"
	"github.com/lobsterc/lobsterc/runtime/stage/parse"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// TemplateOptions are stage.TemplateOptions.
type TemplateOptions = stage.TemplateOptions

// Template is stage.Template for a template that lies in a file: it is read when the stage starts.
func Template(o TemplateOptions) flow.Stage {
	s := stage.Template(o)
	if o.File == "" || o.Text != nil {
		return s
	}
	s.Run = func(env *flow.Env, in flow.Stream) flow.Stream {
		return func(yield func(value.Value, error) bool) {
			text, err := readText(env.Dir, o.File)
			var t stage.Text
			if err == nil {
				t, err = templateText(text)
			}
			if err != nil {
				if before := flow.Drain(in); before != nil {
					err = before
				}
				yield(value.Value{}, err)
				return
			}
			stage.Template(TemplateOptions{Text: t}).Run(env, in)(yield)
		}
	}
	return s
}

// readText reads a file as UTF-8, bad bytes replaced. A file that is not there is reported as the reference does.
func readText(dir, name string) (string, error) {
	path := name
	if dir != "" && !filepath.IsAbs(name) {
		path = filepath.Join(dir, name)
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", errors.New("ENOENT: no such file or directory, open '" + name + "'")
	}
	if err != nil {
		return "", errors.New("template --file: " + err.Error())
	}
	if utf8.Valid(data) {
		return string(data), nil
	}
	return string([]rune(string(data))), nil
}

func templateText(text string) (stage.Text, error) {
	pieces, err := parse.Template(text)
	return plainText(pieces), err
}

func plainText(pieces []parse.Piece) stage.Text {
	t := stage.Text{}
	for _, p := range pieces {
		if !p.Hole {
			t = append(t, stage.Lit(p.Lit))
			continue
		}
		var filters []stage.Filter
		for _, f := range p.Filters {
			filters = append(filters, makeFilter(f))
		}
		t = append(t, stage.Hole(p.Path, filters...))
	}
	return t
}

// makeFilter calls the constructor of a filter with the arguments that package parse has normalised.
func makeFilter(f parse.Filter) stage.Filter {
	text := func(i int) string { return f.Args[i].Str() }
	switch f.Name {
	case "upper":
		return filter.Upper()
	case "lower":
		return filter.Lower()
	case "trim":
		return filter.Trim()
	case "truncate":
		return filter.Truncate(int(f.Args[0].Float()))
	case "replace":
		return filter.Replace(text(0), text(1))
	case "split":
		return filter.Split(text(0))
	case "first":
		return filter.First()
	case "last":
		return filter.Last()
	case "length":
		return filter.Length()
	case "join":
		return filter.Join(text(0))
	case "json":
		return filter.JSON()
	case "string":
		return filter.String()
	case "default":
		return filter.Default(text(0))
	case "round":
		return filter.Round(int(f.Args[0].Float()))
	case "date":
		if len(f.Args) == 0 {
			return filter.Date()
		}
		return filter.Date(text(0))
	}
	panic("lobsterc bug: unknown filter " + f.Name)
}
