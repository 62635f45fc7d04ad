package cli

import (
	"fmt"

	"github.com/spf13/pflag"

	"github.com/lobsterc/lobsterc/compiler/catalog"
)

// Version is the version of lobsterc; releases set it by -ldflags -X.
var Version = "0.1.0-dev"

// commands are all commands in the order in which help lists them.
func commands() []*command {
	return []*command{
		{name: "build", args: "FILE... [-o BIN]", summary: "compile workflows, or a pipeline (-e), to executables", setup: buildCommand},
		{name: "run", args: "[flags] FILE|'PIPELINE' [program flags]", summary: "compile into the cache and run", raw: runCommand},
		{name: "resume", args: "--token T|--id ID --approve yes|no|--response-json J|--cancel", summary: "answer a paused run", raw: resumeCommand},
		{name: "check", args: "FILE...", summary: "find faults without building", setup: checkCommand},
		{name: "ir", args: "FILE", summary: "print the canonical IR, for review and diffs", setup: irCommand},
		{name: "emit", args: "FILE -o DIR", summary: "write the generated Go module", setup: emitCommand},
		{name: "version", args: "", summary: "print the version", setup: versionCommand},
		{name: "help", args: "[COMMAND]", summary: "show help", setup: helpCommand},
	}
}

func versionCommand(e *env, _ *pflag.FlagSet) func([]string) error {
	return func([]string) error {
		_, err := fmt.Fprintln(e.stdout, "lobsterc "+Version)
		return err
	}
}

func helpCommand(e *env, _ *pflag.FlagSet) func([]string) error {
	return func(args []string) error {
		if len(args) == 0 {
			fmt.Fprint(e.stdout, overview())
			return nil
		}
		c := find(args[0])
		if c == nil {
			return usagef("unknown command %q%s", args[0], didYouMean(args[0]))
		}
		fmt.Fprint(e.stdout, usage(c))
		return nil
	}
}

func nearest(word string, names []string) string {
	if list := catalog.Nearest(word, names); len(list) > 0 {
		return list[0]
	}
	return ""
}
