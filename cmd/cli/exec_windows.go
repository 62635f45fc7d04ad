package cli

import (
	"errors"
	"os/exec"
)

// execProgram runs a program to its end: Windows cannot replace a process. Console interrupts reach the program by themselves.
func execProgram(path string, argv, environ []string, e *env) error {
	cmd := exec.Command(path, argv[1:]...)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = environ, e.stdin, e.stdout, e.stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		e.exit = exit.ExitCode()
		return nil
	}
	return err
}
