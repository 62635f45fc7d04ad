package lint_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lobsterc/lobsterc/compiler"
	"github.com/lobsterc/lobsterc/ir/diag"
)

// check compiles a workflow file.
func check(t *testing.T, text string) diag.List {
	t.Helper()
	file := filepath.Join(t.TempDir(), "w.lobster")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return compiler.Load(file, compiler.Options{}).Diags
}

// show gives code and place of each diagnostic.
func show(list diag.List) string {
	var parts []string
	for _, d := range list {
		parts = append(parts, fmt.Sprintf("%s %d:%d", d.Code, d.Span.Start.Line, d.Span.Start.Column))
	}
	return strings.Join(parts, ", ")
}

// fix applies all edits, safe or not; they do not overlap in these tests.
func fix(text string, list diag.List) string {
	lines := strings.Split(text, "\n")
	var edits []diag.Edit
	for _, d := range list {
		edits = append(edits, d.Edits...)
	}
	slices.SortFunc(edits, func(a, b diag.Edit) int {
		if a.Span.Start.Line != b.Span.Start.Line {
			return b.Span.Start.Line - a.Span.Start.Line
		}
		return b.Span.Start.Column - a.Span.Start.Column
	})
	for _, e := range edits {
		line := []rune(lines[e.Span.Start.Line-1])
		lines[e.Span.Start.Line-1] = string(line[:e.Span.Start.Column-1]) + e.NewText + string(line[e.Span.End.Column-1:])
	}
	return strings.Join(lines, "\n")
}

// head declares the arguments and the step that most cases use; the text of a case starts on line 5.
const head = `args: {who: {}, max-n: {}, count: {type: integer}}
steps:
  - id: fetch
    run: git rev-parse $LOBSTER_ARG_WHO $LOBSTER_ARG_MAX_N ${count}
`

