package state

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/lobsterc/lobsterc/runtime/value"
)

// RunInfo is what is known of a run that has a journal.
type RunInfo struct {
	Header  Header
	Records []value.Value
	// Running: a process works on it now.
	Running bool
	// Changed is when the journal was last written.
	Changed time.Time
	// Err says why the journal cannot be read; then only Header.Run and Changed are known.
	Err error
}

// Runs lists the runs that have a journal, newest first. With a program name, only those of that program and those that cannot be read.
func (s *Store) Runs(program string) ([]*RunInfo, error) {
	names, err := listDir(s.runsDir())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &FileError{s.runsDir(), "read", err}
	}
	var runs []*RunInfo
	for _, name := range names {
		id, ok := strings.CutSuffix(name, ".jsonl")
		if !ok || !isRunID(id) {
			continue
		}
		info, err := s.Run(id)
		if err == nil && (program == "" || info.Err != nil || info.Header.Program.Name == program) {
			runs = append(runs, info)
		}
	}
	// There are few, so the newest is looked for again and again.
	for i := range runs {
		newest := i
		for j := i + 1; j < len(runs); j++ {
			if runs[j].newer(runs[newest]) {
				newest = j
			}
		}
		runs[i], runs[newest] = runs[newest], runs[i]
	}
	return runs, nil
}

func (r *RunInfo) newer(than *RunInfo) bool {
	if r.Header.StartedAt != than.Header.StartedAt {
		return r.Header.StartedAt > than.Header.StartedAt
	}
	return r.Changed.After(than.Changed)
}

// Run looks at one run without taking it. It gives ErrNoRun when there is none.
func (s *Store) Run(id string) (*RunInfo, error) {
	if !isRunID(id) {
		return nil, ErrNoRun
	}
	info := &RunInfo{Header: Header{Run: id}}
	path := s.runFile(id)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNoRun
	}
	if err != nil {
		info.Err = &FileError{path, "read", err}
		return info, nil
	}
	defer f.Close()
	info.Running = !tryFlockShared(f) && !lockOutlivesHolder(f) && !tryFlockShared(f) // it may have gone this instant
	if st, err := f.Stat(); err == nil {
		info.Changed = st.ModTime()
	}
	data, err := io.ReadAll(f)
	if err != nil {
		info.Err = &FileError{path, "read", err}
		return info, nil
	}
	h, records, _, err := parseJournal(data)
	if err != nil {
		info.Err = journalError(path, err)
		return info, nil
	}
	info.Header, info.Records = h, records
	info.Header.Run = id
	return info, nil
}

// RemoveRun removes the journal of a run that nobody works on.
func (s *Store) RemoveRun(id string) error {
	if !isRunID(id) {
		return ErrNoRun
	}
	path := s.runFile(id)
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return ErrNoRun
	}
	if err != nil {
		return &FileError{path, "removed", err}
	}
	defer f.Close()
	if !tryFlock(f) {
		return &RunningError{id}
	}
	return removeFile(path)
}

// Waiting is the state of a paused workflow.
type Waiting struct {
	Key     string
	State   value.Value
	Changed time.Time
}

// Waiting lists the paused workflows. States that cannot be read are left out.
func (s *Store) Waiting() ([]Waiting, error) {
	names, err := listDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &FileError{s.dir, "read", err}
	}
	var list []Waiting
	for _, name := range names {
		key, ok := strings.CutSuffix(name, ".json")
		if kind, is := KeyKind(key); !ok || !is || kind != WorkflowFile {
			continue
		}
		p, err := s.Paused(key)
		info, statErr := os.Stat(filepath.Join(s.dir, name))
		if err == nil && statErr == nil && !p.State.IsAbsent() {
			list = append(list, Waiting{key, p.State, info.ModTime()})
		}
	}
	return list, nil
}
