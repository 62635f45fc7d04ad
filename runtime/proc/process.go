package proc

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/lobsterc/lobsterc/runtime/crash"
)

// Process is a running child process.
type Process struct {
	// PID is the number of the process and of its group; StartedAt its start time, see StartTime.
	PID       int
	StartedAt string

	sys  child // what the operating system knows of it
	out  *os.File
	in   *os.File
	errs capture
	max  int64

	collected  bool // Run has read stdout and stderr to their ends
	wake       waker
	stderrDone chan struct{}
	stdinDone  chan struct{}
	unwatch    func() bool

	waitOnce sync.Once
	result   Result
	err      error

	mu     sync.Mutex
	reaped bool
	cause  error // why it was ended from here; nil = it was not
	killed bool
	timer  *time.Timer
	outs   int64 // bytes read from stdout; only its reader touches it
}

// running holds all processes that are not reaped yet, for KillAll.
var running struct {
	sync.Mutex
	set map[*Process]struct{}
}

// KillAll ends all running processes at once; those that are not being ended already get cause as their error. It is for a
// second interrupt.
func KillAll(cause error) {
	running.Lock()
	all := make([]*Process, 0, len(running.set))
	for p := range running.set {
		all = append(all, p)
	}
	running.Unlock()
	for _, p := range all {
		p.end(cause, true)
	}
}

// Start starts a process. The caller reads Stdout, as fast as it likes, and must call Wait.
func Start(ctx context.Context, spec Spec) (*Process, error) {
	return start(ctx, &spec, nil)
}

// start starts a process. With out, it is here that stdout and stderr are read to their ends.
func start(ctx context.Context, spec *Spec, out *capture) (*Process, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	p := &Process{max: spec.MaxOutput}
	if out != nil {
		out.p, p.collected = p, true
	}
	p.errs.p, p.errs.tee = p, spec.Stderr
	stderr, err := p.launch(spec)
	if err != nil {
		return nil, err
	}
	p.StartedAt = StartTime(p.PID)
	running.Lock()
	if running.set == nil {
		running.set = map[*Process]struct{}{}
	}
	running.set[p] = struct{}{}
	running.Unlock()

	if spec.Started != nil {
		if err := spec.Started(p.PID, p.StartedAt); err != nil {
			p.end(err, true)
		}
	}
	if out == nil {
		p.stderrDone = make(chan struct{})
		go func() {
			defer close(p.stderrDone)
			p.errs.readAll(stderr)
			stderr.Close()
		}()
	}
	p.feed(spec)
	p.unwatch = context.AfterFunc(ctx, func() {
		cause := context.Cause(ctx)
		p.end(cause, atOnce(cause))
	})
	if out != nil {
		p.collect(out, stderr)
		stderr.Close()
	}
	if p.ended() != nil {
		_, err := p.Wait()
		return nil, err
	}
	return p, nil
}

// launch makes the pipes and starts the child. It gives the end of stderr to read from.
func (p *Process) launch(spec *Spec) (stderr *os.File, err error) {
	var ours, childs [3]*os.File // of stdin, stdout, stderr
	wait := !p.collected || !collectsItself
	if spec.empty() {
		childs[0], err = noInput()
	} else {
		ours[0], childs[0], err = pipe(true, !spec.small())
	}
	for i := 1; err == nil && i < len(ours); i++ {
		ours[i], childs[i], err = pipe(false, wait)
	}
	if err == nil {
		if p.collected {
			p.wake.open()
		}
		if ours[0] != nil && spec.small() {
			ours[0].Write(spec.Stdin)
			ours[0].Close()
		}
		err = p.sys.start(spec, childs[0], childs[1], childs[2])
	}
	if spec.empty() {
		childs[0] = nil // it is for all
	}
	closeAll(childs[:])
	if err != nil {
		closeAll(ours[:])
		p.wake.close(false)
		return nil, err
	}
	p.PID = p.sys.pid
	p.in, p.out = ours[0], ours[1]
	return ours[2], nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}

// noInput is a pipe at its end, which all processes without input share.
var noInput = sync.OnceValues(func() (*os.File, error) {
	w, r, err := pipe(true, false)
	if err == nil {
		w.Close()
	}
	return r, err
})

func (s *Spec) empty() bool { return s.StdinFrom == nil && len(s.Stdin) == 0 }

