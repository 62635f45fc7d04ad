//go:build !linux

package proc

import "os"

// pipe gives the two ends of a pipe; ours is the reading one unless write is set.
func pipe(write, _ bool) (ours, childs *os.File, err error) {
	r, w, err := os.Pipe()
	if write {
		return w, r, err
	}
	return r, w, err
}
