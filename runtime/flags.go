package runtime

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/lobsterc/lobsterc/runtime/intent"
)

// options is a parsed command line of a compiled program.
type options struct {
	flags *pflag.FlagSet

	given    givenArgs
	mode     string
	dryRun   bool
	resume   string // "" with resuming set: the newest unfinished run
	resuming bool
	approve  string
	response string
	answered bool // --response-json was given
	cancel   string
	inDoubt  string

	runs        bool
	prune       string
	graph       string
	ir          bool
	json        bool
	help        bool
	version     bool
	request     string
	retryFailed bool

	stateDir     string
	cwd          string
	timeoutMS    int64
	maxStdout    int64
	events       string
	quiet        bool
	verbose      bool
	detailed     bool
	allowChanged bool
	noJournal    bool
	keepJournal  bool
	sync         bool
	noPreflight  bool
}

// parseFlags reads a command line. Each argument of the workflow is a flag of its own name unless a flag of ours has it.
func parseFlags(p *Program, argv []string) (*options, error) {
	o := &options{}
	fs := pflag.NewFlagSet(p.name(), pflag.ContinueOnError)
	fs.SortFlags = false
	fs.Usage = func() {}
	o.flags = fs
	o.register(fs)
	own := make([]*string, len(p.Workflow.Args))
	for i, a := range p.Workflow.Args {
		if fs.Lookup(a.Name) == nil && validFlag(a.Name) && !a.Secret {
			own[i] = fs.String(a.Name, "", a.Description)
		}
	}
	if err := fs.Parse(joinResume(argv)); err != nil {
		return o, &usageError{err.Error()}
	}
	for i := range own {
		if own[i] != nil && fs.Changed(p.Workflow.Args[i].Name) {
			o.given.flags = append(o.given.flags, argFlag{&p.Workflow.Args[i], *own[i]})
		}
	}
	o.resuming = fs.Changed("resume")
	o.answered = fs.Changed("response-json")
	o.resume = strings.TrimSpace(o.resume)
	if fs.NArg() > 0 {
		return o, &usageError{fmt.Sprintf("unexpected argument %q; arguments of the workflow are flags: see --help", fs.Arg(0))}
	}
	return o, o.check()
}

func (o *options) register(fs *pflag.FlagSet) {
	fs.StringVar(&o.given.json, "args-json", "", "arguments as a JSON object")
	fs.StringArrayVar(&o.given.named, "arg", nil, "one argument, as `NAME=VALUE` (repeatable)")
	fs.StringVar(&o.mode, "mode", "", "human (default) or tool: one JSON object on stdout")
	fs.BoolVar(&o.dryRun, "dry-run", false, "print what a run would do, and do nothing")
	fs.StringVar(&o.resume, "resume", "", "continue a paused or interrupted run: by `TOKEN`, approval id, run id, or the newest")
	fs.Lookup("resume").NoOptDefVal = " "
	fs.StringVar(&o.approve, "approve", "", "answer an approval: yes or no")
	fs.StringVar(&o.approve, "decision", "", "the same as --approve")
	fs.Lookup("decision").Hidden = true
	fs.StringVar(&o.response, "response-json", "", "answer an input request with `JSON`")
	fs.StringVar(&o.cancel, "cancel", "", "give the run up")
	fs.Lookup("cancel").NoOptDefVal = "true"
	fs.StringVar(&o.inDoubt, "in-doubt", "", "what to do with an interrupted step: rerun, done or cancel")
	fs.BoolVar(&o.retryFailed, "retry-failed", false, "with --resume: go on with a failed run at its failed step")
	fs.BoolVar(&o.allowChanged, "allow-changed", false, "resume although the workflow changed since the run paused")
	fs.BoolVar(&o.runs, "runs", false, "list the unfinished and failed runs of this program")
	fs.StringVar(&o.prune, "prune", "", "with --runs: remove runs older than `AGE` (such as 30d or 12h)")
	fs.StringVar(&o.graph, "graph", "", "print the workflow as a graph: mermaid, dot or ascii")
	fs.BoolVar(&o.ir, "ir", false, "print the canonical IR")
	fs.StringVar(&o.stateDir, "state-dir", "", "where paused runs and state are kept (default ~/.lobster/state)")
	fs.StringVar(&o.cwd, "cwd", "", "run in this directory")
	fs.Int64Var(&o.timeoutMS, "timeout-ms", 0, "end the run after `N` milliseconds")
	fs.Int64Var(&o.maxStdout, "max-stdout-bytes", 0, "fail when the run prints more than `N` bytes")
	fs.StringVar(&o.events, "events", "", "write events as JSON Lines to a `FILE`, or - for stderr in tool mode and stdout otherwise")
	fs.StringVar(&o.request, "request", "", "read a JSON request from stdin (the value is -)")
	fs.BoolVarP(&o.quiet, "quiet", "q", false, "no progress on the terminal")
	fs.BoolVarP(&o.verbose, "verbose", "v", false, "show each step's output as it comes")
	fs.BoolVar(&o.detailed, "detailed-exit-codes", false, "exit 10 for a waiting approval, 11 for input, 12 for cancelled")
	fs.BoolVar(&o.noJournal, "no-journal", false, "keep no journal: a run that is killed cannot be continued")
	fs.BoolVar(&o.keepJournal, "keep-journal", false, "keep the journal after the run as an audit record")
	fs.BoolVar(&o.sync, "sync", false, "make each step's record survive a power loss")
	fs.BoolVar(&o.noPreflight, "no-preflight", false, "do not check beforehand that what the run needs is there")
	fs.BoolVar(&o.json, "json", false, "with --runs or --version: print JSON")
	fs.BoolVarP(&o.help, "help", "h", false, "show this help")
	fs.BoolVar(&o.version, "version", false, "show what this program was built from")
}

