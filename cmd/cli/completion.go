package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/lobsterc/lobsterc/compiler/catalog"
)

// shells maps each shell to what writes its completion script. The scripts are made of the command table, so that they cannot
// know less than help does. Files are completed wherever nothing better is known.
var shells = map[string]func([]suggestion) string{"bash": bashScript, "zsh": zshScript, "fish": fishScript}

func completionCommand(e *env, _ *pflag.FlagSet) func([]string) error {
	return func(args []string) error {
		if len(args) != 1 || shells[args[0]] == nil {
			return usagef("give one shell: %s", strings.Join(slices.Sorted(maps.Keys(shells)), ", "))
		}
		_, err := fmt.Fprint(e.stdout, shells[args[0]](suggestions()))
		return err
	}
}

// suggestion is what can follow a command.
type suggestion struct {
	name, summary string
	flags         []flagHint
	words         []string // arguments, where they are not files
}

// flagHint is a flag of a command.
type flagHint struct {
	name, help string
	takesValue bool
}

// suggestions are those of all commands, in the order of help.
func suggestions() []suggestion {
	var all []suggestion
	for _, c := range commands() {
		if !c.hidden {
			all = append(all, suggestion{c.name, c.summary, flagHints(c), wordsAfter(c.name)})
		}
	}
	return all
}

func flagHints(c *command) []flagHint {
	var list []flagHint
	if c.setup != nil {
		fs := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
		c.setup(&env{}, fs)
		fs.VisitAll(func(f *pflag.Flag) {
			_, help := pflag.UnquoteUsage(f)
			list = append(list, flagHint{f.Name, help, f.NoOptDefVal == ""})
		})
		return list
	}
	known := maps.Clone(programFlags)
	own := map[string]bool{"compat": false, "login-shell": false, "strict": false, "stages": true, "include": true, "file": true}
	if c.name == "resume" {
		own = map[string]bool{"token": true, "id": true, "approve": true, "response-json": true, "cancel": false, "stages": true}
	}
	maps.Copy(known, own)
	for _, name := range slices.Sorted(maps.Keys(known)) {
		list = append(list, flagHint{name, "", known[name]})
	}
	return list
}

// wordsAfter lists the arguments of commands that take no files.
func wordsAfter(command string) (words []string) {
	switch command {
	case "help":
		for _, c := range commands() {
			words = append(words, c.name)
		}
	case "completion":
		words = slices.Sorted(maps.Keys(shells))
	case "stages":
		for _, s := range catalog.New().All() {
			words = append(words, s.Name)
		}
	}
	return words
}

func bashScript(all []suggestion) string {
	var names []string
	var flags, words strings.Builder
	for _, s := range all {
		names = append(names, s.name)
		list := []string{"--help"}
		for _, f := range s.flags {
			list = append(list, "--"+f.name)
		}
		fmt.Fprintf(&flags, "      %s) words=%q ;;\n", s.name, strings.Join(list, " "))
		if len(s.words) > 0 {
			fmt.Fprintf(&words, "      %s) words=%q ;;\n", s.name, strings.Join(s.words, " "))
		}
	}
	return `# bash completion for lobsterc
_lobsterc() {
  local cur=${COMP_WORDS[COMP_CWORD]} words=
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    words="` + strings.Join(names, " ") + `"
  elif [[ $cur == -* ]]; then
    case ${COMP_WORDS[1]} in
` + flags.String() + `    esac
  else
    case ${COMP_WORDS[1]} in
` + words.String() + `    esac
  fi
  [[ -n $words ]] && COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _lobsterc lobsterc
`
}

func zshScript(all []suggestion) string {
	var commands, after strings.Builder
	for _, s := range all {
		fmt.Fprintf(&commands, "    %s\n", single(described(s.name, s.summary)))
		fmt.Fprintf(&after, "    %s)\n      flags=(", s.name)
		for _, f := range s.flags {
			after.WriteString(single(described("--"+f.name, f.help)) + " ")
		}
		after.WriteString("--help)\n")
		if len(s.words) > 0 {
			fmt.Fprintf(&after, "      args=(%s)\n", strings.Join(s.words, " "))
		}
		after.WriteString("      ;;\n")
	}
	return `#compdef lobsterc
# zsh completion for lobsterc
_lobsterc() {
  local -a commands flags args
  if ((CURRENT == 2)); then
    commands=(
` + commands.String() + `    )
    _describe command commands
    return
  fi
  case $words[2] in
` + after.String() + `  esac
  if [[ $PREFIX == -* ]]; then
    _describe flag flags
  elif ((#args)); then
    _describe argument args
  else
    _files
  fi
}
if [ "$funcstack[1]" = _lobsterc ]; then
  _lobsterc "$@"
else
  compdef _lobsterc lobsterc
fi
`
}

// described is a word with its help, as zsh's _describe takes it.
func described(word, help string) string {
	word = strings.ReplaceAll(word, ":", `\:`)
	if help == "" {
		return word
	}
	return word + ":" + help
}

func fishScript(all []suggestion) string {
	var b strings.Builder
	b.WriteString("# fish completion for lobsterc\n")
	for _, s := range all {
		fmt.Fprintf(&b, "complete -c lobsterc -f -n __fish_use_subcommand -a %s -d %s\n", s.name, fishQuoted(s.summary))
		after := "complete -c lobsterc -n '__fish_seen_subcommand_from " + s.name + "'"
		for _, f := range s.flags {
			b.WriteString(after + " -l " + f.name)
			if f.takesValue {
				b.WriteString(" -r")
			}
			if f.help != "" {
				b.WriteString(" -d " + fishQuoted(f.help))
			}
			b.WriteByte('\n')
		}
		if len(s.words) > 0 {
			fmt.Fprintf(&b, "%s -f -a %s\n", after, fishQuoted(strings.Join(s.words, " ")))
		}
	}
	return b.String()
}

// single quotes a word for sh.
func single(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// fishQuoted quotes a word for fish.
func fishQuoted(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'"
}
