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
		{name: "check", args: "FILE...|-", summary: "find faults without building (- is the standard input)", setup: checkCommand},
		{name: "ir", args: "FILE", summary: "print the canonical IR, for review and diffs", setup: irCommand},
		{name: "diff", args: "OLD NEW", summary: "what changed in meaning between two workflows, IR files or programs", setup: diffCommand,
			help: "Exit code 0: nothing changed; 1: something did; 3: a gate was removed or weakened."},
		{name: "effects", args: "FILE", summary: "what a program can do, and which gate stands before it", setup: effectsCommand},
		{name: "graph", args: "FILE --format FORMAT", summary: "draw a workflow", setup: graphCommand},
		{name: "verify", args: "BIN [FILE]", summary: "what a program was built from; with FILE, whether it is what FILE gives", setup: verifyCommand},
		{name: "stages", args: "[NAME]", summary: "the stages of pipelines, and how to use them", setup: stagesCommand},
		{name: "schema", args: "[--ir]", summary: "the JSON Schema of workflow files, for editors", setup: schemaCommand},
		{name: "mcp", args: "DIR", summary: "serve the workflows of a folder as tools of the Model Context Protocol, on stdio", setup: mcpCommand},
		{name: "explain", args: "CODE", summary: "what a diagnostic means", setup: explainCommand},
		{name: "cache", args: "[--clean]", summary: "what the build cache holds", setup: cacheCommand},
		{name: "warm", args: "[--target GOOS/GOARCH]", summary: "fill the Go toolchain's caches, so that first builds are fast", setup: warmCommand},
		{name: "doctor", args: "[--mode tool]", summary: "whether this machine has what builds and runs need", setup: doctorCommand,
			help: "Looks at the Go toolchain, the caches, the state directory, the shell and, when one is configured, the gateway.\nExit code 1: something that is needed is missing."},
		{name: "emit", args: "FILE -o DIR", summary: "write the generated Go module", setup: emitCommand},
		{name: "completion", args: "bash|zsh|fish", summary: "print the completion script of a shell", setup: completionCommand,
			help: "  bash  source <(lobsterc completion bash)\n  zsh   lobsterc completion zsh > a file _lobsterc in a folder of $fpath\n  fish  lobsterc completion fish > ~/.config/fish/completions/lobsterc.fish"},
		{name: "shim", args: "NAME [flags of the stage]", summary: "run one stage by itself, as links named openclaw.invoke and clawd.invoke do", hidden: true, raw: shimCommand},
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
		if _, stage := catalog.New().Lookup(args[0]); c == nil && stage {
			return stagesCommand(e, nil)(args)
		}
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
