package syntax

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/lobsterc/lobsterc/ir/diag"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// maxNodes bounds the tree with its aliases expanded.
const maxNodes = 200_000

// readYAML reads the one document of a YAML file. The node is nil when there is none to work on.
func readYAML(src *Source) (*Node, diag.List) {
	r := &yamlReader{src: src, text: string(src.Text), done: map[*yaml.Node]*Node{}}
	doc := r.parse()
	if doc == nil || r.diags.HasErrors() {
		return nil, r.diags
	}
	r.breaks = yamlLines(r.text)
	var root *Node
	if len(doc.Content) == 0 {
		root = &Node{Span: src.Span(0, 0), Value: value.Null, Scalar: &Scalar{src: src, Plain: true}, size: 1}
	} else {
		root = r.node(doc.Content[0], 0)
	}
	if r.diags.HasErrors() {
		return nil, r.diags
	}
	return root, r.diags
}

// yamlReader turns yaml.v3's tree into ours.
type yamlReader struct {
	src    *Source
	text   string
	breaks []int // offsets of line starts as yaml.v3 counts lines
	done   map[*yaml.Node]*Node
	diags  diag.List
	// question stands for a question mark in yaml.v3's values; "" when none was hidden.
	question string
}

// parse gives yaml.v3's document node, or nil after reporting why there is none.
func (r *yamlReader) parse() (doc *yaml.Node) {
	if at := invalidUTF8(r.text); at >= 0 {
		r.diags.Errorf(diag.BadSyntax, r.src.Span(at, at), "the file is not valid UTF-8").Hint = encodingHint(r.text)
		return nil
	}
	defer func() {
		if p := recover(); p != nil { // yaml.v3 panics on some broken input
			r.diags.Errorf(diag.BadSyntax, r.src.Span(0, 0), "the file is not valid YAML")
			doc = nil
		}
	}()
	text := hideSurrogates(r.text)
	doc, second, err := decodeYAML(text)
	if err != nil && strings.Contains(text, "?") {
		if hidden, mark := hideQuestions(text); mark != "" {
			if again, more, err2 := decodeYAML(hidden); err2 == nil {
				doc, second, err, r.question = again, more, nil, mark
			}
		}
	}
	switch {
	case err != nil:
		r.diags.Add(explainYAML(r.src, err))
		return nil
	case !errors.Is(second, io.EOF):
		r.diags.Add(r.secondDocument(second))
	}
	return doc
}

// decodeYAML reads the first document; second is what reading another one gave, io.EOF when all is well.
func decodeYAML(text string) (doc *yaml.Node, second, err error) {
	dec := yaml.NewDecoder(strings.NewReader(text))
	doc = new(yaml.Node)
	if err := dec.Decode(doc); errors.Is(err, io.EOF) {
		return &yaml.Node{Kind: yaml.DocumentNode}, io.EOF, nil
	} else if err != nil {
		return nil, nil, err
	}
	return doc, dec.Decode(new(yaml.Node)), nil
}

// hideQuestions replaces question marks inside words by a letter that the text has nowhere else: yaml.v3 takes them for key
// indicators inside brackets and braces ({prompt: Send?}). No letter is "".
func hideQuestions(text string) (hidden, mark string) {
	for _, c := range "ZXQJKVYWUzxqjkvyw0123456789" {
		if strings.ContainsRune(text, c) {
			continue
		}
		b := []byte(text)
		for i := 1; i < len(b); i++ {
			if b[i] == '?' && !isSpace(b[i-1]) && strings.IndexByte(",[{", b[i-1]) < 0 {
				b[i] = byte(c)
			}
		}
		return string(b), string(c)
	}
	return text, ""
}

// secondDocument reports that the file goes on after its first document.
func (r *yamlReader) secondDocument(err error) diag.Diagnostic {
	at, seen := 0, false
	for line := 1; ; line++ {
		if line > len(r.src.lines) {
			break
		}
		text := r.src.Line(line)
		if strings.HasPrefix(text, "---") || strings.HasPrefix(text, "...") {
			if seen {
				at = r.src.lines[line-1]
				break
			}
		}
		if strings.TrimSpace(text) != "" && !strings.HasPrefix(text, "#") && !strings.HasPrefix(text, "%") {
			seen = true
		}
	}
	if at == 0 && err != nil {
		return explainYAML(r.src, err)
	}
	return diag.Diagnostic{Code: diag.ManyDocs, Span: r.src.Span(at, at+3), Message: "the file holds several YAML documents",
		Hint: "a workflow file is one document; remove this line and what follows"}
}

