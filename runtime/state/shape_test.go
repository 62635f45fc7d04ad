package state

import (
	"testing"

	"github.com/lobsterc/lobsterc/runtime/value"
)

// States as the reference writes them: reading and writing must give the same text.
var workflowStates = []string{
	`{"filePath":"/w/a.lobster","resumeAtIndex":2,"steps":{"one":{"id":"one","stdout":"x\n","json":{"a":1}},"ok":{"id":"ok"}},"args":{"who":"bob"},"approvalStepId":"ok","approvalIdentity":{},"supersededResumeStateKeys":[],"createdAt":"2026-11-30T21:55:20.062Z"}`,
	`{"filePath":"/w/a.lobster","resumeAtIndex":3,"steps":{},"args":{},"inputStepId":"inp","inputSchema":{"type":"object"},"inputSubject":null,"supersededResumeStateKeys":["workflow_resume_a"],"createdAt":"2026-11-30T21:55:20.256Z"}`,
	`{"filePath":"/w/b.lobster","resumeAtIndex":2,"steps":{},"args":{},"approvalStepId":"ok","approvalIdentity":{"initiatedBy":"ann","requiredApprover":"bob","requireDifferentApprover":true},"cost":{"totalInputTokens":100},"supersededResumeStateKeys":[],"createdAt":"x"}`,
	`{"filePath":"/w/b.lobster","resumeAtIndex":2,"steps":{},"args":{},"inputStepId":"q","inputKind":"pipeline_command","inputSchema":{},"pipelineInput":{"pipeline":[],"resumeAtIndex":1,"items":[],"commandInput":{}},"cost":{},"llmSpend":[],"llmBilled":[],"supersededResumeStateKeys":[],"createdAt":"x"}`,
	`{"resumeAtIndex":0,"steps":{},"args":{},"approvalStepId":"a","approvalIdentity":{"requireDifferentApprover":false},"supersededResumeStateKeys":[],"createdAt":"x","program":{"name":"n","hash":"h"},"runId":"r","path":["loop",1]}`,
}

var pipelineStates = []string{
	`{"pipeline":[{"name":"approve","args":{"_":[],"prompt":"x?"},"raw":"approve --prompt 'x?'"}],"resumeAtIndex":1,"items":[1,2],"haltType":"approval_request","prompt":"x?","supersededResumeStateKeys":[],"createdAt":"x"}`,
	`{"pipeline":[{"name":"ask","args":{"_":[]},"raw":"ask"}],"resumeAtIndex":0,"items":[],"haltType":"input_request","resumeMode":"same_stage","inputSchema":{"type":"object"},"prompt":"x?","commandInput":{"pending":{},"history":[]},"supersededResumeStateKeys":[],"createdAt":"x"}`,
	`{"pipeline":[],"resumeAtIndex":0,"items":[],"haltType":"input_request","resumeMode":"next_stage","inputSchema":{},"other":1,"supersededResumeStateKeys":["pipeline_resume_a"],"createdAt":"x","program":{"name":"n","hash":"h"},"runId":"r"}`,
}

func TestWorkflowState(t *testing.T) {
	for _, text := range workflowStates {
		w, err := WorkflowOf(parse(t, text))
		if err != nil {
			t.Fatal(err)
		}
		if got := w.Value().JSON(); got != text {
			t.Errorf("got  %s\nwant %s", got, text)
		}
	}
	w, _ := WorkflowOf(parse(t, `{"filePath":"f","resumeAtIndex":1,"steps":{},"args":{},"supersededResumeStateKeys":["workflow_resume_a","/etc/passwd",5,"notes"]}`))
	if len(w.Superseded) != 1 || w.Program != nil {
		t.Errorf("%+v", w)
	}
	if (&Workflow{}).Value().Get("createdAt").Str() == "" {
		t.Error("no time")
	}
	for _, text := range []string{
		`{}`, `[]`, `{"filePath":"f"}`, `{"filePath":"f","resumeAtIndex":4}`, `{"filePath":"f","resumeAtIndex":4,"steps":{}}`,
		`{"resumeAtIndex":4,"steps":{},"args":{}}`, `{"filePath":"f","resumeAtIndex":-1,"steps":{},"args":{}}`,
		`{"filePath":"f","resumeAtIndex":4.5,"steps":{},"args":{}}`, `{"filePath":"f","resumeAtIndex":4,"steps":[],"args":{}}`,
		`{"filePath":"f","resumeAtIndex":1e99,"steps":{},"args":{}}`, `{"filePath":"f","resumeAtIndex":"1","steps":{},"args":{}}`,
	} {
		if _, err := WorkflowOf(parse(t, text)); err == nil || err.Error() != "Invalid workflow resume state" {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestPipelineState(t *testing.T) {
	for _, text := range pipelineStates {
		p, err := PipelineOf(parse(t, text))
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Value().JSON(); got != text {
			t.Errorf("got  %s\nwant %s", got, text)
		}
	}
	if p, err := PipelineOf(parse(t, `{"pipeline":[],"resumeAtIndex":0,"items":[]}`)); err != nil || p.HaltType != HaltApproval {
		t.Error(p, err)
	}
	for _, text := range []string{
		`{}`, `[]`, `{"pipeline":[]}`, `{"pipeline":[],"resumeAtIndex":0}`, `{"pipeline":[],"resumeAtIndex":1,"items":[]}`,
		`{"pipeline":[{"name":"json"}],"resumeAtIndex":0,"items":[]}`, `{"pipeline":[],"resumeAtIndex":0,"items":[],"haltType":"input_request"}`,
	} {
		if _, err := PipelineOf(parse(t, text)); err == nil || err.Error() != "Invalid pipeline resume state" {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func FuzzParseToken(f *testing.F) {
	f.Add(Token{WorkflowFile, "workflow_resume_x"}.Encode())
	f.Add(Token{PipelineResume, "pipeline_resume_x"}.Encode())
	for _, s := range []string{"", "e30", "bnVsbA", "W10=", "!!!"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tok, err := ParseToken(text)
		if err != nil {
			return
		}
		again, err := ParseToken(tok.Encode())
		if err != nil || again != tok {
			t.Errorf("%q: %+v, %+v, %v", text, tok, again, err)
		}
	})
}

func FuzzStates(f *testing.F) {
	for _, s := range append(workflowStates, pipelineStates...) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := value.ParseString(text)
		if err != nil {
			return
		}
		if w, err := WorkflowOf(v); err == nil {
			w.CreatedAt = "x"
			one := w.Value()
			again, err := WorkflowOf(one)
			if err != nil || again.Value().JSON() != one.JSON() {
				t.Errorf("%s: %v", text, err)
			}
		}
		if p, err := PipelineOf(v); err == nil {
			p.CreatedAt = "x"
			one := p.Value()
			again, err := PipelineOf(one)
			if err != nil || again.Value().JSON() != one.JSON() {
				t.Errorf("%s: %v", text, err)
			}
		}
	})
}
