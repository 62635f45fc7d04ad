package proc

import (
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

const zombieState = 5 // SZOMB

func startOf(k *unix.KinfoProc) string {
	t := k.Proc.P_starttime
	return strconv.FormatInt(t.Sec*1e6+int64(t.Usec), 10)
}

// groupOf lists the living processes of a group.
func groupOf(group int) []unix.KinfoProc {
	all, err := unix.SysctlKinfoProcSlice("kern.proc.pgrp", group)
	if err != nil {
		return nil
	}
	living := all[:0]
	for _, k := range all {
		if k.Proc.P_stat != zombieState {
			living = append(living, k)
		}
	}
	return living
}

func killSession(session int) { syscall.Kill(-session, syscall.SIGKILL) }

func groupAlive(session int) bool { return len(groupOf(session)) > 0 }

// StartTime says when the process started, in microseconds. Empty when there is no such process. Together with the number it names a
// process for good, where a number alone may be given out again.
func StartTime(pid int) string {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || k == nil {
		return ""
	}
	return startOf(k)
}

// Alive tells whether the process runs that has this number and start time. With an empty start any process of that
// number counts. A zombie does not run.
func Alive(pid int, start string) bool {
	if pid <= 0 || syscall.Kill(pid, 0) == syscall.ESRCH {
		return false
	}
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || k == nil {
		return true // it is there and cannot be looked at
	}
	return k.Proc.P_stat != zombieState && (start == "" || startOf(k) == start)
}

// members gives the living processes of a group that an earlier run of ours started with this start time.
func members(group int, start string) []int {
	leader, err := unix.SysctlKinfoProc("kern.proc.pid", group)
	if err == nil && leader != nil && startOf(leader) != start {
		return nil // the number now belongs to someone else, so the group is gone
	}
	var pids []int
	for _, k := range groupOf(group) {
		if s := startOf(&k); len(s) > len(start) || len(s) == len(start) && s >= start {
			pids = append(pids, int(k.Proc.P_pid))
		}
	}
	return pids
}

// World names this boot of the system. Numbers that were recorded in another one mean nothing here.
func World() string {
	t, err := unix.SysctlTimeval("kern.boottime")
	if err != nil {
		return ""
	}
	return strconv.FormatInt(t.Sec, 10)
}

// tagged finds no processes: their environment cannot be seen here.
func tagged(string) []int { return nil }
