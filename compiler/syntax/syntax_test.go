package syntax

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/lobsterc/lobsterc/ir/diag"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// lines reads a table of the test data: tab-separated columns, one row a line.
func lines(t testing.TB, file string) (rows [][]string) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	return rows
}

func firstError(diags diag.List) string {
	for _, d := range diags {
		if d.Severity == diag.Error {
			return d.Message
		}
	}
	return ""
}

// TestLoaderMessages compares with what the reference said to each file, recorded in testdata/loader.txt.
func TestLoaderMessages(t *testing.T) {
	for _, row := range lines(t, "loader.txt") {
		file, want := row[0], strings.TrimPrefix(row[1], "OK")
		_, diags := Parse(NewSource("flow.json", []byte(file)))
		got := firstError(diags)
		if ours(file, got) || strings.Contains(want, "responseSchema is invalid") { // schemas are compiled later
			continue
		}
		if got != want {
			t.Errorf("%s\n got %q\nwant %q", file, got, want)
		}
		for _, d := range diags {
			if !d.Span.Start.IsValid() {
				t.Errorf("%s\n no position: %v", file, d)
			}
		}
	}
}

// ours tells whether the error is one that the reference finds only when it runs, or never.
func ours(file, message string) bool {
	for _, text := range []string{"cwd must be a string", "this is no gate", "Workflow timeout_ms must be"} {
		if strings.Contains(message, text) {
			return true
		}
	}
	return false
}

// tagsOfTheReference are rare constructs that mean something in the reference and are taken as text or as they stand here.
var tagsOfTheReference = regexp.MustCompile(`!!(binary|timestamp|set|omap|merge)|^\{(\[|\? \{)|⏎\t`)

