package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/lobsterc/lobsterc/cmd/cli"
)

// The test binary is lobsterc itself when this variable is set, so that tests run real processes.
const asLobsterc = "LOBSTERC_TEST_AS_MAIN"

// thorough tells whether the expensive variants run: .ci/check sets LOBSTERC_CHECK.
var thorough = os.Getenv("LOBSTERC_CHECK") != ""

func TestMain(m *testing.M) {
	if os.Getenv(asLobsterc) != "" {
		os.Exit(cli.Main())
	}
	os.Exit(m.Run())
}

// lobsterc is a command that runs lobsterc with a cache in dir. The toolchain's cache is shared, unless env says otherwise.
func lobsterc(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), asLobsterc+"=1", "LOBSTERC_CACHE_DIR="+filepath.Join(dir, "cache"), "LOBSTER_STATE_DIR="+filepath.Join(dir, "state"))
	return cmd
}

func run(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %v\n%s%s", cmd.Args[1:], err, &out, &errs)
	}
	return out.String()
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func workflow(word string) string {
	return "steps:\n  - id: say\n    run: echo '" + word + "'\n"
}

// TestManyBuilds has 20 processes build 5 workflows at once, with nothing in the cache.
func TestManyBuilds(t *testing.T) {
	dir := t.TempDir()
	for i := range 5 {
		write(t, filepath.Join(dir, fmt.Sprintf("w%d.lobster", i)), workflow(fmt.Sprint("word ", i)))
	}
	var wg sync.WaitGroup
	for n := range 20 {
		wg.Go(func() {
			bin := filepath.Join(dir, fmt.Sprint("out", n))
			if out, err := lobsterc(t, dir, "build", fmt.Sprintf("w%d.lobster", n%5), "-o", bin).CombinedOutput(); err != nil {
				t.Errorf("build %d: %v\n%s", n, err, out)
				return
			}
			cmd := exec.Command(bin)
			cmd.Env = append(os.Environ(), "LOBSTER_STATE_DIR="+filepath.Join(dir, "state"))
			if out, err := cmd.Output(); err != nil || !strings.Contains(string(out), fmt.Sprintf("word %d\\n", n%5)) {
				t.Errorf("program %d: %q, %v", n, out, err)
			}
		})
	}
	wg.Wait()
	for n := range 20 {
		if !bytes.Equal(read(t, filepath.Join(dir, fmt.Sprint("out", n))), read(t, filepath.Join(dir, fmt.Sprint("out", n%5)))) {
			t.Errorf("builds %d and %d of one workflow differ", n, n%5)
		}
	}
	if left, _ := os.ReadDir(filepath.Join(dir, "cache", "tmp")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestEqualBytes builds one workflow in two checkouts that have nothing in common but the content.
func TestEqualBytes(t *testing.T) {
	one, two := t.TempDir(), filepath.Join(t.TempDir(), "elsewhere", "with a space")
	for _, dir := range []string{one, two} {
		write(t, filepath.Join(dir, "w.lobster"), workflow("equal")+"  - id: sub\n    workflow: sub/child.lobster\n")
		write(t, filepath.Join(dir, "sub", "child.lobster"), workflow("child"))
	}
	run(t, lobsterc(t, one, "build", "w.lobster", "-o", "w"))
	cmd := lobsterc(t, two, "build", filepath.Join(two, "w.lobster"), "-o", "w")
	cmd.Env = append(cmd.Env, "LANG=tr_TR.UTF-8", "LC_ALL=tr_TR.UTF-8", "TZ=Pacific/Kiritimati", "GOFLAGS=-race", "GOAMD64=v3", "CGO_ENABLED=1")
	foreign(t, cmd, two)
	run(t, cmd)
	if !bytes.Equal(read(t, filepath.Join(one, "w")), read(t, filepath.Join(two, "w"))) {
		t.Errorf("two builds of one workflow differ:\n%s", run(t, lobsterc(t, one, "verify", filepath.Join(two, "w"))))
	}
}

// TestVerify has verify find out what is different about a program.
func TestVerify(t *testing.T) {
	dir := t.TempDir()
	source := filepath.Join(dir, "w.lobster")
	write(t, source, workflow("one"))
	run(t, lobsterc(t, dir, "build", "w.lobster", "-o", "w"))
	if out := run(t, lobsterc(t, dir, "verify", "w", "w.lobster")); !strings.Contains(out, "bit for bit") {
		t.Errorf("unchanged: %s", out)
	}
	program := read(t, filepath.Join(dir, "w"))
	tests := []struct {
		name   string
		change func()
		want   []string
	}{
		{"comment", func() { write(t, source, "# a comment\n"+workflow("one")) }, []string{"source w.lobster: sha256:", "bytes: the first difference"}},
		{"meaning", func() { write(t, source, workflow("two")) }, []string{"IR hash: sha256:", "source w.lobster"}},
		{"tampered", func() {
			write(t, source, workflow("one"))
			at := len(program) / 2
			changed := bytes.Clone(program)
			changed[at] ^= 1
			write(t, filepath.Join(dir, "w"), string(changed))
		}, []string{fmt.Sprintf("bytes: the first difference is at offset %d", len(program)/2)}},
		{"no program", func() { write(t, filepath.Join(dir, "w"), "#!/bin/sh\n") }, []string{"not a program built by lobsterc"}},
	}
	for _, tt := range tests {
		tt.change()
		out, err := lobsterc(t, dir, "verify", "w", "w.lobster").CombinedOutput()
		if err == nil {
			t.Errorf("%s: found equal", tt.name)
		}
		for _, want := range tt.want {
			if !strings.Contains(string(out), want) {
				t.Errorf("%s: no %q in\n%s", tt.name, want, out)
			}
		}
	}
}

// TestTargets builds for every platform; without LOBSTERC_CHECK for two of them, since each needs the standard library compiled.
func TestTargets(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "w.lobster"), workflow("hello")+"  - id: pick\n    pipeline: \"exec --json 'echo [1]' | head --n 1\"\n")
	// The first bytes of the executable, and those that name its machine.
	targets := []struct {
		target, magic string
		at            int
		machine       string
	}{
		{"linux/amd64", "\x7fELF", 18, "\x3e\x00"},
		{"windows/amd64", "MZ", 0, ""},
		{"linux/arm64", "\x7fELF", 18, "\xb7\x00"},
		{"windows/arm64", "MZ", 0, ""},
		{"darwin/amd64", "\xcf\xfa\xed\xfe", 4, "\x07\x00\x00\x01"},
		{"darwin/arm64", "\xcf\xfa\xed\xfe", 4, "\x0c\x00\x00\x01"},
	}
	if !thorough {
		targets = targets[:2]
	}
	args := []string{"build", "w.lobster", "-o", "out", "-q"}
	for _, tt := range targets {
		args = append(args, "--target", tt.target)
	}
	run(t, lobsterc(t, dir, args...))
	for _, tt := range targets {
		name := filepath.Join(dir, "out", "w_"+strings.ReplaceAll(tt.target, "/", "_"))
		if strings.HasPrefix(tt.target, "windows") {
			name += ".exe"
		}
		data := read(t, name)
		if !bytes.HasPrefix(data, []byte(tt.magic)) || !bytes.HasPrefix(data[tt.at:], []byte(tt.machine)) {
			t.Errorf("%s: starts with %q", tt.target, data[:32])
		}
		if tt.target == "linux/arm64" {
			emulate(t, name)
		}
	}
}

// emulate runs a linux/arm64 program where there is an emulator for it.
func emulate(t *testing.T, program string) {
	for _, name := range []string{"qemu-aarch64-static", "qemu-aarch64"} {
		if path, err := exec.LookPath(name); err == nil {
			cmd := exec.Command(path, program)
			cmd.Env = append(os.Environ(), "LOBSTER_STATE_DIR="+t.TempDir())
			if out, err := cmd.CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != "[\n  1\n]" {
				t.Errorf("under %s: %v\n%s", name, err, out)
			}
			return
		}
	}
	t.Log("no qemu-aarch64 here: the linux/arm64 program was built but not run")
}
