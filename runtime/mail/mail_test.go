package mail

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// world is a directory with a fake gog in it, which writes its arguments down and says what it is told to.
type world struct {
	t          *testing.T
	dir        string
	env        *flow.Env
	dispatched int
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir()}
	w.write("gog", "#!/bin/sh\nfor a in \"$@\"; do printf '[%s]' \"$a\"; done >>argv\necho >>argv\ncat err >&2\ncat out\nexit $(cat code)\n")
	if err := os.Chmod(filepath.Join(w.dir, "gog"), 0o755); err != nil {
		t.Fatal(err)
	}
	w.say("", "", "0")
	w.env = &flow.Env{
		Ctx: context.Background(), Environ: append(os.Environ(), "PATH="+w.dir+":/usr/bin:/bin"), Dir: w.dir, Stdout: io.Discard, Stderr: io.Discard,
		NoteDispatch: func() { w.dispatched++ }, NoteUsage: func(flow.Usage) {},
	}
	return w
}

func (w *world) write(name, text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// say sets what gog prints and how it ends.
func (w *world) say(out, err, code string) {
	w.write("out", out)
	w.write("err", err)
	w.write("code", code)
}

// argv gives what gog was called with since the last look.
func (w *world) argv() string {
	file := filepath.Join(w.dir, "argv")
	text, _ := os.ReadFile(file)
	os.Remove(file)
	return strings.TrimSpace(string(text))
}

func (w *world) run(in string, stage flow.Stage) string {
	w.t.Helper()
	v, err := value.ParseString(in)
	if err != nil {
		w.t.Fatal(err)
	}
	out, err := flow.Run(w.env, []flow.Stage{stage}, 0, flow.Input(v))
	if err != nil {
		return "error: " + err.Error()
	}
	return value.Array(out.Items...).JSON()
}

func TestSearch(t *testing.T) {
	w := newWorld(t)
	for _, tt := range []struct{ out, err, code, want string }{
		{`[{"id":1}]`, "", "0", `[{"id":1}]`},
		{`{"threads":[{"id":1},{"id":2}]}`, "", "0", `[{"id":1},{"id":2}]`},
		{`[{"threads":[{"id":1}]},{"id":3},{"threads":[{"id":2}]}]`, "", "0", `[{"id":1},{"id":3},{"id":2}]`},
		{`{"messages":[1]}`, "", "0", `[{"messages":[1]}]`},
		{`{"threads":null}`, "", "0", `[{"threads":null}]`},
		{` null `, "", "0", `[null]`},
		{``, "", "0", `error: gog.gmail.search expected JSON output`},
		{`nope`, "", "0", `error: gog.gmail.search expected JSON output`},
		{`out`, " boom\n", "2", "error: gog.gmail.search failed (2):  boom\n"},
		{`out`, "", "3", "error: gog.gmail.search failed (3): "},
		{``, strings.Repeat("x", 500), "2", "error: gog.gmail.search failed (2): " + strings.Repeat("x", 400)},
	} {
		w.say(tt.out, tt.err, tt.code)
		if got := w.run(`[7]`, Search(SearchOptions{Query: "is:unread from:a", Max: 20})); got != tt.want {
			t.Errorf("%s %s: got %s", tt.out, tt.err, got)
		}
		if got := w.argv(); got != "[gmail][search][is:unread from:a][--json][--max][20]" {
			t.Errorf("argv %s", got)
		}
	}
	if w.dispatched != 0 {
		t.Error("a search is no dispatch")
	}
}

func TestGogProgram(t *testing.T) {
	w := newWorld(t)
	w.say("[]", "", "0")
	w.env.Environ = append(w.env.Environ, "PATH=/nonexistent:/usr/bin:/bin")
	if got := w.run(`[]`, Search(SearchOptions{})); got != "error: gog not found on PATH (install: https://github.com/steipete/gogcli)" {
		t.Errorf("got %s", got)
	}
	w.env.Environ = append(w.env.Environ, "GOG_BIN="+filepath.Join(w.dir, "gog"))
	if got := w.run(`[]`, Search(SearchOptions{})); got != "[]" {
		t.Errorf("got %s", got)
	}
}

func TestSend(t *testing.T) {
	w := newWorld(t)
	full := `[{"to":" a@b ","subject":" S ","body":" B\n"}]`
	for _, tt := range []struct{ in, out, code, want, argv string }{
		{full, `{"id":"m1"}`, "0", `[{"id":"m1"}]`, "[gmail][send][--to][a@b][--subject][S][--body][B][--json]"},
		{full, ``, "0", `[{"ok":true}]`, "[gmail][send][--to][a@b][--subject][S][--body][B][--json]"},
		{full, "\n", "0", `[{"ok":true,"raw":"\n"}]`, "[gmail][send][--to][a@b][--subject][S][--body][B][--json]"},
		{full, "sent!\n", "0", `[{"ok":true,"raw":"sent!\n"}]`, "[gmail][send][--to][a@b][--subject][S][--body][B][--json]"},
		{full, "x", "4", `error: gog.gmail.send failed (4): `, "[gmail][send][--to][a@b][--subject][S][--body][B][--json]"},
		{`[{"to":"c","subject":"","body":null},{"to":"d"}]`, `[1]`, "0", `[[1],[1]]`, "[gmail][send][--to][c][--json]\n[gmail][send][--to][d][--json]"},
		{`[{"to":["x","y"],"subject":5,"body":{"a":1}}]`, `{}`, "0", `[{}]`, "[gmail][send][--to][x,y][--subject][5][--body][[object Object]][--json]"},
		{`[{"to":"a"},{"subject":"S"}]`, `{}`, "0", `error: gog.gmail.send draft missing to`, "[gmail][send][--to][a][--json]"},
		{`[{"to":"  "}]`, `{}`, "0", `error: gog.gmail.send draft missing to`, ""},
		{`["x"]`, `{}`, "0", `error: gog.gmail.send expects draft objects`, ""},
		{`[[1]]`, `{}`, "0", `error: gog.gmail.send draft missing to`, ""},
		{`[]`, `{}`, "0", `[]`, ""},
	} {
		w.say(tt.out, "", tt.code)
		w.dispatched = 0
		if got := w.run(tt.in, Send(SendOptions{})); got != tt.want {
			t.Errorf("%s: got %s", tt.in, got)
		}
		argv := w.argv()
		if argv != tt.argv {
			t.Errorf("%s: argv %s", tt.in, argv)
		}
		if sent := strings.Count(argv, "[send]"); sent != w.dispatched {
			t.Errorf("%s: sent %d, noted %d", tt.in, sent, w.dispatched)
		}
	}
	w.dispatched = 0
	want := `[{"ok":true,"dryRun":true,"to":"a","subject":"","body":"true"}]`
	if got := w.run(`[{"to":"a","subject":null,"body":true}]`, Send(SendOptions{DryRun: true})); got != want || w.argv() != "" || w.dispatched != 0 {
		t.Errorf("dry run: got %s", got)
	}
}

func TestTriage(t *testing.T) {
	w := newWorld(t)
	in := `[{"id":"1","from":"Ann <ann@x.com>","subject":" Hello ","date":5,"snippet":"hey","labels":["unread",1],"threadId":"t1"},
		{"messageId":"2","sender":"NoReply <a@b>","labels":["UNREAD"]},{"id":3,"from":"no-reply@x","subject":"URGENT"},{"id":4,"subject":"Action Required!","thread_id":"t4"},
		{"id":"5","from":"b","labels":"UNREAD","internalDate":"i","timestamp":"t"},"str",null]`
	want := `[{"summary":"1 need replies, 2 need action, 4 FYI","buckets":{"needsReply":["1"],"needsAction":["3","4"],"fyi":["2","5","",""]},"emails":[` +
		`{"id":"1","threadId":"t1","from":"Ann <ann@x.com>","subject":"Hello","date":"5","snippet":"hey","labels":["unread","1"]},` +
		`{"id":"2","threadId":"2","from":"NoReply <a@b>","subject":"","date":"","snippet":"","labels":["UNREAD"]},` +
		`{"id":"3","threadId":"3","from":"no-reply@x","subject":"URGENT","date":"","snippet":"","labels":[]},` +
		`{"id":"4","threadId":"t4","from":"","subject":"Action Required!","date":"","snippet":"","labels":[]},` +
		`{"id":"5","threadId":"5","from":"b","subject":"","date":"i","snippet":"","labels":[]},` +
		`{"id":"","threadId":"","from":"","subject":"","date":"","snippet":"","labels":[]},{"id":"","threadId":"","from":"","subject":"","date":"","snippet":"","labels":[]}],"mode":"deterministic"}]`
	if got := w.run(in, Triage(TriageOptions{Limit: 20, Emit: "report"})); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := w.run(in, Triage(TriageOptions{Limit: 20, Emit: "drafts"})); got != "[]" {
		t.Errorf("drafts: got %s", got)
	}
	for limit, n := range map[float64]int{0: 1, -1: 1, 1.5: 2, 3: 3, 100: 7} {
		emails, err := Read(flow.Input(mustParse(t, in)), limit)
		if err != nil || len(emails) != n {
			t.Errorf("limit %v: %d mails, error %v", limit, len(emails), err)
		}
	}
}

func mustParse(t *testing.T, text string) value.Value {
	t.Helper()
	v, err := value.ParseString(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
