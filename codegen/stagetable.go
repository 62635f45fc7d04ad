package codegen

import (
	"github.com/dave/jennifer/jen"

	"github.com/lobsterc/lobsterc/compiler/catalog"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// stageTable asks for the function that gives the table of all stages, for commands.list. Only programs that name that stage
// have the table.
func (g *generator) stageTable() *jen.Statement {
	if g.table == "" {
		g.table = g.names.pick("stageTable")
		var rows []jen.Code
		for _, st := range g.opt.Catalogue.All() {
			rows = append(rows, literal(describe(st)))
		}
		g.funcs = append(g.funcs, jen.Commentf("%s describes every stage, for commands.list.", g.table).Line().
			Func().Id(g.table).Params().Add(val("Value")).Block(jen.Return(val("Array").Custom(
			jen.Options{Open: "(", Close: ")", Separator: ",", Multi: true}, rows...))))
	}
	return jen.Id(g.table).Call()
}

// describe is a stage as commands.list shows it.
func describe(st *catalog.Stage) value.Value {
	var properties []value.Member
	required := []value.Value{}
	for i := range st.Flags {
		f := &st.Flags[i]
		for _, name := range append([]string{f.Name}, f.Aliases...) {
			properties = append(properties, value.M(name, describeFlag(f)))
		}
		if f.Required && !f.HasDefault && st.Words.Flag != f.Name {
			required = append(required, value.String(f.Name))
		}
	}
	if st.Words.Mode != catalog.NoWords {
		properties = append(properties, value.M("_", value.Object(
			value.M("type", value.String("array")),
			value.M("items", value.Object(value.M("type", value.String("string")))))))
	}
	return value.Object(
		value.M("name", value.String(st.Name)),
		value.M("description", value.String(st.Summary)),
		value.M("argsSchema", value.Object(
			value.M("type", value.String("object")),
			value.M("properties", value.Object(properties...)),
			value.M("required", value.Array(required...)))),
		value.M("examples", value.Null),
		value.M("sideEffects", value.Strings(st.Effects...)))
}

// describeFlag is a flag's JSON Schema.
func describeFlag(f *catalog.Flag) value.Value {
	typ := "string"
	switch f.Type {
	case catalog.Bool:
		typ = "boolean"
	case catalog.Int, catalog.Number:
		typ = "number"
	}
	members := []value.Member{value.M("type", value.String(typ)), value.M("description", value.String(f.Help))}
	if len(f.Values) > 0 {
		members = append(members, value.M("enum", value.Strings(f.Values...)))
	}
	if f.HasDefault {
		def := value.String(f.Default)
		if typ == "number" {
			def = value.Number(value.StringNumber(f.Default))
		}
		members = append(members, value.M("default", def))
	}
	return value.Object(members...)
}
