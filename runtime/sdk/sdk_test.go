package sdk

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/lobsterc/lobsterc/runtime/schema"
	"github.com/lobsterc/lobsterc/runtime/stage"
	"github.com/lobsterc/lobsterc/runtime/value"
)

func array(t *testing.T, text string) []Value {
	t.Helper()
	v, err := value.ParseString(text)
	if err != nil {
		t.Fatal(err)
	}
	return v.Items()
}

func double(v Value) (Value, error) {
	if v.Kind() != value.NumberKind {
		return Value{}, errors.New("not a number")
	}
	return value.Number(2 * v.Float()), nil
}

func TestRun(t *testing.T) {
	dir := t.TempDir()
	tests := []struct {
		name   string
		stages []Stage
		items  string
		want   string // the result as JSON, or the error
	}{
		{"nothing", nil, `[]`, `[]`},
		{"map", []Stage{Map("double", double)}, `[1,2]`, `[2,4]`},
		{"map fails", []Stage{Map("double", double)}, `[1,"x",3]`, `not a number`},
		{"filter", []Stage{Filter("one", func(v Value) bool { return v.Float() == 1 })}, `[1,2,1]`, `[1,1]`},
		{"lines", []Stage{Exec("echo a; echo b")}, `[]`, `["a","b"]`},
		{"built-in stages", []Stage{ExecJSON("echo '[1,2,3]'"), stage.Head(stage.HeadOptions{N: 2})}, `[]`, `[1,2]`},
		{"exec fails", []Stage{Exec("exit 3")}, `[]`, `exec failed (3): exit 3`},
		{"no effect after a failure", []Stage{ExecJSON("echo [1]; exit 3"), Effect("boom", func(context.Context, []Value) ([]Value, error) {
			panic("ran all the same")
		})}, `[]`, `exec failed (3)`},
		{"state", []Stage{StateSet("k")}, `[{"a":1}]`, `[{"a":1}]`},
		{"state again", []Stage{StateGet("k")}, `[]`, `[{"a":1}]`},
		{"diff", []Stage{DiffLast("d"), Map("changed", func(v Value) (Value, error) { return v.Get("changed"), nil })}, `[1]`, `[true]`},
		{"diff again", []Stage{DiffLast("d"), Map("changed", func(v Value) (Value, error) { return v.Get("changed"), nil })}, `[1]`, `[false]`},
	}
	for _, tt := range tests {
		p := New().Pipe(tt.stages...)
		p.StateDir = dir
		res := p.Run(t.Context(), array(t, tt.items)...)
		got := value.Array(res.Output...).JSON()
		if res.Error != nil {
			got = res.Error.Error()
		}
		if res.OK == (res.Error != nil) || !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: %s, want %s", tt.name, res.Value().JSON(), tt.want)
		}
	}
	if v, err := ReadState(dir, "k"); err != nil || v.JSON() != `{"a":1}` {
		t.Errorf("ReadState: %s, %v", v.JSON(), err)
	}
	if err := WriteState(dir, "k", value.Int(7)); err != nil {
		t.Error(err)
	}
	if v, err := ReadState(dir, "k"); err != nil || v.JSON() != "7" {
		t.Errorf("ReadState after WriteState: %s, %v", v.JSON(), err)
	}
	if v, err := ReadState(dir, "none"); err != nil || !v.IsAbsent() {
		t.Errorf("ReadState of nothing: %v, %v", v, err)
	}
}

// twoGates asks twice and then doubles.
func twoGates(dir string) *Pipeline {
	number, _ := value.ParseString(`{"type":"number"}`)
	p := New(ExecJSON("echo [1]"), Approve("first?"), Ask("how many?", schema.Lazy(number)), Map("double", double))
	p.StateDir = dir
	return p
}

func TestGates(t *testing.T) {
	dir := t.TempDir()
	first := twoGates(dir).Run(t.Context())
	if first.Status != StatusNeedsApproval || first.RequiresApproval.ID == "" || value.Array(first.RequiresApproval.Items...).JSON() != "[1]" {
		t.Fatalf("first gate: %s", first.Value().JSON())
	}
	unfit := twoGates(dir).Resume(t.Context(), first.RequiresApproval.Token, Response(value.Int(1)))
	if unfit.OK || unfit.Error.Type != "parse_error" {
		t.Errorf("a response to an approval: %s", unfit.Value().JSON())
	}
	second := twoGates(dir).Resume(t.Context(), first.RequiresApproval.ID, Approved)
	if second.Status != StatusNeedsInput || second.RequiresInput.Schema.JSON() != `{"type":"number"}` {
		t.Fatalf("second gate: %s", second.Value().JSON())
	}
	token := second.RequiresInput.Token
	for _, wrong := range []Answer{Approved, Response(value.String("many"))} {
		if res := twoGates(dir).Resume(t.Context(), token, wrong); res.OK || res.Error.Type != "parse_error" {
			t.Errorf("wrong answer: %s", res.Value().JSON())
		}
	}
	if res := New(Map("other", double)).resumeIn(t, dir, token); res.OK || !strings.Contains(res.Error.Message, "pipeline changed") {
		t.Errorf("another pipeline: %s", res.Value().JSON())
	}
	last := twoGates(dir).Resume(t.Context(), token, Response(value.Int(21)))
	if got := last.Value().JSON(); got != `{"ok":true,"status":"ok","output":[42],"requiresApproval":null,"requiresInput":null}` {
		t.Errorf("the end: %s", got)
	}
	if res := twoGates(dir).Resume(t.Context(), token, Response(value.Int(21))); res.OK || res.Error.Message != "Pipeline resume state not found" {
		t.Errorf("used token: %s", res.Value().JSON())
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func (p *Pipeline) resumeIn(t *testing.T, dir, token string) *Result {
	p.StateDir = dir
	return p.Resume(t.Context(), token, Approved)
}

func TestGiveUp(t *testing.T) {
	for _, answer := range []Answer{Rejected, Cancel} {
		dir := t.TempDir()
		p := twoGates(dir)
		if res := p.Resume(t.Context(), p.Run(t.Context()).RequiresApproval.Token, answer); !res.OK || res.Status != StatusCancelled {
			t.Errorf("%s", res.Value().JSON())
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	}
}

func TestBadToken(t *testing.T) {
	p := New()
	p.StateDir = t.TempDir()
	for _, token := range []string{"", "x", "12345678"} {
		if res := p.Resume(t.Context(), token, Approved); res.OK || res.Error.Type != "parse_error" {
			t.Errorf("%q: %s", token, res.Value().JSON())
		}
	}
}

func TestSurroundings(t *testing.T) {
	var out bytes.Buffer
	dir := t.TempDir()
	p := New(Exec(`echo "$WORD $(pwd)"`), stage.JSON())
	p.StateDir, p.Dir, p.Environ, p.Stdout = dir, dir, append(os.Environ(), "WORD=hello"), &out
	if res := p.Run(t.Context()); !res.OK || !strings.Contains(out.String(), `"hello `+dir+`"`) {
		t.Errorf("%s, printed %s", res.Value().JSON(), &out)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if res := p.Run(ctx); res.OK || !errors.Is(res.Error, context.Canceled) {
		t.Errorf("cancelled: %s", res.Value().JSON())
	}
}
