package codegen

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/lobsterc/lobsterc/compiler/catalog"
	"github.com/lobsterc/lobsterc/ir"
	"github.com/lobsterc/lobsterc/ir/diag"
	"github.com/lobsterc/lobsterc/runtime/stage/parse"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// Literal stage text is parsed here by the parsers that programs use for text with holes, and written as constructors.

// lateMethods are the methods of late.Values that give what a type becomes in Go.
var lateMethods = map[catalog.Type]string{
	catalog.Bool: "Bool", catalog.Int: "Int", catalog.Number: "Number", catalog.Enum: "Enum", catalog.JSON: "JSON",
	catalog.Schema: "Schema", catalog.Path: "Path", catalog.Names: "Names", catalog.Predicate: "Predicate",
	catalog.Template: "Template", catalog.Words: "Words", catalog.Assignments: "Assign",
}

// parsed is the expression that a text of one of the parsed types becomes.
func parsed(typ catalog.Type, s string, pos diag.Pos) *jen.Statement {
	check := func(err error) {
		if err != nil {
			panic(fmt.Sprintf("lobsterc bug: %v: %v was not checked: %v", pos, typ, err))
		}
	}
	switch typ {
	case catalog.Path:
		return pathLit(parse.Path(s))
	case catalog.Names:
		return jen.Index().String().Values(stringLits(parse.Names(s))...)
	case catalog.Predicate:
		c, err := parse.Where(s)
		check(err)
		return stg("Compare").Call(pathLit(c.Path), jen.Lit(c.Op), literal(c.Value))
	case catalog.Template:
		pieces, err := parse.Template(s)
		check(err)
		return pieceList(pieces)
	}
	panic(fmt.Sprintf("lobsterc bug: %v: text of type %v", pos, typ))
}

func stringLits(words []string) []jen.Code {
	list := make([]jen.Code, len(words))
	for i, w := range words {
		list[i] = jen.Lit(w)
	}
	return list
}

func pathLit(keys []string) *jen.Statement { return stg("Path").Values(stringLits(keys)...) }

// pieceList is a parsed template.
func pieceList(pieces []parse.Piece) *jen.Statement {
	var items []jen.Code
	for _, p := range pieces {
		if !p.Hole {
			items = append(items, stg("Lit").Call(text(p.Lit)))
			continue
		}
		args := []jen.Code{pathLit(p.Path)}
		for _, f := range p.Filters {
			args = append(args, filterCall(f))
		}
		items = append(items, stg("Hole").Call(args...))
	}
	if len(items) > 3 {
		return stg("Text").Add(lines(items))
	}
	return stg("Text").Values(items...)
}

// filterCall is the constructor of a filter.
func filterCall(f parse.Filter) *jen.Statement {
	var args []jen.Code
	for _, a := range f.Args {
		if a.Kind() == value.StringKind {
			args = append(args, jen.Lit(a.Str()))
		} else {
			args = append(args, jen.Lit(int(a.Float())))
		}
	}
	name, ok := filterFuncs[f.Name]
	if !ok {
		panic(fmt.Sprintf("lobsterc bug: unknown filter %q", f.Name))
	}
	return jen.Qual(filterPath, name).Call(args...)
}

// filterFuncs are the constructors of runtime/stage/filter.
var filterFuncs = map[string]string{
	"upper": "Upper", "lower": "Lower", "trim": "Trim", "truncate": "Truncate", "replace": "Replace", "split": "Split",
	"first": "First", "last": "Last", "length": "Length", "join": "Join", "json": "JSON", "string": "String",
	"default": "Default", "round": "Round", "date": "Date",
}

// assignments is a list of key=text words.
func (e *stageEmitter) assignments(entry *catalog.Stage, words []ir.Word) *jen.Statement {
	var items []jen.Code
	for _, w := range words {
		s, ok := constText(w.Text)
		if !ok {
			items = append(items, e.lateCall("Assign", template(w.Text)))
			continue
		}
		a, err := parse.Assignment(s)
		if err != nil {
			panic(fmt.Sprintf("lobsterc bug: %v: %s: %v", w.Pos, entry.Name, err))
		}
		items = append(items, jen.Values(jen.Id("Key").Op(":").Lit(a.Key), jen.Id("Text").Op(":").Add(pieceList(a.Text))))
	}
	return jen.Index().Add(stg("Assign")).Add(lines(items))
}
