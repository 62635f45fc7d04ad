package state

import (
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/lobsterc/lobsterc/runtime/value"
)

// parse is value.Parse for texts that are right.
func parse(t *testing.T, text string) value.Value {
	t.Helper()
	v, err := value.ParseString(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestToken(t *testing.T) {
	tok := Token{WorkflowFile, "workflow_resume_dc1f5370-2ea8-4454-9737-8068acdfbe29"}
	const want = "eyJwcm90b2NvbFZlcnNpb24iOjEsInYiOjEsImtpbmQiOiJ3b3JrZmxvdy1maWxlIiwic3RhdGVLZXkiOiJ3b3JrZmxvd19yZXN1bWVfZGMxZjUzNzAtMmVhOC00NDU0LTk3MzctODA2OGFjZGZiZTI5In0"
	if got := tok.Encode(); got != want {
		t.Error(got)
	}
	for _, text := range []string{want, want + "=", " " + want + "\n", want[:20] + " " + want[20:]} {
		if got, err := ParseToken(text); got != tok || err != nil {
			t.Error(got, err)
		}
	}
}

func TestTokenErrors(t *testing.T) {
	// Each was asked of the reference.
	tests := map[string]string{
		`{"protocolVersion":2,"v":1,"kind":"workflow-file","stateKey":"workflow_resume_x"}`: "Unsupported protocol version",
		`{"protocolVersion":1,"v":2,"kind":"workflow-file","stateKey":"workflow_resume_x"}`: "Unsupported token version",
		`{"protocolVersion":1,"v":1,"kind":"workflow-file"}`:                                "Invalid workflow token",
		`{"protocolVersion":1,"v":1,"kind":"workflow-file","stateKey":""}`:                  "Invalid workflow token",
		`{"protocolVersion":1,"v":1,"kind":"pipeline-resume","stateKey":5}`:                 "Invalid token",
		`{"protocolVersion":1,"v":1,"kind":"zzz","stateKey":"x"}`:                           "Invalid token",
		`{"protocolVersion":1,"v":1}`:                                                       "Invalid token",
		`[]`:                                                                                "Unsupported protocol version",
		`null`:                                                                              "Invalid token",
		`5`:                                                                                 "Invalid token",
		`garbage`:                                                                           "Invalid token",
		`{"protocolVersion":"1","v":1,"kind":"workflow-file","stateKey":"workflow_resume_x"}`: "Unsupported protocol version",
		`{"protocolVersion":1,"kind":"workflow-file","stateKey":"workflow_resume_x"}`:         "Unsupported token version",
	}
	for text, want := range tests {
		if _, err := ParseToken(base64.RawURLEncoding.EncodeToString([]byte(text))); err == nil || err.Error() != want {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{"", "!!!", "abc", "a", "ä"} {
		if _, err := ParseToken(text); err == nil || err.Error() != "Invalid token" {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestBase64(t *testing.T) {
	for n := range 300 {
		b := random(n)
		want := base64.RawURLEncoding.EncodeToString(b)
		if got := encodeBase64(b); got != want {
			t.Errorf("%x: %s", b, got)
		}
		if got := decodeBase64(want); string(got) != string(b) {
			t.Errorf("%s: %x", want, got)
		}
	}
}

func TestKeys(t *testing.T) {
	uuid := regexp.MustCompile(`^workflow_resume_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	seen := map[string]bool{}
	for range 100 {
		k := NewKey(WorkflowFile)
		if !uuid.MatchString(k) || seen[k] {
			t.Error(k)
		}
		seen[k] = true
	}
	for key, want := range map[string]Kind{
		"workflow_resume_x": WorkflowFile, "workflow-resume_x": WorkflowFile, "pipeline_resume_x": PipelineResume, "other": "", "": "",
	} {
		if got, ok := KeyKind(key); got != want || ok != (want != "") {
			t.Error(key, got, ok)
		}
	}
	if !isHex(NewClaimID(), 32) {
		t.Error("claim id")
	}
}

func TestPauseAndResume(t *testing.T) {
	s := newStore(t)
	st := parse(t, `{"a":[1]}`)
	tok, id, err := s.Pause(WorkflowFile, st, true)
	if err != nil {
		t.Fatal(err)
	}
	onlyFiles(t, s, "approval_"+id+".json", tok.Key+".json")
	data, _ := os.ReadFile(filepath.Join(s.dir, "approval_"+id+".json"))
	if !regexp.MustCompile(`^\{"stateKey":"` + tok.Key + `","createdAt":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"\}\n$`).Match(data) {
		t.Errorf("%q", data)
	}
	mustMode(t, filepath.Join(s.dir, "approval_"+id+".json"), 0o600)
	if got, err := s.Approval(id); got != tok || err != nil {
		t.Error(got, err)
	}
	if s.ApprovalOf(tok.Key) != id || s.ApprovalOf("workflow_resume_x") != "" {
		t.Error("ApprovalOf")
	}
	before, _ := os.ReadFile(filepath.Join(s.dir, tok.Key+".json"))

	claim, err := s.Consume(t.Context(), tok.Key, "c1")
	if err != nil || !value.StrictEqual(claim.State, st) {
		t.Fatal(claim, err)
	}
	if p, err := s.Paused(tok.Key); err != nil || p.ClaimID != "c1" || !p.State.IsAbsent() {
		t.Error(p, err)
	}
	if _, err := s.Consume(t.Context(), tok.Key, "c2"); err != ErrGone {
		t.Error(err)
	}
	if err := claim.Restore(t.Context()); err != nil {
		t.Error(err)
	}
	if after, _ := os.ReadFile(filepath.Join(s.dir, tok.Key+".json")); string(after) != string(before) {
		t.Errorf("%q", after)
	}
	if _, err := s.Consume(t.Context(), tok.Key, "c3"); err != nil {
		t.Error(err)
	}
	if err := claim.Restore(t.Context()); err != ErrGone {
		t.Error("an old claim was given back", err)
	}
	if err := s.Remove(t.Context(), tok.Key, "workflow_resume_gone"); err != nil {
		t.Error(err)
	}
	onlyFiles(t, s)
	if _, err := s.Paused(tok.Key); err != ErrGone {
		t.Error(err)
	}
	if _, err := s.Consume(t.Context(), tok.Key, "c4"); err != ErrGone {
		t.Error(err)
	}
	onlyFiles(t, s)
}

func TestConsumeOnce(t *testing.T) {
	s := newStore(t)
	tok, _, err := s.Pause(PipelineResume, value.Object(), false)
	if err != nil {
		t.Fatal(err)
	}
	var won atomic.Int32
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			switch _, err := s.Consume(t.Context(), tok.Key, NewClaimID()); err {
			case nil:
				won.Add(1)
			case ErrGone:
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if won.Load() != 1 {
		t.Error(won.Load())
	}
}

func TestApprovalErrors(t *testing.T) {
	s := Open(t.TempDir())
	at := func(id string) string { return filepath.Join(s.dir, "approval_"+id+".json") }
	os.WriteFile(at("00000001"), []byte("{bad"), 0o600)
	os.WriteFile(at("00000002"), []byte(`{"stateKey":"other"}`), 0o600)
	os.WriteFile(at("00000003"), []byte(`[]`), 0o600)
	for _, id := range []string{"", "zz", "12345678", "ABCDEF12", "../x", "00000001", "00000002", "00000003"} {
		if _, err := s.Approval(id); err == nil || err.Error() != `Approval ID "`+id+`" not found or expired` {
			t.Error(err)
		}
	}
	if err := s.RemoveApprovals("other"); err != nil {
		t.Error(err)
	}
	onlyFiles(t, s, "approval_00000001.json", "approval_00000003.json")
	if err := s.createFile(at("00000003"), nil); !errors.Is(err, os.ErrExist) {
		t.Error(err)
	}
	if err := createPlain(at("00000003"), nil); !errors.Is(err, os.ErrExist) {
		t.Error(err)
	}
}

func TestPausedShapes(t *testing.T) {
	s := Open(t.TempDir())
	file := filepath.Join(s.dir, "workflow_resume_x.json")
	for text, gone := range map[string]bool{"null": true, "5": true, "{}": false, "[]": false} {
		os.WriteFile(file, []byte(text), 0o600)
		if _, err := s.Paused("workflow_resume_x"); (err == ErrGone) != gone {
			t.Errorf("%s: %v", text, err)
		}
	}
	os.WriteFile(file, []byte("{"), 0o600)
	var corrupt *CorruptError
	if _, err := s.Consume(t.Context(), "workflow_resume_x", "c"); !errors.As(err, &corrupt) {
		t.Error(err)
	}
	if err := s.Remove(t.Context(), "workflow_resume_x"); err != nil { // a corrupt state can be cancelled
		t.Error(err)
	}
	onlyFiles(t, s)
}
