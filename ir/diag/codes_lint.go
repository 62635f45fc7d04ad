package diag

// Codes of effects and of habits that go wrong (compiler/effects and compiler/lint).
const (
	UnknownEffect Code = "W0802"
)

var lintInfos = []Info{
	{Code: UnknownEffect, Title: "x-require-approval names an unknown effect",
		Text: "The list takes names of effects such as sends_email, writes_state or network, `effects` for all that change something, cmd:PROGRAM WORDS (\"cmd:git push\"), stage:NAME, and tool:NAME for tools of a gateway. An unknown name protects nothing."},
}
