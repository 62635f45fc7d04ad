package parse

import (
	"strings"
	"unicode/utf8"
)

// Words splits text into words by the rules of pipeline text: white space separates, quotes group. It is used for a hole
// that stands alone among exec's words.
func Words(text string) ([]string, error) {
	var words []string
	for at := 0; ; {
		for at < len(text) && IsBlank(text[at]) {
			at++
		}
		if at == len(text) {
			return words, nil
		}
		word, next, err := Word(text, at)
		if err != nil {
			return nil, err
		}
		words = append(words, word)
		at = next
	}
}

// IsBlank tells whether c separates words.
func IsBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// Word reads the word that starts at offset at and gives the offset behind it.
func Word(text string, at int) (word string, next int, err error) {
	var out strings.Builder
	for at < len(text) && !IsBlank(text[at]) {
		quote := text[at]
		if quote != '"' && quote != '\'' {
			out.WriteByte(quote)
			at++
			continue
		}
		open := at
		for at++; ; {
			if at >= len(text) {
				return "", at, &Error{open, "Unclosed quote"}
			}
			if text[at] == quote {
				at++
				break
			}
			s, n := Quoted(text[at:], quote)
			out.WriteString(s)
			at += n
		}
	}
	return out.String(), at, nil
}

// Quoted reads one character, escapes understood, of quoted text: what it stands for, and how many bytes it takes.
func Quoted(text string, quote byte) (meaning string, size int) {
	if text[0] != '\\' || len(text) == 1 {
		return text[:1], 1
	}
	next := text[1]
	switch {
	case quote == '\'' && next == '\'':
		return "'", 2
	case quote == '"' && next == '\n':
		return "", 2
	case quote == '"' && (next == '"' || next == '\\' || next == '$' || next == '`'):
		return text[1:2], 2
	}
	return text[:1], 1
}

// isSpace is JavaScript's white space.
func isSpace(r rune) bool {
	switch r {
	case '\t', '\n', '\v', '\f', '\r', ' ', 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF:
		return true
	}
	return 0x2000 <= r && r <= 0x200A
}

func trim(s string) string     { return strings.TrimFunc(s, isSpace) }
func trimLeft(s string) string { return strings.TrimLeftFunc(s, isSpace) }

// lastRune cuts s before its last character.
func lastRune(s string) (before, last string) {
	_, n := utf8.DecodeLastRuneInString(s)
	return s[:len(s)-n], s[len(s)-n:]
}
