//go:build unix

package state

import (
	"io/fs"
	"os"
	"syscall"
)

// openFile is os.OpenFile for regular files and directories, without its five system calls to find out that they cannot wait in
// the poller.
func openFile(path string, flags int, perm uint32) (*os.File, error) {
	for {
		fd, err := syscall.Open(path, flags|syscall.O_CLOEXEC, perm)
		switch err {
		case nil:
			return os.NewFile(uintptr(fd), path), nil
		case syscall.EINTR:
		default:
			return nil, &fs.PathError{Op: "open", Path: path, Err: err}
		}
	}
}
