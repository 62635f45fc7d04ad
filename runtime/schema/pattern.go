package schema

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// pattern is a JavaScript regular expression (flag u) as Go's engine runs it; its text stays the author's.
type pattern struct {
	*regexp.Regexp
	source string
}

func (p pattern) String() string { return p.source }

// compilePattern translates what the two dialects spell differently. Look-around and back-references have no counterpart in Go's
// engine (which never backtracks): they are refused, never guessed.
func compilePattern(source string) (jsonschema.Regexp, error) {
	translated, err := translate(source)
	if err != nil {
		return nil, err
	}
	re, err := regexp.Compile(translated)
	if err != nil {
		return nil, fmt.Errorf("Invalid regular expression: /%s/u: %s", source, regexpFault(err))
	}
	return pattern{re, source}, nil
}

// regexpFault is V8's word for the commonest faults, else Go's.
func regexpFault(err error) string {
	var serr *syntax.Error
	if !errors.As(err, &serr) {
		return err.Error()
	}
	switch serr.Code {
	case syntax.ErrMissingParen:
		return "Unterminated group"
	case syntax.ErrUnexpectedParen:
		return "Unmatched ')'"
	case syntax.ErrMissingBracket:
		return "Unterminated character class"
	case syntax.ErrMissingRepeatArgument, syntax.ErrInvalidRepeatOp:
		return "Nothing to repeat"
	case syntax.ErrTrailingBackslash:
		return `\ at end of pattern`
	}
	return serr.Error()
}

const (
	jsDot   = `[^\n\r\x{2028}\x{2029}]`
	jsSpace = `\t\n\v\f\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`
)

func translate(src string) (string, error) {
	var b strings.Builder
	class := false
	for i := 0; i < len(src); i++ {
		rest := src[i:]
		switch c := src[i]; {
		case c == '\\':
			n, err := escape(&b, rest, class, src)
			if err != nil {
				return "", err
			}
			i += n - 1
		case class && c == ']':
			class = false
			b.WriteByte(c)
		case class && c == '[':
			b.WriteString(`\[`) // literal in JavaScript; Go could see a [:class:]
		case class:
			b.WriteByte(c)
		case strings.HasPrefix(rest, "[^]"):
			b.WriteString(`[\x{0}-\x{10ffff}]`)
			i += 2
		case strings.HasPrefix(rest, "[]"):
			b.WriteString(`[^\x{0}-\x{10ffff}]`)
			i++
		case c == '[':
			class = true
			b.WriteByte(c)
			if strings.HasPrefix(rest, "[^") {
				b.WriteByte('^')
				i++
			}
		case c == '.':
			b.WriteString(jsDot)
		case strings.HasPrefix(rest, "(?=") || strings.HasPrefix(rest, "(?!") || strings.HasPrefix(rest, "(?<=") || strings.HasPrefix(rest, "(?<!"):
			return "", fmt.Errorf("pattern /%s/ uses look-around, which is not supported; say it without (?=, (?!, (?<= and (?<!", src)
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), nil
}

// escape translates the escape at the start of rest and returns its length.
func escape(b *strings.Builder, rest string, class bool, src string) (int, error) {
	if len(rest) < 2 {
		b.WriteByte('\\')
		return 1, nil
	}
	switch c := rest[1]; {
	case c == 's' && class:
		b.WriteString(jsSpace)
	case c == 's':
		b.WriteString("[" + jsSpace + "]")
	case c == 'S' && !class:
		b.WriteString("[^" + jsSpace + "]")
	case c == '/' || c == '-':
		b.WriteString(`\x{` + fmt.Sprintf("%x", c) + `}`)
	case c == '0':
		b.WriteString(`\x{0}`)
	case c == 'c' && len(rest) > 2:
		fmt.Fprintf(b, `\x{%x}`, rest[2]&31)
		return 3, nil
	case c == 'u' && len(rest) > 2 && rest[2] == '{':
		if end := strings.IndexByte(rest, '}'); end > 0 {
			b.WriteString(`\x` + rest[2:end+1])
			return end + 1, nil
		}
		b.WriteString(`\u`)
	case c == 'u' && len(rest) >= 6:
		b.WriteString(`\x{` + rest[2:6] + `}`)
		return 6, nil
	case c >= '1' && c <= '9' || c == 'k':
		return 0, fmt.Errorf("pattern /%s/ uses a back-reference, which is not supported", src)
	default:
		b.WriteString(rest[:2])
	}
	return 2, nil
}
