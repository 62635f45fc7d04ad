package stage

import (
	"errors"
	"slices"
	"strings"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/proc"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// The fields of a pull request: those that gh is asked for, those that are compared, and those of a summary.
var (
	prAsked    = []string{"number", "title", "url", "state", "isDraft", "mergeable", "reviewDecision", "author", "baseRefName", "headRefName", "updatedAt"}
	prCompared = []string{"number", "title", "url", "state", "isDraft", "mergeable", "reviewDecision", "updatedAt", "baseRefName", "headRefName"}
	prShort    = []string{"number", "title", "url", "state", "updatedAt"}
)

// prLook is a look at a pull request beside the last one.
type prLook struct {
	repo, number, now value.Value
	key               string
	changed           bool
	summary           value.Value
}

// monitorPR is github.pr.monitor.
func monitorPR(env *flow.Env, args value.Value) (value.Value, error) {
	look, err := lookAtPR(env, args)
	if err != nil {
		return value.Value{}, err
	}
	members := []value.Member{
		value.M("kind", value.String(prMonitor)), value.M("repo", look.repo), value.M("prNumber", look.number),
		value.M("key", value.String(look.key)), value.M("changed", value.Bool(look.changed)),
	}
	switch {
	case !look.changed && args.Get("changesOnly").Truthy():
		members = append(members, value.M("suppressed", value.Bool(true)))
	case args.Get("summaryOnly").Truthy():
		members = append(members, value.M("summary", look.summary), value.M("pr", look.short()))
	default:
		members = append(members, value.M("summary", look.summary), value.M("prSnapshot", look.now))
	}
	return value.ObjectOwned(members), nil
}

// notifyPR is github.pr.monitor.notify.
func notifyPR(env *flow.Env, args value.Value) (value.Value, error) {
	look, err := lookAtPR(env, args)
	if err != nil {
		return value.Value{}, err
	}
	kind := value.M("kind", value.String(prNotify))
	if !look.changed {
		return value.Object(kind, value.M("suppressed", value.Bool(true))), nil
	}
	message := "PR updated: " + look.repo.JSString() + "#" + look.number.JSString()
	if title := look.now.Get("title"); !title.IsNullish() {
		message += ": " + title.JSString()
	}
	if fields := look.summary.Get("changedFields"); fields.Len() > 0 {
		message += " (" + fields.Join(", ") + ")"
	}
	message += "."
	if url := look.now.Get("url"); url.Truthy() {
		message += " " + url.JSString()
	}
	return value.Object(kind, value.M("changed", value.Bool(true)), value.M("repo", look.repo), value.M("prNumber", look.number),
		value.M("message", value.String(message)), value.M("pr", look.short()), value.M("summary", look.summary)), nil
}

// short is the pull request in a few fields.
func (l *prLook) short() value.Value {
	members := make([]value.Member, 0, len(prShort))
	for _, f := range prShort {
		members = append(members, value.M(f, l.now.Get(f)))
	}
	return value.ObjectOwned(members)
}

// lookAtPR asks gh and keeps the answer for the next time.
func lookAtPR(env *flow.Env, args value.Value) (*prLook, error) {
	repo, pr := args.Get("repo"), args.Get("pr")
	if !repo.Truthy() || !pr.Truthy() {
		return nil, errors.New("github.pr.monitor requires args.repo and args.pr")
	}
	now, err := viewPR(env, repo.JSString(), pr.JSString())
	if err != nil {
		return nil, err
	}
	look := &prLook{repo: repo, number: value.Number(pr.JSNumber()), now: now, key: "github.pr:" + repo.JSString() + "#" + pr.JSString()}
	if key := args.Get("key"); key.Truthy() {
		look.key = key.JSString()
	}
	before, changed, err := snapshot(env, look.key, now)
	if err != nil {
		return nil, err
	}
	look.changed = changed
	look.summary = comparePR(before, now)
	return look, nil
}

const noGH = "gh not found on PATH (install GitHub CLI)"

// needsGH is the Needs of workflows.run.
func needsGH(env *flow.Env) string {
	if proc.Have("gh", env.Dir, env.Environ) {
		return ""
	}
	return noGH
}

// viewPR asks gh.
func viewPR(env *flow.Env, repo, pr string) (value.Value, error) {
	limit, err := proc.MaxOutput(env.Environ)
	if err != nil {
		return value.Value{}, err
	}
	res, err := proc.Run(env.Ctx, proc.Spec{
		Argv: cleanArgs([]string{"gh", "pr", "view", pr, "--repo", repo, "--json", strings.Join(prAsked, ",")}),
		Dir:  env.Dir, Env: env.Environ, Stderr: env.ChildStderr, MaxOutput: limit, Started: env.Started,
	})
	switch {
	case proc.IsNotFound(err):
		return value.Value{}, errors.New(noGH)
	case err != nil:
		return value.Value{}, err
	case !res.OK():
		text := value.TrimSpace(res.Stderr)
		if text == "" {
			text = value.TrimSpace(res.Stdout)
		}
		return value.Value{}, errors.New("gh failed (" + res.CodeText() + "): " + text)
	}
	v, err := value.ParseString(value.TrimSpace(res.Stdout))
	if err != nil {
		return value.Value{}, errors.New("gh returned non-JSON output")
	}
	return v, nil
}

// comparePR lists the fields that changed, with their values before and now. When there is no last time, every field did.
func comparePR(before, now value.Value) value.Value {
	first := before.IsNull() && !now.IsNull()
	var fields []string
	var changes []value.Member
	for _, f := range prCompared {
		from, to := before.Get(f), now.Get(f)
		if first {
			from = value.Null
		} else if sameJSON(from, to) {
			continue
		}
		fields = append(fields, f)
		changes = append(changes, value.M(f, value.Object(value.M("from", from), value.M("to", to))))
	}
	return value.Object(value.M("changedFields", value.Strings(slices.Clip(fields)...)), value.M("changes", value.ObjectOwned(changes)))
}

// sameJSON compares key-sorted JSON; absent equals only absent.
func sameJSON(a, b value.Value) bool {
	return a.IsAbsent() == b.IsAbsent() && a.SortedJSON() == b.SortedJSON()
}
