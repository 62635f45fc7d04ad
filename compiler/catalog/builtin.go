package catalog

import "slices"

// The packages that hold constructors. Each brings its own weight, so a program links only those that it names.
const (
	module      = "github.com/lobsterc/lobsterc/"
	pkgStage    = module + "runtime/stage"
	pkgMail     = module + "runtime/mail"
	pkgTriage   = module + "runtime/net/triage"
	pkgOpenclaw = module + "runtime/net/openclaw"
	pkgAgent    = module + "runtime/agent"
	pkgLLM      = module + "runtime/net/llm"
)

// builtin lists the built-in stages.
func builtin() []Stage {
	return slices.Concat(processStages(), shapeStages(), textStages(), gateStages(), stateStages(), listStages(), openclawStages(), llmStages(), mailStages())
}

func processStages() []Stage {
	return []Stage{{
		Name:    "exec",
		Summary: "Run a program and turn what it prints into items",
		Usage:   []string{"exec [--json] [--stdin raw|json|jsonl] PROGRAM [ARG ...]", "exec [--json] [--stdin raw|json|jsonl] --shell 'COMMAND LINE'"},
		Notes: []string{
			"Without --json every line that is not empty becomes a text item; with it the output is one JSON value, and an array gives its elements.",
			"Flags after PROGRAM belong to the program, except exec's own three; with -- in front of PROGRAM all of them do.",
			"One word with white space in it is a command line for the shell, as with --shell.",
		},
		Example: "exec --json -- gh pr list --limit 5 --json number,title",
		Flags: []Flag{
			{Name: "json", Type: Bool, Field: "JSON", Help: "read the output as one JSON value"},
			{Name: "stdin", Type: Enum, Values: []string{"raw", "json", "jsonl"}, Field: "Stdin", Help: "give the items to the program: raw text, one JSON array, or a JSON line each", Message: "exec --stdin must be raw, json, or jsonl (got %s)"},
			{Name: "shell", Type: String, Field: "Shell", Help: "the command line, for the shell"},
		},
		Words:     Positional{Mode: EachWord, Name: "PROGRAM", Type: Words, Field: "Words", Help: "the program and its arguments", Rest: true},
		OneOf:     []Group{{Flags: []string{"shell", "_"}, Message: "exec requires a command"}},
		Exclusive: []Group{{Flags: []string{"shell", "_"}, Message: "exec takes a program or --shell, not both"}},
		Effects:   []string{"local_exec"},
		Barrier:   true,
		Input:     IgnoresInput, InputFlags: []string{"stdin"},
		Ctor: Ctor{pkgStage, "Exec"},
	}}
}

func shapeStages() []Stage {
	key := func(help string) Flag { return Flag{Name: "key", Type: Path, Field: "Key", Help: help} }
	required := key("the field to group by")
	required.Required = true
	return []Stage{{
		Name: "head", Summary: "Keep the first items", Usage: []string{"head [--n N]"}, Example: "head --n 3",
		Flags: []Flag{{Name: "n", Type: Number, NonNegative: true, Default: "10", HasDefault: true, Field: "N", Help: "how many", Message: "head --n must be a non-negative number"}},
		Pure:  true, Ctor: Ctor{pkgStage, "Head"},
	}, {
		Name: "pick", Summary: "Reduce objects to some of their fields", Usage: []string{"pick FIELD[,FIELD ...]"}, Example: "pick id,subject,from",
		Notes:   []string{"The fields come in the order given; a field that an item lacks is left out. Items that are no objects pass as they are."},
		Words:   Positional{Mode: OneWord, Name: "FIELDS", Type: Names, Field: "Fields", Required: true, Help: "field names joined by commas"},
		Missing: "pick requires a comma-separated field list",
		Pure:    true, Ctor: Ctor{pkgStage, "Pick"},
	}, {
		Name: "where", Summary: "Keep the items for which a comparison holds", Usage: []string{"where 'PATH OP VALUE'"}, Example: "where 'minutes>=30'",
		Notes:   []string{"OP is one of == = != <= >= < >. VALUE is true, false, null, a number, or else text; quotes would be part of the text.", "Comparison is JavaScript's loose one: \"1\" equals 1."},
		Words:   Positional{Mode: OneWord, Name: "EXPR", Type: Predicate, Field: "Keep", Required: true, Help: "the comparison", Message: "Invalid where expression: %s"},
		Missing: "where requires an expression (e.g. field=value)",
		Pure:    true, Ctor: Ctor{pkgStage, "Where"},
	}, {
		Name: "sort", Summary: "Order the items", Usage: []string{"sort [--key PATH] [--desc]"}, Example: "sort --key updatedAt --desc",
		Notes: []string{"Equal items keep their order. Items without the key come last, with --desc first."},
		Flags: []Flag{key("order by this field instead of the whole item"), {Name: "desc", Type: Bool, Field: "Desc", Help: "largest first"}},
		Pure:  true, Ctor: Ctor{pkgStage, "Sort"},
	}, {
		Name: "dedupe", Summary: "Drop items that came before", Usage: []string{"dedupe [--key PATH]"}, Example: "dedupe --key id",
		Flags: []Flag{key("compare this field instead of the whole item")},
		Pure:  true, Ctor: Ctor{pkgStage, "Dedupe"},
	}, {
		Name: "groupBy", Summary: "Gather items that share a key", Usage: []string{"groupBy --key PATH"}, Example: "groupBy --key from",
		Notes:   []string{"Gives {key, items, count} for each key, in order of first appearance."},
		Flags:   []Flag{required},
		Missing: "groupBy requires --key",
		Pure:    true, Ctor: Ctor{pkgStage, "GroupBy"},
	}, {
		Name: "map", Summary: "Wrap or unwrap items, or add fields to them", Usage: []string{"map [--wrap KEY] [KEY=TEXT ...]", "map --unwrap KEY"}, Example: "map 'label={{id}}: {{subject}}'",
		Notes: []string{"TEXT may hold {{path}}; a field is always text. With --wrap, {{path}} reads the item as it was."},
		Flags: []Flag{
			{Name: "wrap", Type: String, Field: "Wrap", Help: "make each item {KEY: item}"},
			{Name: "unwrap", Type: String, Field: "Unwrap", Help: "make each item its field KEY"},
		},
		Words:     Positional{Mode: EachWord, Name: "KEY=TEXT", Type: Assignments, Field: "Set", Help: "a field to add"},
		Exclusive: []Group{{Flags: []string{"wrap", "unwrap"}, Message: "map cannot use both --wrap and --unwrap"}, {Flags: []string{"unwrap", "_"}, Message: "map --unwrap has no use for assignments"}},
		Pure:      true, Ctor: Ctor{pkgStage, "Map"},
	}}
}

