package state

import (
	"errors"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/lobsterc/lobsterc/runtime/value"
)

// JournalVersion is the version of the journals that are written and read.
const JournalVersion = 1

// Header is the first line of a run's journal.
type Header struct {
	Run       string // the run's id; NewRun chooses it when it is empty
	Program   Program
	Args      value.Value // object, without secrets
	StartedAt string      // NewRun fills it
}

func (h Header) value() value.Value {
	return value.Object(
		value.M("journal", value.Int(JournalVersion)),
		value.M("run", value.String(h.Run)),
		value.M("program", h.Program.value()),
		value.M("args", orEmpty(h.Args)),
		value.M("startedAt", value.String(h.StartedAt)),
	)
}

// VersionError reports a journal of another version.
type VersionError struct {
	Run     string
	Version string
}

func (e *VersionError) Error() string {
	return "the journal of run " + e.Run + " has version " + e.Version + ", which this program does not know"
}

func headerOf(v value.Value) (Header, error) {
	h := Header{Run: v.Get("run").Str(), Args: v.Get("args"), StartedAt: v.Get("startedAt").Str()}
	version := v.Get("journal")
	if !value.StrictEqual(version, value.Int(JournalVersion)) {
		if version.Kind() == value.NumberKind {
			return h, &VersionError{h.Run, version.Text()}
		}
		return h, errors.New("line 1 is not the header of a journal")
	}
	if p := programOf(v.Get("program")); p != nil {
		h.Program = *p
	}
	return h, nil
}

// Journal is the record of one run, open for writing. Its process holds an exclusive lock on it, so one run never runs twice at
// once. What was appended survives the death of the process at once, and a loss of power after Sync.
type Journal struct {
	Header Header
	file   *os.File
	path   string

	mu     sync.Mutex
	buf    []byte
	size   int64
	synced bool  // the directory entry is durable
	broken error // an incomplete line could not be taken back
}

// runsDir is where journals lie.
//
//go:noinline
func (s *Store) runsDir() string { return filepath.Join(s.dir, "runs") }

func (s *Store) runFile(id string) string { return filepath.Join(s.runsDir(), id+".jsonl") }

