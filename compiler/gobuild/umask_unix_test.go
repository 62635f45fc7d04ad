//go:build unix

package gobuild

import "syscall"

func setUmask(mask int) int { return syscall.Umask(mask) }
