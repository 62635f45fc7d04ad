package state

import (
	"syscall"
	"unsafe"
)

var processPrng = syscall.NewLazyDLL("bcryptprimitives.dll").NewProc("ProcessPrng")

// systemRandom fills b from the system's generator, as crypto/rand does.
func systemRandom(b []byte) bool {
	if processPrng.Find() != nil {
		return false
	}
	processPrng.Call(uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)))
	return true
}