// NewRun starts the journal of a new run, with its first records. The file appears as a whole, locked; a run of that id that
// exists already is a *RunningError.
func (s *Store) NewRun(h Header, records ...value.Value) (*Journal, error) {
	if err := makeDir(s.runsDir()); err != nil {
		return nil, err
	}
	s.sweepRuns.Do(func() { sweepDir(s.runsDir()) })
	if h.Run == "" {
		h.Run = NewRunID()
	}
	if h.StartedAt == "" {
		h.StartedAt = Now()
	}
	j := &Journal{Header: h, path: s.runFile(h.Run)}
	temp := filepath.Join(s.runsDir(), "."+h.Run+"."+self()+"-"+nonce(8)+".tmp")
	err := point()
	if err == nil {
		j.file, err = openFile(temp, os.O_RDWR|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	}
	if err != nil {
		return nil, &FileError{j.path, "made", err}
	}
	if !tryFlock(j.file) {
		err = &FileError{j.path, "locked", errors.ErrUnsupported}
	} else if err = j.Append(append([]value.Value{h.value()}, records...)...); err == nil {
		err = j.appear(temp)
	}
	if err != nil {
		j.file.Close()
		os.Remove(temp)
		return nil, err
	}
	return j, nil
}

// appear gives the journal its name, which must be free.
func (j *Journal) appear(temp string) error {
	err := point()
	if err == nil {
		err = renameNew(temp, j.path)
	}
	if err == errNoRenameNew {
		if err = os.Link(temp, j.path); err == nil {
			os.Remove(temp)
		}
	}
	switch {
	case errors.Is(err, fs.ErrExist):
		return &RunningError{j.Header.Run}
	case err != nil:
		return &FileError{j.path, "made", err}
	}
	return nil
}

// NewRunID makes the id of a run.
func NewRunID() string { return "run_" + nonce(16) }

// RunIDFor gives the id of the run that goes on from a state which has no journal: always the same one, so that two resumes meet.
func RunIDFor(key string) string {
	h := fnv.New64a()
	h.Write([]byte(key))
	s := strconv.FormatUint(h.Sum64(), 16)
	return "run_" + strings.Repeat("0", 16-len(s)) + s
}

// ErrNoRun says that there is no such run.
var ErrNoRun = errors.New("no such run")

// RunningError says that another process works on the run.
type RunningError struct{ Run string }

func (e *RunningError) Error() string { return "run " + e.Run + " is running" }

// OpenRun opens the journal of an earlier run to go on with it, and gives its records. It takes the run's lock; an incomplete last
// line is cut off.
func (s *Store) OpenRun(id string) (*Journal, []value.Value, error) {
	if !isRunID(id) {
		return nil, nil, ErrNoRun
	}
	path := s.runFile(id)
	f, err := openFile(path, os.O_RDWR|os.O_APPEND, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, ErrNoRun
	}
	if err != nil {
		return nil, nil, &FileError{path, "opened", err}
	}
	j := &Journal{file: f, path: path, synced: true}
	records, err := j.load(id)
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return j, records, nil
}

// load locks and reads an existing journal.
func (j *Journal) load(id string) ([]value.Value, error) {
	// Whoever lists the runs holds the lock for an instant, so one try is not enough.
	for try := 0; !tryFlock(j.file); try++ {
		if try >= 20 && (try == 2000 || !lockOutlivesHolder(j.file)) {
			return nil, &RunningError{id}
		}
		time.Sleep(5 * time.Millisecond)
	}
	mine, err := j.file.Stat()
	if err != nil {
		return nil, &FileError{j.path, "read", err}
	}
	if now, err := os.Stat(j.path); err != nil || !os.SameFile(mine, now) {
		return nil, ErrNoRun // it was removed before we had the lock
	}
	data, err := io.ReadAll(j.file)
	if err != nil {
		return nil, &FileError{j.path, "read", err}
	}
	header, records, good, err := parseJournal(data)
	if err != nil {
		return nil, journalError(j.path, err)
	}
	j.Header = header
	j.size = int64(good)
	if good < len(data) {
		if err := j.file.Truncate(j.size); err != nil {
			return nil, &FileError{j.path, "written", err}
		}
	}
	if good > 0 && data[good-1] != '\n' {
		if _, err := j.file.WriteString("\n"); err != nil {
			return nil, &FileError{j.path, "written", err}
		}
		j.size++
	}
	return records, nil
}

// journalError says which file an error of parseJournal is about.
func journalError(path string, err error) error {
	if _, ok := errors.AsType[*VersionError](err); ok {
		return err
	}
	return &CorruptError{path, err}
}

// parseJournal reads a journal. good is the length of what is complete: a crash can cut the last line short, and nothing else.
func parseJournal(data []byte) (h Header, records []value.Value, good int, err error) {
	for n := 1; good < len(data); n++ {
		end := good
		for end < len(data) && data[end] != '\n' {
			end++
		}
		v, err := value.Parse(data[good:end])
		if err != nil || v.Kind() != value.ObjectKind {
			if end >= len(data)-1 && n > 1 {
				return h, records, good, nil // the last line, torn
			}
			if err == nil {
				err = errors.New("not an object")
			}
			return h, nil, 0, errors.New("line " + strconv.Itoa(n) + ": " + err.Error())
		}
		if n == 1 {
			if h, err = headerOf(v); err != nil {
				return h, nil, 0, err
			}
		} else {
			records = append(records, v)
		}
		good = min(end+1, len(data))
	}
	if good == 0 {
		return h, nil, 0, errors.New("it is empty")
	}
	return h, records, good, nil
}

func isRunID(id string) bool { return len(id) == 20 && id[:4] == "run_" && isHex(id[4:], 16) }

// Append adds records, which are objects, with one write. Where it fails, nothing of them stays.
func (j *Journal) Append(records ...value.Value) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.broken != nil {
		return j.broken
	}
	j.buf = j.buf[:0]
	for _, r := range records {
		j.buf = append(r.AppendJSON(j.buf), '\n')
	}
	n, err := write(j.file, j.buf)
	if err != nil {
		err = &FileError{j.path, "written", err}
		if n > 0 && j.file.Truncate(j.size) != nil {
			j.broken = err
		}
		return err
	}
	j.size += int64(n)
	if cap(j.buf) > 1<<20 {
		j.buf = nil
	}
	return nil
}

// Sync makes all that was appended durable.
func (j *Journal) Sync() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := syncFile(j.file); err != nil {
		return &FileError{j.path, "synced", err}
	}
	if !j.synced {
		if err := syncDir(filepath.Dir(j.path)); err != nil {
			return err
		}
		j.synced = true
	}
	return nil
}

// Close gives the run up and leaves its journal.
func (j *Journal) Close() error { return j.file.Close() }

// Remove ends the run: its journal is removed.
func (j *Journal) Remove() error {
	err := removeFile(j.path)
	if closeErr := j.file.Close(); err == nil {
		err = closeErr
	}
	return err
}
