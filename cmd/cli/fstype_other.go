//go:build !linux

package cli

// fileSystem knows nothing of file systems here.
func fileSystem(string) (kind, caution string) { return "", "" }
