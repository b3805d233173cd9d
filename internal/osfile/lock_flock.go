//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package osfile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// OpenLock opens a file for locking, reading and writing, and creates it if it does not exist. It
// may be renamed and removed while open. A symbolic link is not followed if the system supports
// that; otherwise the lock's counter would be written to its target.
func OpenLock(name string) (*os.File, error) {
	return stillRegular(os.OpenFile(name, os.O_RDWR|os.O_CREATE|nonBlocking|noFollow, 0o666))
}

// flock locks the open file, not the process, so that two handles of one process exclude each
// other.
func flock(f *os.File, how int) error {
	err := control(f, func(fd int) error { return unix.Flock(fd, how) })
	if err != nil {
		err = &os.PathError{Op: "lock", Path: f.Name(), Err: err}
	}
	return err
}

// TryLock locks a file, shared or exclusive, against other handles in any process until [Unlock] or
// Close. It does not wait: it returns false if another handle prevents the lock. A handle must
// release its lock before it requests another kind. The lock does not prevent reads or writes of
// the file, except of its first byte on Windows, which is the locked byte.
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

// TryClaim is an exclusive TryLock for files that contain data: it does not prevent reads or writes
// of any byte, not even on Windows.
//
// On file systems without such locks the error matches errors.ErrUnsupported.
func TryClaim(f *os.File) (bool, error) {
	ok, err := TryLock(f, true)
	for _, none := range []error{unix.ENOLCK, unix.EOPNOTSUPP, unix.ENOSYS, unix.EINVAL, unix.EBADF} {
		if errors.Is(err, none) {
			return false, errors.ErrUnsupported
		}
	}
	return ok, err
}

// Unclaim releases a claim.
func Unclaim(f *os.File) error { return Unlock(f) }

// Unlock releases a lock.
func Unlock(f *os.File) error { return flock(f, unix.LOCK_UN) }