// helpFlags are the flags for --help, without the workflow's own.
func helpFlags() *pflag.FlagSet {
	fs := pflag.NewFlagSet("", pflag.ContinueOnError)
	fs.SortFlags = false
	new(options).register(fs)
	return fs
}

// check holds the flags against each other, in the words of the reference where it has them.
func (o *options) check() error {
	switch o.mode {
	case "", "human", "tool":
	default:
		return &usageError{fmt.Sprintf("--mode must be human or tool, got %q", o.mode)}
	}
	switch o.inDoubt {
	case "", "rerun", "done", "cancel":
	default:
		return &usageError{fmt.Sprintf("--in-doubt must be rerun, done or cancel, got %q", o.inDoubt)}
	}
	if !o.resuming && (o.approve != "" || o.answered || o.cancel != "") {
		return &usageError{"resume requires --token or --id"}
	}
	if o.timeoutMS < 0 || o.maxStdout < 0 {
		return &usageError{"--timeout-ms and --max-stdout-bytes must be positive"}
	}
	if o.request != "" && o.request != "-" {
		return &usageError{"--request reads stdin: its value must be -"}
	}
	return nil
}

// joinResume makes "--resume X" one word: pflag would drop the value of a flag whose value is optional (spec part 6, 23). The
// same holds for --cancel with a truth value.
func joinResume(argv []string) []string {
	out := make([]string, 0, len(argv))
	for i := 0; i < len(argv); i++ {
		word := argv[i]
		if word == "--" {
			return append(out, argv[i:]...)
		}
		next := ""
		if i+1 < len(argv) {
			next = argv[i+1]
		}
		switch {
		case word == "--resume" && next != "" && !strings.HasPrefix(next, "-"),
			word == "--cancel" && isTruthWord(next):
			word += "=" + next
			i++
		}
		out = append(out, word)
	}
	return out
}

func isTruthWord(s string) bool {
	_, ok := intent.Truth(s)
	return ok
}

// validFlag tells whether an argument's name can be a flag.
func validFlag(name string) bool {
	return name != "" && name[0] != '-' && !strings.ContainsAny(name, "= \t\n")
}

// answer reads --approve, --response-json and --cancel.
func (o *options) answer() (intent.Intent, error) {
	in, err := intent.Parse(intent.Words{Approve: o.approve, Response: o.response, Answered: o.answered, Cancel: o.cancel})
	if err != nil {
		return in, &usageError{err.Error()}
	}
	return in, nil
}
