package drive

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/lobsterc/lobsterc/runtime/value"
)

// scripted is an engine without a world: effects answer from a function, and everything that is asked is written down.
type scripted struct {
	effect func(path Path) (string, error)
	answer func(g *Gate) (Answer, error)
	asked  []string
}

func (s *scripted) Effect(ctx context.Context, e *Effect) (Outcome, error) {
	s.asked = append(s.asked, string(e.Path))
	text, err := s.effect(e.Path)
	return Outcome{Stdout: &text, JSON: parse(text)}, err
}

func (s *scripted) Fork(ctx context.Context, _ Path, effects []*Effect, any bool) ([]Settled, error) {
	var all []Settled
	for i, e := range effects {
		out, err := s.Effect(ctx, e)
		all = append(all, Settled{Index: i, Outcome: out, Err: err})
		if any {
			break
		}
	}
	return all, nil
}

func (s *scripted) Gate(_ context.Context, g *Gate) (Answer, error) {
	s.asked = append(s.asked, "gate:"+string(g.Path))
	return s.answer(g)
}

func (s *scripted) Sleep(_ context.Context, sl Sleep) (time.Duration, error) {
	s.asked = append(s.asked, fmt.Sprintf("sleep:%s:%s", sl.Path, sl.D))
	return sl.D, nil
}

func (s *scripted) Timeout(ctx context.Context, _ time.Duration, _ error) (context.Context, context.CancelFunc) {
	return context.WithCancel(ctx)
}

func (s *scripted) Notify(Event) {}

func parse(text string) value.Value {
	v, err := value.ParseString(text)
	if err != nil {
		return value.Value{}
	}
	return v
}

func command(text string) func(*Run) Command {
	return func(*Run) Command { return Command{Script: text} }
}

func run(t *testing.T, wf *Workflow, s *scripted) (string, error) {
	t.Helper()
	if s.answer == nil {
		s.answer = func(*Gate) (Answer, error) { return Answer{Approved: true}, nil }
	}
	out, err := Execute(context.Background(), s, wf, Start{Run: NewRun(ResolveArgs(wf.Args, nil))})
	return value.Array(out...).JSON(), err
}

func echo(path Path) (string, error) { return `"` + string(path) + `"`, nil }

func TestOrder(t *testing.T) {
	s := &scripted{effect: echo}
	wf := &Workflow{Steps: []Step{
		{ID: "a", Shell: command("x")},
		{ID: "b", Shell: command("x"), When: func(r *Run) bool { return r.Ref("a", "json").Text() == "no" }},
		{ID: "c", Shell: command("x"), Approval: Prompt("ok?")},
		{ID: "d", Shell: command("x"), When: func(r *Run) bool { return r.Ref("c", "approved").Truthy() && r.Ref("b", "skipped").Truthy() }},
	}}
	out, err := run(t, wf, s)
	if err != nil || out != `["d"]` {
		t.Fatalf("got %s, %v", out, err)
	}
	if got := strings.Join(s.asked, " "); got != "a c gate:c d" {
		t.Errorf("asked %q", got)
	}
}

func TestRetryPathsAndDelays(t *testing.T) {
	failures := 0
	s := &scripted{effect: func(Path) (string, error) {
		if failures++; failures < 4 {
			return "", errors.New("no")
		}
		return "1", nil
	}}
	wf := &Workflow{Steps: []Step{{ID: "a", Shell: command("x"), Retry: &Retry{Max: 5, Exponential: true, Delay: time.Second, MaxDelay: 3 * time.Second}}}}
	if _, err := run(t, wf, s); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(s.asked, " "), "a sleep:a:1s a@2 sleep:a@2:2s a@3 sleep:a@3:3s a@4"; got != want {
		t.Errorf("asked %q, want %q", got, want)
	}
}

func TestNoRetryAfterDispatch(t *testing.T) {
	s := &scripted{effect: func(Path) (string, error) { return "", &Failure{Message: "no", NoRetry: true} }}
	wf := &Workflow{Steps: []Step{{ID: "a", Shell: command("x"), Retry: &Retry{Max: 5}}}}
	if _, err := run(t, wf, s); err == nil || len(s.asked) != 1 {
		t.Errorf("asked %q, err %v", s.asked, err)
	}
}

func TestOnError(t *testing.T) {
	fail := func(p Path) (string, error) {
		if p == "bad" {
			return "partial", errors.New("broken")
		}
		return echo(p)
	}
	for _, tc := range []struct {
		policy OnError
		asked  string
		out    string
		err    string
	}{
		{Stop, "first bad", "[]", "broken"},
		{Continue, "first bad last", `["last"]`, ""},
		{SkipRest, "first bad", `["first"]`, ""},
	} {
		s := &scripted{effect: fail}
		var seen string
		wf := &Workflow{Steps: []Step{
			{ID: "first", Shell: command("x")},
			{ID: "bad", Shell: command("x"), OnError: tc.policy, Approval: Prompt("never asked")},
			{ID: "last", Shell: func(r *Run) Command {
				seen = r.Text("bad", "error") + r.Text("bad", "errorMessage") + r.Text("bad", "stdout")
				return Command{}
			}},
		}}
		out, err := run(t, wf, s)
		if out != tc.out || fmt.Sprint(err) != map[bool]string{true: "<nil>", false: tc.err}[tc.err == ""] {
			t.Errorf("policy %d: got %s, %v", tc.policy, out, err)
		}
		if got := strings.Join(s.asked, " "); got != tc.asked {
			t.Errorf("policy %d: asked %q, want %q", tc.policy, got, tc.asked)
		}
		_ = seen
	}
}

