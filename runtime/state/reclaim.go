package state

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/lobsterc/lobsterc/runtime/proc"
)

// sighting is what a look at somebody's lock shows.
type sighting struct {
	dir     os.FileInfo // nil: there is no lock
	owner   string      // empty: missing or unreadable
	changed time.Time   // when the owner was refreshed; without an owner, when the directory changed
}

// verdict is what a sighting means.
type verdict uint8

const (
	gone     verdict = iota // there is no lock any more
	held                    // its owner lives
	doubtful                // old and not to be checked; stale when nothing changes for a while
	stale                   // its owner is dead
)

// look looks at a lock.
func look(dir string) sighting {
	st, err := os.Lstat(dir)
	if err != nil {
		return sighting{}
	}
	seen := sighting{dir: st, changed: st.ModTime()}
	data, err := os.ReadFile(dir + "/owner")
	if err != nil {
		return seen
	}
	if _, _, ok := parseOwner(string(data)); !ok {
		return seen
	}
	seen.owner = string(data)
	if st, err := os.Lstat(dir + "/owner"); err == nil {
		seen.changed = st.ModTime()
	}
	return seen
}

// parseOwner reads "pid:start:nonce\n"; start may be empty.
func parseOwner(s string) (pid int, start string, ok bool) {
	parts := strings.Split(strings.TrimSpace(s), ":")
	if len(parts) < 2 {
		return 0, "", false
	}
	pid, err := strconv.Atoi(parts[0])
	if err != nil || pid <= 0 {
		return 0, "", false
	}
	return pid, parts[1], true
}

// verdict judges by what is known now.
func (s sighting) verdict() verdict {
	if s.dir == nil {
		return gone
	}
	pid, start, ok := parseOwner(s.owner)
	if ok {
		if !proc.Alive(pid, "") {
			return stale
		}
		now := proc.StartTime(pid)
		switch {
		case start == "" || now == "":
		case now == start:
			return held
		default:
			return stale // the number belongs to another process now
		}
	}
	if time.Since(s.changed) < unknownAge {
		return held
	}
	return doubtful
}

// same tells whether two sightings are of the same lock in the same hands.
func (s sighting) same(t sighting) bool {
	return s.dir != nil && t.dir != nil && os.SameFile(s.dir, t.dir) && s.owner == t.owner
}

// reclaimAge is when a reclaimer counts as dead. It has only a handful of calls to make.
const reclaimAge = 5 * time.Second

// reclaim removes a lock that was seen stale, if it is still the same. Only one process at a time does it: among ours an advisory lock
// on the directory says who, and the directory .reclaiming says it to the reference. While .reclaiming stands, a late
// owner does not take the lock to be its own (see take).
func reclaim(dir string, seen sighting) {
	release, ok := flockDir(dir)
	if !ok {
		return
	}
	defer release()
	mark := dir + "/.reclaiming"
	err := os.Mkdir(mark, 0o700)
	if errors.Is(err, fs.ErrExist) {
		st, statErr := os.Lstat(mark)
		if statErr != nil || time.Since(st.ModTime()) < reclaimAge || os.Remove(mark) != nil {
			return // the reference is at it
		}
		err = os.Mkdir(mark, 0o700) // it died at it
	}
	if err != nil {
		return
	}
	if !look(dir).same(seen) {
		os.Remove(mark)
		return
	}
	discard(dir)
}
