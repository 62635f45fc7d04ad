package schema

import (
	"errors"

	"github.com/lobsterc/lobsterc/runtime/value"
)

// Where a keyword holds schemas.
var (
	oneSchema  = []string{"not", "if", "then", "else", "additionalProperties", "additionalItems", "contains", "propertyNames", "items"}
	schemaList = []string{"allOf", "anyOf", "oneOf", "items"}
	schemaMap  = []string{"properties", "patternProperties", "definitions", "$defs", "dependencies"}
)

// preparer turns a schema into the library's form of JSON and bridges three differences between the library and Ajv:
// Ajv looks at the keywords beside $ref, goes on after type, const and enum have failed, and knows nullable. All four become
// members of allOf (behind the schema's own), where the library evaluates each on its own. format is dropped: the reference ignores it.
type preparer struct{ err error }

func (p *preparer) schema(v value.Value) any {
	if v.Kind() != value.ObjectKind {
		return toAny(v)
	}
	p.check(v)
	obj := make(map[string]any, v.Len())
	for key, member := range v.Members() {
		obj[key] = p.keyword(key, member)
	}
	delete(obj, "format")
	delete(obj, "$schema")
	own, _ := obj["allOf"].([]any)
	for _, key := range []string{"$ref", "const", "enum", "type"} {
		x, ok := obj[key]
		if !ok {
			continue
		}
		if key == "type" && nullable(v) {
			x = withNull(x)
		}
		delete(obj, key)
		own = append(own, map[string]any{key: x})
	}
	if own != nil {
		obj["allOf"] = own
	}
	return obj
}

func (p *preparer) check(v value.Value) {
	fail := func(text string) {
		if p.err == nil {
			p.err = errors.New(text)
		}
	}
	if v.Get("id").Kind() == value.StringKind {
		fail(`NOT SUPPORTED: keyword "id", use "$id" for schema ID`)
	}
	if text := v.Get("pattern"); text.Kind() == value.StringKind {
		p.pattern(text.Str())
	}
	for text := range v.Get("patternProperties").Members() {
		p.pattern(text)
	}
	null := v.Get("nullable")
	switch typ := v.Get("type"); {
	case null.IsAbsent():
	case typ.IsAbsent():
		fail(`"nullable" cannot be used without "type"`)
	case hasNull(typ) && null.Kind() == value.BoolKind && !null.Bool():
		fail("type: null contradicts nullable: false")
	}
}

func (p *preparer) pattern(text string) {
	if _, err := compilePattern(text); err != nil && p.err == nil {
		p.err = err
	}
}

func nullable(v value.Value) bool {
	null := v.Get("nullable")
	return null.Kind() == value.BoolKind && null.Bool()
}

func hasNull(typ value.Value) bool {
	if typ.Kind() != value.ArrayKind {
		return typ.Str() == "null"
	}
	for t := range typ.All() {
		if t.Str() == "null" {
			return true
		}
	}
	return false
}

func withNull(typ any) any {
	if list, ok := typ.([]any); ok {
		return append(append([]any{}, list...), "null")
	}
	return []any{typ, "null"}
}

// keyword converts the value of one keyword.
func (p *preparer) keyword(key string, v value.Value) any {
	switch {
	case v.Kind() == value.ArrayKind && contains(schemaList, key):
		list := make([]any, 0, v.Len())
		for item := range v.All() {
			list = append(list, p.schema(item))
		}
		return list
	case v.Kind() == value.ObjectKind && contains(schemaMap, key):
		m := make(map[string]any, v.Len())
		for name, member := range v.Members() {
			m[name] = p.schema(member)
		}
		return m
	case contains(oneSchema, key):
		return p.schema(v)
	}
	return toAny(v)
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// toAny gives the form of JSON that the library reads.
func toAny(v value.Value) any {
	switch v.Kind() {
	case value.BoolKind:
		return v.Bool()
	case value.NumberKind:
		return v.Float()
	case value.StringKind:
		return v.Str()
	case value.ArrayKind:
		list := make([]any, 0, v.Len())
		for item := range v.All() {
			list = append(list, toAny(item))
		}
		return list
	case value.ObjectKind:
		m := make(map[string]any, v.Len())
		for key, member := range v.Members() {
			m[key] = toAny(member)
		}
		return m
	}
	return nil
}
