package state

import (
	"os"
	"syscall"
	"unsafe"
)

// cannotSyncDirs: Windows has no sync for directories; its file systems journal renames.
const cannotSyncDirs = true

var lockFileEx = syscall.NewLazyDLL("kernel32.dll").NewProc("LockFileEx")

// tryFlock takes the lock of an open file, if nobody has it. It ends with the file.
func tryFlock(f *os.File) bool { return lockFile(f, 2) } // LOCKFILE_EXCLUSIVE_LOCK

// tryFlockShared takes the lock together with others who only look.
func tryFlockShared(f *os.File) bool { return lockFile(f, 0) }

func lockFile(f *os.File, how uintptr) bool {
	const failImmediately = 1
	var over syscall.Overlapped
	// A byte far beyond the end is locked, so that the file can still be read.
	over.OffsetHigh = 0x7fffffff
	ok, _, _ := lockFileEx.Call(f.Fd(), how|failImmediately, 0, 1, 0, uintptr(unsafe.Pointer(&over)))
	return ok != 0
}

// flockDir does nothing: directories cannot be locked here, and an open one cannot be renamed. The directory .reclaiming
// alone must do.
func flockDir(string) (release func() error, ok bool) {
	return func() error { return nil }, true
}
