// Package golden holds the tests that look at the whole: what a workflow compiles to, and what the program then does.
//
// A case (cases/*.txtar) has a workflow (workflow.lobster, workflow.json, or a file "pipeline" with an inline pipeline), the
// files beside it, and
//
//	want/ir.json    the canonical IR
//	want/main.go    the generated Go
//	want/diag.txt   what `lobsterc check` says about it; a file that must be refused has this alone
//	reference       a session, recorded from the reference implementation: commands and what they print
//	session         a session, written by hand, for what deviates from the reference and for what only we have
//
// A case with both sessions is a deviation: the first shows what the reference does, the second what we do. Each case without
// `session` must answer as the reference did. Sessions run twice: `lobster` is the compiled program, and `lobster` is
// lobsterc itself under that name.
//
//	go test ./golden -run TestCases -update     rewrites ir.json, main.go and diag.txt
//	LOBSTER_REFERENCE=PROGRAM go test ./golden -run TestCases -record     rewrites the sessions named reference
//
// An update writes main.go only when it was built and the program answers as the sessions say.
//
// The text before the first file says what the case shows. Its lines of the form "key: value" are settings: "build" has flags
// for every compilation, "run: lobsterc" keeps the session from the compiled program itself (its commands name several files),
// "meta: shown" keeps _meta, which the reference does not have, in the session.
//
// A file that must be refused says so at the faulty lines, in comments of the form "#: E0203 text of the message"; "#:+2 ..."
// speaks of the second line below, where no comment can stand.
//
// Command scripts (scripts/*.txtar) are testscript files; they call lobsterc's real main.
package golden
