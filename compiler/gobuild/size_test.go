package gobuild

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestSizes builds for every kind of executable.
func TestSizes(t *testing.T) {
	b := newBuilder(t)
	targets := []Target{Host(), {"windows", "amd64"}}
	if os.Getenv("LOBSTERC_CHECK") != "" { // each further one needs the standard library compiled
		targets = append(targets, Target{"darwin", "arm64"})
	}
	for _, target := range targets {
		t.Run(target.String(), func(t *testing.T) {
			res := mustBuild(t, b, testMain(t.Name()), target)
			r, err := Sizes(res.Data)
			if err != nil {
				t.Fatal(err)
			}
			var code int64
			names := map[string]bool{}
			for _, s := range r.Code {
				code += s.Bytes
				names[s.Name] = true
			}
			if code < 200_000 || code > r.Total || !names["runtime"] || !names[modulePath+"/runtime/value"] || !names["main"] {
				t.Errorf("code %d of %d in %d packages", code, r.Total, len(names))
			}
			var out bytes.Buffer
			if err := r.Print(&out, 10); err != nil || !strings.Contains(out.String(), "code by package") {
				t.Errorf("%v\n%s", err, out.String())
			}
		})
	}
}

func TestPackageOf(t *testing.T) {
	for name, want := range map[string]string{
		"main.main": "main", "os/exec.(*Cmd).Run": "os/exec", "example.com/a.b/c.F": "example.com/a.b/c", "slices.pdq[go.shape.string/x.y]": "slices",
		"type:.eq.main.T": "(type equality and hashing)", "memeqbody": "runtime", "internal/runtime/maps.(*Iter).Next": "internal/runtime/maps",
	} {
		if got := packageOf(name); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}
