// Package state keeps what must outlive a process: values by key, the states of paused runs, locks, and run journals. Files
// and locks are those of the reference, so that both can share one directory. See spec part 3, sections 2 to 4, and part 7, 17 to 21.
//
// The rules: a file is replaced as a whole and synced before anything relies on it; a key that is changed after being
// read is locked in between; what can be read but not understood is reported and never overwritten.
package state

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/lobsterc/lobsterc/runtime/value"
)

// Store is a state directory. Opening one touches nothing; the directory is made by the first write.
type Store struct {
	dir string
	// LockWait bounds the wait for a lock that a living process holds.
	LockWait  time.Duration
	sweep     sync.Once
	sweepRuns sync.Once
}

// Open gives the store of a directory.
func Open(dir string) *Store { return &Store{dir: dir, LockWait: time.Minute} }

// Dir is the directory.
func (s *Store) Dir() string { return s.dir }

// FindDir says where the state directory is: flag, else LOBSTER_STATE_DIR, else .lobster/state in the home directory.
func FindDir(flag string, environ []string) (string, error) {
	dir := flag
	if dir == "" {
		dir = strings.TrimSpace(lookup(environ, "LOBSTER_STATE_DIR"))
	}
	if dir != "" {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return "", errors.New("state directory " + dir + " cannot be found: " + reason(err))
		}
		return abs, nil
	}
	home := lookup(environ, "HOME")
	if home == "" {
		home = lookup(environ, "USERPROFILE")
	}
	if home == "" {
		return "", errors.New("no state directory: HOME is not set; set LOBSTER_STATE_DIR or use --state-dir")
	}
	return filepath.Join(home, ".lobster", "state"), nil
}

func lookup(environ []string, name string) string {
	for i := len(environ) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(environ[i], name+"="); ok {
			return v
		}
	}
	return ""
}

// errKey is the reference's text.
var errKey = errors.New("state key is empty/invalid")

// FileName is the name of the file that holds a key: lower case, other characters than a-z, 0-9, '.', '_' and '-' as '_', never two
// '_' in a row and none at the edges.
func FileName(key string) (string, error) {
	out := make([]byte, 0, len(key)+5)
	under := false
	put := func(c byte) {
		if c == '_' {
			under = true
			return
		}
		if under && len(out) > 0 {
			out = append(out, '_')
		}
		under = false
		out = append(out, c)
	}
	for _, r := range key {
		switch {
		case r >= 'A' && r <= 'Z':
			put(byte(r) + 'a' - 'A')
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '.', r == '-':
			put(byte(r))
		case r == '\u212A': // the Kelvin sign, whose lower case is k
			put('k')
		case r == '\u0130': // a dotted capital I, whose lower case is an i and a dot
			put('i')
			put('_')
		default:
			put('_')
		}
	}
	if len(out) == 0 {
		return "", errKey
	}
	return string(out) + ".json", nil
}

// path is the file of a key.
func (s *Store) path(key string) (string, error) {
	name, err := FileName(key)
	if err != nil {
		return "", err
	}
	return filepath.Join(s.dir, name), nil
}

// CorruptError reports a file that is not what it should be.
type CorruptError struct {
	File string
	Err  error
}

func (e *CorruptError) Error() string {
	return "state file " + e.File + " is corrupt: " + e.Err.Error()
}
func (e *CorruptError) Unwrap() error { return e.Err }

// FileError reports a file or directory that cannot be used.
type FileError struct {
	File string
	Verb string // "read", "written", ...
	Err  error
}

func (e *FileError) Error() string {
	return "state file " + e.File + " cannot be " + e.Verb + ": " + reason(e.Err)
}
func (e *FileError) Unwrap() error { return e.Err }

// reason is the short text of a system error, without the operation and path around it.
func reason(err error) string {
	for {
		switch e := err.(type) {
		case *fs.PathError:
			err = e.Err
		case *os.LinkError:
			err = e.Err
		case *os.SyscallError:
			err = e.Err
		default:
			return err.Error()
		}
	}
}

