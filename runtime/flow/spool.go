package flow

import (
	"bytes"
	"io"
	"os"
)

// SpoolLimit is how much text a Spool keeps in memory.
const SpoolLimit = 16 << 20

// Spool holds text of any length that is written first and read afterwards: up to a limit in memory, beyond it in a
// temporary file that has no name (or, on Windows, that Close removes). The zero Spool is ready to use.
type Spool struct {
	// Limit replaces SpoolLimit when it is positive.
	Limit int
	mem   []byte
	file  *os.File
	size  int64
	name  string
}

// Write adds text.
func (s *Spool) Write(p []byte) (int, error) {
	s.size += int64(len(p))
	if s.file == nil {
		if len(s.mem)+len(p) <= s.limit() {
			s.mem = append(s.mem, p...)
			return len(p), nil
		}
		if err := s.spill(); err != nil {
			return 0, err
		}
	}
	// Small writes are gathered in what was the memory of the text so far.
	if len(s.mem)+len(p) > spoolBuffer {
		if err := s.flush(); err != nil {
			return 0, err
		}
	}
	if len(p) > spoolBuffer {
		return s.file.Write(p)
	}
	s.mem = append(s.mem, p...)
	return len(p), nil
}

const spoolBuffer = 256 << 10

func (s *Spool) limit() int {
	if s.Limit > 0 {
		return s.Limit
	}
	return SpoolLimit
}

// spill moves the text to a file.
func (s *Spool) spill() error {
	f, err := os.CreateTemp("", "lobsterc-*.spool")
	if err != nil {
		return err
	}
	s.file = f
	if os.Remove(f.Name()) != nil {
		s.name = f.Name()
	}
	if err := s.flush(); err != nil {
		return err
	}
	s.mem = make([]byte, 0, spoolBuffer)
	return nil
}

// flush writes what is gathered.
func (s *Spool) flush() error {
	_, err := s.file.Write(s.mem)
	s.mem = s.mem[:0]
	return err
}

// Len is the number of bytes written.
func (s *Spool) Len() int64 { return s.size }

// File is the file behind the text, at its start, or nil when the text is in memory.
func (s *Spool) File() (*os.File, error) {
	if s.file == nil {
		return nil, nil
	}
	if err := s.flush(); err != nil {
		return nil, err
	}
	_, err := s.file.Seek(0, io.SeekStart)
	return s.file, err
}

// Reader reads the text from its start. Nothing may be written afterwards.
func (s *Spool) Reader() (io.Reader, error) {
	f, err := s.File()
	if err != nil {
		return nil, err
	}
	if f != nil {
		return f, nil
	}
	return bytes.NewReader(s.mem), nil
}

// CopyTo writes the text to w. Nothing may be written afterwards.
func (s *Spool) CopyTo(w io.Writer) error {
	r, err := s.Reader()
	if err != nil {
		return err
	}
	_, err = io.Copy(w, r)
	return err
}

// Close releases the text.
func (s *Spool) Close() error {
	s.mem = nil
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	if s.name != "" {
		err = os.Remove(s.name)
	}
	s.file = nil
	return err
}
