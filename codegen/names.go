package codegen

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// names decides the identifiers of one generated file. Each is picked once and printed from the variable that holds it;
// user ids can be anything, so what is picked is always a valid identifier that nothing else in the file has.
type names map[string]bool

// newNames reserves what the generated file uses by itself: its own fixed names, the imports and the parameters.
func newNames() names {
	n := names{}
	for _, word := range []string{
		"main", "init", "programIR", "provenance", "rt", "value", "flow", "stage", "net", "schema", "time", "run", "lookup", "path",
		"late", "filter", "mail", "triage", "openclaw", "agent", "llm", "slices", "math",
	} {
		n[word] = true
	}
	return n
}

// pick gives prefix followed by the parts in camel case: pick("step", "fetch-mail") is stepFetchMail. A name that is taken gets
// the next free number.
func (n names) pick(prefix string, parts ...string) string {
	base := prefix
	for _, part := range parts {
		base += camel(part)
	}
	name := base
	for i := 2; n[name]; i++ {
		sep := ""
		if last, _ := utf8.DecodeLastRuneInString(base); unicode.IsDigit(last) {
			sep = "_"
		}
		name = base + sep + strconv.Itoa(i)
	}
	n[name] = true
	return name
}

// camel makes the words of s (runs of letters and digits) one CamelCase word. Other characters are dropped.
func camel(s string) string {
	var b strings.Builder
	start := true
	for _, r := range s {
		switch {
		case r == utf8.RuneError || !unicode.IsLetter(r) && !unicode.IsDigit(r):
			start = true
		case start:
			b.WriteRune(unicode.ToUpper(r))
			start = false
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
