//go:build unix

package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// foreign makes cmd run under another umask and, in thorough runs by root, as another user with a home of its own and an empty
// toolchain cache in it.
func foreign(t *testing.T, cmd *exec.Cmd, dir string) {
	t.Helper()
	inner := append([]string{"-c", `umask 077; exec "$0" "$@"`}, cmd.Args...)
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	cmd.Path, cmd.Args = shell, append([]string{"sh"}, inner...)
	if !thorough || os.Getuid() != 0 {
		t.Log("the same user builds twice: another one takes root and LOBSTERC_CHECK")
		return
	}
	const uid = 54321
	self, err := os.ReadFile(inner[2])
	if err != nil {
		t.Fatal(err)
	}
	// The test binary lies where only its owner can look.
	copied := filepath.Join(dir, "lobsterc")
	if err := os.WriteFile(copied, self, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd.Args[3] = copied
	cmd.Env = append(cmd.Env, "HOME="+dir, "GOCACHE=", "XDG_CACHE_HOME=", "TMPDIR="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	err = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err == nil {
			err = os.Chown(path, uid, uid)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	// All folders above must let it through; the test's own are made for the owner alone.
	for up := filepath.Dir(dir); up != os.TempDir() && len(up) > 1; up = filepath.Dir(up) {
		if err := os.Chmod(up, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}
