package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lobsterc/lobsterc/runtime/state"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// gate is what a paused run waits for.
type gate struct {
	value.Value // the request as the envelope has it
	token       string
	approval    bool
}

// gateOf is the gate in an envelope, nil when the run has ended.
func gateOf(env value.Value) *gate {
	for key, approval := range map[string]bool{"requiresApproval": true, "requiresInput": false} {
		if v := env.Get(key); v.Kind() == value.ObjectKind {
			return &gate{v, v.Get("resumeToken").Text(), approval}
		}
	}
	return nil
}

// rounds bounds how many gates of one call are put to a person: clients go along with ten. Further ones are answered by the tool resume.
const rounds = 8

// kept is what a client that fulfils requests between two calls carries from one to the next.
type kept struct {
	Token string   `json:"token"`
	Kind  formKind `json:"kind"`
	Round int      `json:"round"`
}

// formKind says how a filled-in form is an answer.
type formKind string

const (
	formApproval formKind = "approval" // yes or no, in the field "approve"
	formValue    formKind = "value"    // the response is the field "response"
	formObject   formKind = "object"   // the response is the whole form
)

// question is the name under which a gate is asked.
const question = "gate"

// call runs a program and, where the client can ask a person, goes through its gates. A client of the older protocol is asked
// while the call is open; a newer one is answered with what to ask, and calls again.
func (s *Server) call(ctx context.Context, req *sdk.CallToolRequest, w work) (*sdk.CallToolResult, error) {
	p := newProgress(ctx, req, w.tool.Steps)
	round := 0
	if req.Params.RequestState != "" {
		var k kept
		if err := json.Unmarshal([]byte(req.Params.RequestState), &k); err != nil || k.Token == "" {
			return nil, errors.New("the call goes on with a state that is not ours")
		}
		w.tool = s.ownerOf(k.Token, w.tool)
		said, _ := req.Params.InputResponses[question].(*sdk.ElicitResult)
		answer, ok := answerOf(k.Token, k.Kind, said)
		if !ok {
			return waiting(k.Token), nil
		}
		w.request, round = answer, k.Round
	}
	for {
		env, err := s.run(ctx, w, p)
		if err != nil {
			return nil, err
		}
		g := gateOf(env)
		if g == nil {
			return result(env, w.request.Token), nil
		}
		s.own(g.token, w.request.Token, w.tool)
		form, kind, ok := g.form()
		if round == rounds || !ok || !canAsk(req.Session) {
			return result(env, g.token), nil
		}
		if round++; betweenCalls(req.Session) {
			state, _ := json.Marshal(kept{g.token, kind, round})
			return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{question: form}, RequestState: string(state)}, nil
		}
		said, err := req.Session.Elicit(ctx, form)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		answer, ok := answerOf(g.token, kind, said)
		if err != nil || !ok {
			return result(env, g.token), nil // nobody answered: the token stays
		}
		w.request = answer
	}
}

// betweenCalls tells whether a client is of the protocol in which a server asks by the result of a call.
func betweenCalls(session *sdk.ServerSession) bool {
	p := session.InitializeParams()
	return p == nil || p.ProtocolVersion >= "2026-07-28"
}

// canAsk tells whether a client has forms for people. One that names neither forms nor URLs has forms.
func canAsk(session *sdk.ServerSession) bool {
	p := session.InitializeParams()
	if p == nil || p.Capabilities == nil || p.Capabilities.Elicitation == nil {
		return false
	}
	e := p.Capabilities.Elicitation
	return e.Form != nil || e.URL == nil
}

// form is the question to a person; ok is false when a form cannot hold the answer.
func (g *gate) form() (p *sdk.ElicitParams, kind formKind, ok bool) {
	p = &sdk.ElicitParams{Mode: "form", Message: g.message(), RequestedSchema: json.RawMessage(approvalForm)}
	if g.approval {
		return p, formApproval, true
	}
	form, kind, ok := inputForm(g.Get("responseSchema"))
	p.RequestedSchema = json.RawMessage(form.AppendJSON(nil))
	return p, kind, ok
}

// maxShown bounds what a question shows of what it is about, in bytes.
const maxShown = 8000