func invalidUTF8(text string) int {
	if utf8.ValidString(text) {
		return -1
	}
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// hideSurrogates replaces \ud800 to \udfff, which yaml.v3 refuses, by escapes of the same length. Double-quoted text is decoded
// from the file itself later, and elsewhere such letters mean themselves, so this changes no value that is kept.
func hideSurrogates(text string) string {
	if !strings.Contains(text, `\ud`) && !strings.Contains(text, `\uD`) {
		return text
	}
	b := []byte(text)
	for i := 0; i+6 <= len(b); i++ {
		if b[i] != '\\' {
			continue
		}
		if b[i+1] == 'u' && b[i+2]|0x20 == 'd' && strings.IndexByte("89abcdef", b[i+3]|0x20) >= 0 {
			b[i+2] = 'e'
		}
		i++
	}
	return string(b)
}

// yamlLines are the starts of lines as yaml.v3 counts them, with the breaks of YAML 1.1.
func yamlLines(text string) []int {
	lines := []int{0}
	for i := 0; i < len(text); {
		switch {
		case breakLen(text, i) > 0:
			i += breakLen(text, i)
			lines = append(lines, i)
		case strings.HasPrefix(text[i:], "\u0085"):
			i += 2
			lines = append(lines, i)
		case strings.HasPrefix(text[i:], "\u2028"), strings.HasPrefix(text[i:], "\u2029"):
			i += 3
			lines = append(lines, i)
		default:
			i++
		}
	}
	return lines
}

// offset is the place of a yaml.v3 node in the file.
func (r *yamlReader) offset(n *yaml.Node) int {
	if n.Line < 1 || n.Line > len(r.breaks) {
		return len(r.text)
	}
	at := r.breaks[n.Line-1]
	for col := 1; col < n.Column && at < len(r.text); col++ {
		_, size := utf8.DecodeRuneInString(r.text[at:])
		at += size
	}
	return at
}

// node converts a node. fallback is where an empty value is said to stand.
func (r *yamlReader) node(n *yaml.Node, fallback int) *Node {
	if out, ok := r.done[n]; ok {
		return out
	}
	if n.Kind == yaml.AliasNode {
		return r.alias(n)
	}
	r.done[n] = nil // being converted: an alias to it would never end
	at := r.offset(n)
	var out *Node
	switch n.Kind {
	case yaml.MappingNode:
		out = r.mapping(n, at)
	case yaml.SequenceNode:
		out = r.list(n, at)
	default:
		out = r.scalar(n, at, fallback)
	}
	if out.size > maxNodes {
		if !r.diags.HasErrors() {
			r.diags.Errorf(diag.BadAlias, out.Span, "Excessive alias count indicates a resource exhaustion attack")
		}
		out = &Node{Span: out.Span, Value: value.Null, Scalar: &Scalar{src: r.src}, size: 1}
	}
	r.done[n] = out
	return out
}

func (r *yamlReader) alias(n *yaml.Node) *Node {
	at := r.offset(n)
	if out := r.done[n.Alias]; out != nil {
		return out
	}
	r.diags.Errorf(diag.BadAlias, r.src.Span(at, at+1+len(n.Value)), "the alias *%s stands inside its own anchor", n.Value)
	return &Node{Span: r.src.Span(at, at), Value: value.Null, Scalar: &Scalar{src: r.src, start: at}, size: 1}
}

func (r *yamlReader) list(n *yaml.Node, at int) *Node {
	tag, start := r.properties(at)
	out := &Node{Kind: ListNode, Span: r.src.Span(start, start+1), size: 1}
	r.checkTag(tag, at)
	for _, item := range n.Content {
		child := r.node(item, start)
		out.size += child.size
		out.Items = append(out.Items, child)
	}
	return out
}

func (r *yamlReader) mapping(n *yaml.Node, at int) *Node {
	tag, start := r.properties(at)
	out := &Node{Kind: MapNode, Span: r.src.Span(start, start+1), size: 1}
	r.checkTag(tag, at)
	seen := map[string]diag.Span{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := r.node(n.Content[i], start)
		val := r.node(n.Content[i+1], key.end(r.src))
		out.size += key.size + val.size
		name := r.key(key)
		id := fmt.Sprint(key.Kind, key.Value.Kind(), name.Text)
		if first, ok := seen[id]; ok {
			d := r.diags.Errorf(diag.DuplicateKey, name.Span, "duplicate key %q", name.Text)
			d.Notes = append(d.Notes, diag.Note{Span: first, Message: "first here"})
		}
		seen[id] = name.Span
		out.Entries = append(out.Entries, Entry{name, val})
	}
	return out
}

// end is the offset after a scalar.
func (n *Node) end(src *Source) int {
	if n.Scalar != nil {
		return n.Scalar.end
	}
	return src.lines[max(n.Span.Start.Line, 1)-1]
}

// key is the text of a key: keys are strings, and others become the text that JavaScript makes of them.
func (r *yamlReader) key(n *Node) *Scalar {
	switch {
	case n.IsString():
		return n.Scalar
	case n.Kind != ScalarNode:
		r.diags.Warnf(diag.IgnoredValue, n.Span, "a mapping key should be text")
		return &Scalar{Text: n.JSON().JSON(), Span: n.Span, src: r.src}
	}
	s := *n.Scalar
	if s.Text = n.Value.JSString(); n.IsNull() {
		s.Text = ""
	}
	return &s
}

// properties reads the tag and skips the anchor that stand before a node's content.
func (r *yamlReader) properties(at int) (tag string, start int) {
	for at < len(r.text) {
		switch c := r.text[at]; {
		case isSpace(c):
			at++
		case c == '#' && (tag != "" || at > 0 && isSpace(r.text[at-1])):
			for at < len(r.text) && breakLen(r.text, at) == 0 {
				at++
			}
		case c == '&' || c == '!' && tag == "":
			end := at + 1
			for end < len(r.text) && !isSpace(r.text[end]) && strings.IndexByte(",[]{}", r.text[end]) < 0 {
				end++
			}
			if c == '!' {
				tag = r.text[at:end]
			}
			at = end
		default:
			return tag, at
		}
	}
	return tag, at
}

// scalar converts a scalar: its text is decoded from the file, its meaning resolved by YAML 1.2.
func (r *yamlReader) scalar(n *yaml.Node, at, fallback int) *Node {
	if r.question != "" {
		n.Value = strings.ReplaceAll(n.Value, r.question, "?")
	}
	empty := n.Value == "" && n.Style&^yaml.TaggedStyle == 0
	tag, start := "", at
	if at < len(r.text) && (r.text[at] == '!' || r.text[at] == '&') {
		if tag, start = r.properties(at); empty {
			start = at
		}
	} else if empty {
		start = fallback
	}
	s := &Scalar{Text: n.Value, src: r.src, start: start, end: start}
	r.scan(s, n.Style)
	s.Span = r.src.Span(s.start, s.end)
	out := &Node{Kind: ScalarNode, Span: s.Span, Scalar: s, size: 1}
	if full := fullTag(tag); full != "" {
		known := false
		if out.Value, known = resolveTagged(full, s.Text); !known {
			r.diags.Warnf(diag.IgnoredTag, r.src.Span(at, at+len(tag)), "the tag %s means nothing here; the value is taken as text", tag)
		}
	} else if s.Plain {
		out.Value = resolvePlain(s.Text)
	} else {
		out.Value = value.String(s.Text)
	}
	return out
}

// scan decodes the text of s and maps it to the file.
func (r *yamlReader) scan(s *Scalar, style yaml.Style) {
	sc := scan{text: r.text, pos: s.start, value: s.Text}
	var ok bool
	switch {
	case style&yaml.DoubleQuotedStyle != 0:
		ok = sc.double()
	case style&yaml.SingleQuotedStyle != 0:
		ok = sc.single()
	case style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		s.Block = true
		ok = sc.block()
	default:
		s.Plain = true
		ok = sc.plain()
	}
	if ok {
		s.Text, s.marks, s.end = sc.value, sc.marks, sc.pos
	}
}

// fullTag spells a tag out.
func fullTag(tag string) string {
	if rest, ok := strings.CutPrefix(tag, "!!"); ok {
		return "tag:yaml.org,2002:" + rest
	}
	if strings.HasPrefix(tag, "!<") {
		return strings.TrimSuffix(tag[2:], ">")
	}
	return tag
}

// checkTag warns of a tag on a collection that says something else than the collection.
func (r *yamlReader) checkTag(tag string, at int) {
	switch fullTag(tag) {
	case "", "!", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq":
	default:
		r.diags.Warnf(diag.IgnoredTag, r.src.Span(at, at+len(tag)), "the tag %s means nothing here and is ignored", tag)
	}
}
