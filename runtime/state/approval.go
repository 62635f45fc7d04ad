package state

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/lobsterc/lobsterc/runtime/plain"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// timeText is a time as state files have it.
func timeText(t time.Time) string { return plain.ISO(t) }

// Now is the present time as state files have it.
func Now() string { return timeText(time.Now()) }

// NewApproval makes a short id for a paused run: eight hexadecimal digits that nobody else has.
func (s *Store) NewApproval(key string) (id string, err error) {
	line := value.Object(value.M("stateKey", value.String(key)), value.M("createdAt", value.String(Now()))).AppendJSON(nil)
	line = append(line, '\n')
	for {
		id = hexText(random(4))
		err = s.createFile(s.approvalFile(id), line)
		if !errors.Is(err, fs.ErrExist) {
			return id, err
		}
	}
}

func (s *Store) approvalFile(id string) string { return filepath.Join(s.dir, "approval_"+id+".json") }

// IsApprovalID tells a short id from a token: eight hexadecimal digits.
func IsApprovalID(text string) bool {
	return len(text) == 8 && strings.Trim(text, "0123456789abcdef") == ""
}

// Approval finds the token that a short id stands for.
func (s *Store) Approval(id string) (Token, error) {
	if !IsApprovalID(id) {
		return Token{}, noApproval(id)
	}
	key, err := s.approvalKey(id)
	if err != nil {
		return Token{}, err
	}
	if kind, ok := KeyKind(key); ok {
		return Token{kind, key}, nil
	}
	return Token{}, noApproval(id)
}

func noApproval(id string) error {
	return errors.New("Approval ID " + strconv.Quote(id) + " not found or expired")
}

func (s *Store) approvalKey(id string) (string, error) {
	if !isHex(id, 8) {
		return "", noApproval(id)
	}
	v, found, err := readFile(s.approvalFile(id))
	if _, corrupt := errors.AsType[*CorruptError](err); err != nil && !corrupt {
		return "", err
	}
	if !found || err != nil || v.Get("stateKey").Str() == "" {
		return "", noApproval(id)
	}
	return v.Get("stateKey").Str(), nil
}

// isHex tells whether s is n lower-case hexadecimal digits.
func isHex(s string, n int) bool {
	if len(s) != n {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// ApprovalOf finds the short id of a paused run; empty when it has none.
func (s *Store) ApprovalOf(key string) string {
	id := ""
	s.approvals(func(at, of string) bool {
		if of == key {
			id = at
		}
		return id == ""
	})
	return id
}

// approvals calls f for each short id with its key until f returns false.
func (s *Store) approvals(f func(id, key string) bool) {
	d, err := os.Open(s.dir)
	if err != nil {
		return
	}
	defer d.Close()
	names, _ := d.Readdirnames(-1)
	for _, name := range names {
		id, ok := strings.CutPrefix(name, "approval_")
		if !ok {
			continue
		}
		id, ok = strings.CutSuffix(id, ".json")
		if !ok {
			continue
		}
		if key, err := s.approvalKey(id); err == nil && !f(id, key) {
			return
		}
	}
}
