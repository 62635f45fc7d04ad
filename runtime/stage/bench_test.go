package stage

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// benchRecords is how many records the benchmarks read, about 290 bytes each. LOBSTERC_BENCH=400000 is the size that the project
// measures against the reference.
func benchRecords(b *testing.B) int {
	n := 20000
	if s := os.Getenv("LOBSTERC_BENCH"); s != "" {
		if _, err := fmt.Sscan(s, &n); err != nil {
			b.Fatal(err)
		}
	}
	return n
}

// benchFile writes records: a JSON array, or a line each.
func benchFile(b *testing.B, lines bool) string {
	b.Helper()
	file := filepath.Join(b.TempDir(), "records.json")
	f, err := os.Create(file)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	open, between, end := "[", ",", "]"
	if lines {
		open, between, end = "", "\n", "\n"
	}
	seed := uint32(1)
	w.WriteString(open)
	for i := range benchRecords(b) {
		if i > 0 {
			w.WriteString(between)
		}
		seed = seed*1664525 + 1013904223
		fmt.Fprintf(w, `{"id":%d,"subject":"Quarterly numbers and what follows from them, part %d","from":"user%d@example.com","minutes":%d,"labels":["alpha","beta","gamma"],"unread":%v,"body":"Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor","score":%d.25}`,
			seed>>4, i, seed%5000, (seed>>8)%120, i%2 == 0, seed%100)
	}
	w.WriteString(end)
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	return file
}

func BenchmarkPipeline(b *testing.B) {
	long := keep("minutes", ">=", value.Number(30))
	pick := Pick(PickOptions{[]string{"id", "subject"}})
	key := Path{"id"}
	for _, bench := range []struct {
		name   string
		lines  bool
		stages []flow.Stage
	}{
		{"drain", false, []flow.Stage{Head(HeadOptions{1})}},
		{"sort and head, fused", false, []flow.Stage{long, pick, SortHead(SortHeadOptions{Key: key, N: 10})}},
		{"sort and head", false, []flow.Stage{long, pick, Sort(SortOptions{Key: key}), Head(HeadOptions{10})}},
		{"group", false, []flow.Stage{GroupBy(GroupByOptions{Path{"from"}}), Head(HeadOptions{1})}},
		{"dedupe", false, []flow.Stage{Dedupe(DedupeOptions{key}), Head(HeadOptions{1})}},
		{"json", false, []flow.Stage{JSON()}},
		{"lines", true, []flow.Stage{Dedupe(DedupeOptions{Path{"length"}})}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			file := benchFile(b, bench.lines)
			info, err := os.Stat(file)
			if err != nil {
				b.Fatal(err)
			}
			read := Exec(ExecOptions{JSON: !bench.lines, Words: []string{"cat", file}})
			env := &flow.Env{Ctx: b.Context(), Environ: os.Environ(), Stdout: io.Discard}
			b.SetBytes(info.Size())
			b.ReportAllocs()
			for b.Loop() {
				if _, err := flow.Run(env, append([]flow.Stage{read}, bench.stages...), 0, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
