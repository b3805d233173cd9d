//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package osfile

import (
	"errors"
	"os"
)

// OpenLock is what it is on Unix.
func OpenLock(name string) (*os.File, error) {
	return nil, &os.PathError{Op: "lock", Path: name, Err: errors.ErrUnsupported}
}

// TryLock is what it is on Unix.
func TryLock(*os.File, bool) (bool, error) { return false, errors.ErrUnsupported }

// TryClaim is what it is on Unix.
func TryClaim(*os.File) (bool, error) { return false, errors.ErrUnsupported }

// Unclaim is what it is on Unix.
func Unclaim(*os.File) error { return errors.ErrUnsupported }

// Unlock is what it is on Unix.
func Unlock(*os.File) error { return errors.ErrUnsupported }
