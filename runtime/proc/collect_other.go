//go:build !linux

package proc

import "os"

const collectsItself = false

// collect reads stdout and stderr to their ends.
func (p *Process) collect(out *capture, stderr *os.File) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.errs.readAll(stderr)
	}()
	out.readAll(p.out)
	<-done
}

// waker makes collect return; here that is the business of deadlines.
type waker struct{}

func (*waker) open()      {}
func (*waker) ring()      {}
func (*waker) close(bool) {}
