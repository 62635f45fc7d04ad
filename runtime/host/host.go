// Package host is how a Go package offers pipeline stages of its own to workflows that are built with
// `lobsterc build --stages IMPORT_PATH` (docs/sdk.md). Such a package has a function
//
//	func Stages() []host.Stage
//
// which lobsterc calls once, when it compiles: workflows are checked against what it gives. The programs themselves call the
// constructors that they name and nothing else, so a stage that a workflow does not use is not linked.
package host

// Stage describes a stage.
type Stage struct {
	// Name is the stage's name in pipelines, with a dot to keep it apart from built-in ones: "tickets.create".
	Name string
	// New is the constructor: an exported function of the package, func() flow.Stage or func(XOptions) flow.Stage for a constructor named X.
	// The fields of the options are the stage's flags; their tags say more:
	//
	//	Project  string   `flag:"project" required:"true" help:"the project's key"`
	//	Priority int      `flag:"priority" default:"3"`
	//	Kind     string   `flag:"kind" values:"bug,wish" default:"bug"`
	//	Token    string   `flag:"token" secret:"true"`
	//	Text     string   `words:"TEXT" help:"what it is about"`
	//
	// `words` takes the words that are no flags: joined in a string, one by one in a []string. Field types are bool, int, *int, float64,
	// *float64 (pointers: nil when the flag is not given), string, []string (names joined by commas), value.Value (JSON), flow.Schema,
	// stage.Path, stage.Predicate and stage.Text.
	New any
	// Summary is one line of help; Usage, Notes and Example are more of it.
	Summary string
	Usage   []string
	Notes   []string
	Example string
	// Effects say what the stage does to the world, in words of your own ("creates_ticket") or known ones (network, local_exec,
	// reads_file, writes_file, ...). Gates are checked against them. The flow.Stage of a stage with effects must set Effect.
	Effects []string
	// Dispatch: what it does cannot be taken back, so its step is never retried.
	Dispatch bool
	// IgnoresInput: the items that come in do not matter.
	IgnoresInput bool
}
