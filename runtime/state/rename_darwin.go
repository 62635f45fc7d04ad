package state

import (
	"os"

	"golang.org/x/sys/unix"
)

// renameNew renames a directory to a name that must not exist.
func renameNew(from, to string) error {
	for {
		err := unix.RenamexNp(from, to, unix.RENAME_EXCL)
		switch err {
		case nil:
			return nil
		case unix.EINTR:
		case unix.EINVAL, unix.ENOTSUP:
			return errNoRenameNew
		default:
			return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
		}
	}
}
