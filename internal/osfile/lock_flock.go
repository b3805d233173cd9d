//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package osfile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// OpenLock opens a file for locking, reading and writing, and makes it if it is not there. It may
// be renamed and removed while it is open. A symbolic link is not followed where the system can
// refuse that: the counter in it would be written to what it leads to.
func OpenLock(name string) (*os.File, error) {
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

// TryLock locks a file against everybody else who locks it, in this process or another, until
// [Unlock] or until it is closed. Any number of handles can have a shared lock, or one an exclusive
// one. It does not wait: false means that others hold it. A handle that has a lock must give it
// back before it asks for another kind. Nobody is kept from reading or writing the file; on Windows
// its first byte, which is what is locked there, is an exception.
func TryLock(f *os.File, exclusive bool) (bool, error) {
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

// TryClaim is TryLock, alone, for files that hold data: it keeps nobody from reading or writing any
// of it, on Windows neither.
//
// It reports a file system that has no such locks as one that does not support them.
func TryClaim(f *os.File) (bool, error) {
	ok, err := TryLock(f, true)
	for _, none := range []error{unix.ENOLCK, unix.EOPNOTSUPP, unix.ENOSYS, unix.EINVAL, unix.EBADF} {
		if errors.Is(err, none) {
			return false, errors.ErrUnsupported
		}
	}
	return ok, err
}

// Unclaim gives back what TryClaim took.
func Unclaim(f *os.File) error { return Unlock(f) }

// Unlock gives a lock back.
func Unlock(f *os.File) error { return flock(f, unix.LOCK_UN) }
