// Package graph draws the steps of a workflow as text: mermaid, dot and ascii, byte for byte as the reference does (spec part 7,
// 16). It is small and stands on runtime/value and runtime/plain only, so that a compiled program can offer --graph from its embedded IR.
package graph

import (
	"iter"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lobsterc/lobsterc/runtime/plain"
)

// Graph is a workflow's top-level steps and what leads from one to another, in file order.
type Graph struct {
	Nodes []Node
	Edges []Edge
}

// Node is a step. Kind is run, pipeline, workflow, parallel, for_each, approval or input.
type Node struct {
	ID     string
	Kind   string
	Detail string // what it does; may be empty
	Gate   bool   // it has an approval
}

// Edge says that To comes after From, or reads its result. Label is next, stdin, for_each or "when: EXPR".
type Edge struct{ From, To, Label string }

// Formats are the names that Render knows.
var Formats = []string{"mermaid", "dot", "ascii"}

// Render draws g in one of Formats; ok is false for another format.
func (g *Graph) Render(format string) (text string, ok bool) {
	switch format {
	case "mermaid":
		return g.mermaid(), true
	case "dot":
		return g.dot(), true
	case "ascii":
		return g.ascii(), true
	}
	return "", false
}

// The longest texts that stand uncut, in UTF-16 units.
const (
	detailLimit = 80
	labelLimit  = 70
)

// Step is what a graph shows of a step. Stdin, ForEach and When are the texts in which references are looked for.
type Step struct {
	Node
	Stdin   []string
	ForEach string
	When    string
}

// New makes the graph of steps in file order: each follows the one before, and comes after the steps that its input, its
// loop and its condition name.
func New(steps []Step) *Graph {
	g := &Graph{}
	known := map[string]bool{}
	for i := range steps {
		known[steps[i].ID] = true
	}
	for i := range steps {
		s := &steps[i]
		n := s.Node
		n.Detail = cut(n.Detail, detailLimit)
		g.Nodes = append(g.Nodes, n)
		if i > 0 {
			g.Edges = append(g.Edges, Edge{steps[i-1].ID, s.ID, "next"})
		}
		g.sources(known, s.ID, "stdin", s.Stdin...)
		g.sources(known, s.ID, "for_each", s.ForEach)
		g.sources(known, s.ID, cut("when: "+strings.TrimSpace(s.When), labelLimit), s.When)
	}
	return g
}

// sources adds an edge from each step that a reference in texts names.
func (g *Graph) sources(known map[string]bool, to, label string, texts ...string) {
	seen := map[string]bool{}
	for _, text := range texts {
		for id := range refs(text) {
			if known[id] && !seen[id] {
				seen[id] = true
				g.Edges = append(g.Edges, Edge{id, to, label})
			}
		}
	}
}

// refs gives the ids of the references $id.path in text, in order.
func refs(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := 0; i < len(text); i++ {
			if text[i] != '$' {
				continue
			}
			end := i + 1
			for end < len(text) && (isWord(text[end]) || text[end] == '-') {
				end++
			}
			if end == i+1 || end+1 >= len(text) || text[end] != '.' || !isWord(text[end+1]) {
				continue
			}
			if !yield(text[i+1 : end]) {
				return
			}
			i = end
		}
	}
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// Expand replaces ${name} by the argument of that name; what has none stays as it stands.
func Expand(text string, arg func(name string) (string, bool)) string {
	var b plain.Text
	for {
		i := strings.Index(text, "${")
		if i < 0 {
			break
		}
		end := i + 2
		for end < len(text) && (isWord(text[end]) || text[end] == '-') {
			end++
		}
		if end == len(text) || text[end] != '}' || end == i+2 {
			b.Add(text[:i+2])
			text = text[i+2:]
			continue
		}
		b.Add(text[:i])
		if v, ok := arg(text[i+2 : end]); ok {
			b.Add(v)
		} else {
			b.Add(text[i : end+1])
		}
		text = text[end+1:]
	}
	return string(b) + text
}

// RunDetail is the detail of a shell step. A command of white space has none, and its step is shown as the gate that it may be.
func RunDetail(command string, gate bool) string {
	switch {
	case strings.TrimSpace(command) != "":
		return "run: " + command
	case gate:
		return "approval gate"
	}
	return ""
}