// small tells that the input fits into an empty pipe, so that it can be written before there is anybody to read it. (The buffer of a
// pipe of Windows is too small for any promise.)
func (s *Spec) small() bool {
	return s.empty() || s.StdinFrom == nil && len(s.Stdin) <= 4096 && runtime.GOOS != "windows"
}

// feed gives the child its input.
func (p *Process) feed(spec *Spec) {
	if spec.small() {
		return
	}
	p.stdinDone = make(chan struct{})
	go func() {
		defer close(p.stdinDone)
		defer p.in.Close()
		defer crash.Guard()
		if spec.StdinFrom == nil {
			p.in.Write(spec.Stdin)
			return
		}
		if err := spec.StdinFrom(p.in); err != nil && !brokenPipe(err) && !errors.Is(err, os.ErrClosed) {
			p.end(err, true)
		}
	}()
}

// Stdout is what the child prints, as raw bytes. A reader that is slow makes the child wait. A read fails with *OutputError
// when the limit is passed; Wait reports it too.
func (p *Process) Stdout() io.Reader { return stdoutReader{p} }

type stdoutReader struct{ p *Process }

func (r stdoutReader) Read(buf []byte) (int, error) {
	n, err := r.p.out.Read(buf)
	r.p.outs += int64(n)
	if r.p.max > 0 && r.p.outs > r.p.max {
		over := &OutputError{r.p.max}
		r.p.end(over, true)
		return 0, over
	}
	if err != nil && err != io.EOF {
		if cause := r.p.ended(); cause != nil {
			return n, cause
		}
		err = io.EOF // the reading end was closed by Wait
	}
	return n, err
}

// Wait reads what is left of stdout and throws it away, waits for the end of the process, ends what is left of its group, and says how it
// ended. The error is the cause when the process was ended from here. It may be called more than once.
func (p *Process) Wait() (Result, error) {
	p.waitOnce.Do(p.wait)
	return p.result, p.err
}

func (p *Process) wait() {
	if !p.collected {
		scrap := make([]byte, 512) // on the stack, which more would make grow
		for {
			if _, err := (stdoutReader{p}).Read(scrap); err != nil {
				break
			}
		}
		<-p.stderrDone
	}
	p.sys.waitExit()
	p.settle()

	p.mu.Lock()
	p.sys.killGroup(p.cause != nil)
	res := p.sys.reap()
	p.reaped = true
	if p.timer != nil {
		p.timer.Stop()
	}
	p.wake.close(p.killed)
	p.mu.Unlock()
	p.unwatch()
	p.out.Close()
	p.in.Close()
	if p.stdinDone != nil {
		<-p.stdinDone
	}
	running.Lock()
	delete(running.set, p)
	running.Unlock()

	p.result, p.err = res, p.ended()
	p.result.Stderr = p.errs.text()
}

// settle lets the rest of a politely ended group use its grace period.
func (p *Process) settle() {
	for pause := time.Millisecond; ; pause *= 2 {
		p.mu.Lock()
		polite := p.cause != nil && !p.killed
		p.mu.Unlock()
		if !polite || !p.sys.othersAlive() {
			return
		}
		time.Sleep(min(pause, 20*time.Millisecond))
	}
}

// Kill ends the process and its group at once. Wait then returns cause.
func (p *Process) Kill(cause error) { p.end(cause, true) }

// ended gives the cause for which the process was ended from here, or nil.
func (p *Process) ended() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cause
}

// end ends the process and its group; the first cause is the one that is reported.
func (p *Process) end(cause error, now bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.reaped || p.killed {
		return
	}
	first := p.cause == nil
	if first {
		p.cause = cause
	}
	switch {
	case now:
		p.killLocked()
	case first:
		p.sys.terminateGroup()
		p.timer = time.AfterFunc(Grace, func() { p.end(cause, true) })
	}
}

// killLocked ends the group the hard way. A process that left the group and holds our pipes must not hold us, so the reading ends are given up
// a little later.
func (p *Process) killLocked() {
	p.killed = true
	p.sys.killGroup(true)
	if p.timer != nil {
		p.timer.Stop()
	}
	p.timer = time.AfterFunc(Grace, p.abandon)
}

// abandon makes pending reads and writes return.
func (p *Process) abandon() {
	p.mu.Lock()
	p.wake.ring()
	p.mu.Unlock()
	past := time.Unix(1, 0)
	p.out.SetReadDeadline(past)
	p.in.SetWriteDeadline(past)
	if f := p.errs.source.Load(); f != nil {
		f.SetReadDeadline(past)
	}
}
