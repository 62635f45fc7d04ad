// Package cli is the command line of lobsterc: flags, printing, exit codes (spec part 4, section 1). What it prints it gets
// from the compiler; it decides nothing about programs itself.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/pflag"
	"golang.org/x/term"
)

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1 // the program or the build is bad
	exitUsage  = 2
	exitWeaker = 3 // diff: a gate was removed or weakened

	exitInterrupted = 130
)

// Main runs lobsterc with the process's command line and gives the exit code. The name it was called by decides the dialect.
func Main() int {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(-1) // compiling is short, and a quarter of it was garbage collection
		debug.SetMemoryLimit(256 << 20)
	}
	name := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
	args := os.Args[1:]
	switch name {
	case "lobster":
		args = fromReference(args)
	case "openclaw.invoke", "clawd.invoke":
		args = append([]string{"shim", name}, args...)
	}
	return Run(args, os.Stdin, os.Stdout, os.Stderr)
}

// Run runs one command.
func Run(args []string, stdin io.Reader, stdout, stderr io.Writer) (exit int) {
	ctx := context.Background()
	if len(args) > 0 && !slices.Contains(quick, args[0]) {
		var stop context.CancelFunc
		ctx, stop = signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
		context.AfterFunc(ctx, stop) // a second signal ends the process at once
		defer stop()
	}
	e := &env{ctx: ctx, stdin: stdin, stdout: stdout, stderr: stderr}
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(stderr, "lobsterc bug: %v\n%s", p, debug.Stack())
			exit = exitUsage
		}
	}()
	return e.dispatch(args)
}

// quick are commands that only read and print. They leave signals alone, so that one ends them even while they wait for a pipe.
var quick = []string{"check", "diff", "effects", "explain", "graph", "ir", "schema", "stages", "version", "help", "completion"}

// env is what a command works with.
type env struct {
	ctx            context.Context
	stdin          io.Reader
	exit           int // of a program that was run to its end
	stdout, stderr io.Writer
}

// command is one of lobsterc's commands.
type command struct {
	name    string
	args    string // as usage shows them
	summary string
	help    string // further text for `help NAME`
	hidden  bool
	// flags declares the command's flags; run gets what is left. A command without flags parses its arguments itself.
	setup func(e *env, fs *pflag.FlagSet) func(args []string) error
	raw   func(e *env, args []string) int
}

// exitError ends a command with an exit code and, unless empty, a message.
type exitError struct {
	code    int
	message string
}

func (x *exitError) Error() string { return x.message }

func usagef(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Sprintf(format, args...)}
}

func failf(format string, args ...any) error {
	return &exitError{exitFailed, fmt.Sprintf(format, args...)}
}

func (e *env) dispatch(args []string) int {
	if len(args) == 0 {
		fmt.Fprint(e.stderr, overview())
		return exitUsage
	}
	switch args[0] {
	case "-h", "--help":
		args = []string{"help"}
	case "--version", "-v", "-V":
		args = []string{"version"}
	}
	c := find(args[0])
	if c == nil {
		fmt.Fprintf(e.stderr, "lobsterc: unknown command %q%s\nRun 'lobsterc help' for the list.\n", args[0], didYouMean(args[0]))
		return exitUsage
	}
	if c.raw != nil {
		if len(args) == 2 && (args[1] == "--help" || args[1] == "-h") {
			fmt.Fprint(e.stdout, usage(c))
			return exitOK
		}
		return c.raw(e, args[1:])
	}
	return e.finish(c, e.call(c, args[1:]))
}

// call parses a command's flags and runs it.
func (e *env) call(c *command, args []string) error {
	fs := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
	fs.SortFlags = false
	fs.Usage = func() {}
	run := c.setup(e, fs)
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, pflag.ErrHelp) {
			fmt.Fprint(e.stdout, usage(c))
			return nil
		}
		return usagef("%s", err)
	}
	return run(fs.Args())
}

// finish prints an error and gives the exit code.
func (e *env) finish(c *command, err error) int {
	if err == nil {
		return exitOK
	}
	code := exitFailed
	var x *exitError
	if errors.As(err, &x) {
		code = x.code
	}
	text := err.Error()
	if e.ctx.Err() != nil && errors.Is(err, context.Canceled) {
		text, code = "interrupted", exitInterrupted
	}
	switch {
	case strings.HasPrefix(text, c.name+" "):
		fmt.Fprintln(e.stderr, text) // the reference's words
	case text != "":
		fmt.Fprintf(e.stderr, "lobsterc %s: %s\n", c.name, text)
		if code == exitUsage {
			fmt.Fprintf(e.stderr, "Run 'lobsterc help %s' for how to use it.\n", c.name)
		}
	}
	return code
}

func find(name string) *command {
	for _, c := range commands() {
		if c.name == name {
			return c
		}
	}
	return nil
}

// overview is the text of `lobsterc help`.
func overview() string {
	var b strings.Builder
	b.WriteString(`lobsterc compiles Lobster workflows and pipelines to static executables.

  lobsterc build triage.lobster -o triage    make an executable
  ./triage                                   run it to its first gate
  ./triage --resume TOKEN --approve yes      answer the gate and go on

Commands:
`)
	for _, c := range commands() {
		if !c.hidden {
			fmt.Fprintf(&b, "  %-11s %s\n", c.name, c.summary)
		}
	}
	b.WriteString("\nRun 'lobsterc help COMMAND' for more about one.\n")
	return b.String()
}

// usage is the text of `lobsterc help NAME`.
func usage(c *command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s.\n\nUsage:\n  lobsterc %s %s\n", upperFirst(c.summary), c.name, c.args)
	if c.help != "" {
		b.WriteString("\n" + strings.TrimSpace(c.help) + "\n")
	}
	if c.setup != nil {
		fs := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
		fs.SortFlags = false
		c.setup(&env{}, fs)
		if fs.HasAvailableFlags() {
			b.WriteString("\nFlags:\n" + fs.FlagUsagesWrapped(100))
		}
	}
	return b.String()
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// didYouMean suggests a command for a word that is none.
func didYouMean(word string) string {
	names := make([]string, 0, 20)
	for _, c := range commands() {
		names = append(names, c.name)
	}
	if best := nearest(word, names); best != "" {
		return fmt.Sprintf(" (did you mean %q?)", best)
	}
	if isPath(word) || strings.ContainsAny(word, " |") {
		return fmt.Sprintf(" (to run it: lobsterc run %q)", word)
	}
	return ""
}

// isPath tells whether an argument is a path and not a pipeline (spec part 6, 24).
func isPath(word string) bool {
	if word == "" || strings.ContainsAny(word, " \t\r\n|'\"") {
		return false
	}
	return strings.ContainsAny(word, "/"+string(filepath.Separator)) || isWorkflowName(word)
}

func isWorkflowName(name string) bool {
	return slices.Contains([]string{".lobster", ".yaml", ".yml", ".json"}, strings.ToLower(filepath.Ext(name)))
}

// color tells whether a stream is a terminal that wants colour.
func color(w io.Writer) bool {
	_, no := os.LookupEnv("NO_COLOR")
	return !no && os.Getenv("TERM") != "dumb" && isTerminal(w)
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// plain is an operating system's error without the call that failed.
func plain(err error) string {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Path + ": " + path.Err.Error()
	}
	return err.Error()
}
