package gobuild

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/version"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// minGo is the oldest Go version that can build the runtime.
const minGo = "go1.26"

// installHint ends the messages about a missing toolchain.
const installHint = "install Go 1.26 or newer from https://go.dev/dl and put its bin folder on PATH"

// Toolchain is an installed Go toolchain. It is used as it is: none is ever downloaded.
type Toolchain struct {
	Go      string // the go command
	Root    string // GOROOT
	Version string // such as go1.26.8
}

// FindToolchain finds the Go toolchain by GOROOT or on PATH, without running it when its VERSION file tells enough. Errors say
// what to do.
func FindToolchain(ctx context.Context) (*Toolchain, error) {
	name := "go"
	if runtime.GOOS == "windows" {
		name = "go.exe"
	}
	if root := os.Getenv("GOROOT"); root != "" {
		path := filepath.Join(root, "bin", name)
		if info, err := os.Stat(path); err != nil || info.IsDir() {
			return nil, fmt.Errorf("GOROOT is %s, but there is no Go toolchain in it: unset GOROOT, or %s", root, installHint)
		}
		return inspect(ctx, path)
	}
	path, err := exec.LookPath("go")
	if err != nil {
		return nil, fmt.Errorf("no Go toolchain found: building a program needs one; %s", installHint)
	}
	return inspect(ctx, path)
}

// inspect learns root and version of the go command at path.
func inspect(ctx context.Context, path string) (*Toolchain, error) {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	tc := &Toolchain{Go: path}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		root := filepath.Dir(filepath.Dir(real))
		if v := versionFile(root); v != "" {
			tc.Root, tc.Version = root, v
		}
	}
	if tc.Version == "" {
		if err := tc.ask(ctx); err != nil {
			return nil, err
		}
	}
	if !newEnough(tc.Version) {
		return nil, fmt.Errorf("the Go toolchain at %s is %s, which is too old: %s", path, tc.Version, installHint)
	}
	return tc, nil
}

// versionFile reads the version of the toolchain in root; "" when there is no such file or it is not a full toolchain.
func versionFile(root string) string {
	data, err := os.ReadFile(filepath.Join(root, "VERSION"))
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(data), "\n")
	line = strings.TrimSpace(line)
	if _, err := os.Stat(filepath.Join(root, "pkg", "tool")); err != nil || !version.IsValid(line) {
		return ""
	}
	return line
}

// ask runs the go command for its root and version.
func (tc *Toolchain) ask(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, tc.Go, "env", "GOROOT", "GOVERSION")
	cmd.Env = goEnv(Target{runtime.GOOS, runtime.GOARCH}, "")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err == nil && (len(lines) != 2 || lines[1] == "") {
		err = errors.New("`go env GOROOT GOVERSION` gave " + fmt.Sprintf("%q", out))
	}
	if err != nil {
		if text := strings.TrimSpace(stderr.String()); text != "" {
			err = fmt.Errorf("%w: %s", err, text)
		}
		return fmt.Errorf("the Go toolchain at %s does not work (%w): %s", tc.Go, err, installHint)
	}
	tc.Root, tc.Version = strings.TrimSpace(lines[0]), strings.TrimSpace(lines[1])
	return nil
}

// newEnough tells whether a version such as go1.26.8, go1.27-custom or "devel go1.27-abc" suffices.
func newEnough(v string) bool {
	for _, word := range strings.Fields(v) {
		if !strings.HasPrefix(word, "go") {
			continue
		}
		word, _, _ = strings.Cut(word, "-")
		return version.IsValid(word) && version.Compare(version.Lang(word), minGo) >= 0
	}
	return false
}
