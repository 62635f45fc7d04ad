// Package schema validates JSON values by JSON Schema draft-07 and words the faults as the reference does (it uses Ajv).
//
// The library behind it (jsonschema/v6) decides; this package prepares the schema for it, walks the errors it returns in the order in
// which Ajv would have met them, and words them. Only programs with an input gate, ask or an output schema link it.
package schema

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/value"
)

const (
	// baseURL names the document; it never leaves this package. It needs a path so that relative references resolve against it.
	baseURL  = "schema://document/"
	draft7   = "http://json-schema.org/draft-07/schema"
	refFault = "can't resolve reference %s from id %s"
)

// Schema is a compiled schema. It implements flow.Schema and may be used by many goroutines.
type Schema struct {
	source   value.Value
	compiled *jsonschema.Schema
}

var _ flow.Schema = (*Schema)(nil)

// Compile checks and compiles a schema. The error is what the reference says after "is invalid: ".
func Compile(source value.Value) (*Schema, error) {
	if err := checkMeta(source); err != nil {
		return nil, err
	}
	prep := preparer{}
	doc := prep.schema(source)
	if prep.err != nil {
		return nil, prep.err
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft7)
	c.UseLoader(refuse{})
	c.UseRegexpEngine(compilePattern)
	if err := c.AddResource(baseURL, doc); err != nil {
		return nil, err
	}
	compiled, err := c.Compile(baseURL)
	if err != nil {
		return nil, compileError(err, source)
	}
	return &Schema{source: source, compiled: compiled}, nil
}

// Source is the schema as JSON.
func (s *Schema) Source() value.Value { return s.source }

// Validate gives nil or the first fault, a *flow.SchemaError.
func (s *Schema) Validate(v value.Value) error {
	if all := s.faults(v, true); len(all) > 0 {
		return &all[0]
	}
	return nil
}

// Faults gives every fault of v, in the order of the reference.
func (s *Schema) Faults(v value.Value) []flow.SchemaError { return s.faults(v, false) }

func (s *Schema) faults(v value.Value, first bool) []flow.SchemaError {
	err := s.compiled.Validate(toAny(v))
	if err == nil {
		return nil
	}
	var verr *jsonschema.ValidationError
	if !errors.As(err, &verr) {
		panic(fmt.Sprintf("lobsterc bug: schema validation gave %T", err))
	}
	w := wording{source: s.source, instance: v, first: first}
	w.flatten(verr, nil)
	return w.faults
}

// Text joins faults as llm.invoke reports them: "PATH REASON; PATH REASON".
func Text(faults []flow.SchemaError) string {
	parts := make([]string, len(faults))
	for i, f := range faults {
		parts[i] = f.Path + " " + f.Reason
	}
	return strings.Join(parts, "; ")
}

// lazy compiles on first use, so that a program does not pay for schemas that its run never reaches.
type lazy struct {
	source value.Value
	get    func() (*Schema, error)
}

// Lazy gives a schema that is compiled when it is first asked. The compiler has checked the source, so that a fault in it
// shows up as a fault of the value only when the program is newer than the check.
func Lazy(source value.Value) flow.Schema {
	return &lazy{source: source, get: sync.OnceValues(func() (*Schema, error) { return Compile(source) })}
}

func (l *lazy) Source() value.Value { return l.source }

func (l *lazy) Validate(v value.Value) error {
	s, err := l.get()
	if err != nil {
		return &flow.SchemaError{Path: "/", Reason: "schema is invalid: " + err.Error()}
	}
	return s.Validate(v)
}

// Faults is Validate that gives every fault.
func (l *lazy) Faults(v value.Value) []flow.SchemaError {
	s, err := l.get()
	if err != nil {
		return []flow.SchemaError{{Path: "/", Reason: "schema is invalid: " + err.Error()}}
	}
	return s.Faults(v)
}

// checkMeta checks a source against the draft-07 meta-schema, which the library brings along.
func checkMeta(source value.Value) error {
	if uri := source.Get("$schema"); uri.Kind() == value.StringKind {
		if strings.TrimSuffix(uri.Str(), "#") != draft7 {
			return fmt.Errorf("no schema with key or ref %s", uri.JSON())
		}
	}
	meta, err := metaSchema()
	if err != nil {
		panic("lobsterc bug: the draft-07 meta-schema does not compile: " + err.Error())
	}
	var verr *jsonschema.ValidationError
	if !errors.As(meta.Validate(toAny(source)), &verr) {
		return nil
	}
	w := wording{source: metaSource(), instance: source}
	w.flatten(verr, nil)
	parts := make([]string, len(w.faults))
	for i, f := range w.faults {
		parts[i] = "data" + strings.TrimSuffix(f.Path, "/") + " " + f.Reason
	}
	return errors.New("schema is invalid: " + strings.Join(parts, ", "))
}

var metaSchema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	c.UseRegexpEngine(func(string) (jsonschema.Regexp, error) { return nil, nil }) // patterns are checked when the schema is compiled
	c.RegisterFormat(&jsonschema.Format{Name: "uri", Validate: anyText})
	c.RegisterFormat(&jsonschema.Format{Name: "uri-reference", Validate: anyText})
	return c.Compile(draft7)
})

func anyText(any) error { return nil }

// refuse is the loader for everything that is not in the document itself: nothing is ever fetched.
type refuse struct{}

func (refuse) Load(url string) (any, error) { return nil, errors.New("remote schemas are not loaded") }

// compileError words what the library says about references and patterns.
func compileError(err error, source value.Value) error {
	id := "#"
	if own := source.Get("$id"); own.Kind() == value.StringKind && own.Str() != "" {
		id = own.Str()
	}
	var (
		load    *jsonschema.LoadURLError
		pointer *jsonschema.JSONPointerNotFoundError
		anchor  *jsonschema.AnchorNotFoundError
		pattern *jsonschema.InvalidRegexError
	)
	ref := func(url string) error {
		url = strings.TrimPrefix(url, baseURL)
		if i := strings.IndexByte(url, '#'); i > 0 && url[:i] == source.Get("$id").Str() {
			url = url[i:]
		}
		return fmt.Errorf(refFault, url, id)
	}
	switch {
	case errors.As(err, &load):
		return ref(load.URL)
	case errors.As(err, &pointer):
		return ref(pointer.URL)
	case errors.As(err, &anchor):
		return ref(anchor.Reference)
	case errors.As(err, &pattern):
		return pattern.Err
	}
	return err
}

// Must is Lazy under the name that generated code calls: the compiler has checked the literal that it is given.
func Must(source value.Value) flow.Schema { return Lazy(source) }
