package flow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/lobsterc/lobsterc/runtime/value"
)

// stage makes a stage of a function on streams.
func stage(name string, run func(env *Env, in Stream) Stream) Stage {
	return Stage{Name: name, Run: run}
}

// pass passes items on and writes them down.
func pass(name string, log *[]string) Stage {
	return stage(name, func(_ *Env, in Stream) Stream {
		return func(yield func(value.Value, error) bool) {
			for v, err := range in {
				*log = append(*log, name+v.Text())
				if !yield(v, err) || err != nil {
					return
				}
			}
		}
	})
}

// numbers gives 1 to n, and then err if there is one.
func numbers(n int, err error) Stream {
	return func(yield func(value.Value, error) bool) {
		for i := range n {
			if !yield(value.Int(int64(i+1)), nil) {
				return
			}
		}
		if err != nil {
			yield(value.Value{}, err)
		}
	}
}

func TestItemsFlowOneByOne(t *testing.T) {
	var log []string
	out, err := Run(&Env{}, []Stage{pass("a", &log), pass("b", &log)}, 0, numbers(2, nil))
	if err != nil || len(out.Items) != 2 || strings.Join(log, " ") != "a1 b1 a2 b2" {
		t.Errorf("items %d, log %v, error %v", len(out.Items), log, err)
	}
}

func TestRunFromALaterStage(t *testing.T) {
	var log []string
	if _, err := Run(&Env{}, []Stage{pass("a", &log), pass("b", &log)}, 1, numbers(1, nil)); err != nil || strings.Join(log, " ") != "b1" {
		t.Errorf("log %v, error %v", log, err)
	}
	out, err := Run(&Env{}, nil, 0, numbers(3, nil))
	if err != nil || len(out.Items) != 3 {
		t.Errorf("no stages: %d items, error %v", len(out.Items), err)
	}
}

func TestEffectWaitsForItsInput(t *testing.T) {
	bad := errors.New("bad")
	for _, want := range []error{nil, bad} {
		var log []string
		effect := pass("E", &log)
		effect.Effect = true
		_, err := Run(&Env{}, []Stage{pass("a", &log), effect}, 0, numbers(2, want))
		text := strings.Join(log, " ")
		if err != want || want == nil && text != "a1 a2 E1 E2" || want != nil && text != "a1 a2 a E" {
			t.Errorf("error %v, log %s", err, text)
		}
	}
}

func TestHeldItemsSpill(t *testing.T) {
	big := strings.Repeat("x", 1<<20)
	const n = 40
	in := func(yield func(value.Value, error) bool) {
		for i := range n {
			if !yield(value.Array(value.Int(int64(i)), value.String(big)), nil) {
				return
			}
		}
	}
	i := 0
	for v, err := range barrier(&Env{}, in) {
		if err != nil {
			t.Fatal(err)
		}
		if v.At(0).Float() != float64(i) || v.At(1).Str() != big {
			t.Errorf("item %d changed", i)
		}
		i++
	}
	if i != n {
		t.Errorf("%d items", i)
	}
	for range barrier(&Env{}, in) {
		break // the temporary file is closed all the same
	}
}

func TestLateFailure(t *testing.T) {
	bad := errors.New("bad exit")
	child := stage("child", func(env *Env, _ Stream) Stream {
		return func(yield func(value.Value, error) bool) {
			if !yield(value.Int(1), nil) {
				env.Late(bad)
			}
		}
	})
	first := stage("first", func(_ *Env, in Stream) Stream {
		return func(yield func(value.Value, error) bool) {
			for v, err := range in {
				yield(v, err)
				return
			}
		}
	})
	var log []string
	effect := pass("E", &log)
	effect.Effect = true
	for _, stages := range [][]Stage{{child, first}, {child, first, effect}} {
		if _, err := Run(&Env{}, stages, 0, nil); err != bad {
			t.Errorf("error %v", err)
		}
	}
	if text := strings.Join(log, " "); text != "E" {
		t.Errorf("the effect saw %q", text)
	}
}

func TestHaltKnowsItsStage(t *testing.T) {
	halt := &Halt{Prompt: "P"}
	var log []string
	stop := stage("stop", func(*Env, Stream) Stream { return Fail(fmt.Errorf("wrapped: %w", halt)) })
	_, err := Run(&Env{}, []Stage{pass("a", &log), pass("b", &log), stop, pass("c", &log)}, 1, numbers(1, nil))
	var h *Halt
	if !errors.As(err, &h) || h.Stage != 2 {
		t.Errorf("error %v, stage %d", err, halt.Stage)
	}
}