// TestScalars compares values with what the reference made of them, recorded in testdata/scalars.txt: a JSON string with the
// YAML text (⏎ is a line break), and its value as JSON, or ERR.
func TestScalars(t *testing.T) {
	for _, row := range lines(t, "scalars.txt") {
		in, err := value.ParseString(row[0])
		if err != nil {
			t.Fatal(row[0], err)
		}
		if tagsOfTheReference.MatchString(in.Str()) {
			continue
		}
		text := strings.ReplaceAll(in.Str(), "⏎", "\n")
		file := "args:\n  a:\n    default: " + text + "\nsteps: []\n"
		src := NewSource("flow.lobster", []byte(file))
		root, diags := Read(src)
		want := row[1]
		switch {
		case strings.HasPrefix(want, "ERR"):
			if root != nil {
				t.Errorf("%q: accepted as %s, the reference says %s", text, root.Get("args").JSON().JSON(), want)
			}
			continue
		case root == nil:
			t.Errorf("%q: %v, want %s", text, diags, want)
			continue
		}
		n := root.Get("args").Get("a").Get("default")
		got := n.JSON().JSON()
		if n.Kind == ScalarNode && n.Value.Kind() == value.NumberKind {
			got = value.Number(n.Value.Float()).JSON() // the reference does not keep long digits
		}
		if got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

// TestPositions looks for each part of a value at the place where it stands in the file. In the table, the scalar's source
// follows "k: "; ask gives a byte sequence of the value and where it must be found.
func TestPositions(t *testing.T) {
	for _, test := range []struct {
		source, ask string
		line, col   int
	}{
		{"abc def", "def", 1, 8},
		{"abc\n   def\n\n   ghi", "def", 2, 4},
		{"abc\n   def\n\n   ghi", "ghi", 4, 4},
		{"'it''s x'", "s x", 1, 9},
		{"'it''s x'", "'s", 1, 7},
		{`"a\tb\u00e9c"`, "c", 1, 15},
		{`"a\tb\u00e9c"`, "é", 1, 9},
		{`"\ud83d\ude00z"`, "z", 1, 17},
		{"\"a\n  b\\\n  c\"", "c", 3, 3},
		{"|\n  one\n    two\n\n  three\n", "two", 3, 5},
		{"|\n  one\n    two\n\n  three\n", "three", 5, 3},
		{">-\n  one\n  two\n\n  three\n", "two", 3, 3},
		{">-\n  one\n  two\n\n  three\n", "three", 5, 3},
		{"|2 # note\n    one\n  two\n", "one", 2, 5},
		{"!!str &a 'x y'", "y", 1, 16},
		{"日本 x", "x", 1, 7},
		{"[a, 'b c']", "", 1, 4},
		{"{a: 1, \"b?\": [x?y, Send?]} # {a: b?}", "", 1, 4},
	} {
		root, diags := Read(NewSource("f.yaml", []byte("k: "+test.source)))
		if root == nil {
			t.Errorf("%q: %v", test.source, diags)
			continue
		}
		n := root.Get("k")
		if test.ask == "" {
			if got := n.Pos(); got.Line != test.line || got.Column != test.col {
				t.Errorf("%q: starts at %v", test.source, got)
			}
			continue
		}
		at := strings.Index(n.Scalar.Text, test.ask)
		if got := n.Scalar.PosAt(at); got.Line != test.line || got.Column != test.col {
			t.Errorf("%q: %q is at %v, want %d:%d (%q)", test.source, test.ask, got, test.line, test.col, n.Scalar.Text)
		}
	}
}

// TestBadYAML: no message of yaml.v3 comes through, and each fault has its place.
func TestBadYAML(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"steps:\n  - id: a\n    run: echo \"a: b\"\n", "3:17: a value that is not quoted cannot hold \": \""},
		{"a: [1, 2\nb: 3\n", "1:4: a list in brackets is not closed, or an item of it needs quotes"},
		{"a: {x: 1\nb: 3\n", "1:4: a mapping in braces is not closed, or a value of it needs quotes"},
		{"a: 'x\nb: 3\n", "1:4: a quote is never closed"},
		{"a: \"x\nb: 3\n", "1:4: a quote is never closed"},
		{"a: @x\n", "1:4: a value that is not quoted cannot start with this character"},
		{"a: `x`\n", "1:4: a value that is not quoted cannot start with this character"},
		{"a:\n\tb: 1\n", "2:1: a tab cannot indent"},
		{"a: \"\\q\"\n", "1:5: an unknown escape sequence in double quotes"},
		{"a: *x\n", "1:4: the alias *x has no anchor &x before it"},
		{"a: 1\n---\nb: 2\n", "2:1: the file holds several YAML documents"},
		{"a: 1\na: 2\n", "2:1: duplicate key \"a\""},
		{"a: &x [*x]\n", "1:8: the alias *x stands inside its own anchor"},
		{"a: 1\n  b: 2\n", "2:3: a value that is not quoted cannot hold \": \""},
		{"a: - b\n", "1:4: a list cannot start on this line"},
		{"a:\n  - b\n c: 1\n", "2:3: this line does not fit its surroundings: an indentation, a quote or a bracket is wrong nearby"},
		{"a: !e!x 5\n", "1:4: an unknown tag; quote a text that starts with !"},
		{"a: \xff\n", "1:4: the file is not valid UTF-8"},
		{"a: [[ -f x ]] && y\n", "1:4: text follows where the value ended: a value that starts with a quote or a bracket ends with it"},
		{"a: \"x\" y\n", "1:4: text follows where the value ended: a value that starts with a quote or a bracket ends with it"},
	} {
		_, diags := Read(NewSource("", []byte(test.text)))
		if len(diags) == 0 {
			t.Errorf("%q: accepted", test.text)
			continue
		}
		if got := diags[0].Span.Start.String() + ": " + diags[0].Message; got != test.want {
			t.Errorf("%q:\n got %s\nwant %s", test.text, got, test.want)
		}
	}
}

func TestAliasBomb(t *testing.T) {
	var b strings.Builder
	b.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 10; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [*a%d, *a%[3]d, *a%[3]d, *a%[3]d, *a%[3]d, *a%[3]d, *a%[3]d, *a%[3]d, *a%[3]d]\n", i, i, i-1)
	}
	root, diags := Read(NewSource("f.yaml", []byte(b.String())))
	if root != nil || firstError(diags) != "Excessive alias count indicates a resource exhaustion attack" {
		t.Errorf("%v", diags)
	}
}

