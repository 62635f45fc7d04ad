//go:build unix

package cli

import "syscall"

// execProgram replaces this process by a program: its signals, its terminal and its exit code are then the program's own.
func execProgram(path string, argv, environ []string, _ *env) error {
	return syscall.Exec(path, argv, environ)
}
