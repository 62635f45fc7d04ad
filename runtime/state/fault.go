package state

import (
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// Tests make this process die, or its writes fail, at a point of their choice: LOBSTERC_CRASH_AT=N kills it at its N-th write point, and
// LOBSTERC_FAIL_AT=N makes the N-th write fail as on a full disk (N+: all from there on). A write point stands before each change
// of a state file or journal, and a second one in the middle of each write of data. Unset, this costs one comparison.
var (
	faultAt   = faultFrom("LOBSTERC_CRASH_AT", 1) + faultFrom("LOBSTERC_FAIL_AT", -1)
	faultSeen atomic.Int64
	faultOn   bool // all writes from there on fail
)

// faultFrom gives a variable's number times sign; 0 is off.
func faultFrom(name string, sign int) int {
	text, stays := strings.CutSuffix(os.Getenv(name), "+")
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0
	}
	faultOn = faultOn || stays
	return sign * n
}

// point is a write point: the error is what the write fails with.
//
//go:noinline
func point() error {
	if faultAt == 0 {
		return nil
	}
	return faulty(nil)
}

// removing is a write point of a change that needs no room on the disk, so it does not fail there.
func removing() {
	if faultAt > 0 {
		faulty(nil)
	}
}

// faulty counts a write point and does what it is for; torn is done first.
func faulty(torn func()) error {
	n := int(faultSeen.Add(1))
	if n != max(faultAt, -faultAt) && !(faultOn && n > -faultAt) {
		return nil
	}
	if torn != nil {
		torn()
	}
	if faultAt < 0 {
		return syscall.ENOSPC
	}
	if p, err := os.FindProcess(os.Getpid()); err == nil {
		p.Kill()
	}
	time.Sleep(time.Hour) // the signal is on its way
	return nil
}

// write writes data to a file; it can be cut off in the middle.
func write(f *os.File, data []byte) (n int, err error) {
	if faultAt != 0 {
		if err := faulty(nil); err != nil {
			return 0, err
		}
		if err := faulty(func() { n, _ = f.Write(data[:len(data)/2]) }); err != nil {
			return n, err
		}
	}
	return f.Write(data)
}
