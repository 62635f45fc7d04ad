package lower

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// wrappers are commands that run the command in their arguments.
var wrappers = []string{"env", "exec", "command", "nohup", "nice", "time", "timeout", "sudo", "xargs", "stdbuf", "setsid"}

// dispatches tells whether a shell text calls an executable that hands something to the outside which cannot be taken back
// (spec part 1, 2.8): openclaw.invoke, clawd.invoke, openclaw agent, gog gmail send. Such a step is never retried. Text that
// does not parse is searched for the words.
func dispatches(script string) bool {
	if !strings.Contains(script, "claw") && !strings.Contains(script, "gog") {
		return false
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(script), "")
	if err != nil {
		return dispatchWords(strings.Fields(strings.Map(separator, script)), true)
	}
	found := false
	syntax.Walk(file, func(node syntax.Node) bool {
		if call, ok := node.(*syntax.CallExpr); ok && dispatchWords(literals(call.Args), false) {
			found = true
		}
		return !found
	})
	return found
}

// separator makes the operators of a shell spaces.
func separator(r rune) rune {
	if strings.ContainsRune(";&|()`\"'{}", r) {
		return ' '
	}
	return r
}

// literals are the words of a command that are plain text; another word is "".
func literals(args []*syntax.Word) []string {
	words := make([]string, len(args))
	for i, arg := range args {
		words[i] = arg.Lit()
		if len(arg.Parts) == 1 {
			switch part := arg.Parts[0].(type) {
			case *syntax.SglQuoted:
				words[i] = part.Value
			case *syntax.DblQuoted:
				if len(part.Parts) == 1 {
					if lit, ok := part.Parts[0].(*syntax.Lit); ok {
						words[i] = lit.Value
					}
				}
			}
		}
	}
	return words
}

// dispatchWords looks for a dispatching command: the first word, or one after a wrapper; anywhere: any word.
func dispatchWords(words []string, anywhere bool) bool {
	for i, word := range words {
		rest := words[i+1:]
		switch name := path.Base(word); {
		case name == "openclaw.invoke" || name == "clawd.invoke":
			return true
		case name == "openclaw" && startsWith(rest, "agent"), name == "gog" && startsWith(rest, "gmail", "send"):
			return true
		case !anywhere && i == 0 && !slices.Contains(wrappers, name):
			return false
		}
	}
	return false
}

// startsWith tells whether the words that are no flags start with want.
func startsWith(words []string, want ...string) bool {
	for _, word := range words {
		if len(want) == 0 {
			return true
		}
		if strings.HasPrefix(word, "-") {
			continue
		}
		if word != want[0] {
			return false
		}
		want = want[1:]
	}
	return len(want) == 0
}
