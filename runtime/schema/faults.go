package schema

import (
	"cmp"
	"fmt"
	"math/big"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// wording walks the library's tree of errors and lists the faults in Ajv's order and words. The library iterates Go maps, so its
// order is random; the source schema (whose objects keep their order) and the instance put it right.
type wording struct {
	source   value.Value
	instance value.Value
	first    bool // only the first fault is wanted
	faults   []flow.SchemaError
}

type fault = jsonschema.ValidationError

// keywordOrder is the order in which Ajv evaluates keywords: those for any type, then numbers, strings, arrays, objects.
var keywordOrder = []string{
	"$ref", "const", "enum", "not", "anyOf", "oneOf", "allOf", "if", "then", "else",
	"number", "maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum", "multipleOf",
	"string", "maxLength", "minLength", "pattern",
	"array", "maxItems", "minItems", "additionalItems", "items", "contains", "uniqueItems",
	"object", "maxProperties", "minProperties", "required", "propertyNames", "additionalProperties", "dependencies", "properties", "patternProperties",
}

// parent says where a list of sibling errors stands: the schema's location and the instance's.
type parent struct {
	schema   string   // location of the schema
	base     []string // instance tokens before those that the library gives (inside propertyNames they start anew)
	instance int      // how many of the library's instance tokens belong to the parent
}

// flatten appends the faults of e.
func (w *wording) flatten(e *fault, base []string) {
	at := parent{e.SchemaURL, base, len(e.InstanceLocation)}
	switch k := e.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.AllOf:
		w.siblings(at, e.Causes)
	case *kind.Reference:
		w.siblings(parent{k.URL, base, len(e.InstanceLocation)}, e.Causes)
	case *kind.AnyOf:
		w.inOrder(at, e.Causes)
		w.add(e, base, "must match a schema in anyOf")
	case *kind.OneOf:
		w.inOrder(at, e.Causes)
		w.add(e, base, "must match exactly one schema in oneOf")
	case *kind.Contains:
		if !w.first { // Ajv forgets the items' faults when it is to stop at the first
			w.inOrder(at, e.Causes)
		}
		w.add(e, base, "must contain at least 1 valid item(s)")
	case *kind.PropertyNames:
		inner := slices.Concat(base, e.InstanceLocation)
		w.siblings(parent{e.SchemaURL, inner, 0}, e.Causes)
		w.add(e, base, "property name must be valid")
	default:
		w.leaf(e, base)
	}
}

func (w *wording) inOrder(at parent, causes []*fault) {
	for _, c := range causes {
		w.one(at, c)
	}
}

// one flattens a cause and then says which of the if-branches on the way to it was not satisfied.
func (w *wording) one(at parent, c *fault) {
	w.flatten(c, at.base)
	steps := steps(at, c)
	for i := len(steps) - 1; i >= 0; i-- {
		if s := steps[i]; s.keyword == "then" || s.keyword == "else" {
			w.faults = append(w.faults, flow.SchemaError{
				Path:   pointer(slices.Concat(at.base, c.InstanceLocation[:s.depth])),
				Reason: fmt.Sprintf("must match %q schema", s.keyword),
			})
		}
	}
}

// step is one keyword on the way from a schema to an error below it.
type step struct {
	keyword string
	name    string // property, pattern or index
	depth   int    // instance tokens up to here
}

// steps reads the keywords between at and c off the locations. It is empty when c is a fault of a keyword of at itself.
func steps(at parent, c *fault) []step {
	tail, ok := strings.CutPrefix(fragment(c.SchemaURL), fragment(at.schema))
	if !ok || tail == "" {
		return nil
	}
	var list []step
	depth := at.instance
	tokens := strings.Split(tail, "/")[1:]
	for i := 0; i < len(tokens); i++ {
		s := step{keyword: unescape(tokens[i])}
		switch s.keyword {
		case "properties", "patternProperties", "dependencies", "definitions", "$defs", "allOf", "anyOf", "oneOf":
			if i++; i < len(tokens) {
				s.name = unescape(tokens[i])
			}
		case "items":
			if i+1 < len(tokens) && isIndex(tokens[i+1]) {
				i++
			}
		}
		switch s.keyword {
		case "properties", "patternProperties", "additionalProperties", "items", "additionalItems", "contains":
			depth = min(depth+1, len(c.InstanceLocation))
		}
		s.depth = depth
		list = append(list, s)
	}
	return list
}

