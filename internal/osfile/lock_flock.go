//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package osfile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

func openLock(name string) (*os.File, error) {
	return stillRegular(os.OpenFile(name, os.O_RDWR|os.O_CREATE|nonBlocking|noFollow, 0o666))
}

// flock is a lock of the open file, not of the process, so that two handles of one process keep
// each other out.
func flock(f *os.File, how int) error {
	err := control(f, func(fd int) error { return unix.Flock(fd, how) })
	if err != nil {
		err = &os.PathError{Op: "lock", Path: f.Name(), Err: err}
	}
	return err
}

func tryLock(f *os.File, exclusive bool) (bool, error) {
	how := unix.LOCK_SH
	if exclusive {
		how = unix.LOCK_EX
	}
	err := flock(f, how|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// tryClaim reports a file system that has no such locks as one that does not support them.
func tryClaim(f *os.File) (bool, error) {
	ok, err := tryLock(f, true)
	for _, none := range []error{unix.ENOLCK, unix.EOPNOTSUPP, unix.ENOSYS, unix.EINVAL, unix.EBADF} {
		if errors.Is(err, none) {
			return false, errors.ErrUnsupported
		}
	}
	return ok, err
}

func unclaim(f *os.File) error { return unlock(f) }

func unlock(f *os.File) error { return flock(f, unix.LOCK_UN) }