func TestHabits(t *testing.T) {
	tests := []struct{ name, text, want, fixed string }{
		{"result in braces", `  - {id: a, run: 'echo "${fetch.json.title}"'}`, "W0901 5:25", `  - {id: a, run: 'echo "$fetch.json.title"'}`},
		{"field in braces", `  - {id: a, run: 'echo "${fetch.title}"'}`, "W0901 5:25", `  - {id: a, run: 'echo "$fetch.json.title"'}`},
		{"result in braces with steps", `  - {id: a, run: 'echo "${steps.fetch.json}"'}`, "W0901 5:25", `  - {id: a, run: 'echo "$fetch.json"'}`},
		{"unknown result in braces", `  - {id: a, run: 'echo "${x.y}"'}`, "W0901 5:25", ""},
		{"result in braces in stdin", `  - {id: a, run: cat, stdin: '${fetch.json}'}`, "W0901 5:31", `  - {id: a, run: cat, stdin: '$fetch.json'}`},
		{"stage in run", `  - {id: a, run: state.set seen}`, "W0902 5:18", `  - {id: a, pipeline: state.set seen}`},
		{"exec stage in run", `  - {id: a, run: exec --json x}`, "W0902 5:18", `  - {id: a, pipeline: exec --json x}`},
		{"exec of the shell", `  - {id: a, run: exec make}`, "", ""},
		{"sort of the shell", `  - {id: a, run: git log | sort | head}`, "", ""},
		{"a function named like a stage", `  - {id: a, run: 'dedupe() { sort -u; }; git log | dedupe'}`, "", ""},
		{"map of args", "  - id: a\n    command: clawd.invoke\n    args: {tool: x}", "W0903 7:5", "-"},
		{"a whole tool call", `  - {id: a, run: clawd.invoke --tool x --action y}`, "", ""},
		{"$args.x", `  - {id: a, run: echo $args.who}`, "W0904 5:23", `  - {id: a, run: echo ${who}}`},
		{"${args.x}", `  - {id: a, stdin: '${args.who}', run: cat}`, "W0904 5:21", `  - {id: a, stdin: '${who}', run: cat}`},
		{"a step called args", "  - {id: args, run: echo}\n  - {id: a, run: echo $args.json}", "", ""},
		{"shell variable for an argument", `  - {id: a, run: echo $who}`, "W0905 5:23", `  - {id: a, run: echo $LOBSTER_ARG_WHO}`},
		{"shell variable that the script sets", `  - {id: a, run: who=x; echo $who}`, "", ""},
		{"shell variable that env sets", `  - {id: a, env: {who: x}, run: echo $who}`, "", ""},
		{"shell variable that read sets", `  - {id: a, run: 'git log | while read who; do echo "$who"; done'}`, "", ""},
		{"default of an argument", `  - {id: a, run: 'echo "${who:-me}"'}`, "W0906 5:25", `  - {id: a, run: 'echo "${LOBSTER_ARG_WHO:-me}"'}`},
		{"github expression", `  - {id: a, run: 'echo ${{ inputs.who }}'}`, "W0907 5:24", `  - {id: a, run: 'echo ${who}'}`},
		{"mustache", `  - {id: a, run: 'echo {{who}} {{ steps.fetch.out }}'}`, "W0907 5:24, W0907 5:32", ""},
		{"templates of docker", `  - {id: a, run: 'docker ps --format "{{.Names}}"'}`, "", ""},
		{"template stage", `  - {id: a, pipeline: "template --text '{{who}}'", stdin: $fetch.json}`, "", ""},
		{"variable of a step", `  - {id: a, run: echo "$fetch_json" $FETCH_STDOUT}`, "W0908 5:24, W0908 5:37", ""},
		{"LOBSTER_STEP", `  - {id: a, run: echo "$LOBSTER_STEP_FETCH_STDOUT"}`, "W0921 5:24", ""},
		{"bare stdin", `  - {id: a, run: cat, stdin: $fetch}`, "W0909 5:30", `  - {id: a, run: cat, stdin: $fetch.stdout}`},
		{"bare stdin in braces", `  - {id: a, run: cat, stdin: "${fetch}"}`, "W0909 5:31", `  - {id: a, run: cat, stdin: "$fetch.stdout"}`},
		{"command in env", `  - {id: a, run: env, env: {NOW: $(date)}}`, "W0910 5:34", ""},
		{"env set to itself", `  - {id: a, run: env, env: {HOME: '${HOME}'}}`, "W0922 5:29", ""},
		{"env from an argument's variable", `  - {id: a, run: env, env: {T: $LOBSTER_ARG_WHO}}`, "", ""},
		{"approval: optional", `  - {id: a, approval: optional}`, "W0911 5:23", ""},
		{"approval: yes", `  - {id: a, approval: 'yes'}`, "W0911 5:23", `  - {id: a, approval: true}`},
		{"approval: prompt", `  - {id: a, approval: Go on?}`, "", ""},
		{"[[", `  - {id: a, run: 'if [[ a == b ]]; then date; fi'}`, "W0912 5:22", ""},
		{"process substitution", `  - {id: a, run: 'diff <(ls) x'}`, "W0912 5:24", ""},
		{"pipefail", `  - {id: a, run: set -euo pipefail}`, "W0912 5:18", ""},
		{"bash called by name", `  - {id: a, run: "bash -c '[[ a == b ]]'"}`, "", ""},
		{"shell text that does not parse", `  - {id: a, run: "echo 'x"}`, "W0920 5:24", ""},
		{"argument inside JSON", `  - {id: a, run: 'clawd.invoke --args-json "{\"q\":\"${who}\"}"'}`, "W0913 5:54", ""},
		{"argument in shell text", "  - id: a\n    run: git log ${who} x", "W0914 6:18", "  - id: a\n    run: git log \"$LOBSTER_ARG_WHO\" x"},
		{"argument in double quotes", `  - {id: a, run: 'git log "${max-n}"'}`, "W0914 5:28", `  - {id: a, run: 'git log "${LOBSTER_ARG_MAX_N}"'}`},
		{"argument in a comment", "  - id: a\n    run: |\n      # ${who}\n      date", "", ""},
		{"integer argument", `  - {id: a, run: 'git log -n ${count}'}`, "", ""},
		{"argument in a pipeline", `  - {id: a, pipeline: 'exec git log ${who}'}`, "", ""},
		{"argument in the shell text of a pipeline", `  - {id: a, pipeline: 'exec --shell "git log ${who} | head -n ${count}"'}`, "W0914 5:46", ""},
		{"shell text of a pipeline that does not parse", `  - {id: a, pipeline: 'exec --shell "if x"'}`, "W0920 5:29", ""},
		{"undeclared argument", `  - {id: a, run: 'echo ${what}'}`, "W0209 5:24", ""},
		{"undeclared upper case", `  - {id: a, run: 'echo ${WHAT}'}`, "", ""},
		{"undeclared in a pipeline", `  - {id: a, pipeline: 'exec echo ${WHAT}'}`, "W0209 5:34", ""},
		{"stdout with its newline", "  - {id: a, run: date, when: '$fetch.stdout == \"x\"'}", "W0915 5:31", ""},
		{"stdout of printf", "  - {id: p, run: printf x}\n  - {id: a, run: date, when: '$p.stdout == \"x\"'}", "", ""},
		{"stdout in mid-command", `  - {id: a, run: git show $fetch.stdout --stat}`, "W0916 5:27", ""},
		{"stdout at the end", `  - {id: a, run: git show $fetch.stdout}`, "", ""},
		{"stdout in quotes", `  - {id: a, run: 'git show "$fetch.stdout" --stat'}`, "", ""},
		{"for_each over text", `  - {id: a, for_each: $fetch.stdout, steps: [{id: b, run: date}]}`, "E0403 5:23", `  - {id: a, for_each: $fetch.json, steps: [{id: b, run: date}]}`},
		{"reference in a path", `  - {id: a, run: cat /tmp/$fetch.json}`, "W0917 5:27", ""},
		{"variable of jq", "  - {id: x, run: date}\n  - {id: a, run: \"jq --arg x 1 '$x.json'\"}", "W0918 6:33", ""},
		{"approval after a mail", `  - {id: a, run: gog gmail send, approval: true}`, "W0803 5:44", ""},
		{"approval after the deed that its prompt names", `  - {id: a, run: ./deploy.sh prod, approval: Deploy it?}`, "W0803 5:46", ""},
		{"approval after a preview of the deed", `  - {id: a, run: ./deploy.sh --dry-run, approval: Deploy it?}`, "", ""},
		{"approval after another deed", `  - {id: a, run: ./render.sh, approval: Send it?}`, "", ""},
		{"condition on the approval of no gate", `  - {id: a, run: date, when: $fetch.approved && $fetch.json}`, "W0805 5:30", ""},
		{"length of a list", `  - {id: a, run: date, when: $fetch.json.items.length > 1}`, "W0212 5:30", ""},
		{"long flag", `  - {id: a, run: git branch --show-current}` + "\n" + `  - {id: b, run: date, when: '$a.stdout == "main"'}`, "W0915 6:31", ""},
		{"flag without a newline", `  - {id: a, run: jq -j .x y}` + "\n" + `  - {id: b, run: date, when: '$a.stdout == "main"'}`, "", ""},
		{"argument with a dash", `  - {id: a, run: echo $max-n}`, "W0905 5:23", `  - {id: a, run: echo $LOBSTER_ARG_MAX_N}`},
		{"argument in JSON text", `  - {id: a, run: 'curl -d "{\"q\":\"${who}\"}" x'}`, "W0913 5:37", ""},
		{"secret of another tool", `  - {id: a, run: env, env: {T: '${{ secrets.T }}'}}`, "W0907 5:33", `  - {id: a, run: env, env: {T: '${T}'}}`},
		{"approval after a draft", `  - {id: a, run: git log, approval: true}`, "", ""},
		{"approval before a mail", "  - {id: g, approval: true}\n  - {id: a, run: gog gmail send}", "", ""},
		{"condition on an approval", "  - {id: g, approval: true}\n  - {id: a, run: date, when: $g.approved}", "", ""},
		{"condition on a refusal", "  - {id: g, approval: true}\n  - {id: a, run: date, when: '!$g.approved'}", "W0806 6:32", ""},
		{"approved == false", "  - {id: g, approval: true}\n  - {id: a, run: date, when: $g.approved == false}", "W0806 6:30", ""},
		{"refusal of a gate that may be skipped", "  - {id: g, approval: true, when: $fetch.json}\n  - {id: a, run: date, when: '!$g.approved'}", "", ""},
		{"approved of a step without approval", `  - {id: a, run: date, when: '!$fetch.approved'}`, "W0806 5:32", ""},
		{"contradiction", "  - {id: b, run: date, when: $fetch.json}\n  - {id: a, run: date, when: '$b.json && !$fetch.json'}", "W0805 6:31", ""},
		{"switched off", `  - {id: a, run: date, when: false}`, "", ""},
		{"retry of a mail", `  - {id: a, run: gog gmail send, retry: {max: 3}}`, "W0804 5:41", ""},
		{"retry of a stage", `  - {id: a, pipeline: gog.gmail.send, stdin: [], retry: {max: 3}}`, "W0804 5:57", ""},
		{"id without a name", `  - {id: a b, run: date}`, "W0207 5:10", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			list := check(t, head+tt.text+"\n")
			if got := show(list); got != tt.want {
				t.Fatalf("got %s, want %s\n%v", got, tt.want, list)
			}
			if tt.fixed == "-" {
				return
			}
			fixed := fix(tt.text, shift(list, -4))
			if tt.fixed == "" && fixed != tt.text && tt.name != "mustache" {
				t.Fatalf("an edit that nobody expects:\n%s", fixed)
			}
			if tt.fixed != "" && fixed != tt.fixed {
				t.Fatalf("fixed:\n%s\nwant\n%s", fixed, tt.fixed)
			}
			if after := check(t, head+fixed+"\n"); tt.fixed != "" && list[0].Code != diag.ArgsRef && list[0].Code != diag.ForeignHole && len(after) > 0 {
				t.Errorf("after the edit: %v", after)
			}
		})
	}
}

