//go:build unix

package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

func init() {
	register("pipeline", pipelines)
	register("reference", againstReference)
}

// usage is what a process took.
type cost struct {
	wall, cpu time.Duration
	peak      int64 // KiB
}

// metered runs a program with its output in a file and says what it took.
func (b *bench) metered(output string, env []string, program string, args ...string) (cost, error) {
	out, err := os.Create(output)
	if err != nil {
		return cost{}, err
	}
	defer out.Close()
	cmd := exec.Command(program, args...)
	cmd.Env, cmd.Dir, cmd.Stdout = append(b.environ(), env...), b.dir, out
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	began := time.Now()
	if err := cmd.Run(); err != nil {
		return cost{}, fmt.Errorf("%s: %w\n%s", filepath.Base(program), err, stderr.Bytes())
	}
	rusage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return cost{time.Since(began), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), rusage.Maxrss}, nil
}

// middle measures two commands in turns and gives the middle of each.
func middle(ours, theirs func() (cost, error)) (us, them cost, err error) {
	var a, z []cost
	for range rounds {
		u, err := ours()
		if err != nil {
			return us, them, err
		}
		t, err := theirs()
		if err != nil {
			return us, them, err
		}
		a, z = append(a, u), append(z, t)
	}
	by := func(list []cost) cost {
		slices.SortFunc(list, func(x, y cost) int { return int(x.wall - y.wall) })
		m := list[len(list)/2]
		slices.SortFunc(list, func(x, y cost) int { return int(x.cpu - y.cpu) })
		m.cpu = list[len(list)/2].cpu
		for _, u := range list {
			m.peak = max(m.peak, u.peak)
		}
		return m
	}
	return by(a), by(z), nil
}

// records writes the 400,000 records of the benchmark, as one array and as a line each.
func (b *bench) records() (array, lines string, err error) {
	array, lines = filepath.Join(b.dir, "records.json"), filepath.Join(b.dir, "records.jsonl")
	a, err := os.Create(array)
	if err != nil {
		return "", "", err
	}
	defer a.Close()
	l, err := os.Create(lines)
	if err != nil {
		return "", "", err
	}
	defer l.Close()
	aw, lw := bufio.NewWriter(a), bufio.NewWriter(l)
	for i := range 400_000 {
		record := fmt.Sprintf(`{"id":%d,"subject":"Subject number %d about the quarterly report","from":"person%d@example.com","minutes":%d,`+
			`"labels":["inbox","unread","team-%d"],"body":"Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod %d","nested":{"a":%d,"b":[1,2,3],"c":null}}`,
			(i*7919)%400_000, i, i%1000, i%97, i%13, i, i)
		sep := ","
		if i == 0 {
			sep = "["
		}
		aw.WriteString(sep + record)
		lw.WriteString(record + "\n")
	}
	aw.WriteString("]\n")
	return array, lines, errors.Join(aw.Flush(), lw.Flush())
}

// pipeline compiles an inline pipeline.
func (b *bench) pipeline(text string) (string, error) {
	b.made++
	out := filepath.Join(b.dir, fmt.Sprintf("pipeline%d", b.made))
	return out, command(b.lobsterc, "build", "-q", "-e", text, "-o", out)
}

// reference is the program that LOBSTER_REFERENCE names, or "".
func reference() string { return os.Getenv("LOBSTER_REFERENCE") }

// pipelines measures the streams: 400,000 records through filter, projection, sort and head, and round trips.
func pipelines(b *bench) ([]result, error) {
	array, lines, err := b.records()
	if err != nil {
		return nil, err
	}
	var results []result
	text := fmt.Sprintf("exec --json --shell 'cat %s' | where minutes>=30 | pick id,subject | sort --key id | head --n 10", array)
	ours, err := b.pipeline(text)
	if err != nil {
		return nil, err
	}
	if ref := reference(); ref != "" {
		r, err := b.sortAndHead(ours, ref, text)
		if err != nil {
			return nil, err
		}
		results = append(results, r...)
	}
	jsonl, err := b.pipeline(fmt.Sprintf("exec --shell 'cat %s' | head --n 10", lines))
	if err != nil {
		return nil, err
	}
	u, err := b.metered(filepath.Join(b.dir, "out"), nil, jsonl)
	if err != nil {
		return nil, err
	}
	results = append(results, result{name: "lines, without sort: peak memory", got: "", value: float64(u.peak) / 1024, limit: 16, unit: " MiB"})
	r, err := b.roundTrip(array)
	return append(results, r...), err
}

func (b *bench) sortAndHead(ours, ref, text string) ([]result, error) {
	mine, his := filepath.Join(b.dir, "ours.out"), filepath.Join(b.dir, "theirs.out")
	us, them, err := middle(
		func() (cost, error) { return b.metered(mine, nil, ours) },
		func() (cost, error) { return b.metered(his, []string{"HOME=" + os.Getenv("HOME")}, ref, text) })
	if err != nil {
		return nil, err
	}
	if err := same(mine, his); err != nil {
		return nil, err
	}
	return []result{
		ratio("400,000 records, where, pick, sort, head", us.wall, them.wall, 0.06),
		{name: "  peak memory", got: fmt.Sprintf("%d : %d MiB", us.peak/1024, them.peak/1024), value: float64(us.peak) / 1024, limit: 96, unit: " MiB"},
	}, nil
}

