package proc

import (
	"os"
	"syscall"
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
	}
	return os.NewFile(uintptr(a), "|"), os.NewFile(uintptr(b), "|"), nil
}