func textStages() []Stage {
	return []Stage{{
		Name: "template", Summary: "Turn each item into text", Usage: []string{"template --text TEXT", "template --file FILE", "template TEXT ..."}, Example: "template --text 'PR {{number}}: {{title | truncate 40}}'",
		Notes: []string{
			"TEXT holds {{path}}, {{.}} for the whole item, and {{path | filter}}. What an item lacks is empty.",
			"Filters: upper, lower, trim, truncate [N], replace FROM TO, split [SEP], first, last, length, join [SEP], json, string, default TEXT, round [DIGITS], date [FORMAT].",
		},
		Flags: []Flag{
			{Name: "text", Type: Template, Field: "Text", Help: "the template"},
			{Name: "file", Type: String, Field: "File", File: true, Help: "a file that holds the template, read when the program runs"},
		},
		Words: Positional{Mode: JoinedWords, Name: "TEXT", Flag: "text", Help: "the template, its words joined by spaces"},
		OneOf: []Group{{Flags: []string{"text", "file", "_"}, Message: "template requires --text or --file (or positional text)"}},
		Pure:  true, Ctor: Ctor{pkgStage, "Template"}, Variants: []Variant{{Flag: "file", Ctor: Ctor{pkgStage + "/late", "Template"}}},
	}, {
		Name: "json", Summary: "Print the items as a JSON array", Usage: []string{"json"}, Example: "json",
		Renderer: true, Ctor: Ctor{pkgStage, "JSON"},
	}, {
		Name: "table", Summary: "Print the items as a table", Usage: []string{"table"}, Example: "table",
		Notes:    []string{"The columns are the fields of the first 20 items; items that are no objects are printed a line each."},
		Renderer: true, Ctor: Ctor{pkgStage + "/table", "Table"},
	}}
}

// defaultAskSchema is the response schema of ask without --schema.
const defaultAskSchema = `{"type":"object","properties":{"decision":{"type":"string","enum":["approve","reject","redraft"]},"feedback":{"type":"string","description":"Feedback for redraft"}},"required":["decision"]}`

