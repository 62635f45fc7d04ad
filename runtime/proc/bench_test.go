//go:build unix

package proc

import (
	"bytes"
	"os"
	"os/exec"
	"testing"
)

// BenchmarkRun is to be compared with BenchmarkExec, the same through os/exec.
func BenchmarkRun(b *testing.B) {
	env := os.Environ()
	for b.Loop() {
		if _, err := Run(b.Context(), Spec{Argv: []string{"/bin/sh", "-c", "true"}, Env: env}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkExec(b *testing.B) {
	for b.Loop() {
		cmd := exec.Command("/bin/sh", "-c", "true")
		var out, errs bytes.Buffer
		cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(nil), &out, &errs
		if err := cmd.Run(); err != nil {
			b.Fatal(err)
		}
	}
}
