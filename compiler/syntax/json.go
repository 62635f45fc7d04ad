package syntax

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/lobsterc/lobsterc/ir/diag"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// maxDepth bounds the nesting of JSON.
const maxDepth = 10_000

// readJSON reads a JSON file. The node is nil when the text is not JSON.
func readJSON(src *Source) (*Node, diag.List) {
	r := &jsonReader{src: src, text: string(src.Text)}
	if at := invalidUTF8(r.text); at >= 0 {
		r.fail(at, "the file is not UTF-8 ("+encodingHint(r.text)+")")
		return nil, r.diags
	}
	root := r.value(0)
	r.space()
	if !r.bad && r.pos < len(r.text) {
		r.fail(r.pos, "text after the end of the JSON value")
	}
	if r.bad {
		return nil, r.diags
	}
	return root, r.diags
}

// jsonReader is a recursive descent over JSON text. It stops at the first fault: JSON has no lines to go on from.
type jsonReader struct {
	src   *Source
	text  string
	pos   int
	bad   bool
	diags diag.List
}

func (r *jsonReader) fail(at int, format string, args ...any) {
	if !r.bad {
		r.bad = true
		r.diags.Errorf(diag.BadSyntax, r.src.Span(at, at+1), "not valid JSON: "+format, args...)
	}
}

func (r *jsonReader) space() {
	for r.pos < len(r.text) && isSpace(r.text[r.pos]) {
		r.pos++
	}
}

// peek is the next byte that is no white space; 0 at the end and after a fault.
func (r *jsonReader) peek() byte {
	r.space()
	if r.bad || r.pos >= len(r.text) {
		return 0
	}
	return r.text[r.pos]
}

func (r *jsonReader) value(depth int) *Node {
	switch c := r.peek(); {
	case depth > maxDepth:
		r.fail(r.pos, "the values are nested too deeply")
	case c == '{':
		return r.object(depth)
	case c == '[':
		return r.array(depth)
	case c == '"':
		s := r.quoted()
		return &Node{Kind: ScalarNode, Span: s.Span, Scalar: s, Value: value.String(s.Text)}
	case c == '-' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z':
		return r.word()
	case c == 0:
		r.fail(len(r.text), "the text ends too early")
	default:
		ch, _ := utf8.DecodeRuneInString(r.text[r.pos:])
		r.fail(r.pos, "unexpected %q", ch)
	}
	return &Node{Value: value.Null, Scalar: &Scalar{src: r.src}}
}

// word reads a number, true, false or null.
func (r *jsonReader) word() *Node {
	start := r.pos
	for r.pos < len(r.text) && strings.IndexByte(" \t\r\n,:]}[{\"", r.text[r.pos]) < 0 {
		r.pos++
	}
	text := r.text[start:r.pos]
	v, err := value.ParseString(text)
	if err != nil {
		r.fail(start, "%q is no value", text)
	}
	s := &Scalar{Text: text, Plain: true, src: r.src, start: start, end: r.pos, marks: []mark{{0, start}}, Span: r.src.Span(start, r.pos)}
	return &Node{Kind: ScalarNode, Span: s.Span, Scalar: s, Value: v}
}

// quoted reads a string.
func (r *jsonReader) quoted() *Scalar {
	sc := scan{text: r.text, pos: r.pos}
	start, from := r.pos, r.pos+1
	for at := from; ; at++ {
		switch {
		case at >= len(r.text):
			r.fail(start, "a string is never closed")
		case r.text[at] < ' ':
			r.fail(at, "a control character in a string; write it as an escape")
		case r.text[at] == '\\':
			at++
			if at >= len(r.text) || strings.IndexByte(`"\/bfnrtu`, r.text[at]) < 0 || r.text[at] == 'u' && !fourHex(r.text[at+1:]) {
				r.fail(at-1, "an unknown escape sequence")
			}
			continue
		case r.text[at] != '"':
			continue
		}
		break
	}
	if r.bad || !sc.double() {
		return &Scalar{src: r.src}
	}
	r.pos = sc.pos
	return &Scalar{Text: sc.value, src: r.src, start: start, end: r.pos, marks: sc.marks, Span: r.src.Span(start, r.pos)}
}

func fourHex(s string) bool {
	return len(s) >= 4 && strings.Trim(s[:4], "0123456789abcdefABCDEF") == ""
}

func (r *jsonReader) array(depth int) *Node {
	out := &Node{Kind: ListNode, Span: r.src.Span(r.pos, r.pos+1)}
	r.pos++
	if r.peek() == ']' {
		r.pos++
		return out
	}
	for !r.bad {
		out.Items = append(out.Items, r.value(depth+1))
		switch r.peek() {
		case ',':
			r.pos++
			continue
		case ']':
			r.pos++
			return out
		}
		r.fail(r.pos, "expected a comma or ] in a list")
	}
	return out
}

func (r *jsonReader) object(depth int) *Node {
	out := &Node{Kind: MapNode, Span: r.src.Span(r.pos, r.pos+1)}
	seen := map[string]diag.Span{}
	r.pos++
	if r.peek() == '}' {
		r.pos++
		return out
	}
	for !r.bad {
		if r.peek() != '"' {
			r.fail(r.pos, "expected a key in double quotes")
			break
		}
		key := r.quoted()
		if r.peek() != ':' {
			r.fail(r.pos, "expected a colon after the key")
			break
		}
		r.pos++
		r.repeated(seen, key)
		out.Entries = append(out.Entries, Entry{key, r.value(depth + 1)})
		switch r.peek() {
		case ',':
			r.pos++
			continue
		case '}':
			r.pos++
			return out
		}
		r.fail(r.pos, "expected a comma or } in an object")
	}
	return out
}

// repeated warns of a key that stands twice: JSON's readers take the last.
func (r *jsonReader) repeated(seen map[string]diag.Span, key *Scalar) {
	if first, ok := seen[key.Text]; ok {
		d := r.diags.Warnf(diag.RepeatedKey, key.Span, "duplicate key %q: the last one counts", key.Text)
		d.Notes = append(d.Notes, diag.Note{Span: first, Message: "first here"})
	}
	seen[key.Text] = key.Span
}

// Read reads a file's bytes: JSON when its name says so, else YAML. The node is nil when there is nothing to work on.
func Read(src *Source) (*Node, diag.List) {
	if IsJSON(src.Name) {
		return readJSON(src)
	}
	return readYAML(src)
}

// describe names the kind of a node for messages.
func (n *Node) describe() string {
	switch {
	case n.Kind == ListNode:
		return "a list"
	case n.Kind == MapNode:
		return "a mapping"
	case n.IsString():
		return fmt.Sprintf("the text %q", clip(n.Scalar.Text))
	}
	return n.Value.JSON()
}

// clip shortens text for messages.
func clip(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:39]) + "…"
	}
	return s
}
