package parse

import (
	"math"
	"strings"

	"github.com/lobsterc/lobsterc/runtime/value"
)

// Piece is a part of a template: literal text, or with Hole set the value at Path (no keys: the whole item) after Filters.
type Piece struct {
	Lit     string
	Hole    bool
	Path    []string
	Filters []Filter
	// Offset is where the piece stands in the text.
	Offset int
}

// Filter is a filter with its arguments, normalised: truncate and round have one number; replace two strings; split, join
// and default one string; date one string or none; all others none.
type Filter struct {
	Name string
	Args []value.Value
}

// Plain reads text with {{path}} only: a | is part of the path.
func Plain(text string) []Piece {
	pieces, _ := pieces(text, func(expr string, offset int) (Piece, error) {
		return Piece{Hole: true, Path: holePath(expr), Offset: offset}, nil
	})
	return pieces
}

// Template reads text with {{path | filter arg | ...}}.
func Template(text string) ([]Piece, error) {
	return pieces(text, func(expr string, offset int) (Piece, error) {
		parts := splitPipes(expr)
		p := Piece{Hole: true, Path: holePath(parts[0]), Offset: offset}
		at := offset + len(parts[0]) + 1
		for _, part := range parts[1:] {
			f, err := filter(part)
			if err != nil {
				return Piece{}, &Error{at + len(part) - len(trimLeft(part)), err.Error()}
			}
			p.Filters = append(p.Filters, f)
			at += len(part) + 1
		}
		return p, nil
	})
}

// pieces cuts text at its holes: {{, one character or more but no }, and }}. What looks otherwise is literal.
func pieces(text string, hole func(expr string, offset int) (Piece, error)) ([]Piece, error) {
	var out []Piece
	start := 0 // of the literal text that is not yet in out
	for from := 0; ; {
		open := strings.Index(text[from:], "{{")
		if open < 0 {
			break
		}
		open += from
		end := strings.IndexByte(text[open+2:], '}')
		if end < 0 {
			break
		}
		end += open + 2
		if end == open+2 || !strings.HasPrefix(text[end:], "}}") {
			from = end
			continue
		}
		p, err := hole(text[open+2:end], open+2)
		if err != nil {
			return nil, err
		}
		if start < open {
			out = append(out, Piece{Lit: text[start:open], Offset: start})
		}
		out = append(out, p)
		start, from = end+2, end+2
	}
	if start < len(text) {
		out = append(out, Piece{Lit: text[start:], Offset: start})
	}
	return out, nil
}

func holePath(expr string) []string {
	if expr = trim(expr); expr == "this" {
		return nil
	}
	return Path(expr)
}

// splitPipes cuts an expression at each | outside quotes; a backslash in quotes protects the next character. A quote that is
// never closed holds all that follows.
func splitPipes(expr string) []string {
	var parts []string
	start, quote := 0, byte(0)
	for i := 0; i < len(expr); i++ {
		switch c := expr[i]; {
		case quote != 0 && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '|':
			parts = append(parts, expr[start:i])
			start = i + 1
		}
	}
	return append(parts, expr[start:])
}

// filterWords splits a filter at white space. A word that begins with a quote goes to the closing one, without both and
// without the backslashes; quotes inside a word are part of it.
func filterWords(text string) []string {
	var words []string
	for text = trimLeft(text); text != ""; text = trimLeft(text) {
		if c := text[0]; c != '"' && c != '\'' {
			n := len(text)
			for i, r := range text {
				if isSpace(r) {
					n = i
					break
				}
			}
			words = append(words, text[:n])
			text = text[n:]
			continue
		}
		var word []byte
		i := 1
		for ; i < len(text) && text[i] != text[0]; i++ {
			if text[i] == '\\' && i+1 < len(text) {
				i++
			}
			word = append(word, text[i])
		}
		words = append(words, string(word))
		text = text[min(i+1, len(text)):]
	}
	return words
}

// FilterNames lists the filters.
var FilterNames = []string{"upper", "lower", "trim", "truncate", "replace", "split", "first", "last", "length", "join", "json", "string", "default", "round", "date"}

// filter reads one filter. Arguments that a filter has no use for are ignored, as the reference does.
func filter(text string) (Filter, error) {
	words := filterWords(text)
	if len(words) == 0 {
		return Filter{}, &Error{0, "Unknown template filter: "}
	}
	arg := func(i int, otherwise string) string {
		if i < len(words) {
			return words[i]
		}
		return otherwise
	}
	f := Filter{Name: words[0]}
	switch f.Name {
	case "upper", "lower", "trim", "first", "last", "length", "json", "string":
	case "truncate":
		f.Args = []value.Value{value.Number(leadingInt(arg(1, ""), 80))}
	case "round":
		n := leadingInt(arg(1, ""), 0)
		if n < 0 || n > 100 {
			return Filter{}, &Error{0, "toFixed() digits argument must be between 0 and 100"}
		}
		f.Args = []value.Value{value.Number(n)}
	case "replace":
		f.Args = []value.Value{value.String(arg(1, "")), value.String(arg(2, ""))}
	case "split":
		f.Args = []value.Value{value.String(arg(1, ","))}
	case "join":
		f.Args = []value.Value{value.String(arg(1, ", "))}
	case "default":
		f.Args = []value.Value{value.String(arg(1, ""))}
	case "date":
		if format := arg(1, ""); format != "" {
			f.Args = []value.Value{value.String(format)}
		}
	default:
		return Filter{}, &Error{0, "Unknown template filter: " + f.Name}
	}
	return f, nil
}

// leadingInt is JavaScript's parseInt in base 10: the digits at the start count, whatever follows. Without any it is otherwise.
func leadingInt(text string, otherwise float64) float64 {
	text = trimLeft(text)
	sign := 1.0
	if text != "" && (text[0] == '-' || text[0] == '+') {
		if text[0] == '-' {
			sign = -1
		}
		text = text[1:]
	}
	n := 0
	for n < len(text) && '0' <= text[n] && text[n] <= '9' {
		n++
	}
	if n == 0 {
		return otherwise
	}
	// Beyond a million characters or digits nothing differs.
	v := 0.0
	for _, c := range []byte(text[:n]) {
		v = math.Min(v*10+float64(c-'0'), 1e9)
	}
	return sign * v
}
