package gobuild

import (
	"os"
	"path/filepath"
)

// lock keeps others from doing the same work at the same time. It only saves work: everything is right without it, so a file
// system that knows no locks is no error. Only the first two letters of a name count. Locks are taken in the order program (its
// key, hexadecimal), recipe ("r" and its key), "src".
func (c *Cache) lock(name string) (unlock func()) {
	dir, err := c.mkdir("lock")
	if err != nil {
		return func() {}
	}
	f, err := os.OpenFile(filepath.Join(dir, name[:2]), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return func() {}
	}
	// An error means that there are no locks here.
	_ = flock(f)
	return func() { f.Close() }
}