// message is the prompt with what it is about.
func (g *gate) message() string {
	text := g.Get("prompt").Text()
	about := ""
	for _, key := range []string{"preview", "items", "subject"} {
		switch v := g.Get(key); {
		case v.IsNullish() || v.Kind() == value.ArrayKind && v.Len() == 0:
			continue
		case v.Kind() == value.StringKind:
			about = v.Text()
		default:
			about = v.Indent()
		}
		break
	}
	if len(about) > maxShown {
		about = strings.ToValidUTF8(about[:maxShown], "") + "..."
	}
	if about != "" {
		text += "\n\n" + about
	}
	return text
}

// answerOf is the resume that a person's answer asks for; ok is false when there is no answer, so that the run goes on waiting.
func answerOf(token string, kind formKind, said *sdk.ElicitResult) (r request, ok bool) {
	r = request{Action: "resume", Token: token}
	switch {
	case said == nil:
		return r, false
	case said.Action == "decline":
		r.Cancel = true
		return r, true
	case said.Action != "accept":
		return r, false
	case kind == formApproval:
		yes, isBool := said.Content["approve"].(bool)
		r.Approve = &yes
		return r, isBool
	}
	var response any = said.Content
	if kind == formValue {
		response = said.Content["response"]
	}
	data, err := json.Marshal(response)
	r.Response = data
	return r, err == nil
}

// result is the envelope for the model, with a word on how to go on when the run waits.
func result(env value.Value, token string) *sdk.CallToolResult {
	ok := env.Get("ok").Truthy()
	text := env.Indent()
	if g := gateOf(env); g != nil {
		text = fmt.Sprintf("The run waits for a person: %s\nAsk, then call the tool %s with token %q and the answer (%s).\n\n%s",
			g.Get("prompt").Text(), resumeName, token, map[bool]string{true: "approve", false: "response"}[g.approval], text)
	}
	return &sdk.CallToolResult{
		IsError: !ok, Content: []sdk.Content{&sdk.TextContent{Text: text}}, StructuredContent: json.RawMessage(env.AppendJSON(nil)),
	}
}

// waiting is the result for a question that nobody answered.
func waiting(token string) *sdk.CallToolResult {
	text := fmt.Sprintf("Nobody answered, so the run goes on waiting. To answer it later, call the tool %s with token %q.", resumeName, token)
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}
}

// resumeTool plans a call of the tool resume.
func (s *Server) resumeTool(req *sdk.CallToolRequest) (work, error) {
	var args struct {
		Token    string
		Approve  *bool
		Response json.RawMessage
		Cancel   bool
	}
	if err := json.Unmarshal(req.Params.Arguments, &args); err != nil {
		return work{}, fmt.Errorf("the arguments do not fit the tool's schema: %w", err)
	}
	if args.Token == "" {
		return work{}, errors.New("token or approvalId required")
	}
	t := s.ownerOf(args.Token, nil)
	if t == nil {
		return work{}, errors.New("no workflow served here waits under this token")
	}
	return work{t, request{Action: "resume", Token: args.Token, Approve: args.Approve, Response: args.Response, Cancel: args.Cancel}}, nil
}

// own remembers which workflow a token belongs to, in place of the token before it.
func (s *Server) own(token, used string, t *Tool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.owner, used)
	s.owner[token] = t
}

// ownerOf finds the workflow of a token or approval id: it was given out here, or its state file tells. With one workflow there is
// no question.
func (s *Server) ownerOf(text string, otherwise *Tool) *Tool {
	s.mu.Lock()
	t := s.owner[text]
	s.mu.Unlock()
	switch {
	case t != nil:
		return t
	case len(s.Tools) == 1:
		return s.Tools[0]
	}
	hash := s.hashOf(text)
	for _, t := range s.Tools {
		if hash != "" && t.Hash == hash {
			return t
		}
	}
	return otherwise
}

// approvalIDLength tells a short id from a token.
const approvalIDLength = 8

// hashOf is the hash of the program that a paused run belongs to, "" when it cannot be had.
func (s *Server) hashOf(text string) string {
	dir, err := state.FindDir(s.StateDir, os.Environ())
	if err != nil {
		return ""
	}
	store := state.Open(dir)
	token, err := state.ParseToken(text)
	if len(text) == approvalIDLength {
		token, err = store.Approval(text)
	}
	if err != nil {
		return ""
	}
	p, err := store.Paused(token.Key)
	if err != nil {
		return ""
	}
	return p.State.Get("program").Get("hash").Text()
}