// siblings lists errors that stand side by side in one schema, in order.
func (w *wording) siblings(at parent, causes []*fault) {
	type ranked struct {
		err  *fault
		rank [3]int
	}
	src := w.at(at.schema)
	var list []ranked
	var collect func(causes []*fault)
	collect = func(causes []*fault) {
		for _, c := range causes {
			if _, ok := c.ErrorKind.(*kind.AllOf); ok && c.SchemaURL == at.schema {
				collect(c.Causes)
				continue
			}
			list = append(list, ranked{c, w.rank(at, c, src)})
		}
	}
	collect(causes)
	slices.SortStableFunc(list, func(a, b ranked) int { return slices.Compare(a.rank[:], b.rank[:]) })
	for _, r := range list {
		w.one(at, r.err)
	}
}

// rank gives the place of c among its siblings: by keyword, by the keyword's members in the source, by the instance's members.
func (w *wording) rank(at parent, c *fault, src value.Value) [3]int {
	keyword, name := keywordOf(c.ErrorKind), ""
	if path := steps(at, c); len(path) > 0 {
		keyword, name = path[0].keyword, path[0].name
		if i, err := strconv.Atoi(name); keyword == "allOf" && err == nil && i >= src.Get("allOf").Len() {
			keyword, name = keywordOf(c.ErrorKind), "" // one that preparer put there
		} else if keyword == "allOf" {
			return [3]int{slices.Index(keywordOrder, keyword), i, 0}
		}
	}
	if keyword == "type" {
		keyword = typeRank(src)
	}
	rank := [3]int{slices.Index(keywordOrder, keyword), 0, 0}
	if d, ok := c.ErrorKind.(*kind.Dependency); ok {
		name = d.Prop
	}
	rank[1] = indexOf(src.Get(keyword), name)
	if len(c.InstanceLocation) > at.instance {
		tok := c.InstanceLocation[at.instance]
		rank[2] = indexOf(w.value(c.InstanceLocation[:at.instance]), tok)
	}
	return rank
}

// typeRank: a single type is looked at with the first keyword for that type, if there is one; else before everything.
func typeRank(src value.Value) string {
	typ := src.Get("type").Str()
	group := map[string]string{"integer": "number"}
	name := cmp.Or(group[typ], typ)
	start := slices.Index(keywordOrder, name)
	if start < 0 {
		return ""
	}
	for _, k := range keywordOrder[start+1:] {
		if slices.Contains(groupNames, k) {
			break
		}
		if !src.Get(k).IsAbsent() {
			return name
		}
	}
	return ""
}

var groupNames = []string{"number", "string", "array", "object"}

func indexOf(v value.Value, name string) int {
	if v.Kind() == value.ArrayKind {
		i, _ := strconv.Atoi(name)
		return i
	}
	i := 0
	for key := range v.Members() {
		if key == name {
			return i
		}
		i++
	}
	return 0
}

func (w *wording) add(e *fault, base []string, reason string) {
	w.faults = append(w.faults, flow.SchemaError{Path: pointer(slices.Concat(base, e.InstanceLocation)), Reason: reason})
}

// leaf words one fault of one keyword.
func (w *wording) leaf(e *fault, base []string) {
	say := func(format string, args ...any) { w.add(e, base, fmt.Sprintf(format, args...)) }
	switch k := e.ErrorKind.(type) {
	case *kind.Type:
		say("must be %s", w.typeText(e.SchemaURL, k))
	case *kind.Enum:
		say("must be equal to one of the allowed values")
	case *kind.Const:
		say("must be equal to constant")
	case *kind.Not:
		say("must NOT be valid")
	case *kind.FalseSchema:
		say("boolean schema is false")
	case *kind.Required:
		for _, name := range k.Missing {
			say("must have required property '%s'", name)
		}
	case *kind.Dependency:
		what := "properties"
		if len(w.at(e.SchemaURL).Path("dependencies", k.Prop).Items()) == 1 {
			what = "property"
		}
		var names []string
		for n := range w.at(e.SchemaURL).Path("dependencies", k.Prop).All() {
			names = append(names, n.Str())
		}
		for range k.Missing {
			say("must have %s %s when property %s is present", what, strings.Join(names, ", "), k.Prop)
		}
	case *kind.AdditionalProperties:
		for range k.Properties {
			say("must NOT have additional properties")
		}
	case *kind.AdditionalItems:
		say("must NOT have more than %d items", w.value(e.InstanceLocation).Len()-k.Count)
	case *kind.UniqueItems:
		i, j := w.duplicates(e)
		say("must NOT have duplicate items (items ## %d and %d are identical)", i, j)
	default:
		say("%s", boundText(e.ErrorKind))
	}
}

