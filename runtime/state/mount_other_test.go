//go:build !linux

package state

import "errors"

func mountTmpfs(dir, size string) error { return errors.ErrUnsupported }

func remountReadOnly(dir string) error { return errors.ErrUnsupported }

func unmount(dir string) {}
