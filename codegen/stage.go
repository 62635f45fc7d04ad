package codegen

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/lobsterc/lobsterc/compiler/catalog"
	"github.com/lobsterc/lobsterc/ir"
	"github.com/lobsterc/lobsterc/ir/diag"
	"github.com/lobsterc/lobsterc/runtime/stage/parse"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// A stage becomes a call of its constructor with a literal of its options, by the rules that the catalogue's package comment
// states. Text without holes is parsed here. Text with holes is parsed when the stages are made, through a late.Values, which
// only such programs link.

const (
	stagePath  = RuntimePath + "/stage"
	latePath   = stagePath + "/late"
	filterPath = stagePath + "/filter"
)

// stg names something of package stage.
func stg(name string) *jen.Statement { return jen.Qual(stagePath, name) }

// pipelineFunc asks for the function that gives the stages of a pipeline.
func (g *generator) pipelineFunc(p *ir.Pipeline, scope []string, what string) jen.Code {
	prefix, does := "step", "is the pipeline of "+what
	if scope == nil {
		prefix, does = "stages", "are the stages of "+what
	}
	name := g.names.pick(prefix, scope...)
	e := &stageEmitter{g: g, scope: scope, what: what, halts: g.halts(p)}
	var rows []jen.Code
	for i := 0; i < len(p.Stages); i++ {
		if i+2 < len(p.Stages) && !e.halts && keepsKey(&p.Stages[i], &p.Stages[i+1]) {
			if fused := e.sortHead(&p.Stages[i+1], &p.Stages[i+2]); fused != nil {
				rows = append(rows, fused, e.stage(&p.Stages[i]))
				i += 2
				continue
			}
		}
		if i+1 < len(p.Stages) && !e.halts {
			if fused := e.sortHead(&p.Stages[i], &p.Stages[i+1]); fused != nil {
				rows = append(rows, fused)
				i++
				continue
			}
		}
		rows = append(rows, e.stage(&p.Stages[i]))
	}
	body := []jen.Code{jen.Return(rt("Pipeline").Values(
		jen.Id("Stages").Op(":").Index().Qual(flowPath, "Stage").Add(lines(rows))))}
	if e.late {
		body = append([]jen.Code{jen.Var().Id("l").Qual(latePath, "Values")}, body...)
	}
	g.declare(name, does, p.Pos, jen.Func().Id(name).Params(runParam()).Add(rt("Pipeline")).Block(body...))
	return jen.Id(name)
}

// lookup finds a stage that the front end has checked.
func (g *generator) lookup(st *ir.Stage) *catalog.Stage {
	entry, ok := g.opt.Catalogue.Lookup(st.Name)
	if !ok {
		panic(fmt.Sprintf("lobsterc bug: %v: stage %q is not in the catalogue", st.Pos, st.Name))
	}
	return entry
}

// halts tells whether a person can be asked inside the pipeline: then its stages carry their text into saved states.
func (g *generator) halts(p *ir.Pipeline) bool {
	for i := range p.Stages {
		if st := &p.Stages[i]; st.Fault == "" && g.lookup(st).Halts != "" {
			return true
		}
	}
	return false
}

// stageEmitter writes the stages of one pipeline.
type stageEmitter struct {
	g     *generator
	scope []string
	what  string
	halts bool
	// late: some text is parsed when the stages are made; lateHere: in the stage being written.
	late, lateHere bool
}

// stage is the call that makes st.
func (e *stageEmitter) stage(st *ir.Stage) *jen.Statement {
	if st.Fault != "" {
		return e.written(stg("Failing").Call(jen.Lit(st.Name), jen.Qual("errors", "New").Call(text(st.Fault))), st)
	}
	entry := e.g.lookup(st)
	e.lateHere = false
	given := func(flag string) bool { return findFlag(entry, st, flag) != nil }
	ctor := entry.Constructor(given)
	call := jen.Qual(ctor.Package, ctor.Name)
	if entry.HasOptions() {
		f := e.options(entry, st)
		f.multi = f.multi || len(f.items) > 3
		call = call.Call(jen.Qual(ctor.Package, ctor.Name+"Options").Add(f.lit()))
	} else {
		call = call.Call()
	}
	if e.lateHere {
		call = jen.Id("l").Dot("Stage").Call(call)
	}
	return e.written(call, st)
}

// written adds the stage's text and arguments in a pipeline whose saved states carry them.
func (e *stageEmitter) written(call *jen.Statement, st *ir.Stage) *jen.Statement {
	if e.halts {
		call = stg("Named").Call(call, jen.Lit(st.Name), template(argTemplate(st.Raw)), expanded(st.Args))
	}
	return call
}

