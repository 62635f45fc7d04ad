package diag

import (
	"cmp"
	"slices"
)

// Info tells what a code means, for `lobsterc explain` and docs/diagnostics.md.
type Info struct {
	Code  Code
	Title string // one line, lower case
	Text  string // what it means and what to do, in a few plain sentences
	// Compilable: the program has a meaning all the same, so --compat turns the error into a warning (spec part 6, 1).
	Compilable bool
}

// The codes. The second and third digit group them: 01 reading, 02 names and references, 03 shape, 04 conditions and
// templates, 05 pipelines, 06 sub-workflows, 07 schemas, 08 effects, 09 habits that go wrong. E is an error, W a warning.
const (
	NoFile       Code = "E0101"
	BadSyntax    Code = "E0102"
	DuplicateKey Code = "E0103"
	ManyDocs     Code = "E0104"
	BadAlias     Code = "E0105"
	BadIR        Code = "E0109"
	IgnoredTag   Code = "W0106"
	RepeatedKey  Code = "W0107"
	Yaml11       Code = "W0108"

	NoID          Code = "E0201"
	DuplicateID   Code = "E0202"
	UnknownStep   Code = "E0203"
	LaterStep     Code = "E0204"
	NoField       Code = "E0205"
	ShadowedName  Code = "E0206"
	UnnamableID   Code = "W0207"
	UnknownMaybe  Code = "W0208"
	NoArgument    Code = "W0209"
	ArgumentClash Code = "W0210"
	JoinedField   Code = "W0211"
	NoLength      Code = "W0212"

	BadFile      Code = "E0301"
	BadStep      Code = "E0302"
	ManyExecs    Code = "E0303"
	BadValue     Code = "E0304"
	BadGate      Code = "E0305"
	NoSuchGate   Code = "E0306"
	UnknownKey   Code = "W0310"
	IgnoredValue Code = "W0311"
	IgnoredKey   Code = "W0312"

	BadCondition     Code = "E0401"
	BadConditionType Code = "E0402"
	BadForEach       Code = "E0403"

	BadPipeline    Code = "E0501"
	UnknownStage   Code = "E0502"
	UnknownFlag    Code = "E0503"
	BadFlag        Code = "E0504"
	MissingFlag    Code = "E0505"
	BadLiteral     Code = "E0506"
	ApproveInRun   Code = "E0507"
	UnexpectedWord Code = "E0508"
	MisplacedAsk   Code = "E0509"
	HoleInName     Code = "E0510"
	ExecFlag       Code = "W0520"
	UnusedInput    Code = "W0521"
	HoleInJSON     Code = "W0522"
	SecretInFile   Code = "W0523"

	NoSubWorkflow Code = "E0601"
	Cycle         Code = "E0602"
	DynamicPath   Code = "E0603"
	NoInclude     Code = "W0604"

	BadSchema Code = "E0701"

	UngatedEffect Code = "E0801"
)

// infos are the explanations of all codes.
var infos = slices.Concat(compileInfos, lintInfos)

