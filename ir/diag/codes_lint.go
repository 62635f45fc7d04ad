package diag

// Codes of effects and of habits that go wrong (compiler/effects and compiler/lint).
const (
	UnknownEffect Code = "W0802"
	ApprovalAfter Code = "W0803"
	RetryDispatch Code = "W0804"
	NeverRuns     Code = "W0805"
	NeverRejected Code = "W0806"

	BracedRef     Code = "W0901"
	StageInRun    Code = "W0902"
	ArgsMap       Code = "W0903"
	ArgsRef       Code = "W0904"
	ShellForArg   Code = "W0905"
	ArgDefault    Code = "W0906"
	ForeignHole   Code = "W0907"
	StepVariable  Code = "W0908"
	BareStdin     Code = "W0909"
	CommandInEnv  Code = "W0910"
	OddPrompt     Code = "W0911"
	Bashism       Code = "W0912"
	ArgInJSON     Code = "W0913"
	RawArg        Code = "W0914"
	NewlineEqual  Code = "W0915"
	NewlineSplits Code = "W0916"
	RefInPath     Code = "W0917"
	RefInProgram  Code = "W0918"
	UnusedArg     Code = "W0919"
	BadShell      Code = "W0920"
	UnsetVariable Code = "W0921"
	EnvToItself   Code = "W0922"
)

var lintInfos = []Info{
	{Code: UnknownEffect, Title: "x-require-approval names an unknown effect",
		Text: "The list takes names of effects such as sends_email, writes_state or network, `effects` for all that change something, cmd:PROGRAM WORDS (\"cmd:git push\"), stage:NAME, and tool:NAME for tools of a gateway. An unknown name protects nothing."},
	{Code: ApprovalAfter, Title: "the approval comes after the effect",
		Text: "On a step that executes something, approval asks after the step has run: it holds back the steps below, not the step itself. Put a step with only `approval` before it."},
	{Code: RetryDispatch, Title: "retry on a step that is sent once",
		Text: "A step that hands something to the outside (a mail, a tool call, an agent's turn) is never run again once it has dispatched, whatever retry says: a failure does not prove that nothing happened."},
	{Code: NeverRuns, Title: "a step that can never run",
		Text: "Its condition is false on every run, or contradicts what must have happened before."},
	{Code: NeverRejected, Title: "a condition on a refusal",
		Text: "A refused approval ends the run. A step that runs when a gate was not approved runs only when the gate was skipped."},

	{Code: BracedRef, Title: "a step reference in braces",
		Text: "Results are written $id.field, without braces; ${...} is for arguments. With braces the text stays as it stands, and a shell stops at it (\"Bad substitution\")."},
	{Code: StageInRun, Title: "a pipeline stage as a shell command",
		Text: "run and command are for the shell, which knows no stages. Write the line under `pipeline:`, where stages are known."},
	{Code: ArgsMap, Title: "a tool call with a map of arguments",
		Text: "A command takes no map: the keys under args are ignored, and the tool is called without arguments. Write a pipeline: `openclaw.invoke --tool TOOL --action ACTION --args-json '{...}'`."},
	{Code: ArgsRef, Title: "an argument written like a step",
		Text: "Arguments are written ${name}. $args.name is a reference to a step called args, which there is none, so it stays as it stands."},
	{Code: ShellForArg, Title: "a shell variable with the name of an argument",
		Text: "$name is the shell's variable, and nothing sets it. The argument is ${name} in the file's text, and $LOBSTER_ARG_NAME in the shell's environment (safer: the shell does not read its text as commands)."},
	{Code: ArgDefault, Title: "a shell default on an argument",
		Text: "${name:-default} is a shell expansion of a variable that nothing sets, so it is always the default. The argument's variable is LOBSTER_ARG_NAME, and a default can stand under args."},
	{Code: ForeignHole, Title: "a template of another tool",
		Text: "{{ ... }} and ${{ ... }} mean nothing here and stay as they stand. Arguments are ${name}, results are $id.json.path."},
	{Code: StepVariable, Title: "a variable for a step's result",
		Text: "There are no variables for results of steps. Write $id.stdout or $id.json.path, or give the result to the command: `stdin: $id.json`, or a variable under env."},
	{Code: BareStdin, Title: "a step without a field",
		Text: "$id alone is text. Write $id.json for the data of a step, $id.stdout for its text."},
	{Code: CommandInEnv, Title: "a command in an environment value",
		Text: "Values under env are not run by a shell, so $(...) and backquotes stay as they stand. Run the command in a step before and write $id.stdout, or run it in the script itself."},
	{Code: OddPrompt, Title: "a word that is taken as the prompt",
		Text: "approval takes true, the text of the prompt, or a mapping. A word such as optional, \"false\" or none is the prompt of a gate like any other: the run always stops there."},
	{Code: Bashism, Title: "bash in a script for sh",
		Text: "Commands run under /bin/sh, which is not bash everywhere (on Debian and Ubuntu it is dash). Write POSIX shell, or call bash: `bash -c '...'`."},
	{Code: ArgInJSON, Title: "an argument inside JSON text",
		Text: "The argument's text is put between the quotes as it is. A quote, a backslash or a newline in it breaks the JSON, or adds to it. Build the JSON with jq: `jq -n --arg x \"$LOBSTER_ARG_X\" '{x: $x}'`."},
	{Code: RawArg, Title: "an argument inside shell text",
		Text: "The argument's text becomes part of the command before the shell reads it: a space splits it, and what follows a quote, a semicolon or a $ is run. Every argument also stands in the environment as LOBSTER_ARG_NAME, which the shell does not read as commands. Arguments of type integer, number or boolean are safe."},
	{Code: NewlineEqual, Title: "stdout compared with text without its newline",
		Text: "stdout is kept as the command printed it, and most commands end their output with a newline, so it does not equal text without one. Let the command print JSON and compare $id.json, or use printf."},
	{Code: NewlineSplits, Title: "stdout in the middle of a command",
		Text: "stdout ends with the newline that the command printed, and a newline ends a shell command: what follows is run as a command of its own. Give the text through env and write \"$NAME\", or let the step print without a newline."},
	{Code: RefInPath, Title: "a file name that is a reference",
		Text: "$id.json is replaced by the result of the step of that id, also inside a path. If a shell variable is meant, write ${id}.json; or give the step another id."},
	{Code: RefInProgram, Title: "a variable of jq that is a reference",
		Text: "$name.field is replaced by the result of the step of that id before the shell or jq sees it. Rename the variable or the step."},
	{Code: UnusedArg, Title: "an argument that nothing reads",
		Text: "Neither ${name} nor $LOBSTER_ARG_NAME occurs, and no program is called that could read it from its environment."},
	{Code: BadShell, Title: "shell text that does not parse",
		Text: "Neither as POSIX shell nor as bash. The message is the parser's."},
	{Code: UnsetVariable, Title: "a variable that nothing sets",
		Text: "Commands get LOBSTER_ARGS_JSON, LOBSTER_ARG_NAME for each argument, and the variables under env. There are no variables for steps."},
	{Code: EnvToItself, Title: "a variable that is set to itself",
		Text: "Commands inherit the environment anyway; the line does nothing."},
}