func gateStages() []Stage {
	return []Stage{{
		Name: "approve", Summary: "Stop until a person says yes", Usage: []string{"approve [--prompt TEXT] [--preview-from-stdin [--limit N]] [--emit]"}, Example: "approve --prompt 'Send these replies?' --preview-from-stdin",
		Notes: []string{"On a terminal the question is asked at once; elsewhere the run pauses, and the items go on after `resume --approve yes`.", "In a workflow, use a step with `approval:` instead."},
		Flags: []Flag{
			{Name: "prompt", Type: String, Default: "Approve?", HasDefault: true, Field: "Prompt", Help: "the question"},
			{Name: "emit", Type: Bool, Field: "Emit", Help: "pause even on a terminal"},
			{Name: "preview-from-stdin", Type: Bool, Field: "Preview", Help: "show the items with the question"},
			{Name: "limit", Type: Int, Default: "5", HasDefault: true, Field: "Limit", Help: "how many items a preview shows"},
		},
		Halts: "approval", Ctor: Ctor{pkgStage, "Approve"},
	}, {
		Name: "ask", Summary: "Stop until a person answers; the answer becomes the item", Usage: []string{"ask [--prompt TEXT] [--schema JSON] [--subject-from-stdin] [--emit]"}, Example: "ask --prompt 'Approve, reject or redraft?' --subject-from-stdin",
		Notes: []string{"The answer must satisfy the schema. Without --schema it is {decision: approve|reject|redraft, feedback?}.", "The items that are piped in are dropped; --subject-from-stdin shows them with the question."},
		Flags: []Flag{
			{Name: "prompt", Type: String, Default: "Input required", HasDefault: true, Required: true, Field: "Prompt", Help: "the question"},
			{Name: "schema", Type: Schema, Object: true, Default: defaultAskSchema, HasDefault: true, Field: "Schema", Help: "the JSON Schema of the answer"},
			{Name: "subject-from-stdin", Type: Bool, Field: "Subject", Help: "show the items with the question"},
			{Name: "emit", Type: Bool, Field: "Emit", Help: "pause even on a terminal"},
		},
		Missing: "requestInput prompt is required",
		Halts:   "input",
		Input:   IgnoresInput, InputFlags: []string{"subject-from-stdin"},
		Ctor: Ctor{pkgStage, "Ask"},
	}}
}

func stateStages() []Stage {
	key := Positional{Mode: OneWord, Name: "KEY", Type: String, Field: "Key", Required: true, Help: "the name that the value is kept under"}
	return []Stage{{
		Name: "state.get", Summary: "Read a value kept by state.set", Usage: []string{"state.get KEY"}, Example: "state.get inbox/last-seen",
		Words: key, Missing: "state.get requires a key",
		Effects: []string{"reads_state"}, Input: IgnoresInput,
		Ctor: Ctor{pkgStage, "StateGet"},
	}, {
		Name: "state.set", Summary: "Keep a value for later runs", Usage: []string{"state.set KEY"}, Example: "state.set inbox/last-seen",
		Notes: []string{"One item is kept as it is, several as an array; the value is passed on."},
		Words: key, Missing: "state.set requires a key",
		Effects: []string{"writes_state"}, Barrier: true,
		Ctor: Ctor{pkgStage, "StateSet"},
	}, {
		Name: "diff.last", Summary: "Tell whether the items changed since the last run", Usage: []string{"diff.last --key KEY"}, Example: "diff.last --key pr-42",
		Notes: []string{"Gives {kind, key, changed, before, after} and keeps the items for the next time."},
		Flags: []Flag{{Name: "key", Type: String, Required: true, Field: "Key", Help: "the name that the items are kept under"}},
		Words: Positional{Mode: OneWord, Name: "KEY", Flag: "key", Help: "the same as --key"}, Missing: "diff.last requires --key",
		Effects: []string{"writes_state"}, Barrier: true,
		Ctor: Ctor{pkgStage, "DiffLast"},
	}}
}

func listStages() []Stage {
	return []Stage{{
		Name: "commands.list", Summary: "List every stage with its flags and effects", Usage: []string{"commands.list"}, Example: "commands.list | pick name,description",
		Input: IgnoresInput, Ctor: Ctor{pkgStage, "CommandsList"}, TableField: "Commands",
	}, {
		Name: "workflows.list", Summary: "List the built-in workflows", Usage: []string{"workflows.list"}, Example: "workflows.list",
		Input: IgnoresInput, Ctor: Ctor{pkgStage, "WorkflowsList"},
	}, {
		Name: "workflows.run", Summary: "Run a built-in workflow", Usage: []string{"workflows.run --name NAME [--args-json JSON]"},
		Example: `workflows.run --name github.pr.monitor --args-json '{"repo":"cli/cli","pr":1}'`,
		Notes:   []string{"github.pr.monitor and github.pr.monitor.notify ask `gh` about a pull request and compare with the last time."},
		Flags: []Flag{
			{Name: "name", Type: Enum, Values: []string{"github.pr.monitor", "github.pr.monitor.notify"}, Required: true, Field: "Workflow", Help: "the workflow", Message: "Unknown workflow: %s"},
			{Name: "args-json", Type: JSON, Field: "Args", Help: "its arguments, a JSON object", Message: "workflows.run --args-json must be valid JSON"},
		},
		Words: Positional{Mode: OneWord, Name: "NAME", Flag: "name", Help: "the same as --name"}, Missing: "workflows.run requires --name",
		HiddenEffects: []string{"local_exec", "writes_state"}, Barrier: true, Input: IgnoresInput,
		Ctor: Ctor{pkgStage, "WorkflowsRun"}, Checks: true,
	}}
}