// findFlag gives the flag of st that goes by any of the spellings of name; nil when it was not given.
func findFlag(entry *catalog.Stage, st *ir.Stage, name string) *ir.Flag {
	for i := range st.Flags {
		if f, ok := entry.Flag(st.Flags[i].Name); ok && f.Name == name {
			return &st.Flags[i]
		}
	}
	return nil
}

// options are the fields of the options literal, in the order of the catalogue.
func (e *stageEmitter) options(entry *catalog.Stage, st *ir.Stage) *fields {
	f := &fields{}
	if entry.NameField != "" {
		f.add(entry.NameField, jen.Lit(st.Name))
	}
	for i := range entry.Flags {
		flag := &entry.Flags[i]
		label := entry.Name + " --" + flag.Name
		switch given := findFlag(entry, st, flag.Name); {
		case given != nil:
			e.set(f, flag, label, given.Value, given.Pos)
		case entry.Words.Flag == flag.Name && len(st.Words) > 0:
			e.set(f, flag, entry.Name, joinWords(entry.Words.Mode, st.Words), st.Words[0].Pos)
		case flag.HasDefault:
			e.set(f, flag, label, ir.Template{ir.Text(flag.Default)}, st.Pos)
		}
	}
	if w := &entry.Words; w.Flag == "" && len(st.Words) > 0 {
		e.words(f, entry, st)
	}
	if entry.TableField != "" {
		f.addMulti(entry.TableField, e.g.stageTable())
	}
	return f
}

// joinWords is the text that words make together.
func joinWords(mode catalog.WordMode, words []ir.Word) ir.Template {
	if mode == catalog.OneWord {
		return words[0].Text
	}
	t := ir.Template{}
	for i, w := range words {
		if i > 0 {
			t = append(t, ir.Text(" "))
		}
		t = append(t, w.Text...)
	}
	return t
}

// words sets the field that takes the positional words.
func (e *stageEmitter) words(f *fields, entry *catalog.Stage, st *ir.Stage) {
	w := &entry.Words
	switch w.Type {
	case catalog.Words:
		f.add(w.Field, e.wordList(st.Words))
	case catalog.Assignments:
		f.add(w.Field, e.assignments(entry, st.Words))
	default:
		flag := &catalog.Flag{Field: w.Field, Type: w.Type, Message: w.Message}
		e.set(f, flag, entry.Name, joinWords(w.Mode, st.Words), st.Words[0].Pos)
	}
}

// wordList is a list of words; a hole that stands alone gives as many as its text has.
func (e *stageEmitter) wordList(words []ir.Word) *jen.Statement {
	var parts []*jen.Statement
	var plain []jen.Code
	flush := func() {
		if len(plain) > 0 {
			parts = append(parts, jen.Index().String().Values(plain...))
			plain = nil
		}
	}
	for _, w := range words {
		if !w.Alone {
			plain = append(plain, template(w.Text))
			continue
		}
		flush()
		parts = append(parts, e.lateCall("Words", template(w.Text)))
	}
	flush()
	switch len(parts) {
	case 0:
		return jen.Nil()
	case 1:
		return parts[0]
	}
	list := make([]jen.Code, len(parts))
	for i, p := range parts {
		list[i] = p
	}
	return jen.Qual("slices", "Concat").Call(list...)
}

// lateCall is a call of a method that parses text when the stages are made.
func (e *stageEmitter) lateCall(method string, args ...jen.Code) *jen.Statement {
	e.late, e.lateHere = true, true
	return jen.Id("l").Dot(method).Call(args...)
}

// set adds the field of a flag.
func (e *stageEmitter) set(f *fields, flag *catalog.Flag, label string, t ir.Template, pos diag.Pos) {
	if s, ok := constText(t); ok {
		e.setConst(f, flag, s, pos)
		return
	}
	expr := template(t)
	if flag.Type == catalog.JSON || flag.Type == catalog.Schema {
		expr = jsonTemplate(t)
	}
	message := jen.Lit(flag.Message)
	switch flag.Type {
	case catalog.String:
		f.add(flag.Field, expr)
	case catalog.Bool:
		f.add(flag.Field, e.lateCall("Bool", expr))
	case catalog.Int, catalog.Number:
		method := lateMethods[flag.Type]
		if flag.Optional() {
			method += "Ptr"
		}
		f.add(flag.Field, e.lateCall(method, jen.Lit(label), message, expr))
	case catalog.Enum:
		args := []jen.Code{jen.Lit(label), message, expr}
		for _, v := range flag.Values {
			args = append(args, jen.Lit(v))
		}
		f.add(flag.Field, e.lateCall("Enum", args...))
	case catalog.Schema:
		// The validator comes as a function, so that only programs with schemas link it.
		f.add(flag.Field, e.lateCall("Schema", jen.Lit(label), message, expr, jen.Qual(schemaPath, "Lazy")))
	case catalog.Path, catalog.Names:
		f.add(flag.Field, e.lateCall(lateMethods[flag.Type], expr))
	case catalog.JSON, catalog.Predicate, catalog.Template:
		f.add(flag.Field, e.lateCall(lateMethods[flag.Type], jen.Lit(label), message, expr))
	default:
		panic(fmt.Sprintf("lobsterc bug: %v: flag %s of type %v", pos, flag.Name, flag.Type))
	}
}