// boundText words the keywords that compare with a number, and pattern.
func boundText(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.MinProperties:
		return fmt.Sprintf("must NOT have fewer than %d properties", k.Want)
	case *kind.MaxProperties:
		return fmt.Sprintf("must NOT have more than %d properties", k.Want)
	case *kind.MinItems:
		return fmt.Sprintf("must NOT have fewer than %d items", k.Want)
	case *kind.MaxItems:
		return fmt.Sprintf("must NOT have more than %d items", k.Want)
	case *kind.MinLength:
		return fmt.Sprintf("must NOT have fewer than %d characters", k.Want)
	case *kind.MaxLength:
		return fmt.Sprintf("must NOT have more than %d characters", k.Want)
	case *kind.Pattern:
		return fmt.Sprintf(`must match pattern "%s"`, k.Want)
	case *kind.Minimum:
		return "must be >= " + number(k.Want)
	case *kind.Maximum:
		return "must be <= " + number(k.Want)
	case *kind.ExclusiveMinimum:
		return "must be > " + number(k.Want)
	case *kind.ExclusiveMaximum:
		return "must be < " + number(k.Want)
	case *kind.MultipleOf:
		return "must be multiple of " + number(k.Want)
	case *kind.RefCycle:
		return "schema refers to itself without end"
	}
	return "must be valid (" + strings.Join(k.KeywordPath(), "/") + ")"
}

func number(r *big.Rat) string {
	f, _ := r.Float64()
	return value.NumberText(f)
}

// typeText is the type as the schema has it: the library forgets the order.
func (w *wording) typeText(location string, k *kind.Type) string {
	src := w.at(location)
	if i := strings.LastIndex(location, "/allOf/"); i >= 0 && src.IsAbsent() { // a type that preparer moved into allOf
		src = w.at(location[:i])
	}
	typ := src.Get("type")
	if typ.Kind() != value.ArrayKind {
		if typ.Kind() == value.StringKind {
			return typ.Str()
		}
		return strings.Join(k.Want, ",")
	}
	var names []string
	for t := range typ.All() {
		names = append(names, t.Str())
	}
	if nullable(src) && !hasNull(typ) {
		names = append(names, "null")
	}
	return strings.Join(names, ",")
}

// duplicates finds the pair of equal items that Ajv names: with a scalar item type it looks values up from the end, otherwise it
// compares pairs from the end.
func (w *wording) duplicates(e *fault) (int, int) {
	items := w.value(e.InstanceLocation).Items()
	typ := w.at(e.SchemaURL).Path("items", "type")
	scalar := typ.Kind() == value.StringKind && typ.Str() != "object" && typ.Str() != "array"
	for i := len(items) - 1; i >= 0; i-- {
		if scalar {
			for j := len(items) - 1; j > i; j-- {
				if value.StrictEqual(items[i], items[j]) {
					return nearest(items, i), i
				}
			}
			continue
		}
		for j := i - 1; j >= 0; j-- {
			if value.StrictEqual(items[i], items[j]) {
				return j, i
			}
		}
	}
	return 0, 0
}

// nearest is the next item after i that equals it.
func nearest(items []value.Value, i int) int {
	for j := i + 1; j < len(items); j++ {
		if value.StrictEqual(items[i], items[j]) {
			return j
		}
	}
	return i
}

// keywordOf names the keyword of a fault.
func keywordOf(k jsonschema.ErrorKind) string {
	switch k.(type) {
	case *kind.Reference:
		return "$ref"
	case *kind.Dependency:
		return "dependencies"
	case *kind.Not:
		return "not"
	case *kind.AnyOf:
		return "anyOf"
	case *kind.OneOf:
		return "oneOf"
	case *kind.Contains:
		return "contains"
	case *kind.PropertyNames:
		return "propertyNames"
	case *kind.FalseSchema, *kind.Group, *kind.Schema:
		return ""
	}
	if path := k.KeywordPath(); len(path) > 0 {
		return path[0]
	}
	return ""
}

// at finds the schema at a location in the source; Absent for places that preparer made.
func (w *wording) at(location string) value.Value {
	return resolve(w.source, fragment(location))
}

// value finds the instance's value at a location.
func (w *wording) value(tokens []string) value.Value { return w.instance.Path(tokens...) }

func resolve(v value.Value, ptr string) value.Value {
	if ptr == "" {
		return v
	}
	for tok := range strings.SplitSeq(ptr[1:], "/") {
		v = v.Prop(unescape(tok))
	}
	return v
}

// fragment is the JSON pointer of a location, without percent escapes.
func fragment(location string) string {
	_, frag, _ := strings.Cut(location, "#")
	if plain, err := url.PathUnescape(frag); err == nil {
		return plain
	}
	return frag
}

func pointer(tokens []string) string {
	if len(tokens) == 0 {
		return "/"
	}
	var b strings.Builder
	for _, t := range tokens {
		b.WriteByte('/')
		b.WriteString(strings.NewReplacer("~", "~0", "/", "~1").Replace(t))
	}
	return b.String()
}

func unescape(token string) string {
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
}

func isIndex(s string) bool {
	_, err := strconv.Atoi(s)
	return err == nil
}
