//go:build unix

package main

func init() { register("state", stateWrites) }

// durableWrites is the least that 1,000 durable writes take: each a temporary file, its fsync, a rename, and the folder's fsync.
const durableWrites = `package main

import (
	"os"
	"strings"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	dir := os.Getenv("HOME") + "/floor"
	must(os.MkdirAll(dir, 0o700))
	d, err := os.Open(dir)
	must(err)
	for range 1000 {
		f, err := os.OpenFile(dir+"/k.tmp", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		must(err)
		_, err = f.WriteString(strings.Repeat("x", 40) + "\n")
		must(err)
		must(f.Sync())
		must(f.Close())
		must(os.Rename(dir+"/k.tmp", dir+"/k.json"))
		must(d.Sync())
	}
}
`

// stateWrites compares 1,000 state.set with that floor.
func stateWrites(b *bench) ([]result, error) {
	ours, err := b.workflow(`
steps:
  - id: list
    run: seq 1000 | paste -sd, - | sed 's/.*/[&]/'
  - id: each
    for_each: $list.json
    steps: [{id: keep, pipeline: state.set k, stdin: $item.json}]
`)
	if err != nil {
		return nil, err
	}
	theirs, err := b.goProgram(durableWrites)
	if err != nil {
		return nil, err
	}
	us, them, err := b.compare(1, ours, theirs)
	return []result{ratio("1,000 state.set", us, them, 1.3)}, err
}
