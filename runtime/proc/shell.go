package proc

import (
	"errors"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/lobsterc/lobsterc/runtime/plain"
)

// Shell gives the command line that runs script in the shell that environ (the child's environment) names: LOBSTER_SHELL, else
// /bin/sh, on Windows %ComSpec% or cmd.exe. login, or LOBSTER_LOGIN_SHELL=1, makes it a login shell.
func Shell(environ []string, script string, login bool) []string {
	shell := ""
	if s, ok := lookup(environ, "LOBSTER_SHELL"); ok {
		shell = strings.TrimSpace(s)
	}
	if shell == "" {
		shell = "/bin/sh"
		if runtime.GOOS == "windows" {
			shell = "cmd.exe"
			if s, ok := lookup(environ, "ComSpec"); ok && strings.TrimSpace(s) != "" {
				shell = strings.TrimSpace(s)
			}
		}
	}
	name := strings.TrimSuffix(plain.Lower(shell), ".exe")
	switch {
	case strings.HasSuffix(name, "powershell"), strings.HasSuffix(name, "pwsh"):
		return []string{shell, "-NoProfile", "-Command", script}
	case strings.HasSuffix(name, "cmd"):
		return []string{shell, "/d", "/s", "/c", script}
	}
	if s, _ := lookup(environ, "LOBSTER_LOGIN_SHELL"); login || isYes(s) {
		return []string{shell, "-lc", script}
	}
	return []string{shell, "-c", script}
}

func isYes(s string) bool {
	switch plain.Lower(strings.TrimSpace(s)) {
	case "1", "true", "yes", "y":
		return true
	}
	return false
}

// IsNotFound tells whether err says that the program itself does not exist.
func IsNotFound(err error) bool {
	_, ok := errors.AsType[*NotFoundError](err)
	return ok
}

// errMaxOutput is the reference's text.
var errMaxOutput = errors.New("LOBSTER_MAX_OUTPUT_BYTES must be a positive safe integer (bytes)")

// MaxOutput reads LOBSTER_MAX_OUTPUT_BYTES from environ; 0 = not set, no limit.
func MaxOutput(environ []string) (int64, error) {
	s, _ := lookup(environ, "LOBSTER_MAX_OUTPUT_BYTES")
	s = strings.TrimSpace(s)
	if s == "" {
		return 0, nil
	}
	const maxSafe = 1<<53 - 1
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 1 || n > maxSafe || s[0] == '+' {
		return 0, errMaxOutput
	}
	return n, nil
}

// Have tells whether a program can be found: at its path when the name holds a slash, else in the PATH of environ. What is
// there and may not be run counts as found, for starting it says so better.
func Have(name, dir string, environ []string) bool {
	if strings.ContainsRune(name, '/') || strings.ContainsRune(name, os.PathSeparator) {
		if dir != "" && !isAbs(name) {
			name = dir + string(os.PathSeparator) + name
		}
		_, err := os.Stat(name)
		return err == nil || !errors.Is(err, os.ErrNotExist)
	}
	_, err := LookPath(name, dir, environ)
	return !IsNotFound(err)
}

// LookPath finds the file of a program without a slash in the PATH of environ; relative entries are relative to dir.
func LookPath(name, dir string, environ []string) (string, error) {
	path, ok := lookup(environ, "PATH")
	if !ok {
		path = defaultPath
	}
	var denied string
	for _, entry := range strings.Split(path, string(os.PathListSeparator)) {
		if entry == "" {
			entry = "."
		}
		file := entry + string(os.PathSeparator) + name
		at := file
		if dir != "" && !isAbs(entry) {
			at = dir + string(os.PathSeparator) + file
		}
		switch found, usable := probe(at); {
		case usable != "":
			return file + strings.TrimPrefix(usable, at), nil
		case found:
			denied = file
		}
	}
	if denied != "" {
		return "", &StartError{name, os.ErrPermission}
	}
	return "", &NotFoundError{name}
}
