package cli

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// serveDir serves a folder in this process and connects a client without forms.
func serveDir(t *testing.T, dir string) *sdk.ClientSession {
	t.Helper()
	fromClient, toServer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fromServer, toClient, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	exit := make(chan int, 1)
	go func() {
		exit <- Run([]string{"mcp", "--state-dir", filepath.Join(dir, "state"), dir}, fromClient, toClient, io.Discard)
		toClient.Close()
	}()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &sdk.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		session.Close()
		if code := <-exit; code != exitOK {
			t.Errorf("mcp ended with %d", code)
		}
	})
	return session
}

func callTool(t *testing.T, s *sdk.ClientSession, name string, args any) (text string, envelope struct {
	Status           string
	Output           []any
	RequiresApproval struct{ ApprovalID string }
}) {
	t.Helper()
	res, err := s.CallTool(context.Background(), &sdk.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatal(err)
	}
	data, _ := json.Marshal(res.StructuredContent)
	if err := json.Unmarshal(data, &envelope); err != nil {
		t.Fatal(err)
	}
	return res.Content[0].(*sdk.TextContent).Text, envelope
}

// TestServeFolder: each workflow of a folder is a tool, those with errors are left out, and a token finds its workflow also in a
// server that did not give it out.
func TestServeFolder(t *testing.T) {
	t.Setenv("LOBSTERC_CACHE_DIR", filepath.Join(t.TempDir(), "cache"))
	dir := t.TempDir()
	for name, text := range map[string]string{
		"greet.lobster": "name: greet\ndescription: Greets.\nargs:\n  who: {default: you, type: string}\nsteps:\n  - id: say\n    command: echo hello \"$LOBSTER_ARG_WHO\"\n",
		"gate.lobster":  "steps:\n  - id: ok\n    approval: Go on?\n  - id: after\n    command: echo done\n",
		"bad.lobster":   "steps: []\n",
		"notes.txt":     "no workflow",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	first := serveDir(t, dir)
	list, err := first.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	if got := strings.Join(names, " "); got != "gate greet resume" || !strings.HasPrefix(list.Tools[1].Description, "Greets.") {
		t.Errorf("tools %s, %q", got, list.Tools[1].Description)
	}
	if text, env := callTool(t, first, "greet", map[string]any{"who": "there"}); len(env.Output) != 1 || env.Output[0] != "hello there\n" {
		t.Error(text)
	}
	_, paused := callTool(t, first, "gate", nil)
	id := paused.RequiresApproval.ApprovalID
	if text, env := callTool(t, serveDir(t, dir), "resume", map[string]any{"token": id, "approve": true}); env.Status != "ok" || len(env.Output) != 1 || env.Output[0] != "done\n" {
		t.Errorf("id %q: %s", id, text)
	}
}

func TestServeNothing(t *testing.T) {
	for _, dir := range []string{t.TempDir(), filepath.Join(t.TempDir(), "none")} {
		var stderr strings.Builder
		if code := Run([]string{"mcp", dir}, strings.NewReader(""), io.Discard, &stderr); code == exitOK || stderr.Len() == 0 {
			t.Errorf("%s: exit %d, %s", dir, code, stderr.String())
		}
	}
}
