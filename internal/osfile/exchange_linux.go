package osfile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Exchange atomically swaps the names of two files or directories. The error matches
// errors.ErrUnsupported if the operating system or the file system cannot do that.
func Exchange(a, b string) error {
	err := unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
	if errors.Is(err, unix.EINVAL) { // from file systems that do not know the flag
		err = errors.ErrUnsupported
	}
	if err != nil {
		return &os.LinkError{Op: "exchange", Old: a, New: b, Err: err}
	}
	return nil
}
