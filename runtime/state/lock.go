package state

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/lobsterc/lobsterc/runtime/proc"
)

// The lock of a key is the directory FILE.lock; making it is taking the lock. The file owner inside says who holds it. Locks of the
// reference and ours are the same (spec part 7, 21).
const (
	refreshEvery = 250 * time.Millisecond
	unknownAge   = 30 * time.Second // a lock whose owner cannot be checked is stale when it is this old
)

// Lock is a held lock. It is refreshed until Unlock.
type Lock struct {
	key   string
	dir   string
	owner string
	ready string // the prepared directory, before it becomes the lock

	mu    sync.Mutex
	timer *time.Timer
	done  bool
}

// LockError reports a lock that could not be had in time, or was lost.
type LockError struct {
	Key   string
	Owner string // who holds it, as the lock says
	Lost  bool
}

func (e *LockError) Error() string {
	if e.Lost {
		return "the lock of state key " + strconv.Quote(e.Key) + " was taken away by another process"
	}
	pid, _, _ := strings.Cut(e.Owner, ":")
	if pid == "" {
		pid = "unknown"
	}
	return "state key " + strconv.Quote(e.Key) + " is locked by another process (" + pid + ")"
}

// Lock takes the lock of a key. It waits for another holder until ctx ends or LockWait is over.
func (s *Store) Lock(ctx context.Context, key string) (*Lock, error) {
	file, err := s.path(key)
	if err != nil {
		return nil, err
	}
	if err := s.ensureDir(); err != nil {
		return nil, err
	}
	pid := os.Getpid()
	l := &Lock{key: key, dir: file + ".lock"}
	l.owner = strconv.Itoa(pid) + ":" + proc.StartTime(pid) + ":" + nonce(16) + "\n"
	defer func() {
		if l.ready != "" {
			os.RemoveAll(l.ready)
		}
	}()
	var suspect sighting // the last sighting that may turn out to be stale, and when it was
	var suspectAt time.Time
	deadline := time.Now().Add(s.LockWait)
	for pause := time.Millisecond; ; pause = min(2*pause, 25*time.Millisecond) {
		got, err := l.take(ctx)
		if err != nil {
			return nil, err
		}
		if got {
			l.mu.Lock()
			l.timer = time.AfterFunc(refreshEvery, l.refresh)
			l.mu.Unlock()
			return l, nil
		}
		seen := look(l.dir)
		switch seen.verdict() {
		case gone:
			if err := s.ensureDir(); err != nil {
				return nil, err
			}
		case stale:
			reclaim(l.dir, seen)
		case doubtful:
			if !seen.same(suspect) || !seen.changed.Equal(suspect.changed) {
				suspect, suspectAt = seen, time.Now()
			} else if time.Since(suspectAt) >= refreshEvery+refreshEvery/4 {
				reclaim(l.dir, seen)
			}
		}
		if time.Now().After(deadline) {
			return nil, &LockError{Key: key, Owner: seen.owner}
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(pause):
		}
	}
}

// errNoRenameNew says that the file system cannot rename without replacing.
var errNoRenameNew = errors.New("renaming without replacing is not supported")

// take tries to take the lock once. The lock is prepared under another name, with its owner inside, and then gets its name: so there is
// no moment in which a death leaves a lock that nobody can be asked about.
func (l *Lock) take(ctx context.Context) (bool, error) {
	if l.ready == "" {
		dir, name := filepath.Split(l.dir)
		ready := filepath.Join(dir, "."+name+"."+self()+"-"+nonce(8)+".tmp")
		err := point()
		if err == nil {
			err = os.Mkdir(ready, 0o700)
		}
		if err == nil {
			l.ready = ready
			err = l.writeOwner(ready)
		}
		if err != nil {
			return false, &FileError{l.dir, "made", err}
		}
	}
	err := point()
	if err == nil {
		err = renameNew(l.ready, l.dir)
	}
	switch {
	case err == nil:
		l.ready = ""
		return true, nil
	case err == errNoRenameNew:
		return l.takeByMkdir(ctx)
	case errors.Is(err, fs.ErrExist):
		return false, nil
	case errors.Is(err, fs.ErrNotExist): // the directory was removed, or swept by someone who cannot see our process
		os.RemoveAll(l.ready)
		l.ready = ""
		return false, nil
	}
	return false, &FileError{l.dir, "made", err}
}

// takeByMkdir takes the lock as the reference does: it makes the directory, and then writes the owner.
func (l *Lock) takeByMkdir(ctx context.Context) (bool, error) {
	err := os.Mkdir(l.dir, 0o700)
	if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, &FileError{l.dir, "made", err}
	}
	err = l.writeOwner(l.dir)
	if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		return false, nil // we slept so long that the lock was taken from us
	}
	if err != nil {
		os.Remove(l.dir + "/owner")
		os.Remove(l.dir)
		return false, &FileError{l.dir, "written", err}
	}
	return l.settle(ctx)
}

// settle waits for somebody who may have begun to reclaim the lock before its owner was written. Either they see the owner and let
// go, or the lock disappears.
func (l *Lock) settle(ctx context.Context) (bool, error) {
	for {
		if _, err := os.Lstat(l.dir + "/.reclaiming"); err != nil {
			return l.Held(), nil
		}
		if !l.Held() {
			return false, nil
		}
		select {
		case <-ctx.Done():
			discard(l.dir)
			return false, context.Cause(ctx)
		case <-time.After(time.Millisecond):
		}
	}
}

func (l *Lock) writeOwner(dir string) error {
	f, err := os.OpenFile(dir+"/owner", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = write(f, []byte(l.owner))
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}

// refresh shows others that the holder lives.
func (l *Lock) refresh() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.done {
		return
	}
	now := time.Now()
	os.Chtimes(l.dir+"/owner", now, now) // when it is gone, Held says so
	l.timer.Reset(refreshEvery)
}

// Held tells whether the lock is still ours.
//
//go:noinline
func (l *Lock) Held() bool {
	data, err := os.ReadFile(l.dir + "/owner")
	return err == nil && string(data) == l.owner
}

func (l *Lock) lost() error { return &LockError{Key: l.key, Lost: true} }

// Unlock gives the lock up. The directory is renamed first, so that whoever looks sees it whole or not at all.
func (l *Lock) Unlock() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.done {
		return nil
	}
	l.done = true
	if l.timer != nil {
		l.timer.Stop()
	}
	if !l.Held() {
		return l.lost()
	}
	return discard(l.dir)
}

// discard removes a lock directory.
func discard(dir string) error {
	removing()
	trash := dir + ".release-" + strconv.Itoa(os.Getpid()) + "-" + nonce(12)
	if err := os.Rename(dir, trash); err != nil {
		return &FileError{dir, "removed", err}
	}
	removing()
	os.Remove(trash + "/owner")
	if os.Remove(trash) != nil {
		os.RemoveAll(trash)
	}
	return nil
}
