package runtime

import (
	"errors"
	"syscall"
	"testing"
)

// closing is a writer that takes some writes and then fails.
type closing struct {
	n   int
	err error
}

func (c *closing) Write(p []byte) (int, error) {
	if c.n--; c.n < 0 {
		return 0, c.err
	}
	return len(p), nil
}

func TestReaderThatLeaves(t *testing.T) {
	w := &departing{w: &closing{1, syscall.EPIPE}}
	for range 3 {
		if n, err := w.Write([]byte("abc")); n != 3 || err != nil {
			t.Errorf("wrote %d, error %v", n, err)
		}
	}
	full := errors.New("full")
	if _, err := (&departing{w: &closing{0, full}}).Write([]byte("a")); err != full {
		t.Errorf("error %v", err)
	}
}
