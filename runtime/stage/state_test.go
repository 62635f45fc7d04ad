package stage

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lobsterc/lobsterc/runtime/flow"
)

func TestState(t *testing.T) {
	env := testEnv(t, io.Discard)
	get := func(key string) flow.Stage { return StateGet(StateGetOptions{key}) }
	set := func(key string) flow.Stage { return StateSet(StateSetOptions{key}) }
	diff := func(key string) flow.Stage { return DiffLast(DiffLastOptions{key}) }
	for i, tt := range []struct {
		in    string
		stage flow.Stage
		want  string
	}{
		{`[9]`, get("k"), `[null]`},
		{`[1,2]`, set("k"), `[[1,2]]`},
		{`[9]`, get("k"), `[[1,2]]`},
		{`[7]`, set("k"), `[7]`},
		{`[]`, get("k"), `[7]`},
		{`[]`, set("K"), `[[]]`},
		{`[]`, get("k"), `[[]]`},
		{`[]`, get(""), `error: state.get requires a key`},
		{`[]`, set(""), `error: state.set requires a key`},
		{`[]`, get("!!"), `error: state key is empty/invalid`},
		{`[]`, set("!!"), `error: state key is empty/invalid`},
		{`{"b":1,"a":2}`, diff("d"), `[{"kind":"diff.last","key":"d","changed":true,"before":null,"after":{"b":1,"a":2}}]`},
		{`{"a":2,"b":1}`, diff("d"), `[{"kind":"diff.last","key":"d","changed":false,"before":{"b":1,"a":2},"after":{"a":2,"b":1}}]`},
		{`[1,2]`, diff("d"), `[{"kind":"diff.last","key":"d","changed":true,"before":{"a":2,"b":1},"after":[1,2]}]`},
		{`[]`, diff(""), `error: diff.last requires --key`},
		{`[null]`, diff("n"), `[{"kind":"diff.last","key":"n","changed":false,"before":null,"after":null}]`},
	} {
		if got := result(t, env, tt.in, tt.stage); got != tt.want {
			t.Errorf("%d: got %s, want %s", i, got, tt.want)
		}
	}
}

// An absent value is stored as the reference stores it.
func TestAbsentState(t *testing.T) {
	env := testEnv(t, io.Discard)
	dir, _ := env.StateDir()
	unwrap := Map(MapOptions{Unwrap: "x"})
	for _, s := range []flow.Stage{StateSet(StateSetOptions{"k"}), DiffLast(DiffLastOptions{"k"}), DiffLast(DiffLastOptions{"k"})} {
		want := `[null]`
		if s.Name == "diff.last" {
			want = `[{"kind":"diff.last","key":"k","changed":true,"before":null}]`
		}
		if got := result(t, env, `[{}]`, unwrap, s); got != want {
			t.Errorf("%s: got %s", s.Name, got)
		}
		if text, _ := os.ReadFile(filepath.Join(dir, "k.json")); string(text) != "undefined\n" {
			t.Errorf("%s: the file is %q", s.Name, text)
		}
	}
	if got := result(t, env, `[]`, StateGet(StateGetOptions{"k"})); got != `[null]` {
		t.Errorf("got %s", got)
	}
}