func TestLoopRowsAndPaths(t *testing.T) {
	s := &scripted{effect: echo}
	wf := &Workflow{Steps: []Step{
		{ID: "l", Do: &Loop{
			Items: func(*Run) value.Value { return value.Array(value.Int(7), value.Null, value.String("s")) }, ItemVar: "item", IndexVar: "index", Batch: 2, Pause: time.Second,
			Steps: []Step{
				{ID: "x", Shell: command("x")},
				{ID: "y", Shell: command("y"), When: func(r *Run) bool { return r.Ref("index", "json").Float() == 1 }},
			},
		}},
	}}
	out, err := run(t, wf, s)
	want := `[{"item":7,"index":0,"x":"l[0]/x"},{"item":null,"index":1,"x":"l[1]/x","y":"l[1]/y"},{"item":"s","index":2,"x":"l[2]/x"}]`
	if err != nil || out != want {
		t.Fatalf("got %s, %v", out, err)
	}
	if got := strings.Join(s.asked, " "); got != "l[0]/x l[1]/x l[1]/y sleep:l[2]:1s l[2]/x" {
		t.Errorf("asked %q", got)
	}
}

func TestChildGateAndPath(t *testing.T) {
	child := &Workflow{Steps: []Step{{ID: "in", Shell: command("x"), Approval: Prompt("go?")}, {ID: "out/1", Shell: command("x")}}}
	s := &scripted{effect: echo}
	wf := &Workflow{Steps: []Step{{ID: "sub", Do: &Call{Pick: func(*Run) (*Workflow, string) { return child, "" }}}}}
	if _, err := run(t, wf, s); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(s.asked, " "); got != "sub/in gate:sub/in sub/out%2F1" {
		t.Errorf("asked %q", got)
	}
}

func TestPauseIsNoError(t *testing.T) {
	s := &scripted{effect: echo, answer: func(*Gate) (Answer, error) { return Answer{}, &Paused{} }}
	wf := &Workflow{Steps: []Step{{ID: "a", Approval: Prompt("?"), OnError: Continue, Retry: &Retry{Max: 3}}, {ID: "b", Shell: command("x")}}}
	_, err := run(t, wf, s)
	var p *Paused
	if !errors.As(err, &p) || len(s.asked) != 1 {
		t.Errorf("asked %q, err %v", s.asked, err)
	}
}

func TestParallelAny(t *testing.T) {
	s := &scripted{effect: func(p Path) (string, error) { return "text of " + string(p), nil }}
	wf := &Workflow{Steps: []Step{
		{ID: "p", Do: &Parallel{Any: true, Branches: []Step{{ID: "l", Shell: command("x")}, {ID: "r", Shell: command("x")}}}},
		{ID: "t", Stdin: func(r *Run) value.Value {
			return value.String(r.Text("p", "stdout") + "|" + r.Text("p", "json") + "|" + r.Text("l", "stdout") + "|" + r.Text("r", "stdout"))
		}},
	}}
	out, err := run(t, wf, s)
	if err != nil || out != `["text of p/l|{}|text of p/l|$r.stdout"]` {
		t.Errorf("got %s, %v", out, err)
	}
}

func TestArgVar(t *testing.T) {
	for name, want := range map[string]string{"a-b": "LOBSTER_ARG_A_B", "_x__y_": "LOBSTER_ARG_X_Y", "é": "", "a1": "LOBSTER_ARG_A1", "--": ""} {
		if got := ArgVar(name); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

func TestResultKeepsItsOrder(t *testing.T) {
	for _, text := range []string{
		`{"id":"a","stdout":"1","json":1,"initiatedBy":"al","approved":true,"approvedBy":"bo"}`,
		`{"id":"loop","json":[1],"stdout":"[1]","approved":true}`, `{"id":"b","json":1}`, `{"id":"c","stdout":""}`,
	} {
		v, err := value.ParseString(text)
		if err != nil {
			t.Fatal(err)
		}
		r := ResultOf(v)
		if got := r.Value().JSON(); got != text {
			t.Errorf("got %s, want %s", got, text)
		}
	}
}

func TestCallResult(t *testing.T) {
	for in, want := range map[string]string{
		`[]`: `{"id":"c","stdout":"","json":[]}`, `[null]`: `{"id":"c","stdout":"","json":null}`, `[false]`: `{"id":"c","stdout":"false","json":false}`,
		`[null,1]`: `{"id":"c","stdout":"[null,1]","json":[null,1]}`, `["x"]`: `{"id":"c","stdout":"x","json":"x"}`,
	} {
		items, err := value.ParseString(in)
		if err != nil {
			t.Fatal(err)
		}
		if got := callResult("c", items.Items()).Value().JSON(); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}
