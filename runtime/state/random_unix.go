//go:build unix

package state

import (
	"io"
	"os"
)

// systemRandom fills b from the system's generator. It is what crypto/rand reads too; that package would bring fmt, reflect and big
// numbers into every program.
func systemRandom(b []byte) bool {
	f, err := os.Open("/dev/urandom")
	if err != nil {
		return false
	}
	defer f.Close()
	_, err = io.ReadFull(f, b)
	return err == nil
}
