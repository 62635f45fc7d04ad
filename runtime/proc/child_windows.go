package proc

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"unsafe"
)

const defaultPath = ""

func sameVar(a, b string) bool { return strings.EqualFold(a, b) }

func isAbs(path string) bool { return filepath.IsAbs(path) }

// probe tells whether there is such a program, trying the extensions of PATHEXT.
func probe(file string) (found bool, usable string) {
	exts := append([]string{""}, strings.Split(strings.ToLower(os.Getenv("PATHEXT")), ";")...)
	for _, ext := range exts {
		if st, err := os.Stat(file + ext); err == nil && !st.IsDir() && filepath.Ext(file+ext) != "" {
			return true, file + ext
		}
	}
	return false, ""
}

var (
	kernel32           = syscall.NewLazyDLL("kernel32.dll")
	createJobObject    = kernel32.NewProc("CreateJobObjectW")
	assignProcess      = kernel32.NewProc("AssignProcessToJobObject")
	terminateJobObject = kernel32.NewProc("TerminateJobObject")
	queryJobObject     = kernel32.NewProc("QueryInformationJobObject")
	setJobObject       = kernel32.NewProc("SetInformationJobObject")
	consoleCtrlEvent   = kernel32.NewProc("GenerateConsoleCtrlEvent")
)

// jobLimits is JOBOBJECT_EXTENDED_LIMIT_INFORMATION.
type jobLimits struct {
	processTime, jobTime int64
	flags                uint32
	minSet, maxSet       uintptr
	processes            uint32
	affinity             uintptr
	priority, scheduling uint32
	io                   [6]uint64
	memory               [4]uintptr
}

// child is a child process in a job of its own: the job stands for the group.
type child struct {
	pid   int
	proc  *os.Process
	job   syscall.Handle
	state *os.ProcessState
}

func (c *child) start(spec *Spec, in, out, errs *os.File) error {
	name := spec.Argv[0]
	file := name
	if !strings.ContainsAny(name, `\/:`) {
		found, err := LookPath(name, spec.Dir, spec.Env)
		if err != nil {
			return startError(spec.Dir, name, err)
		}
		file = found
	}
	attr := &os.ProcAttr{
		Dir: spec.Dir, Env: spec.Env, Files: []*os.File{in, out, errs},
		Sys: &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP},
	}
	if a := spec.Argv; len(a) == 5 && a[1] == "/d" && a[2] == "/s" && a[3] == "/c" {
		// cmd.exe takes the script as it is between the first and the last quote; it knows no escapes.
		attr.Sys.CmdLine = syscall.EscapeArg(file) + ` /d /s /c "` + a[4] + `"`
	}
	p, err := os.StartProcess(file, spec.Argv, attr)
	if err != nil {
		return startError(spec.Dir, name, err)
	}
	c.pid, c.proc = p.Pid, p
	if job, _, _ := createJobObject.Call(0, 0); job != 0 {
		c.job = syscall.Handle(job)
		limits := jobLimits{flags: 0x2000} // JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
		const extendedLimits = 9
		setJobObject.Call(job, extendedLimits, uintptr(unsafe.Pointer(&limits)), unsafe.Sizeof(limits))
		p.WithHandle(func(h uintptr) { assignProcess.Call(job, h) })
	}
	return nil
}

// startError tells a missing program from a missing directory.
func startError(dir, name string, err error) error {
	if dir != "" {
		if st, statErr := os.Stat(dir); statErr != nil {
			return &DirError{dir, statErr}
		} else if !st.IsDir() {
			return &DirError{dir, syscall.ENOTDIR}
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return &NotFoundError{name}
	}
	if IsNotFound(err) {
		return err
	}
	return &StartError{name, err}
}

// terminateGroup asks the group to end as Ctrl-Break does.
func (c *child) terminateGroup() {
	consoleCtrlEvent.Call(syscall.CTRL_BREAK_EVENT, uintptr(c.pid))
}

func (c *child) killGroup(bool) {
	if c.job != 0 {
		terminateJobObject.Call(uintptr(c.job), 1)
	}
	c.proc.Kill() // in case it is in no job
}

// othersAlive tells whether the job has running processes.
func (c *child) othersAlive() bool {
	var info struct { // JOBOBJECT_BASIC_ACCOUNTING_INFORMATION
		times                               [4]int64
		faults, total, active, terminations uint32
	}
	ok, _, _ := queryJobObject.Call(uintptr(c.job), 1, uintptr(unsafe.Pointer(&info)), unsafe.Sizeof(info), 0)
	return ok != 0 && info.active > 0
}

func (c *child) waitExit() { c.state, _ = c.proc.Wait() }

func (c *child) reap() Result {
	if c.job != 0 {
		syscall.CloseHandle(c.job)
	}
	if c.state == nil {
		return Result{Code: -1, Signal: "SIGKILL"}
	}
	return Result{Code: c.state.ExitCode()}
}

func brokenPipe(err error) bool {
	const noData = syscall.Errno(232) // ERROR_NO_DATA: the pipe is being closed
	return errors.Is(err, syscall.ERROR_BROKEN_PIPE) || errors.Is(err, noData) || errors.Is(err, os.ErrDeadlineExceeded)
}

func errorName(err error) string {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return "EACCES"
	case errors.Is(err, fs.ErrNotExist):
		return "ENOENT"
	}
	return reason(err)
}

// StartTime is the creation time of the process in units of 100 ns, empty when there is no such process.
func StartTime(pid int) string {
	h, err := syscall.OpenProcess(syscall.PROCESS_QUERY_INFORMATION, false, uint32(pid))
	if err != nil {
		return ""
	}
	defer syscall.CloseHandle(h)
	var created, exited, kernel, user syscall.Filetime
	if syscall.GetProcessTimes(h, &created, &exited, &kernel, &user) != nil {
		return ""
	}
	return strconv.FormatInt(created.Nanoseconds()/100, 10)
}

// Alive tells whether the process runs that has this number and start time. With an empty start any process of that number
// counts.
func Alive(pid int, start string) bool {
	if pid <= 0 {
		return false
	}
	h, err := syscall.OpenProcess(syscall.PROCESS_QUERY_INFORMATION, false, uint32(pid))
	if err != nil {
		return errors.Is(err, fs.ErrPermission)
	}
	defer syscall.CloseHandle(h)
	var code uint32
	const stillActive = 259
	if syscall.GetExitCodeProcess(h, &code) == nil && code != stillActive {
		return false
	}
	return start == "" || StartTime(pid) == start
}

// members gives the process itself: a job ends with the program that made it, and its members cannot be found afterwards.
func members(pid int, start string) []int {
	if Alive(pid, start) {
		return []int{pid}
	}
	return nil
}

// kill ends a process with its children.
func kill(pid int) error {
	p, err := os.FindProcess(pid)
	if err != nil {
		return nil // it is gone
	}
	defer p.Release()
	root := os.Getenv("SystemRoot")
	tool := filepath.Join(root, "System32", "taskkill.exe")
	args := []string{"taskkill", "/T", "/F", "/PID", strconv.Itoa(pid)}
	if t, err := os.StartProcess(tool, args, &os.ProcAttr{}); err == nil {
		if st, err := t.Wait(); err == nil && st.Success() {
			return nil
		}
	}
	if err := p.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) && Alive(pid, "") {
		return err
	}
	return nil
}

// World would name this boot of the system; it is not known here, and start times tell processes apart.
func World() string { return "" }

// tagged finds no processes: their environment cannot be seen here.
func tagged(string) []int { return nil }
