package catalog

import "strings"

func openclawStages() []Stage {
	invoke := func(name string) Stage {
		return Stage{
			Name: name, Summary: "Call a tool of an OpenClaw gateway",
			Usage:   []string{name + " --tool TOOL --action ACTION [--args-json JSON] [--each [--item-key KEY]] [--dry-run]"},
			Example: name + ` --tool message --action send --each --item-key message --args-json '{"provider":"telegram","to":"me"}'`,
			Notes: []string{
				"The gateway is --url, or OPENCLAW_URL or CLAWD_URL; its token is --token, or OPENCLAW_TOKEN or CLAWD_TOKEN (never sent to another machine).",
				"Without --each there is one call and the items do not matter; with it one call an item, the item being set in the arguments under KEY.",
			},
			Flags: []Flag{
				{Name: "tool", Type: String, Required: true, Field: "Tool", Help: "the tool"},
				{Name: "action", Type: String, Required: true, Field: "Action", Help: "what the tool is to do"},
				{Name: "args-json", Type: JSON, Field: "Args", Help: "the tool's arguments", Message: name + " --args-json must be valid JSON"},
				{Name: "each", Type: Bool, Field: "Each", Help: "one call for each item"},
				{Name: "item-key", Aliases: []string{"itemKey"}, Type: String, Default: "item", HasDefault: true, Field: "ItemKey", Help: "the argument that takes the item"},
				{Name: "url", Type: String, Field: "URL", Help: "where the gateway listens"},
				{Name: "token", Type: String, Field: "Token", Secret: true, Help: "the bearer token"},
				{Name: "session-key", Aliases: []string{"sessionKey"}, Type: String, Field: "SessionKey", Help: "the session to bill the call to"},
				{Name: "dry-run", Aliases: []string{"dryRun"}, Type: Bool, Field: "DryRun", Help: "ask the tool to only say what it would do"},
			},
			Missing: name + " requires --tool and --action",
			Effects: []string{"calls_clawd_tool"}, HiddenEffects: []string{"network"},
			Barrier: true, Dispatch: true, Input: IgnoresInput, InputFlags: []string{"each"},
			Ctor: Ctor{pkgOpenclaw, "Invoke"}, NameField: "Name", Checks: true,
		}
	}
	clawd := invoke("clawd.invoke")
	clawd.AliasOf = "openclaw.invoke"
	return []Stage{invoke("openclaw.invoke"), clawd, {
		Name: "openclaw.agent", Summary: "Give an OpenClaw agent a task",
		Usage:   []string{"openclaw.agent (--agent ID | --session-key KEY | --session-id ID) --prompt TEXT [--model M] [--thinking LEVEL] [--timeout SECONDS] [--local]"},
		Example: "openclaw.agent --agent ops --prompt 'Summarise these log lines'",
		Notes:   []string{"Runs `openclaw agent` (LOBSTER_OPENCLAW_BIN names another executable). Items are appended to the message as JSON lines. What it prints is the item."},
		Flags: []Flag{
			{Name: "prompt", Aliases: []string{"message"}, Type: String, Required: true, Field: "Prompt", Help: "the task"},
			{Name: "agent", Type: String, Field: "Agent", Help: "the agent's id"},
			{Name: "model", Type: String, Field: "Model", Help: "the model to use for this turn"},
			{Name: "session-key", Aliases: []string{"sessionKey"}, Type: String, Field: "SessionKey", Help: "go on with the session of this key"},
			{Name: "session-id", Aliases: []string{"sessionId"}, Type: String, Field: "SessionID", Help: "go on with the session of this id"},
			{Name: "thinking", Type: String, Field: "Thinking", Help: "how much the model is to think"},
			{Name: "timeout", Type: Int, Field: "Timeout", Help: "seconds for the turn", Message: "openclaw.agent --timeout must be a non-negative integer in seconds"},
			{Name: "local", Type: Bool, Field: "Local", Help: "run inside this process's machine, without a gateway"},
		},
		Words:   Positional{Mode: JoinedWords, Name: "TEXT", Flag: "prompt", Help: "the same as --prompt"},
		OneOf:   []Group{{Flags: []string{"agent", "session-key", "session-id"}, Message: "openclaw.agent requires --agent, --session-key, or --session-id"}},
		Missing: "openclaw.agent requires --prompt, --message, or positional text",
		Effects: []string{"calls_openclaw_agent"}, HiddenEffects: []string{"local_exec"},
		Barrier: true, Dispatch: true,
		Ctor: Ctor{pkgAgent, "Agent"}, Checks: true,
	}}
}

