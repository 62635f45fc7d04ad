package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// bench is what benchmarks work with: a folder of their own, and lobsterc.
type bench struct {
	dir      string
	lobsterc string
	made     int
}

// rounds is how many rounds a result is the middle one of.
const rounds = 5

// workflow compiles a workflow.
func (b *bench) workflow(source string) (program string, err error) {
	b.made++
	base := filepath.Join(b.dir, fmt.Sprintf("workflow%d", b.made))
	if err := os.WriteFile(base+".lobster", []byte(source), 0o600); err != nil {
		return "", err
	}
	return base, command(b.lobsterc, "build", "-q", base+".lobster", "-o", base)
}

// goProgram builds a Go program of one file, as small as the toolchain makes it.
func (b *bench) goProgram(source string) (program string, err error) {
	b.made++
	dir := filepath.Join(b.dir, fmt.Sprintf("go%d", b.made))
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", err
	}
	for name, text := range map[string]string{"main.go": source, "go.mod": "module bench\n\ngo 1.26\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	program = filepath.Join(dir, "program")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", program, ".")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return program, nil
}

// command runs a command that says what is wrong when it fails.
func command(name string, args ...string) error {
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", filepath.Base(name), err, out)
	}
	return nil
}

// environ is the environment of what is measured: without a caller's settings, and with a state directory of its own.
func (b *bench) environ() []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + b.dir, "TMPDIR=" + b.dir}
}

// once runs a program and gives the time that it took.
func (b *bench) once(program string, args ...string) (time.Duration, error) {
	cmd := exec.Command(program, args...)
	cmd.Env = b.environ()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	began := time.Now()
	if err := cmd.Run(); err != nil {
		return 0, fmt.Errorf("%s: %w\n%s", filepath.Base(program), err, stderr.Bytes())
	}
	return time.Since(began), nil
}

// compare runs ours and theirs in turns, n times in each round, and gives the middle time of each in the middle round (by ratio).
func (b *bench) compare(n int, ours, theirs string) (us, them time.Duration, err error) {
	type pair struct{ us, them time.Duration }
	var all []pair
	for range rounds {
		us, them := make([]time.Duration, n), make([]time.Duration, n)
		for i := range n {
			if us[i], err = b.once(ours); err != nil {
				return 0, 0, err
			}
			if them[i], err = b.once(theirs); err != nil {
				return 0, 0, err
			}
		}
		all = append(all, pair{median(us), median(them)})
	}
	slices.SortFunc(all, func(a, b pair) int { return int(a.us*b.them - b.us*a.them) })
	mid := all[len(all)/2]
	return mid.us, mid.them, nil
}

func median(list []time.Duration) time.Duration {
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2]
}

// ratio is a result of compare.
func ratio(name string, us, them time.Duration, limit float64) result {
	got := fmt.Sprintf("%.2f ms : %.2f ms", millis(us), millis(them))
	return result{name: name, got: got, value: float64(us) / float64(them), limit: limit, unit: "x"}
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