// Read gives the value of a key. A file that is not JSON is a *CorruptError.
func (s *Store) Read(key string) (v value.Value, found bool, err error) {
	file, err := s.path(key)
	if err != nil {
		return value.Value{}, false, err
	}
	return readFile(file)
}

func readFile(file string) (v value.Value, found bool, err error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return value.Value{}, false, nil
	}
	if err != nil {
		return value.Value{}, false, &FileError{file, "read", err}
	}
	if strings.TrimSpace(string(data)) == undefined {
		return value.Value{}, true, nil
	}
	v, err = value.Parse(data)
	if err != nil {
		return value.Value{}, false, &CorruptError{file, err}
	}
	return v, true, nil
}

// ReadCache is Read for caches and snapshots: what cannot be read or understood is not there.
func (s *Store) ReadCache(key string) (v value.Value, found bool) {
	v, found, err := s.Read(key)
	return v, found && err == nil
}

// Write sets the value of a key. When it returns, the value survives a loss of power.
func (s *Store) Write(key string, v value.Value) error {
	file, err := s.path(key)
	if err != nil {
		return err
	}
	text := []byte(undefined)
	if !v.IsAbsent() {
		text = v.AppendIndent(nil, "  ")
	}
	return s.writeFile(file, append(text, '\n'))
}

// undefined is how the reference writes an absent value, as an item is that was unwrapped from nothing. It is no JSON, and the
// reference cannot read it back; here it is Absent again.
const undefined = "undefined"

// Swap sets the value of a key under its lock and gives the old one. With cache a file that is not JSON counts as missing and is
// replaced; else it is not overwritten.
func (s *Store) Swap(ctx context.Context, key string, v value.Value, cache bool) (old value.Value, found bool, err error) {
	lock, err := s.Lock(ctx, key)
	if err != nil {
		return value.Value{}, false, err
	}
	old, found, err = s.swap(lock, key, v, cache)
	if unlockErr := lock.Unlock(); err == nil {
		err = unlockErr
	}
	return old, found, err
}

// swap is the part of Swap that holds the lock.
func (s *Store) swap(lock *Lock, key string, v value.Value, cache bool) (old value.Value, found bool, err error) {
	old, found, err = s.Read(key)
	if err != nil {
		if _, corrupt := errors.AsType[*CorruptError](err); !cache || !corrupt {
			return old, found, err
		}
	}
	if !lock.Held() {
		return old, found, lock.lost()
	}
	return old, found, s.Write(key, v)
}

// Delete removes a key; one that is not there is no error.
func (s *Store) Delete(key string) error {
	file, err := s.path(key)
	if err != nil {
		return err
	}
	return removeFile(file)
}

func removeFile(file string) error {
	removing()
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &FileError{file, "removed", err}
	}
	return nil
}

// Update changes a key under its lock: f gets the value and says the new one, or Absent to leave it. It does not overwrite
// a file that is not JSON.
func (s *Store) Update(ctx context.Context, key string, f func(old value.Value, found bool) (value.Value, error)) error {
	return s.update(ctx, key, false, f)
}

// UpdateCache is Update for snapshots: a file that is not JSON counts as missing and is replaced.
func (s *Store) UpdateCache(ctx context.Context, key string, f func(old value.Value, found bool) (value.Value, error)) error {
	return s.update(ctx, key, true, f)
}

func (s *Store) update(ctx context.Context, key string, cache bool, f func(value.Value, bool) (value.Value, error)) error {
	lock, err := s.Lock(ctx, key)
	if err != nil {
		return err
	}
	err = s.change(lock, key, cache, f)
	if unlockErr := lock.Unlock(); err == nil {
		err = unlockErr
	}
	return err
}

// change is the part of update that holds the lock.
func (s *Store) change(lock *Lock, key string, cache bool, f func(value.Value, bool) (value.Value, error)) error {
	old, found, err := s.Read(key)
	if err != nil {
		if _, corrupt := errors.AsType[*CorruptError](err); !cache || !corrupt {
			return err
		}
	}
	v, err := f(old, found)
	if err != nil || v.IsAbsent() {
		return err
	}
	if !lock.Held() {
		return lock.lost()
	}
	return s.Write(key, v)
}
