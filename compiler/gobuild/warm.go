package gobuild

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// Warm compiles all that programs for a target can need into the toolchain's cache, so that the first real build is fast; serving:
// also what programs need that serve MCP.
func (b *Builder) Warm(ctx context.Context, t Target, serving bool) error {
	rt, err := loadRuntime()
	if err != nil {
		return err
	}
	if _, _, err := b.goBuild(ctx, rt, Source{Main: warmMain(rt.graph(t), serving)}, t); err != nil {
		return err
	}
	b.markWarm(t)
	return nil
}

// warmMain imports every package of the runtime, those of servers only when asked.
func warmMain(g graph, serving bool) []byte {
	var b bytes.Buffer
	b.WriteString("package main\n\nimport (\n")
	for _, dir := range slices.Sorted(maps.Keys(g)) {
		if dir != servingPackage || serving {
			fmt.Fprintf(&b, "\t_ %q\n", modulePath+"/"+dir)
		}
	}
	b.WriteString(")\n\nfunc main() {}\n")
	return b.Bytes()
}

// warmName identifies what warming depends on.
func warmName(tc *Toolchain, t Target) string {
	sum := sha256.Sum256([]byte(tc.Root + "\n" + tc.Version + "\n" + t.String() + "\n" + os.Getenv("GOCACHE")))
	return hex.EncodeToString(sum[:16])
}

func (b *Builder) markWarm(t Target) {
	// A mark that cannot be written costs a message at the next build.
	_ = b.Cache.put("warm", warmName(b.Toolchain, t), 0o600)
}

// Warmed tells whether anything was ever built for t with this toolchain.
func (b *Builder) Warmed(t Target) bool {
	_, err := os.Stat(filepath.Join(b.Cache.Dir, "warm", warmName(b.Toolchain, t)))
	return err == nil
}
