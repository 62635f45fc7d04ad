package runtime

import (
	"strings"

	"github.com/lobsterc/lobsterc/runtime/flags"
	"github.com/lobsterc/lobsterc/runtime/intent"
	"github.com/lobsterc/lobsterc/runtime/plain"
)

// options is a parsed command line of a compiled program.
type options struct {
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
	list := o.list()
	args := p.Workflow.Args
	own := make([]string, len(args))
	first := len(list)
	for i := range args {
		if a := &args[i]; flags.Find(list, a.Name) == nil && validFlag(a.Name) && !a.Secret {
			list = append(list, flags.Flag{Name: a.Name, To: &own[i]})
		}
	}
	rest, err := flags.Parse(list, argv)
	if err != nil {
		return o, usage(err.Error())
	}
	for i := range list[first:] {
		if f := &list[first+i]; f.Given {
			o.given.flags = append(o.given.flags, argFlag{findArg(args, f.Name), *f.To.(*string)})
		}
	}
	o.resuming = flags.Find(list, "resume").Given
	o.answered = flags.Find(list, "response-json").Given
	o.resume = strings.TrimSpace(o.resume)
	if len(rest) > 0 {
		return o, usage("unexpected argument " + plain.Quote(rest[0]) + "; arguments of the workflow are flags: see --help")
	}
	return o, o.check()
}

// list are the flags of every program.
func (o *options) list() []flags.Flag {
	return []flags.Flag{
		{Name: "args-json", Arg: "JSON", Help: "arguments as a JSON object", To: &o.given.json},
		{Name: "arg", Arg: "NAME=VALUE", Help: "one argument (repeatable)", To: &o.given.named},
		{Name: "mode", Arg: "MODE", Help: "human (default) or tool: one JSON object on stdout", To: &o.mode},
		{Name: "dry-run", Help: "print what a run would do, and do nothing", To: &o.dryRun},
		{Name: "resume", Arg: "TOKEN", Help: "continue a paused or interrupted run: by token, approval id, run id, or the newest", To: &o.resume, Optional: " ", Takes: isNoFlag},
		{Name: "approve", Arg: "yes|no", Help: "answer an approval", To: &o.approve},
		{Name: "decision", To: &o.approve},
		{Name: "response-json", Arg: "JSON", Help: "answer an input request", To: &o.response},
		{Name: "cancel", Help: "give the run up", To: &o.cancel, Optional: "true", Takes: isTruthWord},
		{Name: "in-doubt", Arg: "ANSWER", Help: "what to do with an interrupted step: rerun, done or cancel", To: &o.inDoubt},
		{Name: "retry-failed", Help: "with --resume: go on with a failed run at its failed step", To: &o.retryFailed},
		{Name: "allow-changed", Help: "resume although the workflow changed since the run paused", To: &o.allowChanged},
		{Name: "runs", Help: "list the unfinished and failed runs of this program", To: &o.runs},
		{Name: "prune", Arg: "AGE", Help: "with --runs: remove runs older than AGE (such as 30d or 12h)", To: &o.prune},
		{Name: "graph", Arg: "FORMAT", Help: "print the workflow as a graph: mermaid, dot or ascii", To: &o.graph},
		{Name: "ir", Help: "print the canonical IR", To: &o.ir},
		{Name: "state-dir", Arg: "DIR", Help: "where paused runs and state are kept (default ~/.lobster/state)", To: &o.stateDir},
		{Name: "cwd", Arg: "DIR", Help: "run in this directory", To: &o.cwd},
		{Name: "timeout-ms", Arg: "N", Help: "end the run after N milliseconds", To: &o.timeoutMS},
		{Name: "max-stdout-bytes", Arg: "N", Help: "fail when the run prints more than N bytes", To: &o.maxStdout},
		{Name: "events", Arg: "FILE", Help: "write events as JSON Lines to a file, or - for stderr in tool mode and stdout otherwise", To: &o.events},
		{Name: "request", Arg: "-", Help: "read a JSON request from stdin", To: &o.request},
		{Name: "quiet", Short: 'q', Help: "no progress on the terminal", To: &o.quiet},
		{Name: "verbose", Short: 'v', Help: "show each step's output as it comes", To: &o.verbose},
		{Name: "detailed-exit-codes", Help: "exit 10 for a waiting approval, 11 for input, 12 for cancelled", To: &o.detailed},
		{Name: "no-journal", Help: "keep no journal: a run that is killed cannot be continued", To: &o.noJournal},
		{Name: "keep-journal", Help: "keep the journal after the run as an audit record", To: &o.keepJournal},
		{Name: "sync", Help: "make each step's record survive a power loss", To: &o.sync},
		{Name: "no-preflight", Help: "do not check beforehand that what the run needs is there", To: &o.noPreflight},
		{Name: "json", Help: "with --runs or --version: print JSON", To: &o.json},
		{Name: "help", Short: 'h', Help: "show this help", To: &o.help},
		{Name: "version", Help: "show what this program was built from", To: &o.version},
	}
}

// check holds the flags against each other, in the words of the reference where it has them.
func (o *options) check() error {
	switch o.mode {
	case "", "human", "tool":
	default:
		return usage("--mode must be human or tool, got " + plain.Quote(o.mode))
	}
	switch o.inDoubt {
	case "", "rerun", "done", "cancel":
	default:
		return usage("--in-doubt must be rerun, done or cancel, got " + plain.Quote(o.inDoubt))
	}
	if !o.resuming && (o.approve != "" || o.answered || o.cancel != "") {
		return usage("resume requires --token or --id")
	}
	if o.timeoutMS < 0 || o.maxStdout < 0 {
		return usage("--timeout-ms and --max-stdout-bytes must be positive")
	}
	if o.request != "" && o.request != "-" {
		return usage("--request reads stdin: its value must be -")
	}
	return nil
}

// isNoFlag and isTruthWord tell whether the word after --resume, or --cancel, is its value (spec part 6, 23).
func isNoFlag(word string) bool { return !strings.HasPrefix(word, "-") }

func isTruthWord(s string) bool {
	_, ok := intent.Truth(s)
	return ok
}

// validFlag tells whether an argument's name can be a flag.
func validFlag(name string) bool {
	return name != "" && name[0] != '-' && !strings.ContainsAny(name, "= \t\n")
}

// doubtAnswer is what --in-doubt answers to the question about an interrupted step.
func (o *options) doubtAnswer() intent.Intent {
	switch o.inDoubt {
	case "rerun", "done":
		return intent.Intent{Given: true, Decided: true, Approve: true}
	case "cancel":
		return intent.Intent{Given: true, Cancel: true}
	}
	return intent.Intent{}
}

// answer reads --approve, --response-json and --cancel.
func (o *options) answer() (intent.Intent, error) {
	in, err := intent.Parse(intent.Words{Approve: o.approve, Response: o.response, Answered: o.answered, Cancel: o.cancel})
	if err != nil {
		return in, usage(err.Error())
	}
	return in, nil
}
