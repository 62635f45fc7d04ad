package state

import (
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/lobsterc/lobsterc/runtime/proc"
)

// lockOutlivesHolder tells that the process which took the lock of a file is gone, and only a child that it was starting when it was
// killed still has the lock: until the child becomes another program, which is a matter of moments.
func lockOutlivesHolder(f *os.File) bool {
	info, err := f.Stat()
	if err != nil {
		return false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	data, err := os.ReadFile("/proc/locks")
	if !ok || err != nil {
		return false
	}
	inode := ":" + strconv.FormatUint(st.Ino, 10)
	dead := false
	for line := range strings.Lines(string(data)) {
		// 1: FLOCK  ADVISORY  WRITE 4711 08:01:123456 0 EOF
		f := strings.Fields(line)
		if len(f) < 6 || f[1] != "FLOCK" || !strings.HasSuffix(f[5], inode) {
			continue
		}
		pid, err := strconv.Atoi(f[4])
		if err != nil || pid <= 0 || proc.Alive(pid, "") {
			return false
		}
		dead = true
	}
	return dead
}
