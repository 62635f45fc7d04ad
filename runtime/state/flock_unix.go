//go:build unix

package state

import (
	"os"
	"syscall"
)

const cannotSyncDirs = false

// tryFlock takes the advisory lock of an open file or directory, if nobody has it. It ends with the file.
func tryFlock(f *os.File) bool { return flock(f, syscall.LOCK_EX) }

// tryFlockShared takes the lock together with others who only look.
func tryFlockShared(f *os.File) bool { return flock(f, syscall.LOCK_SH) }

func flock(f *os.File, how int) bool {
	for {
		err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
		if err != syscall.EINTR {
			return err == nil
		}
	}
}

// flockDir takes the advisory lock of a directory, if nobody has it.
func flockDir(dir string) (release func() error, ok bool) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, false
	}
	if !tryFlock(d) {
		d.Close()
		return nil, false
	}
	return d.Close, true
}
