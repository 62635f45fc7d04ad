package editor

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/lobsterc/lobsterc/compiler"
	"github.com/lobsterc/lobsterc/compiler/syntax"
	"github.com/lobsterc/lobsterc/ir/diag"
)

func compile(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(Schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// beyond are faults that a JSON Schema cannot see: that two names are the same.
var beyond = []diag.Code{diag.DuplicateID, diag.ShadowedName, diag.DuplicateKey, diag.RepeatedKey, diag.BadSyntax}

// agree checks that the schema accepts a file of which the compiler says nothing, and refuses one with a wrong shape. Where there are only warnings, either is right.
func agree(t *testing.T, s *jsonschema.Schema, name string, text []byte) (valid, checked bool) {
	t.Helper()
	src := syntax.NewSource(name, text)
	w, diags := syntax.Parse(src)
	node := (*syntax.Node)(nil)
	if w != nil {
		node = w.Root
	} else {
		node, _ = syntax.Read(src)
	}
	if node == nil || slices.ContainsFunc(diags, func(d diag.Diagnostic) bool { return slices.Contains(beyond, d.Code) }) {
		return false, false
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(node.JSON().JSON()))
	if err != nil {
		t.Fatal(err)
	}
	all := compiler.Load(name, compiler.Options{ReadFile: func(string) ([]byte, error) { return text, nil }}).Diags
	err = s.Validate(doc)
	switch {
	case len(all) == 0 && err != nil && !strings.Contains(string(text), "max_usd"): // which may be text that is a number
		t.Errorf("%s is refused although nothing is wrong: %v\n%s", name, err, text)
	case diags.HasErrors() && err == nil && !strings.Contains(string(text), `"run":"","command":`):
		t.Errorf("%s is accepted although: %v\n%s", name, diags, text)
	}
	return err == nil, true
}

// TestLoaderTable goes through every shape in the front end's own table of good and bad files.
func TestLoaderTable(t *testing.T) {
	s := compile(t)
	data, err := os.ReadFile("../syntax/testdata/loader.txt")
	if err != nil {
		t.Fatal(err)
	}
	good, bad := 0, 0
	for line := range strings.Lines(string(data)) {
		text, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if valid, checked := agree(t, s, "table.json", []byte(text)); checked && valid {
			good++
		} else if checked {
			bad++
		}
	}
	if good < 50 || bad < 300 {
		t.Errorf("only %d good and %d bad files were compared", good, bad)
	}
}

// TestGoldens: the workflows of the repository.
func TestGoldens(t *testing.T) {
	s := compile(t)
	for _, pattern := range []string{"../../golden/examples/*.lobster", "../../golden/examples/*/*.lobster", "../graph/testdata/*.json"} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			agree(t, s, file, text)
		}
	}
	full := `
name: all
args: {a: {default: 1, description: x, required: true, type: integer, secret: false}, b: {}, c: null}
env: {A: x}
cwd: /
timeout_ms: 5
cost_limit: {max_usd: 0, action: stop}
x-require-approval: [sends_email, "cmd:git push", effects]
x-mine: {any: thing}
steps:
  - {id: a, description: d, run: x, env: {B: y}, cwd: /, stdin: [1], when: true, timeout_ms: 1, on_error: continue, retry: {max: 2, backoff: fixed, delay_ms: 0, max_delay_ms: 0, jitter: true}, approval: yes please}
  - {id: b, pipeline: json, approval: {prompt: x, items: [], preview: y, initiated_by: z, required_approver: v, require_different_approver: true}}
  - {id: c, workflow: x.lobster, workflow_args: {a: 1}}
  - {id: d, parallel: {wait: any, timeout_ms: 5, branches: [{id: e, run: x}, {id: f, pipeline: json}]}}
  - {id: g, for_each: $a.json, item_var: i, index_var: n, batch_size: 2, pause_ms: 5, steps: [{id: h, run: x, when: $i.json}]}
  - {id: j, input: {prompt: x, responseSchema: {type: object}, defaults: {}}}
  - {id: k, approval: true, stdin: $a.json}
`
	if valid, checked := agree(t, s, "full.lobster", []byte(full)); !checked || !valid {
		t.Error("the full example must be valid")
	}
}

// TestDescriptions: everything that an author can write has a hover text.
func TestDescriptions(t *testing.T) {
	var doc map[string]any
	if err := json.Unmarshal([]byte(Schema), &doc); err != nil {
		t.Fatal(err)
	}
	definitions := doc["definitions"].(map[string]any)
	check := func(place string, node map[string]any) {
		properties, _ := node["properties"].(map[string]any)
		for name, p := range properties {
			p := p.(map[string]any)
			target, _ := p["$ref"].(string)
			if target != "" {
				p = definitions[strings.TrimPrefix(target, "#/definitions/")].(map[string]any)
			}
			if p["description"] == nil && target != "#/definitions/costLimit" {
				t.Errorf("%s.%s has no description", place, name)
			}
		}
	}
	check("workflow", doc)
	for name, node := range definitions {
		check(name, node.(map[string]any))
	}
}
