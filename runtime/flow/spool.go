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
	Limit  int
	chunks [][]byte // the text; once there is a file, what is not in it yet
	file   *os.File
	size   int64
	name   string
}

// The sizes of chunks: they grow with the text. Once there is a file, its writes are of the largest size.
const (
	minChunk = 4 << 10
	maxChunk = 256 << 10
)

// Write adds text.
func (s *Spool) Write(p []byte) (int, error) {
	n := len(p)
	s.size += int64(n)
	if s.file == nil && s.size > s.limit() {
		if err := s.spill(); err != nil {
			return 0, err
		}
	}
	for len(p) > 0 {
		last := len(s.chunks) - 1
		if last < 0 || len(s.chunks[last]) == cap(s.chunks[last]) {
			if err := s.room(); err != nil {
				return 0, err
			}
			last = len(s.chunks) - 1
		}
		chunk := s.chunks[last]
		k := copy(chunk[len(chunk):cap(chunk)], p)
		s.chunks[last] = chunk[:len(chunk)+k]
		p = p[k:]
	}
	return n, nil
}

// room makes room for more text.
func (s *Spool) room() error {
	if s.file != nil {
		return s.flush()
	}
	size := int(max(minChunk, min(s.size, maxChunk)))
	s.chunks = append(s.chunks, make([]byte, 0, size))
	return nil
}

func (s *Spool) limit() int64 {
	if s.Limit > 0 {
		return int64(s.Limit)
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
	s.chunks = [][]byte{make([]byte, 0, maxChunk)}
	return nil
}

// flush writes what is gathered.
func (s *Spool) flush() error {
	for i, chunk := range s.chunks {
		if _, err := s.file.Write(chunk); err != nil {
			return err
		}
		s.chunks[i] = chunk[:0]
	}
	return nil
}

// Len is the number of bytes written.
func (s *Spool) Len() int64 { return s.size }

// Reader reads the text from its start. Nothing may be written afterwards.
func (s *Spool) Reader() (io.Reader, error) {
	if s.file != nil {
		if err := s.flush(); err != nil {
			return nil, err
		}
		_, err := s.file.Seek(0, io.SeekStart)
		return s.file, err
	}
	readers := make([]io.Reader, len(s.chunks))
	for i, chunk := range s.chunks {
		readers[i] = bytes.NewReader(chunk)
	}
	return io.MultiReader(readers...), nil
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
	s.chunks = nil
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