// jsonTemplate is the template of a JSON text: what goes into its strings is escaped into place.
func jsonTemplate(t ir.Template) *jen.Statement {
	inString := catalog.InJSONString(t)
	var parts []*jen.Statement
	for i, seg := range t {
		part := template(ir.Template{seg})
		if _, ok := seg.(ir.Text); !ok && inString[i] {
			part = jen.Qual(latePath, "Quoted").Call(part)
		}
		parts = append(parts, part)
	}
	return sum(parts)
}

// setConst adds the field of a flag whose text has no holes.
func (e *stageEmitter) setConst(f *fields, flag *catalog.Flag, s string, pos diag.Pos) {
	switch flag.Type {
	case catalog.Bool:
		if s != "" && s != "false" {
			f.add(flag.Field, jen.True())
		}
	case catalog.Int, catalog.Number:
		n := value.StringNumber(s)
		lit := float(n)
		if flag.Type == catalog.Int {
			lit = jen.Op(strconv.FormatInt(int64(n), 10))
		}
		if flag.Optional() {
			if flag.Type == catalog.Number && n == math.Trunc(n) {
				lit = jen.Float64().Call(lit)
			}
			lit = jen.New(lit)
		}
		f.add(flag.Field, lit)
	case catalog.String, catalog.Enum:
		if s != "" || flag.HasDefault {
			f.add(flag.Field, text(s))
		}
	case catalog.JSON:
		f.add(flag.Field, literal(mustJSON(s, pos)))
	case catalog.Schema:
		f.add(flag.Field, jen.Id(e.g.schemaVar(mustJSON(s, pos), e.scope, "a schema of "+e.what, pos)))
	default:
		f.add(flag.Field, parsed(flag.Type, s, pos))
	}
}

// mustJSON reads JSON that the front end has checked.
func mustJSON(s string, pos diag.Pos) value.Value {
	v, err := value.ParseString(s)
	if err != nil {
		panic(fmt.Sprintf("lobsterc bug: %v: JSON was not checked: %v", pos, err))
	}
	return v
}

// schemaVar asks for the variable that holds a JSON Schema, which is compiled when it is first used.
func (g *generator) schemaVar(s value.Value, scope []string, what string, pos diag.Pos) string {
	name := g.names.pick("schema", scope...)
	g.declare(name, "is "+what, pos, jen.Var().Id(name).Op("=").Qual(schemaPath, "Lazy").Call(literal(s)))
	return name
}

// expanded is a literal in whose texts arguments are expanded.
func expanded(v value.Value) *jen.Statement {
	switch v.Kind() {
	case value.StringKind:
		return val("String").Call(template(argTemplate(v.Str())))
	case value.ArrayKind:
		var items []jen.Code
		for item := range v.All() {
			items = append(items, expanded(item))
		}
		return val("Array").Call(items...)
	case value.ObjectKind:
		var items []jen.Code
		for key, member := range v.Members() {
			items = append(items, val("M").Call(jen.Lit(key), expanded(member)))
		}
		return val("Object").Call(items...)
	}
	return literal(v)
}

// keepsKey tells that a pick keeps the field by which the sort behind it orders. Then the two can change places: items that head
// does not want need no projection.
func keepsKey(pick, sort *ir.Stage) bool {
	if pick.Name != "pick" || sort.Name != "sort" || pick.Fault != "" || len(pick.Words) != 1 {
		return false
	}
	names, ok := pick.Words[0].Text.Constant()
	if !ok {
		return false
	}
	for _, f := range sort.Flags {
		key, ok := f.Value.Constant()
		path := parse.Path(key)
		if f.Name == "key" && ok && len(path) > 0 {
			return slices.Contains(parse.Names(names), path[0])
		}
	}
	return false
}

// sortHead writes `sort | head` as one stage that keeps only what head asks for; nil when the two are something else.
func (e *stageEmitter) sortHead(first, second *ir.Stage) *jen.Statement {
	if first.Name != "sort" || second.Name != "head" || first.Fault != "" || second.Fault != "" {
		return nil
	}
	f := e.options(e.g.lookup(first), first)
	e.lateHere = false
	n := e.options(e.g.lookup(second), second)
	if e.lateHere {
		return nil
	}
	f.items = append(f.items, n.items...)
	return stg("SortHead").Call(stg("SortHeadOptions").Add(f.lit()))
}
