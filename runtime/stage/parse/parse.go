// Package parse reads the small texts that stages take: comparisons (where), templates with filters (template, map), paths,
// lists of names and assignments. The compiler reads literals with it; text that holds a hole is read by the same code when the program
// runs, through runtime/stage/late. Only such programs link it.
//
// What is accepted, down to the oddities, is what the reference accepts; see spec part 2, section 4, and part 7, 26 and 27.
package parse

import (
	"strings"

	"github.com/lobsterc/lobsterc/runtime/value"
)

// Error is a fault in a text. Offset is where it stands, in bytes.
type Error struct {
	Offset  int
	Message string
}

func (e *Error) Error() string { return e.Message }

// Path splits a dotted path into its keys; empty keys do not count. No keys at all mean the whole item.
func Path(text string) []string {
	var keys []string
	for key := range strings.SplitSeq(text, ".") {
		if key != "" {
			keys = append(keys, key)
		}
	}
	return keys
}

// Names splits a list of names at its commas; white space around a name and empty names do not count.
func Names(text string) []string {
	var names []string
	for name := range strings.SplitSeq(text, ",") {
		if name = trim(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// Comparison is `path OP value`. Unlike a template's path, this one keeps empty keys.
type Comparison struct {
	Path  []string
	Op    string // == != < <= > >=
	Value value.Value
}

// Where reads a comparison. `=` is given as `==`.
func Where(text string) (Comparison, error) {
	bad := func(offset int) (Comparison, error) {
		return Comparison{}, &Error{offset, "Invalid where expression: " + text}
	}
	n := 0
	for n < len(text) && isPathByte(text[n]) {
		n++
	}
	if n == 0 {
		return bad(0)
	}
	at := len(text) - len(trimLeft(text[n:]))
	// Longer operators come first; a shorter one is tried when nothing would be left for the value ("a==" compares with "=").
	for _, op := range []string{"==", "!=", "<=", ">=", "=", "<", ">"} {
		if !strings.HasPrefix(text[at:], op) {
			continue
		}
		v, ok := whereValue(text[at+len(op):])
		if !ok {
			continue
		}
		if op == "=" {
			op = "=="
		}
		return Comparison{strings.Split(text[:n], "."), op, v}, nil
	}
	return bad(at)
}

// whereValue reads what stands behind the operator. It needs one character at least, and one line: white space may hold line breaks
// in front of the value only.
func whereValue(text string) (value.Value, bool) {
	rest := trimLeft(text)
	if rest == "" && text != "" {
		_, rest = lastRune(text)
	}
	if rest == "" || strings.ContainsAny(rest, "\n\r\u2028\u2029") {
		return value.Value{}, false
	}
	return whereLiteral(trim(rest)), true
}

func whereLiteral(text string) value.Value {
	switch text {
	case "true":
		return value.Bool(true)
	case "false":
		return value.Bool(false)
	case "null":
		return value.Null
	case "":
		return value.String("")
	}
	if n := value.StringNumber(text); n == n {
		return value.Number(n)
	}
	return value.String(text)
}

func isPathByte(c byte) bool {
	return c == '.' || c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// Assign is key=text.
type Assign struct {
	Key  string
	Text []Piece
}

// Assignment reads key=text; the text may hold {{path}}, without filters.
func Assignment(word string) (Assign, error) {
	key, text, ok := strings.Cut(word, "=")
	if key = trim(key); !ok || key == "" {
		return Assign{}, &Error{0, "expected KEY=TEXT, got " + word}
	}
	return Assign{key, Plain(text)}, nil
}
