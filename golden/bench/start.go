package main

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

func init() {
	register("steps", steps)
	register("cpu", cpu)
}

// minimal is the least Go program that runs a shell command n times.
func minimal(script string, n int) string {
	return fmt.Sprintf(`package main

import (
	"os"
	"os/exec"
)

func main() {
	for range %d {
		cmd := exec.Command("/bin/sh", "-c", %q)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		if err := cmd.Run(); err != nil {
			os.Exit(1)
		}
	}
}
`, n, script)
}

// steps compares workflows of shell steps with the least Go program that runs the same commands.
func steps(b *bench) ([]result, error) {
	var results []result
	for _, t := range []struct {
		name     string
		workflow string
		commands int
		runs     int
		limit    float64
	}{
		{"one step", shellSteps(1), 1, 40, 1.3},
		{"ten steps", shellSteps(10), 10, 10, 1.2},
		{"for_each of 1000", `
steps:
  - id: list
    run: seq 1000 | paste -sd, - | sed 's/.*/[&]/'
  - id: each
    for_each: $list.json
    steps: [{id: one, run: "true"}]
`, 1001, 1, 1.15},
	} {
		ours, err := b.workflow(t.workflow)
		if err != nil {
			return nil, err
		}
		theirs, err := b.goProgram(minimal("true", t.commands))
		if err != nil {
			return nil, err
		}
		us, them, err := b.compare(t.runs, ours, theirs)
		if err != nil {
			return nil, err
		}
		results = append(results, ratio(t.name, us, them, t.limit))
	}
	return results, nil
}

func shellSteps(n int) string {
	text := "steps:\n"
	for i := range n {
		text += fmt.Sprintf("  - {id: s%d, run: \"true\"}\n", i)
	}
	return text
}

// cpu measures the processor time before the first step's process runs: the step itself reads it off its parent.
func cpu(b *bench) ([]result, error) {
	if runtime.GOOS != "linux" {
		return nil, nil
	}
	program, err := b.workflow("steps: [{id: one, run: 'cat /proc/$PPID/task/*/schedstat'}]\n")
	if err != nil {
		return nil, err
	}
	var all []time.Duration
	for range 100 {
		cmd := exec.Command(program)
		cmd.Env = b.environ()
		out, err := cmd.Output()
		if err != nil {
			return nil, err
		}
		var items []string
		if err := json.Unmarshal(out, &items); err != nil {
			return nil, err
		}
		var sum time.Duration
		for line := range strings.Lines(items[0]) { // a thread each: nanoseconds at work, waiting, and turns
			text, _, _ := strings.Cut(line, " ")
			n, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				return nil, err
			}
			sum += time.Duration(n)
		}
		all = append(all, sum)
	}
	slices.Sort(all)
	mid := all[len(all)/2]
	return []result{{name: "CPU before the first step", got: fmt.Sprintf("%.2f ms to %.2f ms", millis(all[0]), millis(all[len(all)-1])), value: millis(mid), limit: 2.5, unit: " ms"}}, nil
}
