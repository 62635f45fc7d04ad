package lint

import (
	"slices"
	"strings"

	"github.com/lobsterc/lobsterc/compiler/effects"
	"github.com/lobsterc/lobsterc/ir"
	"github.com/lobsterc/lobsterc/ir/diag"
)

// approvalAfter: the approval of a step that itself does what people want to be asked about first.
func (c *programCheck) approvalAfter(s *ir.Step, name string) {
	r := c.find(name)
	if r == nil {
		return
	}
	asked := asksFor(s.Approval)
	for i := range r.Effects {
		e := &r.Effects[i]
		if (len(e.Gates) > 0 || !consequential(e)) && !does(e, asked) {
			continue
		}
		d := c.diags.Warnf(diag.ApprovalAfter, span(s.Approval.Pos), "%s runs before anyone is asked: the approval of a step comes after it ran", e.What)
		d.Hint = "put a step with only `approval` before this one"
		return
	}
}

// deeds are verbs that a prompt starts with when it asks for leave to do something.
var deeds = strings.Fields("send deploy push publish delete remove merge post apply upload pay submit release ship archive close purge drop rollback restart install")

// asksFor is the deed that a gate's prompt asks leave for: "Deploy to production?" asks for deploy.
func asksFor(a *ir.Approval) string {
	if len(a.Prompt) == 0 {
		return ""
	}
	text, _ := a.Prompt[0].(ir.Text)
	word, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(string(text))), " ")
	word = strings.Trim(word, "?!.,:")
	if slices.Contains(deeds, word) {
		return word
	}
	return ""
}

// does tells whether a command is plainly the deed: ./deploy.sh, git push, make release. One that only shows what it would do is not.
func does(e *effects.Effect, deed string) bool {
	if deed == "" || !e.Is(effects.LocalExec) {
		return false
	}
	found := false
	for _, w := range e.Command {
		for _, part := range strings.FieldsFunc(strings.ToLower(w.Text), func(r rune) bool { return (r < 'a' || r > 'z') && r != '-' }) {
			if slices.Contains([]string{"--dry-run", "--dryrun", "--check", "--diff", "--plan", "--preview", "--whatif", "plan", "diff", "preview", "draft", "list", "status"}, part) {
				return false
			}
			found = found || slices.Contains(strings.Split(part, "-"), deed) && !strings.HasPrefix(part, "-")
		}
	}
	return found
}

// consequential effects cannot be taken back.
func consequential(e *effects.Effect) bool {
	for _, name := range []string{effects.SendsEmail, "calls_openclaw_agent", "calls_clawd_tool"} {
		if e.Is(name) {
			return true
		}
	}
	if len(e.Command) == 0 || e.Command[0].Dynamic {
		return false
	}
	for _, name := range []string{"cmd:git push", "cmd:rm", "cmd:gh pr merge", "cmd:npm publish", "cmd:kubectl apply", "cmd:kubectl delete", "cmd:terraform apply", "cmd:terraform destroy"} {
		if words := strings.Fields(strings.TrimPrefix(name, "cmd:")); words[0] == e.Command[0].Text && e.Is(name) {
			return true
		}
	}
	return false
}
