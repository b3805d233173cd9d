//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package osfile

import (
	"errors"
	"os"
)

func openLock(name string) (*os.File, error) {
	return nil, &os.PathError{Op: "lock", Path: name, Err: errors.ErrUnsupported}
}

func tryLock(*os.File, bool) (bool, error) { return false, errors.ErrUnsupported }

func tryClaim(*os.File) (bool, error) { return false, errors.ErrUnsupported }

func unclaim(*os.File) error { return errors.ErrUnsupported }

func unlock(*os.File) error { return errors.ErrUnsupported }
