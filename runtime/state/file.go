package state

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/lobsterc/lobsterc/runtime/proc"
)

// self names this process in temporary files: number and start time.
var self = sync.OnceValue(func() string {
	pid := os.Getpid()
	return strconv.Itoa(pid) + "-" + proc.StartTime(pid)
})

// nonce is a random text of n hexadecimal digits, at most 16.
func nonce(n int) string {
	s := strconv.FormatUint(rand.Uint64(), 16)
	return (strings.Repeat("0", 16-len(s)) + s)[16-n:]
}

// ensureDir makes the directory when it is not there.
func (s *Store) ensureDir() error { return makeDir(s.dir) }

// makeDir makes a directory and its parents, and syncs the parents of what it made.
func makeDir(dir string) error {
	if st, err := os.Stat(dir); err == nil {
		if !st.IsDir() {
			return &FileError{dir, "used as a directory", syscall.ENOTDIR}
		}
		return nil
	}
	parent := filepath.Dir(dir)
	if parent != dir {
		if err := makeDir(parent); err != nil {
			return err
		}
	}
	err := point()
	if err == nil {
		err = os.Mkdir(dir, 0o700)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return &FileError{dir, "made", err}
	}
	return syncDir(parent)
}

// syncDir makes what was created, renamed or removed in a directory durable. File systems that cannot sync directories are trusted.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		if errors.Is(err, fs.ErrPermission) {
			return nil // a directory that may be passed but not read
		}
		return &FileError{dir, "opened", err}
	}
	defer d.Close()
	if err := syncFile(d); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) && !cannotSyncDirs {
		return &FileError{dir, "synced", err}
	}
	return nil
}

// writeFile replaces a file as a whole, durably. An existing file keeps its mode.
func (s *Store) writeFile(file string, data []byte) error {
	if err := s.ensureDir(); err != nil {
		return err
	}
	s.sweep.Do(s.Sweep)
	mode := fs.FileMode(0o600)
	if st, err := os.Stat(file); err == nil && st.Mode().IsRegular() {
		mode = st.Mode().Perm()
	}
	// Another process may take a temporary file for one that a dead process left, when it cannot see ours (in another
	// container): then once more.
	for try := 0; ; try++ {
		temp, err := writeTemp(file, data, mode)
		if err == nil {
			if err = point(); err == nil {
				err = os.Rename(temp, file)
			}
			if err == nil {
				return syncDir(filepath.Dir(file))
			}
			os.Remove(temp)
		}
		if !errors.Is(err, fs.ErrNotExist) || try == 2 {
			return &FileError{file, "written", err}
		}
	}
}

// writeTemp writes a synced temporary file beside file and gives its name.
func writeTemp(file string, data []byte, mode fs.FileMode) (temp string, err error) {
	dir, name := filepath.Split(file)
	temp = filepath.Join(dir, "."+name+"."+self()+"-"+nonce(8)+".tmp")
	if err := point(); err != nil {
		return "", err
	}
	f, err := openFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	_, err = write(f, data)
	if err == nil && mode != 0o600 {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = syncFile(f)
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		os.Remove(temp)
		return "", err
	}
	return temp, nil
}

// syncFile makes what was written to a file durable.
func syncFile(f *os.File) error {
	if err := point(); err != nil {
		return err
	}
	return f.Sync()
}

// createFile makes a file that must not exist yet, durably and as a whole. It gives fs.ErrExist when it does exist.
func (s *Store) createFile(file string, data []byte) error {
	if err := s.ensureDir(); err != nil {
		return err
	}
	temp, err := writeTemp(file, data, 0o600)
	if err != nil {
		return &FileError{file, "written", err}
	}
	if err = point(); err == nil {
		err = os.Link(temp, file) // unlike a rename, a link never replaces
	}
	removing()
	os.Remove(temp)
	if err != nil && !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, fs.ErrExist) {
		err = createPlain(file, data) // a file system without links
	}
	if err != nil {
		return &FileError{file, "written", err}
	}
	return syncDir(filepath.Dir(file))
}

// createPlain makes a file that must not exist yet. A crash in between leaves an incomplete one.
func createPlain(file string, data []byte) error {
	f, err := openFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		os.Remove(file)
	}
	return err
}

// Check tells whether the directory can be written, by writing to it. Programs that can pause call it before their first step.
func (s *Store) Check() error {
	if err := s.ensureDir(); err != nil {
		return err
	}
	temp, err := writeTemp(filepath.Join(s.dir, "check"), make([]byte, 4096), 0o600)
	if err != nil {
		return &FileError{s.dir, "written", err}
	}
	removing()
	os.Remove(temp)
	return nil
}

// Sweep removes what processes left behind that died in the middle of a write: temporary files, locks, and locks on their way out. The first
// write of a store does it too.
func (s *Store) Sweep() {
	sweepDir(s.dir)
	sweepDir(s.runsDir())
}

// listDir gives the names in a directory, sorted. (os.ReadDir has 9 KB of code for that.)
func listDir(dir string) ([]string, error) {
	f, err := openFile(dir, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	for i, x := range names {
		for ; i > 0 && x < names[i-1]; i-- {
			names[i] = names[i-1]
		}
		names[i] = x
	}
	return names, err
}

func sweepDir(dir string) {
	names, err := listDir(dir)
	if err != nil {
		return
	}
	for _, name := range names {
		path := filepath.Join(dir, name)
		switch {
		case strings.HasSuffix(name, ".tmp"):
			if deadTemp(name) {
				os.RemoveAll(path)
			}
		case strings.HasSuffix(name, ".lock"):
			if seen := look(path); seen.verdict() == stale {
				reclaim(path, seen)
			}
		case strings.Contains(name, ".lock.release-"):
			_, rest, _ := strings.Cut(name, ".lock.release-")
			pid, _, _ := strings.Cut(rest, "-")
			if n, err := strconv.Atoi(pid); err == nil && !proc.Alive(n, "") {
				os.RemoveAll(path)
			}
		}
	}
}

// deadTemp tells whether a temporary file's name holds a process that is gone: ".NAME.PID-START-NONCE.tmp".
func deadTemp(name string) bool {
	name = strings.TrimSuffix(name, ".tmp")
	parts := strings.Split(name[strings.LastIndexByte(name, '.')+1:], "-")
	if len(parts) != 3 {
		return false
	}
	pid, err := strconv.Atoi(parts[0])
	return err == nil && !proc.Alive(pid, parts[1])
}