// cut shortens a text to limit UTF-16 units, the last one an ellipsis. Half a character becomes U+FFFD, as in JavaScript.
func cut(s string, limit int) string {
	units, keep, half := 0, 0, false // keep bytes stay, and half a character when half is set
	for i, r := range s {
		width := 1
		if r >= 0x10000 {
			width = 2
		}
		if units+width <= limit-1 {
			_, size := utf8.DecodeRuneInString(s[i:])
			keep = i + size
		} else if units < limit-1 {
			half = true
		}
		units += width
	}
	switch {
	case units <= limit:
		return s
	case half:
		return s[:keep] + "\uFFFD…"
	}
	return s[:keep] + "…"
}

// label is what a box shows: id and detail with a backslash and an n between them.
func (n *Node) label() string {
	if n.Detail == "" {
		return n.ID
	}
	return n.ID + `\n` + n.Detail
}

func (g *Graph) mermaid() string {
	names := g.mermaidNames()
	escape := func(s string) string {
		return plain.Escape(s, "&", "&amp;", `"`, "&quot;", "<", "&lt;", ">", "&gt;", "|", "&#124;")
	}
	var b plain.Text
	b.Add("flowchart TD\n")
	for i := range g.Nodes {
		n := &g.Nodes[i]
		left, right := `["`, `"]`
		if n.Gate {
			left, right = `{"`, `"}`
		}
		b.Add("  ", names[n.ID], left, escape(n.label()), right, "\n")
	}
	b.Add("\n")
	for _, e := range g.Edges {
		b.Add("  ", names[e.From], " -->|", escape(e.Label), "| ", names[e.To], "\n")
	}
	return string(b)
}

// mermaidNames makes an identifier of each id: letters, digits and underscores, not starting with a digit, numbered on collision.
func (g *Graph) mermaidNames() map[string]string {
	names := map[string]string{}
	taken := map[string]bool{}
	for i := range g.Nodes {
		id := g.Nodes[i].ID
		base := mermaidName(id)
		name := base
		for n := 2; taken[name]; n++ {
			name = base + "_" + strconv.Itoa(n)
		}
		taken[name] = true
		names[id] = name
	}
	return names
}

func mermaidName(id string) string {
	var b plain.Text
	for i, r := range id {
		switch {
		case i == 0 && r >= '0' && r <= '9':
			b.Add("s_", string(r))
		case r < 0x80 && isWord(byte(r)):
			b.Add(string(r))
		case r >= 0x10000: // two units in JavaScript
			b.Add("__")
		default:
			b.Add("_")
		}
	}
	return string(b)
}

func (g *Graph) dot() string {
	quote := func(s string) string { return `"` + plain.Escape(s, `\`, `\\`, `"`, `\"`) + `"` }
	var b plain.Text
	b.Add("digraph workflow {\n  rankdir=TB;\n")
	for i := range g.Nodes {
		n := &g.Nodes[i]
		shape := "box"
		if n.Gate {
			shape = "diamond"
		}
		b.Add("  ", quote(n.ID), " [shape=", shape, ",label=", quote(n.label()), "];\n")
	}
	b.Add("\n")
	for _, e := range g.Edges {
		b.Add("  ", quote(e.From), " -> ", quote(e.To), " [label=", quote(e.Label), "];\n")
	}
	b.Add("}\n")
	return string(b)
}

func (g *Graph) ascii() string {
	var b plain.Text
	b.Add("Workflow Graph\n\nNodes:\n")
	for i := range g.Nodes {
		n := &g.Nodes[i]
		b.Add("- ", n.ID, " [", n.Kind, "]")
		// The reference takes the detail back out of the label, so a backslash and an n inside end it.
		if parts := strings.Split(n.label(), `\n`); len(parts) > 1 {
			b.Add(" (", parts[1], ")")
		}
		b.Add("\n")
	}
	b.Add("\nEdges:\n")
	if len(g.Edges) == 0 {
		b.Add("- (none)\n")
	}
	for _, e := range g.Edges {
		b.Add("- ", e.From, " -> ", e.To, " (", e.Label, ")\n")
	}
	return string(b)
}
