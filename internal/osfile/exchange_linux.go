package osfile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Exchange gives two files or directories each other's name, in a single step. The error matches
// errors.ErrUnsupported where the operating system or the file system has no such step.
func Exchange(a, b string) error {
	err := unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
	if errors.Is(err, unix.EINVAL) { // what file systems say that do not know the flag
		err = errors.ErrUnsupported
	}
	if err != nil {
		return &os.LinkError{Op: "exchange", Old: a, New: b, Err: err}
	}
	return nil
}
