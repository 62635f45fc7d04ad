package proc

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// entry is a row of the process table.
type entry struct {
	pid, group, session int
	zombie              bool
	start               string
}

// readEntry reads /proc/PID/stat. The second field, the program's name, may hold anything, so fields count from the last
// parenthesis.
func readEntry(pid int) (entry, bool) {
	var room [1024]byte
	data, err := readSmall("/proc/"+strconv.Itoa(pid)+"/stat", room[:])
	if err != nil {
		return entry{}, false
	}
	rest := data[bytes.LastIndexByte(data, ')')+1:]
	e := entry{pid: pid}
	for n := 3; n <= 22; n++ {
		rest = bytes.TrimPrefix(rest, []byte(" "))
		end := bytes.IndexByte(rest, ' ')
		if end <= 0 {
			return entry{}, false
		}
		field := rest[:end]
		rest = rest[end:]
		switch n {
		case 3:
			e.zombie = field[0] == 'Z' || field[0] == 'X'
		case 5:
			e.group, _ = strconv.Atoi(string(field))
		case 6:
			e.session, _ = strconv.Atoi(string(field))
		case 22:
			e.start = string(field)
		}
	}
	return e, true
}

// readSmall reads a small file into buf with three system calls.
func readSmall(path string, buf []byte) ([]byte, error) {
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer syscall.Close(fd)
	for {
		n, err := syscall.Read(fd, buf)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return nil, err
		}
		return buf[:n], nil
	}
}

// table calls f for every process until it returns false.
func table(f func(entry) bool) {
	dir, err := os.Open("/proc")
	if err != nil {
		return
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if e, ok := readEntry(pid); ok && !f(e) {
			return
		}
	}
}

// killSession ends every process of a session.
func killSession(session int) {
	table(func(e entry) bool {
		if e.session == session && !e.zombie {
			syscall.Kill(e.pid, syscall.SIGKILL)
		}
		return true
	})
}

// groupAlive tells whether a session has living processes besides its dead leader.
func groupAlive(session int) bool {
	alive := false
	table(func(e entry) bool {
		alive = !e.zombie && (e.session == session || e.group == session)
		return !alive
	})
	return alive
}

// StartTime is field 22 of /proc/PID/stat: when the process started, in clock ticks since the system did. Empty when there is no such
// process. Together with the number it names a process for good, where a number alone may be given out again.
func StartTime(pid int) string {
	e, _ := readEntry(pid)
	return e.start
}

// Alive tells whether the process runs that has this number and start time. With an empty start any process of that
// number counts. A zombie does not run.
func Alive(pid int, start string) bool {
	if pid <= 0 {
		return false
	}
	e, ok := readEntry(pid)
	if !ok {
		return noProc() && syscall.Kill(pid, 0) != syscall.ESRCH
	}
	return !e.zombie && (start == "" || e.start == start)
}

// noProc tells that this system has no /proc to look into.
func noProc() bool {
	_, ok := readEntry(os.Getpid())
	return !ok
}

// members gives the living processes of a group that an earlier run of ours started as a session of its own with this start time.
// When the leader is gone, its number cannot have been given to another process while members are left; they then
// must not be older than it was.
func members(group int, start string) []int {
	leader, ok := readEntry(group)
	if ok && leader.start != start {
		return nil // the number now belongs to someone else, so the group is gone
	}
	var pids []int
	table(func(e entry) bool {
		if e.session == group && !e.zombie && !older(e.start, start) {
			pids = append(pids, e.pid)
		}
		return true
	})
	return pids
}

// older compares start times, which are decimal numbers without leading zeros.
func older(a, b string) bool {
	if len(a) != len(b) {
		return len(a) < len(b)
	}
	return a < b
}

// World names this boot of the system, and the process numbers' name space. Numbers that were recorded in another one mean
// nothing here.
func World() string {
	boot, _ := readSmall("/proc/sys/kernel/random/boot_id", make([]byte, 64))
	space, _ := os.Readlink("/proc/self/ns/pid")
	return string(bytes.TrimSpace(boot)) + " " + space
}

// tagged gives the living processes, this one excepted, that were started with the variable ("NAME=value").
func tagged(variable string) []int {
	var pids []int
	table(func(e entry) bool {
		if e.zombie || e.pid == os.Getpid() {
			return true
		}
		data, err := os.ReadFile("/proc/" + strconv.Itoa(e.pid) + "/environ")
		if err != nil {
			return true
		}
		for kv := range bytes.SplitSeq(data, []byte{0}) {
			if string(kv) == variable {
				pids = append(pids, e.pid)
				break
			}
		}
		return true
	})
	return pids
}