func TestCorruptState(t *testing.T) {
	env := testEnv(t, io.Discard)
	dir, _ := env.StateDir()
	file := filepath.Join(dir, "k.json")
	if err := os.WriteFile(file, []byte("{bad"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, s := range []flow.Stage{StateGet(StateGetOptions{"k"}), StateSet(StateSetOptions{"k"})} {
		if got := result(t, env, `[1]`, s); !strings.HasPrefix(got, "error: ") || !strings.Contains(got, file) {
			t.Errorf("%s: got %s", s.Name, got)
		}
	}
	if text, _ := os.ReadFile(file); string(text) != "{bad" {
		t.Errorf("the file became %q", text)
	}
	if got := result(t, env, `[1]`, DiffLast(DiffLastOptions{"k"})); got != `[{"kind":"diff.last","key":"k","changed":true,"before":null,"after":1}]` {
		t.Errorf("diff.last: got %s", got)
	}
}

// fakeGH puts a gh into the environment that prints the file out and ends with the code in the file code.
func fakeGH(t *testing.T, env *flow.Env) (say func(out, code string)) {
	t.Helper()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(env.Dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write("gh", "#!/bin/sh\nfor a in \"$@\"; do printf '[%s]' \"$a\"; done >argv\ncat out\nexit $(cat code)\n")
	env.Environ = append(env.Environ, "PATH="+env.Dir+":/usr/bin:/bin")
	return func(out, code string) { write("out", out); write("code", code) }
}

func TestPullRequests(t *testing.T) {
	env := testEnv(t, io.Discard)
	say := fakeGH(t, env)
	open := `{"number":1,"title":"T","url":"U","state":"OPEN","isDraft":false,"mergeable":"M","reviewDecision":"","author":{"login":"a"},"baseRefName":"main","headRefName":"f","updatedAt":"2024"}`
	shut := strings.NewReplacer(`"OPEN"`, `"CLOSED"`, `"T"`, `"T2"`).Replace(open)
	all := `"changedFields":["number","title","url","state","isDraft","mergeable","reviewDecision","updatedAt","baseRefName","headRefName"]`
	for i, tt := range []struct{ name, args, out, code, want string }{
		{prMonitor, `{"repo":"o/r","pr":1}`, open, "0", `[{"kind":"github.pr.monitor","repo":"o/r","prNumber":1,"key":"github.pr:o/r#1","changed":true,"summary":{` + all + `,"changes":{"number":{"from":null,"to":1},`},
		{prMonitor, `{"repo":"o/r","pr":1}`, open, "0", `[{"kind":"github.pr.monitor","repo":"o/r","prNumber":1,"key":"github.pr:o/r#1","changed":false,"summary":{"changedFields":[],"changes":{}},"prSnapshot":` + open + `}]`},
		{prMonitor, `{"repo":"o/r","pr":1,"changesOnly":true}`, open, "0", `[{"kind":"github.pr.monitor","repo":"o/r","prNumber":1,"key":"github.pr:o/r#1","changed":false,"suppressed":true}]`},
		{prMonitor, `{"repo":"o/r","pr":"1","summaryOnly":true}`, shut, "0", `[{"kind":"github.pr.monitor","repo":"o/r","prNumber":1,"key":"github.pr:o/r#1","changed":true,"summary":{"changedFields":["title","state"],"changes":{"title":{"from":"T","to":"T2"},"state":{"from":"OPEN","to":"CLOSED"}}},"pr":{"number":1,"title":"T2","url":"U","state":"CLOSED","updatedAt":"2024"}}]`},
		{prMonitor, `{"repo":"o/r","pr":1,"changesOnly":true}`, strings.Replace(shut, `"login":"a"`, `"login":"b"`, 1), "0", `[{"kind":"github.pr.monitor","repo":"o/r","prNumber":1,"key":"github.pr:o/r#1","changed":true,"summary":{"changedFields":[],"changes":{}},"prSnapshot":`},
		{prNotify, `{"repo":"o/r","pr":1,"key":"mine"}`, open, "0", `[{"kind":"github.pr.monitor.notify","changed":true,"repo":"o/r","prNumber":1,"message":"PR updated: o/r#1: T (number, title, url, state, isDraft, mergeable, reviewDecision, updatedAt, baseRefName, headRefName). U","pr":{`},
		{prNotify, `{"repo":"o/r","pr":1,"key":"mine"}`, open, "0", `[{"kind":"github.pr.monitor.notify","suppressed":true}]`},
		{prNotify, `{"repo":"o/r","pr":1,"key":"mine"}`, shut, "0", `[{"kind":"github.pr.monitor.notify","changed":true,"repo":"o/r","prNumber":1,"message":"PR updated: o/r#1: T2 (title, state). U","pr":{`},
		{prMonitor, `{"repo":"o/r","pr":5}`, `{"number":5}`, "0", `[{"kind":"github.pr.monitor","repo":"o/r","prNumber":5,"key":"github.pr:o/r#5","changed":true,"summary":{` + all + `,"changes":{"number":{"from":null,"to":5},"title":{"from":null},`},
		{prMonitor, `{"repo":"o/r","pr":5}`, `{"number":5,"title":null}`, "0", `[{"kind":"github.pr.monitor","repo":"o/r","prNumber":5,"key":"github.pr:o/r#5","changed":true,"summary":{"changedFields":["title"],"changes":{"title":{"to":null}}},"prSnapshot":{"number":5,"title":null}}]`},
		{prMonitor, `{"repo":"o/r"}`, open, "0", `error: github.pr.monitor requires args.repo and args.pr`},
		{prMonitor, `[]`, open, "0", `error: github.pr.monitor requires args.repo and args.pr`},
		{prMonitor, `{"repo":"o/r","pr":1}`, "nope", "0", `error: gh returned non-JSON output`},
		{prMonitor, `{"repo":"o/r","pr":1}`, "boom\n", "3", `error: gh failed (3): boom`},
		{"nope", `{}`, "", "0", `error: Unknown workflow: nope`},
		{"", `{}`, "", "0", `error: workflows.run requires --name`},
	} {
		say(tt.out, tt.code)
		got := result(t, env, `[9]`, WorkflowsRun(WorkflowsRunOptions{tt.name, parse(t, tt.args)}))
		if got != tt.want && !(strings.ContainsAny(tt.want[len(tt.want)-1:], ",:{") && strings.HasPrefix(got, tt.want)) {
			t.Errorf("%d: got  %s\nwant %s", i, got, tt.want)
		}
	}
	argv, _ := os.ReadFile(filepath.Join(env.Dir, "argv"))
	if want := "[pr][view][1][--repo][o/r][--json][number,title,url,state,isDraft,mergeable,reviewDecision,author,baseRefName,headRefName,updatedAt]"; string(argv) != want {
		t.Errorf("argv %s", argv)
	}
	env.Environ = append(env.Environ, "PATH=/nonexistent")
	if got := result(t, env, `[]`, WorkflowsRun(WorkflowsRunOptions{prMonitor, parse(t, `{"repo":"o/r","pr":1}`)})); got != "error: gh not found on PATH (install GitHub CLI)" {
		t.Errorf("got %s", got)
	}
}

func TestWorkflowsList(t *testing.T) {
	got := parse(t, result(t, testEnv(t, io.Discard), `[9]`, WorkflowsList()))
	if got.Len() != 2 || got.Path("0", "name").Str() != prMonitor || got.Path("1", "argsSchema", "required").JSON() != `["repo","pr"]` {
		t.Errorf("got %s", got.Indent())
	}
	var props []string
	for name := range got.Path("0", "argsSchema", "properties").Members() {
		props = append(props, name)
	}
	if want := "repo pr key changesOnly summaryOnly"; strings.Join(props, " ") != want {
		t.Errorf("got %v", props)
	}
}
