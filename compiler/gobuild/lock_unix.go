//go:build unix

package gobuild

import (
	"os"
	"syscall"
)

// flock waits for the lock of f, which ends with the process.
func flock(f *os.File) error {
	for {
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != syscall.EINTR {
			return err
		}
	}
}
