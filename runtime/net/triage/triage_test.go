package triage

import (
	"strings"
	"testing"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/net/gatewaytest"
	"github.com/lobsterc/lobsterc/runtime/value"
)

func parse(t testing.TB, text string) value.Value {
	t.Helper()
	v, err := value.ParseString(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

const mails = `[{"id":"1","from":"a@x","subject":"URGENT x","labels":["UNREAD"]},{"id":"2","from":"Bob <b@x>","subject":"hi"},{"id":"3","from":"no-reply@x.org","subject":"n"}]`

// triage runs the stage with a model that answers with decisions.
func triage(t *testing.T, o TriageOptions, decisions string) (gatewaytest.Outcome, *gatewaytest.Gateway) {
	t.Helper()
	g := gatewaytest.Start(t)
	g.Adapter = func(value.Value) value.Value { return parse(t, `{"output":{"data":{"decisions":`+decisions+`}}}`) }
	o.Limit, o.LLM = 20, true
	dir := t.TempDir()
	return gatewaytest.Run(t.Context(), Triage(o), parse(t, mails).Items(), dir, "LOBSTER_LLM_ADAPTER_URL="+g.URL, "LOBSTER_CACHE_DIR="+dir), g
}

// TestReport: what becomes of decisions, as recorded from the reference.
func TestReport(t *testing.T) {
	tests := []struct{ decisions, summary, buckets, list, drafts string }{
		{
			`[{"id":"1","category":"needs_reply","rationale":"r","reply":{"subject":"S","body":"B"}},{"id":"2","category":"needs_action"},{"id":"3","category":"fyi"}]`,
			"1 need replies, 1 need action, 1 FYI", `{"needsReply":["1"],"needsAction":["2"],"fyi":["3"]}`,
			`[{"id":"1","category":"needs_reply","rationale":"r","reply":{"subject":"S","body":"B"}},{"id":"2","category":"needs_action"},{"id":"3","category":"fyi"}]`, `[]`,
		},
		{
			`[{"id":"2","category":"needs_reply","reply":{"body":"B"}},{"id":"3","category":"needs_reply","reply":{"body":"B"}}]`,
			"2 need replies, 0 need action, 0 FYI", `{"needsReply":["2","3"],"needsAction":[],"fyi":[]}`,
			`[{"id":"2","category":"needs_reply","reply":{"body":"B"}},{"id":"3","category":"needs_reply","reply":{"body":"B"}}]`,
			`[{"emailId":"2","to":"b@x","subject":"Re: hi","body":"B"}]`,
		},
		{
			`[{"id":" 1 ","category":"fyi"},{"id":"  ","category":"fyi"},{"id":"1","category":"fyi","rationale":""}]`,
			"0 need replies, 0 need action, 2 FYI", `{"needsReply":[],"needsAction":[],"fyi":["1","1"]}`, `[{"id":"1","category":"fyi"},{"id":"1","category":"fyi"}]`, `[]`,
		},
		{
			`[{"id":"zz","category":"needs_reply","reply":{"body":"B"}},{"id":"2","category":"needs_reply","reply":{"body":"  "}},{"id":"2","category":"fyi","reply":{"body":"B"}}]`,
			"2 need replies, 0 need action, 1 FYI", `{"needsReply":["zz","2"],"needsAction":[],"fyi":["2"]}`,
			`[{"id":"zz","category":"needs_reply","reply":{"body":"B"}},{"id":"2","category":"needs_reply","reply":{"body":"  "}},{"id":"2","category":"fyi","reply":{"body":"B"}}]`, `[]`,
		},
	}
	for _, tt := range tests {
		got, g := triage(t, TriageOptions{}, tt.decisions)
		if got.Err != nil || len(got.Items) != 1 || len(g.Calls()) != 1 {
			t.Fatalf("%s after %d calls", got.Text(), len(g.Calls()))
		}
		r := got.Items[0]
		if r.Get("summary").Str() != tt.summary || r.Get("buckets").JSON() != tt.buckets || r.Get("decisions").JSON() != tt.list || r.Get("drafts").JSON() != tt.drafts || r.Get("mode").Str() != "llm" {
			t.Errorf("%s:\n%s", tt.decisions, r.JSON())
		}
	}
}

func TestDrafts(t *testing.T) {
	got, g := triage(t, TriageOptions{Emit: "drafts", Model: "m"}, `[{"id":"2","category":"needs_reply","reply":{"subject":" Re: x ","body":" B "}}]`)
	if got.Text() != `[{"to":"b@x","subject":" Re: x ","body":" B ","emailId":"2"}]` {
		t.Error(got.Text())
	}
	body := parse(t, g.Calls()[0].Body)
	if body.Get("schemaVersion").Str() != "email_triage.v1" || body.Get("model").Str() != "m" || body.Get("artifacts").Len() != 3 || !strings.Contains(body.Get("prompt").Str(), `"subject": "URGENT x"`) {
		t.Errorf("asked %s", body.JSON())
	}
}

func TestWrongAnswer(t *testing.T) {
	got, g := triage(t, TriageOptions{}, `[{"emailId":"1","category":"fyi"}]`)
	want := "error: llm.invoke output failed schema validation: /decisions/0 must have required property 'id'; /decisions/0 must NOT have additional properties"
	if got.Text() != want || len(g.Calls()) != 2 {
		t.Errorf("got %s after %d calls", got.Text(), len(g.Calls()))
	}
}

func TestNoProvider(t *testing.T) {
	got := gatewaytest.Run(t.Context(), Triage(TriageOptions{Limit: 2}), parse(t, mails).Items(), "")
	if got.Err != nil || got.Items[0].Get("mode").Str() != "deterministic" || !strings.Contains(got.Stderr, "no provider") {
		t.Errorf("got %s, stderr %q", got.Text(), got.Stderr)
	}
	if got := Triage(TriageOptions{}).Needs(&flow.Env{}); got != "" {
		t.Error(got)
	}
	if got := Triage(TriageOptions{}).Needs(&flow.Env{Environ: []string{"LOBSTER_LLM_PROVIDER=http"}}); got != "llm.invoke requires LOBSTER_LLM_ADAPTER_URL for provider=http" {
		t.Error(got)
	}
}

// TestAddress: recorded from the reference.
func TestAddress(t *testing.T) {
	tests := [][2]string{
		{"a@x.org", "a@x.org"}, {"foo a@x.org bar", "a@x.org"}, {"Bob<b@x>", "b@x"}, {"<b>", "b"}, {"b@x.c", ""}, {"Ann <ann@x.org> <bob@y.org>", "ann@x.org"},
		{"a@localhost", ""}, {"A.B+c@sub.x-y.co", "A.B+c@sub.x-y.co"}, {"<  s@x.org >", "s@x.org"}, {"x@y.org (Joe)", "x@y.org"}, {"mailto:q@y.org", "q@y.org"},
		{`"Q, R" <q@y.org>`, "q@y.org"}, {"", ""}, {"@", ""}, {"@@x.org", ""}, {"a@b c@d.org", "c@d.org"},
	}
	for _, tt := range tests {
		if got := address(tt[0]); got != tt[1] {
			t.Errorf("%q: %q, want %q", tt[0], got, tt[1])
		}
	}
	subjects := [][2]string{{"hi", "Re: hi"}, {"RE: hi", "RE: hi"}, {"re:hi", "re:hi"}, {"", "Re:"}, {"Re hi", "Re: Re hi"}, {"Fwd: x", "Re: Fwd: x"}}
	for _, tt := range subjects {
		if got := replySubject(tt[0]); got != tt[1] {
			t.Errorf("%q: %q", tt[0], got)
		}
	}
}
