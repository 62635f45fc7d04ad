// Bench measures, side by side with what they are compared to, the things that lobsterc promises limits for: `make bench`. Each benchmark is
// a file of its own that adds itself to the list. Runs alternate between the two sides, so that whatever else the machine does
// hits both; a result is the middle one of five rounds.
//
//	go run ./golden/bench [-lobsterc BIN] [NAME...]
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
)

// result is one line of the report: what was measured against the limit.
type result struct {
	name  string
	got   string // what both sides took
	value float64
	limit float64
	unit  string // after value and limit
}

// benchmark measures something. It may give several results.
type benchmark struct {
	name string
	run  func(*bench) ([]result, error)
}

var benchmarks []benchmark

func register(name string, run func(*bench) ([]result, error)) {
	benchmarks = append(benchmarks, benchmark{name, run})
}

func main() {
	lobsterc := flag.String("lobsterc", "", "the lobsterc to measure (default: bin/lobsterc, else one that is built now)")
	flag.Usage = usage
	flag.Parse()
	slices.SortFunc(benchmarks, func(a, b benchmark) int { return strings.Compare(a.name, b.name) })
	if err := measure(*lobsterc, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func usage() {
	fmt.Fprintln(os.Stderr, "go run ./golden/bench [-lobsterc BIN] [NAME...]")
	for _, b := range benchmarks {
		fmt.Fprintln(os.Stderr, " ", b.name)
	}
}

func measure(lobsterc string, names []string) error {
	dir, err := os.MkdirTemp("", "lobsterc-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &bench{dir: dir}
	if b.lobsterc, err = findLobsterc(lobsterc, dir); err != nil {
		return err
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "benchmark\tmeasured\tresult\tlimit\t")
	over := 0
	for _, bm := range benchmarks {
		if len(names) > 0 && !slices.Contains(names, bm.name) {
			continue
		}
		results, err := bm.run(b)
		if err != nil {
			return fmt.Errorf("%s: %w", bm.name, err)
		}
		for _, r := range results {
			verdict := ""
			if r.value > r.limit {
				verdict = "over"
				over++
			}
			fmt.Fprintf(w, "%s\t%s\t%.2f%s\t%.2f%s\t%s\n", r.name, r.got, r.value, r.unit, r.limit, r.unit, verdict)
		}
		w.Flush()
	}
	if over > 0 {
		return fmt.Errorf("%d over the limit", over)
	}
	return nil
}

// findLobsterc gives the path of the lobsterc to measure.
func findLobsterc(named, dir string) (string, error) {
	if named == "" {
		named = "bin/lobsterc"
		if _, err := os.Stat(named); err != nil {
			named = filepath.Join(dir, "lobsterc")
			return named, command("go", "build", "-o", named, "./cmd/lobsterc")
		}
	}
	return filepath.Abs(named)
}
