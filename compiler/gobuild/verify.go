package gobuild

import (
	"bytes"
	"fmt"
	"slices"
)

// Differences says in what two programs differ, in words for people: what their provenance tells, and where their bytes
// part. It gives nothing for equal programs.
func Differences(have, want []byte) []string {
	if bytes.Equal(have, want) {
		return nil
	}
	var out []string
	differ := func(what, a, b string) {
		if a != b {
			out = append(out, fmt.Sprintf("%s: %s here, %s in the rebuilt program", what, orNone(a), orNone(b)))
		}
	}
	a, aIR, aErr := provenanceOf(have)
	b, bIR, bErr := provenanceOf(want)
	if aErr != nil || bErr != nil {
		return append(out, fmt.Sprintf("provenance: %v here, %v in the rebuilt program", aErr, bErr))
	}
	differ("lobsterc version", a.Lobsterc, b.Lobsterc)
	differ("Go version", a.Go, b.Go)
	differ("target", a.Target, b.Target)
	differ("runtime", a.Runtime, b.Runtime)
	differ("IR hash", a.IR, b.IR)
	if !bytes.Equal(aIR, bIR) && a.IR == b.IR {
		out = append(out, "IR: the embedded text differs although the hash is the same")
	}
	differ("build flags", fmt.Sprint(a.Flags), fmt.Sprint(b.Flags))
	out = append(out, sourceDifferences("source", a.Sources, b.Sources)...)
	out = append(out, sourceDifferences("stages of", a.Stages, b.Stages)...)
	if len(have) != len(want) {
		return append(out, fmt.Sprintf("size: %d bytes here, %d in the rebuilt program", len(have), len(want)))
	}
	at := 0
	for have[at] == want[at] {
		at++
	}
	return append(out, fmt.Sprintf("bytes: the first difference is at offset %d", at))
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

func sourceDifferences(what string, a, b []SourceFile) []string {
	var out []string
	find := func(list []SourceFile, name string) string {
		i := slices.IndexFunc(list, func(f SourceFile) bool { return f.Name == name })
		if i < 0 {
			return ""
		}
		return "sha256:" + list[i].SHA256
	}
	for _, f := range a {
		if sum := find(b, f.Name); sum != "sha256:"+f.SHA256 {
			out = append(out, fmt.Sprintf("%s %s: sha256:%s here, %s in the rebuilt program", what, f.Name, f.SHA256, orNone(sum)))
		}
	}
	for _, f := range b {
		if find(a, f.Name) == "" {
			out = append(out, fmt.Sprintf("%s %s: none here, sha256:%s in the rebuilt program", what, f.Name, f.SHA256))
		}
	}
	return out
}
