package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func init() { register("build", builds) }

// manySteps are as many steps, of which each reads the one before; word makes the workflow a new one.
func manySteps(n int, word string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "steps:\n  - id: s0\n    run: echo %s\n", word)
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, "  - id: s%d\n    run: echo %d\n    stdin: $s%d.stdout\n", i, i, i-1)
		if i%7 == 3 {
			fmt.Fprintf(&b, "    when: $s%d.stdout != ''\n", i-1)
		}
	}
	return b.String()
}

// newWord is a word that no build has seen; its length never changes.
func newWord() string { return fmt.Sprintf("w%018d", rand.Int64N(1e18)) }

// buildPair holds a workflow and the module that lobsterc emits for it.
type buildPair struct {
	b      *bench
	steps  int
	file   string
	module string
	word   string // in the module
}

func (b *bench) buildPair(steps int) (*buildPair, error) {
	p := &buildPair{b: b, steps: steps, word: newWord()}
	p.file = filepath.Join(b.dir, fmt.Sprintf("steps%d.lobster", steps))
	p.module = filepath.Join(b.dir, fmt.Sprintf("module%d", steps))
	if err := os.WriteFile(p.file, []byte(manySteps(steps, p.word)), 0o600); err != nil {
		return nil, err
	}
	if err := command(b.lobsterc, "emit", p.file, "-o", p.module); err != nil {
		return nil, err
	}
	// The first build of each fills the caches.
	if _, err := p.ours(); err != nil {
		return nil, err
	}
	_, err := p.theirs()
	return p, err
}

// ours changes the workflow and builds it.
func (p *buildPair) ours() (time.Duration, error) {
	if err := os.WriteFile(p.file, []byte(manySteps(p.steps, newWord())), 0o600); err != nil {
		return 0, err
	}
	return p.again()
}

// again builds the workflow as it is.
func (p *buildPair) again() (time.Duration, error) {
	return timed(exec.Command(p.b.lobsterc, "build", "-q", p.file, "-o", strings.TrimSuffix(p.file, ".lobster")))
}

// theirs makes the same change in the emitted module and has the go command build it.
func (p *buildPair) theirs() (time.Duration, error) {
	main := filepath.Join(p.module, "main.go")
	text, err := os.ReadFile(main)
	if err != nil {
		return 0, err
	}
	word := newWord()
	changed := strings.ReplaceAll(string(text), p.word, word)
	if changed == string(text) {
		return 0, errors.New("the emitted module lacks the word that is to change")
	}
	p.word = word
	if err := os.WriteFile(main, []byte(changed), 0o600); err != nil {
		return 0, err
	}
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-tags=nethttpomithttp2", "-ldflags=-s -w -buildid=", "-o", "program", ".")
	cmd.Dir, cmd.Env = p.module, append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	return timed(cmd)
}

// timed runs a command and gives the time that it took.
func timed(cmd *exec.Cmd) (time.Duration, error) {
	began := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%s: %w\n%s", filepath.Base(cmd.Path), err, out)
	}
	return time.Since(began), nil
}

// builds measures a changed workflow against `go build` of its module, what a further step costs of either, a workflow of 1,000 steps, and
// one that did not change.
func builds(b *bench) ([]result, error) {
	small, err := b.buildPair(10)
	if err != nil {
		return nil, err
	}
	large, err := b.buildPair(1000)
	if err != nil {
		return nil, err
	}
	measured := []func() (time.Duration, error){small.ours, small.theirs, large.ours, large.theirs, small.again}
	times := make([][]time.Duration, len(measured))
	for range rounds {
		for i, measure := range measured {
			took, err := measure()
			if err != nil {
				return nil, err
			}
			times[i] = append(times[i], took)
		}
	}
	var mid [5]time.Duration
	for i, list := range times {
		mid[i] = slices.Sorted(slices.Values(list))[len(list)/2]
	}
	return []result{
		ratio("build changed : go build", mid[0], mid[1], 1.1),
		ratio("a further step : go build", (mid[2]-mid[0])/990, (mid[3]-mid[1])/990, 1.1),
		{name: "build 1,000 steps", got: fmt.Sprintf("%.0f ms", millis(mid[2])), value: mid[2].Seconds(), limit: 2, unit: "s"},
		{name: "build unchanged", got: fmt.Sprintf("%.1f ms", millis(mid[4])), value: millis(mid[4]), limit: 50, unit: "ms"},
	}, nil
}
