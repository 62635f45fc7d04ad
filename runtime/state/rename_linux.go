package state

import (
	"os"

	"golang.org/x/sys/unix"
)

// renameNew renames a directory to a name that must not exist.
func renameNew(from, to string) error {
	for {
		err := unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_NOREPLACE)
		switch err {
		case nil:
			return nil
		case unix.EINTR:
		case unix.EINVAL, unix.ENOSYS, unix.EOPNOTSUPP:
			return errNoRenameNew
		default:
			return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
		}
	}
}