func llmStages() []Stage {
	invoke := func(name, summary, provider string) Stage {
		return Stage{
			Name: name, Summary: summary,
			Usage:   []string{name + " --prompt TEXT [--model M] [--output-schema JSON] [...]"},
			Example: name + ` --prompt 'Sort these mails' --output-schema '{"type":"object","required":["urgent"]}'`,
			Notes: []string{
				"Items become artifacts of the request. The answer is one item with the text or data under `output`.",
				"Answers are kept: the same request is not sent twice, unless --refresh. With --output-schema a wrong answer is asked again, with the faults.",
				provider,
			},
			Flags: []Flag{
				{Name: "provider", Type: String, Field: "Provider", Help: "openclaw, pi or http"},
				{Name: "prompt", Type: String, Required: true, Field: "Prompt", Help: "what the model is to do"},
				{Name: "model", Type: String, Field: "Model", Help: "the model"},
				{Name: "artifacts-json", Type: JSON, Array: true, Field: "Artifacts", Help: "more artifacts, a JSON array", Message: name + " --artifacts-json must be a JSON array"},
				{Name: "metadata-json", Type: JSON, Object: true, Field: "Metadata", Help: "a JSON object to send along", Message: name + " --metadata-json must be a JSON object"},
				{Name: "output-schema", Type: Schema, Object: true, Field: "OutputSchema", Help: "the JSON Schema that the answer must satisfy", Message: name + " --output-schema must be a JSON object"},
				{Name: "schema-version", Type: String, Field: "SchemaVersion", Help: "part of the key that answers are kept under (v1)"},
				{Name: "max-validation-retries", Type: Int, Field: "MaxValidationRetries", Help: "how often a wrong answer is asked again (1 with a schema)"},
				{Name: "temperature", Type: Number, Field: "Temperature", Help: "the sampling temperature"},
				{Name: "max-output-tokens", Type: Int, Field: "MaxOutputTokens", Help: "the longest answer, in tokens"},
				{Name: "state-key", Type: String, Field: "StateKey", Help: "the name that the answer is kept under for this run"},
				{Name: "refresh", Type: Bool, Field: "Refresh", Help: "ask again, whatever is kept"},
				{Name: "disable-cache", Type: Bool, Field: "DisableCache", Help: "neither read nor write the cache"},
				{Name: "token", Type: String, Field: "Token", Secret: true, Help: "the bearer token"},
			},
			Words:   Positional{Mode: JoinedWords, Name: "TEXT", Flag: "prompt", Help: "the same as --prompt"},
			Missing: name + " requires --prompt or positional text",
			Effects: []string{"calls_llm"}, HiddenEffects: []string{"network"},
			Barrier: true,
			Ctor:    Ctor{pkgLLM, "Invoke"}, NameField: "Name", Checks: true,
		}
	}
	return []Stage{
		invoke("llm.invoke", "Ask a language model, once for the same question", "The provider is --provider, LOBSTER_LLM_PROVIDER, or what the environment has an address for."),
		invoke("llm_task.invoke", "Ask a language model through an OpenClaw gateway", "The provider is openclaw unless --provider names another: OPENCLAW_URL or CLAWD_URL say where it is."),
	}
}

func mailStages() []Stage {
	gogNote := "Needs the `gog` program (GOG_BIN names another executable)."
	return []Stage{{
		Name: "gog.gmail.search", Summary: "Find mail with gog", Usage: []string{"gog.gmail.search [--query QUERY] [--max N]"}, Example: "gog.gmail.search --query 'newer_than:2d is:unread' --max 50",
		Notes: []string{gogNote},
		Flags: []Flag{
			{Name: "query", Type: String, Default: "newer_than:1d", HasDefault: true, Field: "Query", Help: "a search as Gmail understands it"},
			{Name: "max", Aliases: []string{"limit"}, Type: Number, Default: "20", HasDefault: true, Field: "Max", Help: "the most to find"},
		},
		Effects: []string{"reads_email"}, HiddenEffects: []string{"local_exec"}, Barrier: true, Input: IgnoresInput,
		Ctor: Ctor{pkgMail, "Search"}, Checks: true,
	}, {
		Name: "gog.gmail.send", Summary: "Send each draft as a mail with gog", Usage: []string{"gog.gmail.send [--dry-run]"}, Example: "approve --prompt 'Send?' | gog.gmail.send",
		Notes: []string{"Items are drafts {to, subject, body}. Put a gate before it.", gogNote},
		Flags: []Flag{{Name: "dry-run", Aliases: []string{"dryRun"}, Type: Bool, Field: "DryRun", Help: "send nothing and give the drafts back"}},

		Effects: []string{"sends_email"}, HiddenEffects: []string{"local_exec"}, Barrier: true, Dispatch: true,
		Ctor: Ctor{pkgMail, "Send"}, Checks: true,
	}, {
		Name: "email.triage", Summary: "Sort mail into what needs a reply, what needs action and the rest", Usage: []string{"email.triage [--limit N] [--emit report|drafts]", "email.triage --llm [--model M] [--temperature T] [--max-output-tokens N] [--emit report|drafts]"},
		Example: strings.Join([]string{"gog.gmail.search --max 20", "email.triage"}, " | "),
		Notes:   []string{"Sends nothing. Without --llm simple rules decide; with it a model does, and drafts replies.", "--emit drafts gives the drafts as items, ready for gog.gmail.send."},
		Flags: []Flag{
			{Name: "limit", Type: Number, Default: "20", HasDefault: true, Field: "Limit", Help: "the most mails to look at"},
			{Name: "llm", Type: Bool, Field: "LLM", Help: "let a model decide and draft"},
			{Name: "model", Type: String, Field: "Model", Help: "the model"},
			{Name: "url", Type: String, Field: "URL", Help: "accepted and unused"},
			{Name: "token", Type: String, Field: "Token", Secret: true, Help: "the bearer token"},
			{Name: "temperature", Type: Number, Field: "Temperature", Help: "the sampling temperature"},
			{Name: "max-output-tokens", Type: Int, Field: "MaxOutputTokens", Help: "the longest answer, in tokens"},
			{Name: "emit", Type: Enum, Values: []string{"report", "drafts"}, Default: "report", HasDefault: true, Field: "Emit", Help: "one report, or the drafts as items"},
			{Name: "state-key", Type: String, Field: "StateKey", Help: "the name that the model's answer is kept under for this run"},
		},
		Ctor:     Ctor{pkgMail, "Triage"},
		Checks:   true,
		Variants: []Variant{{Flag: "llm", Ctor: Ctor{pkgTriage, "Triage"}, Effects: []string{"calls_llm", "network"}}},
	}}
}