// roundTrip compares reading and printing the whole array with Node's JSON.parse and JSON.stringify.
func (b *bench) roundTrip(array string) ([]result, error) {
	node, err := exec.LookPath("node")
	if err != nil {
		return nil, nil
	}
	ours, err := b.pipeline(fmt.Sprintf("exec --json --shell 'cat %s' | json", array))
	if err != nil {
		return nil, err
	}
	script := `process.stdout.write(JSON.stringify(JSON.parse(require("fs").readFileSync(process.argv[1], "utf8")), null, 2) + "\n")`
	mine, his := filepath.Join(b.dir, "ours.out"), filepath.Join(b.dir, "theirs.out")
	us, them, err := middle(
		func() (cost, error) { return b.metered(mine, nil, ours) },
		func() (cost, error) { return b.metered(his, nil, node, "-e", script, array) })
	if err != nil {
		return nil, err
	}
	if err := same(mine, his); err != nil {
		return nil, err
	}
	return []result{
		ratio("whole array through json, CPU against Node", us.cpu, them.cpu, 0.4),
		{name: "  peak memory against Node", got: fmt.Sprintf("%d : %d MiB", us.peak/1024, them.peak/1024), value: float64(us.peak) / float64(them.peak), limit: 0.5, unit: "x"},
	}, nil
}

// same fails when two files differ: a fast wrong answer is worth nothing.
func same(a, z string) error {
	x, err := os.ReadFile(a)
	if err != nil {
		return err
	}
	y, err := os.ReadFile(z)
	if err != nil {
		return err
	}
	if !bytes.Equal(x, y) {
		return fmt.Errorf("the outputs differ: %d and %d bytes", len(x), len(y))
	}
	return nil
}

// againstReference measures what a person waits for, beside the reference; it needs LOBSTER_REFERENCE.
func againstReference(b *bench) ([]result, error) {
	ref := reference()
	if ref == "" {
		fmt.Fprintln(os.Stderr, "bench: LOBSTER_REFERENCE is not set: nothing is measured against the reference")
		return nil, nil
	}
	sleeps := "steps:\n  - id: p\n    parallel:\n      branches:\n"
	for i := range 8 {
		sleeps += fmt.Sprintf("        - {id: b%d, run: sleep 0.1}\n", i)
	}
	loop := "steps:\n  - id: list\n    run: seq 1000 | paste -sd, - | sed 's/.*/[&]/'\n  - id: each\n    for_each: $list.json\n    steps: [{id: one, run: \"true\"}]\n"
	var results []result
	for _, t := range []struct {
		name, workflow string
		limit          float64
	}{
		{"one step, against the reference", shellSteps(1), 0.03},
		{"ten steps, against the reference", shellSteps(10), 0.08},
		{"for_each of 1000, against the reference", loop, 0.2},
		{"8 branches of sleep 0.1, against the reference", sleeps, 0.3},
	} {
		ours, err := b.workflow(t.workflow)
		if err != nil {
			return nil, err
		}
		out := filepath.Join(b.dir, "out")
		us, them, err := middle(
			func() (cost, error) { return b.metered(out, nil, ours, "--mode", "tool") },
			func() (cost, error) {
				return b.metered(out, []string{"HOME=" + os.Getenv("HOME")}, ref, "run", "--mode", "tool", "--file", ours+".lobster")
			})
		if err != nil {
			return nil, err
		}
		results = append(results, ratio(t.name, us.wall, them.wall, t.limit))
	}
	r, err := b.pauseAndResume(ref)
	return append(results, r), err
}

// pauseAndResume measures a whole cycle over two processes, durable writes included.
func (b *bench) pauseAndResume(ref string) (result, error) {
	ours, err := b.workflow("steps:\n  - {id: a, approval: Go on?}\n  - {id: b, run: \"true\"}\n")
	if err != nil {
		return result{}, err
	}
	cycle := func(env []string, start []string, resume func(token string) []string) (cost, error) {
		began := time.Now()
		out := filepath.Join(b.dir, "out")
		if _, err := b.metered(out, env, start[0], start[1:]...); err != nil {
			return cost{}, err
		}
		text, err := os.ReadFile(out)
		if err != nil {
			return cost{}, err
		}
		_, rest, ok := strings.Cut(string(text), `"resumeToken": "`)
		token, _, _ := strings.Cut(rest, `"`)
		if !ok {
			return cost{}, fmt.Errorf("no token in %s", text)
		}
		words := resume(token)
		_, err = b.metered(out, env, words[0], words[1:]...)
		return cost{wall: time.Since(began)}, err
	}
	home := []string{"HOME=" + os.Getenv("HOME"), "LOBSTER_STATE_DIR=" + filepath.Join(b.dir, "state")}
	us, them, err := middle(
		func() (cost, error) {
			return cycle(nil, []string{ours, "--mode", "tool"}, func(t string) []string { return []string{ours, "--resume=" + t, "--approve=yes"} })
		},
		func() (cost, error) {
			return cycle(home, []string{ref, "run", "--mode", "tool", "--file", ours + ".lobster"},
				func(t string) []string { return []string{ref, "resume", "--token", t, "--approve", "yes"} })
		})
	return ratio("pause and resume, against the reference", us.wall, them.wall, 0.05), err
}
