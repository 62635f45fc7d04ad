//go:build linux || darwin

package proc

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"unsafe"
)

const defaultPath = "/usr/local/bin:/bin:/usr/bin"

func sameVar(a, b string) bool { return a == b }

func isAbs(path string) bool { return strings.HasPrefix(path, "/") }

// probe tells whether there is such a file, and its path when it is a program.
func probe(file string) (found bool, usable string) {
	st, err := os.Stat(file)
	if err != nil || st.IsDir() {
		return false, ""
	}
	if st.Mode()&0o111 == 0 {
		return true, ""
	}
	return true, file
}

// child is a child process. It uses system calls directly: package os would start a trial process to see whether process
// descriptors work, and would reap the child before its group is dealt with.
type child struct{ pid int }

func (c *child) start(spec *Spec, in, out, errs *os.File) error {
	name := spec.Argv[0]
	file := name
	if !strings.Contains(name, "/") {
		found, err := LookPath(name, spec.Dir, spec.Env)
		if err != nil {
			return startError(spec.Dir, name, err)
		}
		file = found
	}
	attr := &syscall.ProcAttr{
		Dir:   spec.Dir,
		Env:   lastWins(spec.Env),
		Files: []uintptr{in.Fd(), out.Fd(), errs.Fd()},
		// A session, and so a group, of its own, as in the reference. Without a session, a child that reads the terminal would be
		// stopped for ever as a background process.
		Sys: &syscall.SysProcAttr{Setsid: true},
	}
	pid, err := syscall.ForkExec(file, spec.Argv, attr)
	if err == syscall.ENOEXEC { // a script without a first line that names its interpreter: execvp(3) gives it to the shell
		pid, err = syscall.ForkExec("/bin/sh", append([]string{"/bin/sh", file}, spec.Argv[1:]...), attr)
	}
	if err != nil {
		return startError(spec.Dir, name, err)
	}
	c.pid = pid
	return nil
}

// startError tells a missing program from a missing directory; the system gives the same error for both.
func startError(dir, name string, err error) error {
	if dir != "" {
		st, statErr := os.Stat(dir)
		switch {
		case statErr != nil:
			return &DirError{dir, statErr}
		case !st.IsDir():
			return &DirError{dir, syscall.ENOTDIR}
		}
		if f, openErr := os.Open(dir + "/."); openErr != nil && errors.Is(err, fs.ErrPermission) {
			return &DirError{dir, openErr}
		} else if openErr == nil {
			f.Close()
		}
	}
	if errors.Is(err, syscall.ENOENT) {
		return &NotFoundError{name}
	}
	if IsNotFound(err) {
		return err
	}
	if _, ok := errors.AsType[*StartError](err); ok {
		return err
	}
	return &StartError{name, err}
}

// lastWins drops all but the last entry of each name: shells differ in which of two they take.
func lastWins(env []string) []string {
	out := make([]string, len(env))
	at := len(env)
	var seen [8]uint64 // marks of the names so far: one whose mark is missing is new, and only the others are compared
	for i := len(env) - 1; i >= 0; i-- {
		name := env[i][:nameLen(env[i])]
		mark := uint32(0)
		for j := range len(name) {
			mark = mark*31 + uint32(name[j])
		}
		word, bit := &seen[mark/64%8], uint64(1)<<(mark%64)
		if *word&bit == 0 || !has(out[at:], name) {
			at--
			out[at] = env[i]
		}
		*word |= bit
	}
	return out[at:]
}

// nameLen is how long the name in front of the = is.
func nameLen(pair string) int {
	if n := strings.IndexByte(pair, '='); n >= 0 {
		return n
	}
	return len(pair)
}

func has(env []string, name string) bool {
	for _, pair := range env {
		if nameLen(pair) == len(name) && strings.HasPrefix(pair, name) {
			return true
		}
	}
	return false
}

// terminateGroup asks the group to end.
func (c *child) terminateGroup() { syscall.Kill(-c.pid, syscall.SIGTERM) }

// killGroup ends the group. With all, also what the child put into other groups of its session.
func (c *child) killGroup(all bool) {
	syscall.Kill(-c.pid, syscall.SIGKILL)
	if all {
		killSession(c.pid)
	}
}

// othersAlive tells whether the session has living processes.
func (c *child) othersAlive() bool { return groupAlive(c.pid) }

// waitExit waits for the end of the main process and leaves it unreaped.
func (c *child) waitExit() {
	const (
		pPid    = 1 // P_PID
		wexited = 0x4
	)
	var info [128]byte
	for {
		_, _, e := syscall.Syscall6(syscall.SYS_WAITID, pPid, uintptr(c.pid), uintptr(unsafe.Pointer(&info)), wexited|wnowait, 0, 0)
		if e != syscall.EINTR {
			return
		}
	}
}

// reap takes the exit status of the main process.
func (c *child) reap() Result {
	var ws syscall.WaitStatus
	for {
		_, err := syscall.Wait4(c.pid, &ws, 0, nil)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return Result{Code: -1, Signal: "SIGKILL"} // someone else reaped it: nothing is known
		}
		break
	}
	if ws.Signaled() {
		return Result{Code: -1, Signal: signalName(ws.Signal())}
	}
	return Result{Code: ws.ExitStatus()}
}

func brokenPipe(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrDeadlineExceeded)
}

var signalNames = map[syscall.Signal]string{
	syscall.SIGHUP: "SIGHUP", syscall.SIGINT: "SIGINT", syscall.SIGQUIT: "SIGQUIT", syscall.SIGILL: "SIGILL",
	syscall.SIGTRAP: "SIGTRAP", syscall.SIGABRT: "SIGABRT", syscall.SIGBUS: "SIGBUS", syscall.SIGFPE: "SIGFPE",
	syscall.SIGKILL: "SIGKILL", syscall.SIGUSR1: "SIGUSR1", syscall.SIGSEGV: "SIGSEGV", syscall.SIGUSR2: "SIGUSR2",
	syscall.SIGPIPE: "SIGPIPE", syscall.SIGALRM: "SIGALRM", syscall.SIGTERM: "SIGTERM",
}

func signalName(s syscall.Signal) string {
	if n, ok := signalNames[s]; ok {
		return n
	}
	return s.String()
}

// errorName is the symbolic name of a system error, as the reference prints it.
func errorName(err error) string {
	for _, e := range []struct {
		errno error
		name  string
	}{
		{syscall.EACCES, "EACCES"}, {fs.ErrPermission, "EACCES"}, {syscall.E2BIG, "E2BIG"}, {syscall.ENOEXEC, "ENOEXEC"}, {syscall.ENOENT, "ENOENT"},
		{syscall.EAGAIN, "EAGAIN"}, {syscall.ENOMEM, "ENOMEM"}, {syscall.EMFILE, "EMFILE"}, {syscall.ENOTDIR, "ENOTDIR"},
		{syscall.ELOOP, "ELOOP"}, {syscall.EINVAL, "EINVAL"}, {syscall.ETXTBSY, "ETXTBSY"},
	} {
		if errors.Is(err, e.errno) {
			return e.name
		}
	}
	return reason(err)
}

// kill ends one process; one that is gone already is fine.
func kill(pid int) error {
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && err != syscall.ESRCH {
		return err
	}
	return nil
}
