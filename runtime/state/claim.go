package state

import (
	"context"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/lobsterc/lobsterc/runtime/plain"
	"github.com/lobsterc/lobsterc/runtime/proc"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// consumedType marks a state that a resume has taken.
const consumedType = "lobster.consumed-resume-state.v1"

// ErrGone says that a paused run's state does not exist, or was taken by another resume.
var ErrGone = errors.New("resume state not found")

// Paused is what stands under the key of a paused run.
type Paused struct {
	// State is the saved state; Absent when a resume has taken it.
	State value.Value
	// ClaimID names the resume that took it.
	ClaimID string
	// Left is the state when the resume that took it died with it (see Borrow); else Absent.
	Left value.Value
	// Next is the key of the run's next pause, when the resume that took it came to one (see Claim.Advance).
	Next string
}

// Paused looks at a paused run without taking it. It gives ErrGone when there is nothing.
func (s *Store) Paused(key string) (Paused, error) {
	v, found, err := s.Read(key)
	if err != nil {
		return Paused{}, err
	}
	if !found || v.Kind() != value.ObjectKind && v.Kind() != value.ArrayKind {
		return Paused{}, ErrGone
	}
	if v.Get("type").Str() == consumedType {
		p := Paused{ClaimID: v.Get("claimId").Str(), Next: v.Get("next").Str()}
		if pid, start, ok := strings.Cut(v.Get("owner").Str(), "-"); ok {
			if n, err := strconv.Atoi(pid); err == nil && !proc.Alive(n, start) {
				p.Left = v.Get("state")
			}
		}
		return p, nil
	}
	return Paused{State: v}, nil
}

// Claim is a paused run that was taken.
type Claim struct {
	Key   string
	ID    string
	State value.Value
	store *Store
	raw   []byte
}

// Consume takes a paused run: of many that try, exactly one gets it, the others get ErrGone. It is durable when it returns. The id
// (NewClaimID) names the claim, so that a crash in between can be told apart from a loss to someone else.
func (s *Store) Consume(ctx context.Context, key, id string) (*Claim, error) {
	return s.take(ctx, key, id, func(p Paused) (value.Value, []value.Member) { return p.State, nil })
}

// Borrow is Consume for runs without a journal: the state stays in the mark until it is removed, so that a resume that dies with it
// loses nothing. With again it takes what such a resume has left.
func (s *Store) Borrow(ctx context.Context, key, id string, again bool) (*Claim, error) {
	return s.take(ctx, key, id, func(p Paused) (value.Value, []value.Member) {
		st := p.State
		if again {
			st = p.Left
		}
		return st, []value.Member{value.M("owner", value.String(self())), value.M("state", st)}
	})
}

// take puts a mark in the place of the state that choose picks, with the members that it adds.
func (s *Store) take(ctx context.Context, key, id string, choose func(Paused) (value.Value, []value.Member)) (*Claim, error) {
	var c *Claim
	err := s.withLock(ctx, key, func(file string) error {
		raw, err := os.ReadFile(file)
		if errors.Is(err, os.ErrNotExist) {
			return ErrGone
		} else if err != nil {
			return &FileError{file, "read", err}
		}
		p, err := s.Paused(key)
		if err != nil {
			return err
		}
		st, more := choose(p)
		if st.IsAbsent() {
			return ErrGone
		}
		if p.State.IsAbsent() {
			raw = append(st.AppendIndent(nil, "  "), '\n')
		}
		mark := []value.Member{value.M("type", value.String(consumedType)), value.M("consumedAt", value.String(Now())), value.M("claimId", value.String(id))}
		c = &Claim{key, id, st, s, raw}
		return s.Write(key, value.Object(append(mark, more...)...))
	})
	if err != nil {
		return nil, err
	}
	return c, nil
}

// Advance notes in the mark of a borrowed state that the run has paused again under the key next; the state itself goes.
func (c *Claim) Advance(ctx context.Context, next string) error {
	return c.store.withLock(ctx, c.Key, func(string) error {
		p, err := c.store.Paused(c.Key)
		if err != nil {
			return err
		}
		if p.ClaimID != c.ID {
			return ErrGone
		}
		return c.store.Write(c.Key, value.Object(value.M("type", value.String(consumedType)), value.M("consumedAt", value.String(Now())),
			value.M("claimId", value.String(c.ID)), value.M("next", value.String(next))))
	})
}

// Restore gives a claim back, so that the token can be used again. It is for a resume that ends before its first effect.
func (c *Claim) Restore(ctx context.Context) error {
	return c.store.withLock(ctx, c.Key, func(file string) error {
		p, err := c.store.Paused(c.Key)
		if err != nil {
			return err
		}
		if p.ClaimID != c.ID {
			return ErrGone
		}
		return c.store.writeFile(file, c.raw)
	})
}

// Cancel ends a paused run: of a cancel and any number of resumes at once, one gets it, the others get ErrGone. A state that is
// corrupt can be cancelled too. When it returns, the state and its short id are gone.
func (s *Store) Cancel(ctx context.Context, key string) error {
	return s.withLock(ctx, key, func(file string) error {
		p, err := s.Paused(key)
		switch {
		case plain.As[*CorruptError](err) != nil:
		case err != nil:
			return err
		case p.State.IsAbsent() && p.Left.IsAbsent():
			return ErrGone
		}
		// The short id goes first: it never stands without its state.
		if err := s.RemoveApprovals(key); err != nil {
			return err
		}
		if err := removeFile(file); err != nil {
			return err
		}
		return syncDir(s.dir)
	})
}

// Pause saves the state of a run that pauses, under a new key, and gives its token. With approval it also makes a short id. When it
// returns, all is durable; the caller then retires what it resumed from (see Remove and the states' Superseded).
func (s *Store) Pause(kind Kind, st value.Value, approval bool) (t Token, id string, err error) {
	t = Token{kind, NewKey(kind)}
	if err := s.Write(t.Key, st); err != nil {
		return Token{}, "", err
	}
	if approval {
		if id, err = s.NewApproval(t.Key); err != nil {
			s.Delete(t.Key)
			return Token{}, "", err
		}
	}
	return t, id, nil
}

// Remove removes the states of a run that ended, or marks of earlier pauses, and before them their short ids, which never
// stand alone.
func (s *Store) Remove(ctx context.Context, keys ...string) error {
	if len(keys) == 0 {
		return nil
	}
	first := s.RemoveApprovals(keys...)
	for _, key := range keys {
		err := s.withLock(ctx, key, removeFile)
		if plain.As[*FileError](err) != nil {
			// A lock needs room on the disk. Nobody but the run that made a mark has any business with it.
			if p, readErr := s.Paused(key); readErr == nil && p.State.IsAbsent() {
				if file, pathErr := s.path(key); pathErr == nil {
					err = removeFile(file)
				}
			}
		}
		if first == nil {
			first = err
		}
	}
	if err := syncDir(s.dir); first == nil {
		first = err
	}
	return first
}

// RemoveApprovals removes the short ids of paused runs.
func (s *Store) RemoveApprovals(keys ...string) error {
	var first error
	s.approvals(func(id, key string) bool {
		if slices.Contains(keys, key) {
			if err := removeFile(s.approvalFile(id)); first == nil {
				first = err
			}
		}
		return true
	})
	return first
}

// withLock calls f with the file of a key while its lock is held.
func (s *Store) withLock(ctx context.Context, key string, f func(file string) error) error {
	file, err := s.path(key)
	if err != nil {
		return err
	}
	lock, err := s.Lock(ctx, key)
	if err != nil {
		return err
	}
	err = f(file)
	if unlockErr := lock.Unlock(); err == nil {
		err = unlockErr
	}
	return err
}
