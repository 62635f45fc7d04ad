package proc

import (
	"os"
	"syscall"
)

const (
	setPipeSize = 1031 // F_SETPIPE_SZ
	pipeSize    = 1 << 20
)

// pipe gives the two ends of a pipe; ours is the reading one unless write is set. With wait, reads and writes at our end wait in the
// poller. os.Pipe puts both ends there, and the child's end has to be taken out again: a dozen system calls for each process.
func pipe(write, wait bool) (ours, childs *os.File, err error) {
	var fds [2]int
	if err := syscall.Pipe2(fds[:], syscall.O_CLOEXEC); err != nil {
		return nil, nil, os.NewSyscallError("pipe2", err)
	}
	a, b := fds[0], fds[1]
	if write {
		a, b = b, a
	}
	if wait {
		syscall.SetNonblock(a, true)
		// A stream of megabytes changes hands less often through a large pipe. Where the limit is lower it stays as it is.
		syscall.Syscall(syscall.SYS_FCNTL, uintptr(a), setPipeSize, pipeSize)
	}
	return os.NewFile(uintptr(a), "|"), os.NewFile(uintptr(b), "|"), nil
}
