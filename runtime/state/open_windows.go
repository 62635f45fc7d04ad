package state

import (
	"io/fs"
	"os"
)

// openFile is os.OpenFile for regular files and directories.
func openFile(path string, flags int, perm uint32) (*os.File, error) {
	return os.OpenFile(path, flags, fs.FileMode(perm))
}
