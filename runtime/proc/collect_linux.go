package proc

import (
	"os"
	"sync/atomic"
	"syscall"
	"unsafe"
)

// collectsItself: collect reads with system calls of its own, so the pipes stay out of the Go runtime's poller.
const collectsItself = true

// collect reads stdout and stderr to their ends. The caller's thread waits for both at once, where goroutines would need the poller's
// thread and each other: half of the switches between threads that a short command costs.
func (p *Process) collect(out *capture, stderr *os.File) {
	type pollFd struct {
		fd              int32
		events, revents int16
	}
	const readable = 1 // POLLIN
	fds := [3]pollFd{{fd: int32(p.out.Fd()), events: readable}, {fd: int32(stderr.Fd()), events: readable}, {fd: p.wake.fd(), events: readable}}
	captures := [2]*capture{out, &p.errs}
	for open := 2; open > 0; {
		_, _, errno := syscall.Syscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&fds)), uintptr(len(fds)), 0, 0, 0, 0)
		switch {
		case errno == syscall.EINTR:
			continue
		case errno != 0 || fds[2].revents != 0:
			return
		}
		for i, c := range captures {
			if fds[i].revents == 0 {
				continue
			}
			n, err := syscall.Read(int(fds[i].fd), c.room())
			if err == syscall.EINTR {
				continue
			}
			if n <= 0 {
				fds[i].fd = -1 // poll passes over it
				open--
			}
			c.add(n)
		}
	}
}

// waker makes collect return: an event descriptor; 0 = none, otherwise one more than its number. One that has not rung serves the
// next process too.
type waker int32

// spare is a waker that nobody uses.
var spare atomic.Int32

func (w *waker) open() {
	if *w = waker(spare.Swap(0)); *w != 0 {
		return
	}
	if fd, _, errno := syscall.RawSyscall(syscall.SYS_EVENTFD2, 0, syscall.O_CLOEXEC, 0); errno == 0 {
		*w = waker(fd) + 1
	}
}

// fd is the number, -1 when there is none.
func (w *waker) fd() int32 { return int32(*w) - 1 }

func (w *waker) ring() {
	if *w != 0 {
		one := uint64(1)
		syscall.Syscall(syscall.SYS_WRITE, uintptr(w.fd()), uintptr(unsafe.Pointer(&one)), 8)
	}
}

// close lets go of it; rung tells that it may have rung.
func (w *waker) close(rung bool) {
	if *w != 0 && (rung || !spare.CompareAndSwap(0, int32(*w))) {
		syscall.Close(int(w.fd()))
	}
	*w = 0
}