func TestCancel(t *testing.T) {
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(why)
	var log []string
	for _, n := range []int{0, 1, 5000} {
		if _, err := Run(&Env{Ctx: ctx}, []Stage{pass("a", &log)}, 0, numbers(n, nil)); err != why {
			t.Errorf("%d items: error %v", n, err)
		}
	}
	if len(log) > 2*checkEvery {
		t.Errorf("%d items passed", len(log))
	}
}

func TestOnlyAFinalRendererPassesOn(t *testing.T) {
	var seen []bool
	render := stage("json", func(env *Env, in Stream) Stream {
		seen = append(seen, env.Passthrough)
		return in
	})
	render.Render = true
	for _, tool := range []bool{false, true} {
		seen = nil
		out, err := Run(&Env{Passthrough: tool}, []Stage{render, render}, 0, nil)
		if err != nil || !out.Rendered || !slices.Equal(seen, []bool{false, tool}) {
			t.Errorf("tool %v: %v, rendered %v", tool, seen, out.Rendered)
		}
		if out, _ := Run(&Env{Passthrough: tool}, []Stage{render}, 0, nil); out.Rendered == tool {
			t.Errorf("tool %v: rendered %v", tool, out.Rendered)
		}
	}
}

func TestInput(t *testing.T) {
	for in, want := range map[string]string{`null`: `[]`, `[1,[2]]`: `[1,[2]]`, `"x"`: `["x"]`, `{"a":1}`: `[{"a":1}]`, `[]`: `[]`} {
		v, _ := value.ParseString(in)
		items, err := Collect(Input(v))
		if got := value.Array(items...).JSON(); got != want || err != nil {
			t.Errorf("%s: got %s, error %v", in, got, err)
		}
	}
	if items, _ := Collect(Input(value.Value{})); len(items) != 0 {
		t.Error("absent input has items")
	}
}

func TestStepResult(t *testing.T) {
	tests := []struct {
		items        string
		rendered     bool
		printed      string
		stdout, json string
	}{
		{`[]`, false, "", "", "absent"},
		{`["a"]`, false, "", "a", `"a"`},
		{`["a","b"]`, false, "", "a\nb", `["a","b"]`},
		{`[{"a":1}]`, false, "", `{"a":1}`, `{"a":1}`},
		{`[1,null,"x"]`, false, "", `[1,null,"x"]`, `[1,null,"x"]`},
		{`[null]`, false, "", "", "null"},
		{`absent`, false, "", "", "absent"},
		{`[]`, true, "[\n  1,\n  2\n]\n", "[\n  1,\n  2\n]\n", "[1,2]"},
		{`[]`, true, "no json\n", "no json\n", "absent"},
		{`[]`, true, "", "", "absent"},
		{`["hi"]`, true, "[\n  1\n]\n", "[\n  1\n]\n", `"hi"`},
	}
	for _, tt := range tests {
		v, _ := value.ParseString(tt.items)
		if tt.items == "absent" {
			v = value.Array(value.Value{})
		}
		stdout, json := StepResult(Outcome{Items: v.Items(), Rendered: tt.rendered}, tt.printed)
		text := json.JSON()
		if json.IsAbsent() {
			text = "absent"
		}
		if stdout != tt.stdout || text != tt.json {
			t.Errorf("%s %q: stdout %q, json %s", tt.items, tt.printed, stdout, text)
		}
	}
}

func TestSpool(t *testing.T) {
	for _, limit := range []int{1, 100, 1 << 20} {
		s := &Spool{Limit: limit}
		var want strings.Builder
		for i := range 3000 {
			text := strings.Repeat(string(rune('a'+i%26)), i%700)
			want.WriteString(text)
			if _, err := io.WriteString(s, text); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 { // it can be read more than once
			var got strings.Builder
			if err := s.CopyTo(&got); err != nil || got.String() != want.String() {
				t.Errorf("limit %d: %d bytes, want %d, error %v", limit, got.Len(), want.Len(), err)
			}
		}
		if s.Len() != int64(want.Len()) {
			t.Errorf("Len is %d", s.Len())
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
