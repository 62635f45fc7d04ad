//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// TestContainers runs the workflows of docs/containers.md in root folders that hold what the images there do.
func TestContainers(t *testing.T) {
	dir := t.TempDir()
	fence := regexp.MustCompile("(?ms)^```yaml (\\S+)\n(.*?)^```$")
	for _, m := range fence.FindAllStringSubmatch(string(read(t, "../../docs/containers.md")), -1) {
		write(t, filepath.Join(dir, m[1]), m[2])
	}
	for _, name := range []string{"changes", "hello"} {
		root := filepath.Join(dir, "root-"+name)
		if err := os.MkdirAll(filepath.Join(root, "state"), 0o700); err != nil {
			t.Fatal(err)
		}
		run(t, lobsterc(t, dir, "build", name+".lobster", "-o", filepath.Join(root, name)))
	}
	if os.Getuid() != 0 {
		t.Log("only root can chroot: the programs were built but not run")
		return
	}
	scratch := filepath.Join(dir, "root-changes")
	for _, want := range []string{`"changed": true`, `"changed": false`} {
		if out := contained(t, scratch, "changes"); !strings.Contains(out, want) {
			t.Errorf("FROM scratch: no %s in\n%s", want, out)
		}
	}
	shell := filepath.Join(dir, "root-hello")
	if !withShell(t, shell) {
		t.Log("no shell that could be copied: its program was built but not run")
		return
	}
	if out := contained(t, shell, "hello"); !strings.Contains(out, "hello from /") {
		t.Errorf("with a shell: %s", out)
	}
}

// contained runs a program with root as its root folder, as the user nobody and with an empty environment but for the state's.
func contained(t *testing.T, root, name string) string {
	t.Helper()
	const nobody = 65534
	for _, path := range []string{root, filepath.Join(root, name)} {
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chown(filepath.Join(root, "state"), nobody, nobody); err != nil {
		t.Fatal(err)
	}
	cmd := &exec.Cmd{Path: "/" + name, Args: []string{name}, Dir: "/", Env: []string{"LOBSTER_STATE_DIR=/state"}}
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	return run(t, cmd)
}

// withShell puts /bin/sh and the libraries that it needs into root.
func withShell(t *testing.T, root string) bool {
	t.Helper()
	out, err := exec.Command("ldd", "/bin/sh").CombinedOutput()
	if err != nil && !strings.Contains(string(out), "not a dynamic executable") {
		return false
	}
	files := append([]string{"/bin/sh"}, regexp.MustCompile(`/\S+`).FindAllString(string(out), -1)...)
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return false
		}
		path := filepath.Join(root, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return true
}