// shift moves the edits up to the lines of the case's own text.
func shift(list diag.List, lines int) diag.List {
	for i := range list {
		for j := range list[i].Edits {
			list[i].Edits[j].Span.Start.Line += lines
		}
	}
	return list
}

func TestArgs(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"unused", "args: {a: {}, b: {}}\nsteps: [{id: x, run: 'echo \"$LOBSTER_ARG_A\"'}]", "W0919 1:15"},
		{"a program may read it", "args: {a: {}}\nsteps: [{id: x, run: ./script.sh}]", ""},
		{"all at once", "args: {a: {}}\nsteps: [{id: x, run: 'jq . \"$LOBSTER_ARGS_JSON\"'}]", ""},
		{"name of a flag", "args: {help: {}}\nsteps: [{id: x, run: 'echo \"$LOBSTER_ARG_HELP\"'}]", "W0210 1:8"},
		{"unknown requirement", "x-require-approval: [sends_mail]\nsteps: [{id: x, run: date}]", "W0802 1:1"},
		{"ungated", "x-require-approval: [sends_email]\nsteps: [{id: x, run: gog gmail send}]", "E0801 2:22"},
	}
	for _, tt := range tests {
		if got := show(check(t, tt.text+"\n")); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

// FuzzFile: no workflow makes the linter panic.
func FuzzFile(f *testing.F) {
	f.Add(head)
	f.Add(head + "  - {id: a, run: 'echo ${{ x }} {{who}} ${a.b.c} $args.x $fetch_json <(x) [[ ${who:-x} '}\n")
	f.Add("steps: [{id: a, for_each: $b.stdout, steps: [{id: c, run: $item.json}]}, {id: d, approval: no, when: '!$a.approved'}]")
	f.Fuzz(func(t *testing.T, text string) {
		compiler.Load("w.lobster", compiler.Options{ReadFile: func(string) ([]byte, error) { return []byte(text), nil }})
	})
}
