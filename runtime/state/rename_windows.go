package state

import (
	"syscall"
	"unsafe"
)

var moveFile = syscall.NewLazyDLL("kernel32.dll").NewProc("MoveFileExW")

// renameNew renames a directory to a name that must not exist: without flags MoveFileEx never replaces.
func renameNew(from, to string) error {
	f, err := syscall.UTF16PtrFromString(from)
	if err != nil {
		return err
	}
	t, err := syscall.UTF16PtrFromString(to)
	if err != nil {
		return err
	}
	return callMove(f, t)
}

func callMove(from, to *uint16) error {
	ok, _, err := moveFile.Call(uintptr(unsafe.Pointer(from)), uintptr(unsafe.Pointer(to)), 0)
	if ok != 0 {
		return nil
	}
	return err
}
