package gobuild

import (
	"os"

	"golang.org/x/sys/windows"
)

// flock waits for the lock of f, which ends with the process.
func flock(f *os.File) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, &windows.Overlapped{})
}
