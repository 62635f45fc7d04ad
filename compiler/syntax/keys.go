package syntax

import (
	"slices"
	"strings"

	"github.com/lobsterc/lobsterc/ir/diag"
)

// The keys that mean something, by place. Keys that start with x- are the author's own.
var (
	workflowKeys = words("name description args env cwd steps cost_limit timeout_ms")
	argKeys      = words("default description required type secret")
	costKeys     = words("max_usd action")
	stepKeys     = words("id description run command pipeline workflow workflow_args parallel for_each item_var index_var batch_size pause_ms steps " +
		"env cwd stdin when condition timeout_ms on_error retry approval input")
	branchKeys   = words("id description run command pipeline env cwd stdin when condition timeout_ms on_error retry approval input workflow parallel for_each workflow_args steps")
	subStepKeys  = words("id description run command pipeline env cwd stdin when condition timeout_ms on_error retry approval input workflow parallel for_each workflow_args steps")
	parallelKeys = words("wait timeout_ms branches")
	retryKeys    = words("max backoff delay_ms max_delay_ms jitter")
	inputKeys    = words("prompt responseSchema defaults")
	approvalKeys = words("prompt items preview initiated_by initiatedBy required_approver requiredApprover require_different_approver requireDifferentApprover")

	// ignoredInBranch are keys that steps have and branches do not.
	ignoredInBranch = set("when condition timeout_ms on_error retry approval input workflow parallel for_each workflow_args steps")
)

// meant says what authors mean by keys that do not exist; an entry without a key is advice only.
var meant = map[string]struct{ key, advice string }{
	"approve":           {"approval", ""},
	"approvals":         {"approval", ""},
	"gate":              {"approval", ""},
	"confirm":           {"approval", ""},
	"if":                {"when", ""},
	"unless":            {"", "write `when: \"!...\"`"},
	"foreach":           {"for_each", ""},
	"forEach":           {"for_each", ""},
	"loop":              {"for_each", ""},
	"timeoutMs":         {"timeout_ms", ""},
	"timeout":           {"timeout_ms", "the time is in milliseconds"},
	"timeout_seconds":   {"", "write `timeout_ms`, in milliseconds"},
	"onError":           {"on_error", ""},
	"on_fail":           {"", "write `on_error: continue` and a step with `when: $id.error`"},
	"on_failure":        {"", "write `on_error: continue` and a step with `when: $id.error`"},
	"on_success":        {"", "steps run in order; a step after this one runs only when it went well"},
	"on_reject":         {"", "a refused approval ends the run"},
	"on_approve":        {"", "the steps after a gate run when it is approved"},
	"allow_failure":     {"", "write `on_error: continue`"},
	"continue_on_error": {"", "write `on_error: continue`"},
	"ignore_errors":     {"", "write `on_error: continue`"},
	"depends_on":        {"", "steps run in file order; refer to an earlier step with $id"},
	"needs":             {"", "steps run in file order; refer to an earlier step with $id"},
	"inputs":            {"", "a workflow takes `args`, a sub-workflow `workflow_args`, a command `stdin`"},
	"parameters":        {"args", ""},
	"params":            {"args", ""},
	"variables":         {"args", ""},
	"vars":              {"args", ""},
	"arguments":         {"args", ""},
	"output":            {"", "a step's output is $id.stdout and $id.json; the last step's output is the workflow's"},
	"outputs":           {"", "a step's output is $id.stdout and $id.json; the last step's output is the workflow's"},
	"version":           {"", "the file format has no version; a key of your own starts with x-"},
	"args":              {"workflow_args", "only sub-workflows take arguments; write those of a command into the command"},
	"shell":             {"run", ""},
	"cmd":               {"run", ""},
	"exec":              {"run", ""},
	"script":            {"run", ""},
	"bash":              {"run", ""},
	"working_directory": {"cwd", ""},
	"workdir":           {"cwd", ""},
	"dir":               {"cwd", ""},
	"workingDir":        {"cwd", ""},
	"workingDirectory":  {"cwd", ""},
	"environment":       {"env", ""},
	"input_schema":      {"responseSchema", ""},
	"response_schema":   {"responseSchema", ""},
	"schema":            {"responseSchema", ""},
	"retries":           {"retry", "retry takes a mapping: `retry: {max: 3}`"},
	"max_attempts":      {"max", ""},
	"attempts":          {"max", ""},
	"name":              {"", "a step is named by its id"},
	"title":             {"description", ""},
	"desc":              {"description", ""},
	"jobs":              {"steps", ""},
	"tasks":             {"steps", ""},
	"message":           {"prompt", ""},
}

// meantAtTop is what authors mean at the top of a file, where it differs.
var meantAtTop = map[string]string{"inputs": "args", "input": "args", "title": "name", "id": "name"}

func words(s string) []string { return strings.Fields(s) }

func set(s string) map[string]bool {
	out := map[string]bool{}
	for _, w := range words(s) {
		out[w] = true
	}
	return out
}

// keys warns of keys that mean nothing in a mapping.
func (d *decoder) keys(n *Node, place string, known []string) {
	isKnown := map[string]bool{}
	for _, k := range known {
		isKnown[k] = true
	}
	for _, e := range n.Entries {
		key := e.Key.Text
		if isKnown[key] || strings.HasPrefix(key, "x-") {
			continue
		}
		w := d.diags.Warnf(diag.UnknownKey, e.Key.Span, "unknown key %q in %s is ignored", key, place)
		better, advice := suggest(key, place, known, isKnown)
		switch {
		case better != "" && advice != "":
			w.Hint = "did you mean " + better + "? " + advice
		case better != "":
			w.Hint = "did you mean " + better + "?"
		default:
			w.Hint = advice
		}
		if better != "" && advice == "" && n.Get(better) == nil {
			w.Edits = []diag.Edit{{Span: e.Key.Span, NewText: better, Safe: squeeze(better) == squeeze(key)}}
		}
	}
}

// suggest says what an unknown key was probably meant to be, and what else there is to say.
func suggest(key, place string, known []string, isKnown map[string]bool) (better, advice string) {
	if place == "a workflow" && meantAtTop[key] != "" {
		return meantAtTop[key], ""
	}
	m := meant[key]
	if isKnown[m.key] {
		return m.key, m.advice
	}
	if m.key == "" && m.advice != "" {
		return "", m.advice
	}
	if better = Nearest(key, known); better != "" {
		return better, ""
	}
	switch {
	case place == "a workflow" && slices.Contains(stepKeys, key):
		return "", key + " stands on a step"
	case place == "a step" && slices.Contains(workflowKeys, key):
		return "", key + " stands at the top of the file"
	case len(known) <= len(approvalKeys):
		return "", "there is " + strings.Join(known, ", ")
	}
	return "", ""
}

// squeeze takes the ways of spelling a name apart away: timeoutMs, timeout-ms and timeout_ms are one.
func squeeze(key string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(key))
}

// Nearest is the known word that is spelt most like word, or "" when none is near.
func Nearest(word string, known []string) string {
	best, limit := "", 1+len(word)/4
	for _, k := range known {
		if dist := diag.Distance(strings.ToLower(word), strings.ToLower(k)); dist <= limit {
			best, limit = k, dist-1
		}
	}
	return best
}