func FuzzParse(f *testing.F) {
	for _, row := range lines(f, "loader.txt")[:200] {
		f.Add("f.json", row[0])
	}
	for _, row := range lines(f, "scalars.txt") {
		in, _ := value.ParseString(row[0])
		f.Add("f.yaml", "steps:\n  - id: a\n    run: "+strings.ReplaceAll(in.Str(), "⏎", "\n")+"\n")
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		w, diags := Parse(NewSource(name, []byte(text)))
		if w == nil && !diags.HasErrors() {
			t.Error("no tree and no error")
		}
		if w == nil {
			return
		}
		for _, s := range w.Steps {
			for i := range len(s.ID.Text) {
				s.ID.PosAt(i)
			}
			if s.Run != nil {
				s.Run.SpanAt(0, len(s.Run.Text))
			}
		}
	})
}

var update = flag.Bool("update", false, "rewrite the golden files")

// TestMessagePlaces keeps the place of every message: for each, the first file of loader.txt that has it, as block YAML, with all that is
// said about it.
func TestMessagePlaces(t *testing.T) {
	var out strings.Builder
	seen := map[string]bool{}
	for _, row := range lines(t, "loader.txt") {
		_, diags := Parse(NewSource("flow.json", []byte(row[0])))
		kind := regexp.MustCompile(`step \w+ `).ReplaceAllString(firstError(diags), "")
		if kind == "" || seen[kind] {
			continue
		}
		seen[kind] = true
		text := blockStyle(t, row[0])
		_, diags = Parse(NewSource("", []byte(text)))
		fmt.Fprintf(&out, "%s", text)
		for _, d := range diags {
			fmt.Fprintf(&out, "  >> %s: %s %s: %s", d.Span.Start, d.Severity, d.Code, d.Message)
			if d.Hint != "" {
				fmt.Fprintf(&out, " (%s)", d.Hint)
			}
			out.WriteByte('\n')
		}
		out.WriteByte('\n')
	}
	const file = "testdata/messages.golden"
	if *update {
		if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if out.String() != string(want) {
		t.Errorf("differs from %s; run with -update and look at the difference", file)
	}
}

// blockStyle rewrites JSON as block YAML.
func blockStyle(t *testing.T, text string) string {
	t.Helper()
	var n yaml.Node
	if err := yaml.Unmarshal([]byte(text), &n); err != nil {
		t.Fatal(text, err)
	}
	var plain func(n *yaml.Node)
	plain = func(n *yaml.Node) {
		if n.Kind == yaml.MappingNode || n.Kind == yaml.SequenceNode {
			n.Style = 0
		}
		for _, c := range n.Content {
			plain(c)
		}
	}
	plain(&n)
	out, err := yaml.Marshal(&n)
	if err != nil {
		t.Fatal(text, err)
	}
	return string(out)
}

// TestWarnings: what is accepted and still worth a word.
func TestWarnings(t *testing.T) {
	const step = "steps: [{id: a, run: x}]\n"
	for _, test := range []struct{ text, want, hint string }{
		{"args: {a: {default: yes}}\n" + step, "1:21 W0108: yes is text, not a boolean", `write true, or "yes" when the text is meant`},
		{"args: {a: {default: 'yes'}}\n" + step, "", ""},
		{"steps: [{id: a, run: x, approval: no}]", "1:35 W0108: no is text, not a boolean", `write false, or "no" when the text is meant`},
		{"env: {A: 5}\n" + step, "1:10 W0311: the value of A is not a string and is ignored", `quote it: A: "5"`},
		{"env: [A]\n" + step, `1:6 W0311: env takes a mapping of names to strings; a list is ignored`, ""},
		{"args: {a: x}\n" + step, `1:11 W0311: an argument takes a mapping with its default and description; the text "x" is ignored`, "did you mean {default: x}?"},
		{"args: {a: {type: text}}\n" + step, `1:18 W0311: unknown type "text" is ignored`, "the types are string, number, integer, boolean, array, object"},
		{"nmae: x\n" + step, `1:1 W0310: unknown key "nmae" in a workflow is ignored`, "did you mean name?"},
		{"x-note: x\n" + step, "", ""},
		{"name: 5\n" + step, "1:7 W0311: name should be text; 5 is ignored", ""},
		{"steps: [{id: a, run: x, if: y}]", `1:25 W0310: unknown key "if" in a step is ignored`, "did you mean when?"},
		{"steps: [{id: a, run: x, depends_on: y}]", `1:25 W0310: unknown key "depends_on" in a step is ignored`, "steps run in file order; refer to an earlier step with $id"},
		{"steps: [{id: a, run: x, command: y}]", "1:25 W0312: command is ignored: run stands too", ""},
		{"steps: [{id: a, run: x, when: true, condition: true}]", "1:37 W0312: condition is ignored: when stands too", "join the two under when, with &&"},
		{"steps: [{id: a, for_each: $b.json, approval: ok, stdin: x, steps: [{id: s, run: x}]}]", "1:46 E0305: Workflow step a for_each steps cannot define approval (use a separate step after the loop)\n1:57 E0302: Workflow step a for_each steps cannot define stdin (loop input comes from the for_each expression)", ""},
		{"steps: [{id: a, for_each: $b.json, approval: false, stdin: null, steps: [{id: s, run: x}]}]", "", ""},
		{"steps: [{id: a, run: x, batch_size: 5}]", "1:25 W0312: batch_size does nothing without for_each", ""},
		{"steps: [{id: a, parallel: {branches: [{id: b, run: x, when: true}]}}]", "1:55 W0312: when does nothing on a parallel branch", ""},
		{"name: !foo x\n" + step, "1:7 W0106: the tag !foo means nothing here; the value is taken as text", ""},
		{"name: !!omap {}\n" + step, "1:7 W0106: the tag !!omap means nothing here and is ignored\n1:14 W0311: name should be text; a mapping is ignored", ""},
	} {
		w, diags := Parse(NewSource("", []byte(test.text)))
		var got []string
		for _, d := range diags {
			got = append(got, fmt.Sprintf("%s %s: %s", d.Span.Start, d.Code, d.Message))
		}
		if text := strings.Join(got, "\n"); w == nil || text != test.want {
			t.Errorf("%s\n got %s\nwant %s", test.text, text, test.want)
		} else if len(diags) == 1 && diags[0].Hint != test.hint {
			t.Errorf("%s: hint %q", test.text, diags[0].Hint)
		}
	}
}

// TestBlockEdit applies the edit that cures a value with a colon, and reads the result.
func TestBlockEdit(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"steps:\n  - id: a\n    run: echo \"a: b\"\n    when: true\n", "echo \"a: b\""},
		{"steps:\n  - run: echo a: b  \n    id: a\n", "echo a: b"},
		{"steps:\n  - run: echo a: b # note\n    id: a\n", ""},
		{"a: 1\n  b: 2\n", ""},
		{"steps:\n  - run: echo a: b\n      more\n    id: a\n", ""},
		{"steps:\n  - run: echo a: é: b", "echo a: é: b"},
	} {
		_, diags := Read(NewSource("f", []byte(test.text)))
		fixed, n := diag.Fix([]byte(test.text), "f", diags)
		if n == 0 {
			if test.want != "" {
				t.Errorf("%q: no edit: %v", test.text, diags)
			}
			continue
		}
		root, diags := Read(NewSource("f", fixed))
		if root == nil {
			t.Errorf("%q became %q: %v", test.text, fixed, diags)
		} else if got := root.Get("steps").Items[0].Get("run").Scalar.Text; got != test.want {
			t.Errorf("%q: got %q", fixed, got)
		}
	}
}
