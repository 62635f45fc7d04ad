package gobuild

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
)

// CheckOutput tells whether a program may be written to path. What is there already is replaced only when it is a program or empty: -o with the
// name of a workflow, or of anything else that somebody wrote, is a slip that must not cost the file.
func CheckOutput(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil // nothing there; or writing says what is wrong
	case info.IsDir():
		return &UsageError{path + " is a folder; -o names the program to write"}
	case !info.Mode().IsRegular() || info.Size() == 0:
		return nil
	}
	head, err := readHead(path)
	if err != nil || isProgram(head) {
		return nil // a program that cannot be read may be replaced
	}
	return &UsageError{path + " exists and is not a program: remove it, or give another name with -o"}
}

func readHead(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, 4)
	n, err := io.ReadFull(f, head)
	if err == io.ErrUnexpectedEOF {
		err = nil
	}
	return head[:n], err
}

// isProgram knows the first bytes of executables of all targets: ELF, Mach-O (64 bit), PE.
func isProgram(head []byte) bool {
	for _, magic := range []string{"\x7fELF", "\xcf\xfa\xed\xfe", "MZ"} {
		if bytes.HasPrefix(head, []byte(magic)) {
			return true
		}
	}
	return false
}

// Write puts a program at path in one go; one that is just running is replaced too. A device or pipe, such as /dev/null, is written to
// and stays what it is.
func Write(path string, data []byte) error {
	if err := CheckOutput(path); err != nil {
		return err
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = f.Write(data)
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		return err
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // the link stays a link
	}
	return WriteMode(path, data, 0o777)
}

// checkModuleDir tells whether a module may be written into dir: emitting replaces go.mod, main.go and vendor, so they must be ours.
func checkModuleDir(dir string) error {
	for _, name := range []string{"go.mod", "main.go", "vendor"} {
		_, err := os.Lstat(filepath.Join(dir, name))
		if err != nil {
			continue
		}
		mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && bytes.HasPrefix(mod, []byte("module lobsterc.local/program\n")) {
			return nil
		}
		return &UsageError{filepath.Join(dir, name) + " exists and was not emitted by lobsterc: give another folder with -o"}
	}
	return nil
}
