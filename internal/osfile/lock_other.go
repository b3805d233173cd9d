//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package osfile

import (
	"errors"
	"os"
)

// OpenLock is like that on Unix.
func OpenLock(name string) (*os.File, error) {
	return nil, &os.PathError{Op: "lock", Path: name, Err: errors.ErrUnsupported}
}

// TryLock is like that on Unix.
func TryLock(*os.File, bool) (bool, error) { return false, errors.ErrUnsupported }

// TryClaim is like that on Unix.
func TryClaim(*os.File) (bool, error) { return false, errors.ErrUnsupported }

// Unclaim is like that on Unix.
func Unclaim(*os.File) error { return errors.ErrUnsupported }

// Unlock is like that on Unix.
func Unlock(*os.File) error { return errors.ErrUnsupported }