var compileInfos = []Info{
	{Code: NoFile, Title: "file cannot be read",
		Text: "The file does not exist, is a folder, or may not be read. The message has the operating system's reason."},
	{Code: BadSyntax, Title: "the text is not YAML or JSON",
		Text: "The file has no structure yet, so nothing else can be checked. A value that holds \": \" or \" #\", or starts with a quote, a bracket, a brace or another sign that YAML uses, must be quoted or written as a block scalar:\n\n    run: |\n      echo \"a: b\""},
	{Code: DuplicateKey, Title: "a key stands twice in one mapping",
		Text: "YAML forbids it. Keep one of the two."},
	{Code: ManyDocs, Title: "several YAML documents in one file",
		Text: "A workflow file is one document. Remove what follows the second ---, or put it into a file of its own."},
	{Code: BadAlias, Title: "a YAML alias cannot be expanded",
		Text: "An alias (*name) needs an anchor (&name) before it, must not contain itself, and the aliases of a file together must not expand to a huge tree."},
	{Code: BadIR, Title: "not valid IR",
		Text: "A JSON file with a top-level integer \"ir\" is a program in lobsterc's intermediate form. `lobsterc ir FILE` writes such files; docs and the JSON Schema of the IR say what they hold."},
	{Code: IgnoredTag, Title: "a YAML tag is ignored",
		Text: "Only !!str, !!int, !!float, !!bool, !!null, !!seq and !!map mean something here; a value with another tag is taken as text."},
	{Code: RepeatedKey, Title: "a key stands twice in a JSON object",
		Text: "JSON readers take the last one without a word. Keep one of the two."},
	{Code: Yaml11, Title: "a YAML 1.1 boolean is text here",
		Text: "Files are YAML 1.2: only true and false are booleans; yes, no, on and off are strings. Write true or false, or quote the word to say that text is meant."},

	{Code: NoID, Title: "a step without a usable id",
		Text: "Every step, branch and sub-step needs `id`, a string that is not empty."},
	{Code: DuplicateID, Title: "an id is used twice",
		Text: "Ids are unique among the steps and parallel branches of a file, and among the sub-steps of a loop."},
	{Code: UnknownStep, Title: "a reference to a step that does not exist", Compilable: true,
		Text: "Conditions, for_each and an exact stdin reference must name an earlier step, a parallel branch, or inside a loop its variables and earlier sub-steps."},
	{Code: LaterStep, Title: "a reference to a step that runs later", Compilable: true,
		Text: "Steps run in file order; only results of steps above can be read."},
	{Code: NoField, Title: "a result field that does not exist", Compilable: true,
		Text: "A step's result has id, stdout, json, approved, approvedBy, initiatedBy, subject, response, skipped, error and errorMessage. Everything that a command printed as JSON is under json."},
	{Code: ShadowedName, Title: "an id hides a loop variable",
		Text: "A sub-step or branch has the name of a loop variable. Rename it, or set item_var or index_var."},
	{Code: UnnamableID, Title: "an id that no reference can name",
		Text: "References look like $id.field, and an id in them is made of letters, digits, _ and -. Other ids work but can never be referred to."},
	{Code: UnknownMaybe, Title: "text that looks like a reference to an unknown step",
		Text: "In templates, $name.field stays as written when no earlier step has that id."},
	{Code: NoArgument, Title: "an argument that is not declared",
		Text: "${name} stays as written unless the caller passes an argument of that name. Declare it under args, or leave it when a shell variable is meant."},
	{Code: ArgumentClash, Title: "an argument has the name of a built-in flag",
		Text: "The compiled program cannot have a flag of that name for it; callers write --arg name=value."},
	{Code: JoinedField, Title: "text that reads as part of a reference",
		Text: "A reference takes every letter, digit and _ that follows. \"$a.jsonX\" names the field jsonX, which no result has, and is empty."},
	{Code: NoLength, Title: "the length of a list",
		Text: "A path takes members of objects and elements of lists by number; .length is a member like any other, and lists and texts have none. Let the step print the number, for instance with jq length."},

	{Code: BadFile, Title: "not a workflow file",
		Text: "A workflow file is a mapping with a list of steps that is not empty."},
	{Code: BadStep, Title: "not a step",
		Text: "A step is a mapping with an id and one of run (or command), pipeline, workflow, parallel, for_each, approval or input."},
	{Code: ManyExecs, Title: "a step with two things to execute",
		Text: "A step executes one of run (or command), pipeline, workflow, parallel and for_each. Make two steps of it."},
	{Code: BadValue, Title: "a key with a value of the wrong kind",
		Text: "The message says what the key takes."},
	{Code: BadGate, Title: "a gate where none can be",
		Text: "approval and input exclude each other; input executes nothing; sub-steps of a loop have no gates."},
	{Code: NoSuchGate, Title: "an approval that would be no gate", Compilable: true,
		Text: "approval takes true, the prompt as text, or a mapping. With any other value the reference implementation runs on without asking, which nobody can have wanted."},
	{Code: UnknownKey, Title: "a key that means nothing",
		Text: "The key is ignored. Keys that start with x- are free for your own use."},
	{Code: IgnoredValue, Title: "a value that is ignored",
		Text: "The key is known, but a value of this kind does nothing. Values of env and cwd must be strings: quote numbers and booleans."},
	{Code: IgnoredKey, Title: "a key that does nothing here",
		Text: "The key is known, but not at this place, or another key takes precedence."},

	{Code: BadCondition, Title: "a condition that cannot be read",
		Text: "Conditions are made of references ($id.field), quoted strings, numbers, true, false, null, the comparisons == != < <= > >=, and ! && || ( )."},
	{Code: BadConditionType, Title: "a condition that is not text or a boolean",
		Text: "when takes true, false or an expression."},
	{Code: BadForEach, Title: "for_each does not name a list", Compilable: true,
		Text: "for_each takes exactly one reference, such as $fetch.json.items. Text around it, or ${argument}, gives text and never a list."},

	{Code: BadPipeline, Title: "a pipeline that cannot be read",
		Text: "Stages are separated by |, words by white space; quotes group words."},
	{Code: UnknownStage, Title: "an unknown stage", Compilable: true,
		Text: "`lobsterc stages` lists them. Commands of the system run under exec, or as a run step."},
	{Code: UnknownFlag, Title: "an unknown flag of a stage", Compilable: true,
		Text: "`lobsterc stages NAME` lists the flags."},
	{Code: BadFlag, Title: "a flag with a value of the wrong kind", Compilable: true,
		Text: "`lobsterc stages NAME` says what each flag takes."},
	{Code: MissingFlag, Title: "a required flag is missing", Compilable: true,
		Text: "The stage fails without it."},
	{Code: BadLiteral, Title: "a literal in a stage that cannot be read", Compilable: true,
		Text: "The expression, template, filter or JSON text is not valid."},
	{Code: ApproveInRun, Title: "approve inside a workflow's pipeline", Compilable: true,
		Text: "A pipeline of a workflow step cannot stop for approval. Use a step with `approval` behind it."},
	{Code: UnexpectedWord, Title: "a word that a stage has no use for", Compilable: true,
		Text: "The reference implementation ignores such words, so `head 2` takes ten items. The message says how to write what was probably meant."},
	{Code: MisplacedAsk, Title: "ask where no person can be asked", Compilable: true,
		Text: "ask cannot stop a pipeline inside a loop or a parallel branch, and in a workflow not with --emit. Use a step with `input`."},
	{Code: HoleInName, Title: "a stage or flag whose name depends on the run",
		Text: "A program is compiled for the stages and flags that it names. Write them out; use conditions on several steps to choose between stages."},
	{Code: ExecFlag, Title: "one of exec's own flags behind the program",
		Text: "--json, --stdin and --shell are exec's wherever they stand. Put them in front of the program; when the program is to get the flag, put -- in front of the program: `exec -- gh pr list --json title`."},
	{Code: UnusedInput, Title: "items that nobody uses",
		Text: "The stage reads what is piped into it and drops it, or the stage before it passes nothing on."},
	{Code: HoleInJSON, Title: "a hole inside a JSON text",
		Text: "The value is escaped as JSON where the hole stands inside quotes; elsewhere the text itself must be JSON. Quotes and backslashes in a value so cannot change the structure."},
	{Code: SecretInFile, Title: "a secret in the file",
		Text: "Tokens belong into the environment; a compiled program and its source are read by more people than those who may use the token."},

	{Code: NoSubWorkflow, Title: "a sub-workflow file that does not exist", Compilable: true,
		Text: "workflow takes a path relative to the file it stands in."},
	{Code: Cycle, Title: "workflows that call each other in a circle",
		Text: "A workflow cannot call itself, directly or through others."},
	{Code: DynamicPath, Title: "a sub-workflow path that depends on the run", Compilable: true,
		Text: "A compiled program holds every workflow it can call. Name the candidates with --include GLOB; the run then picks among them."},

	{Code: NoInclude, Title: "--include that names no file",
		Text: "The pattern is relative to the working directory and matches no file."},

	{Code: BadSchema, Title: "not a valid JSON Schema", Compilable: true,
		Text: "The schema is compiled when the program is, so it must be valid. The message names the faulty place."},

	{Code: UngatedEffect, Title: "an effect that no gate protects",
		Text: "x-require-approval or --require-approval asks for a gate on every path to this effect, and there is a path without one."},
}

// String is what `lobsterc explain` prints.
func (i Info) String() string {
	text := string(i.Code) + ": " + i.Title + "\n\n" + i.Text + "\n"
	if i.Compilable && i.Code[0] == 'E' {
		text += "\nThe program could be compiled all the same: with --compat this is a warning.\n"
	}
	return text
}

// Infos are all codes by number, so that warnings stand among the errors of their group.
func Infos() []Info {
	return slices.SortedFunc(slices.Values(infos), func(a, b Info) int { return cmp.Compare(a.Code[1:], b.Code[1:]) })
}

// Explain finds a code.
func Explain(code Code) (Info, bool) {
	i := slices.IndexFunc(infos, func(x Info) bool { return x.Code == code })
	if i < 0 {
		return Info{}, false
	}
	return infos[i], true
}
