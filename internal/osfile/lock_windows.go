package osfile

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// OpenLock is like that on Unix.
func OpenLock(name string) (*os.File, error) { return openShared(name, os.O_RDWR, windows.OPEN_ALWAYS) }

// Windows locks prevent access to the bytes that they cover. So locks cover the first byte of a
// lock file, which contains nothing else, and claims cover a byte beyond the end of any file.
const (
	lockAt  = 0
	claimAt = 1<<63 - 2
)

func lockRange(f *os.File, at uint64, do func(windows.Handle, *windows.Overlapped) error) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}

	var lockErr error
	err = conn.Control(func(fd uintptr) {
		lockErr = do(windows.Handle(fd), &windows.Overlapped{Offset: uint32(at), OffsetHigh: uint32(at >> 32)})
	})
	if err == nil && lockErr != nil {
		err = &os.PathError{Op: "lock", Path: f.Name(), Err: lockErr}
	}
	return err
}

// TryLock is like that on Unix.
func TryLock(f *os.File, exclusive bool) (bool, error) { return tryRange(f, lockAt, exclusive) }

// TryClaim is like that on Unix.
func TryClaim(f *os.File) (bool, error) { return tryRange(f, claimAt, true) }

func tryRange(f *os.File, at uint64, exclusive bool) (bool, error) {
	flags := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if exclusive {
		flags |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}

	err := lockRange(f, at, func(h windows.Handle, o *windows.Overlapped) error { return windows.LockFileEx(h, flags, 0, 1, 0, o) })
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return false, nil
	}
	return err == nil, err
}

// Unlock is like that on Unix.
func Unlock(f *os.File) error { return unlockRange(f, lockAt) }

// Unclaim is like that on Unix.
func Unclaim(f *os.File) error { return unlockRange(f, claimAt) }

func unlockRange(f *os.File, at uint64) error {
	return lockRange(f, at, func(h windows.Handle, o *windows.Overlapped) error { return windows.UnlockFileEx(h, 0, 1, 0, o) })
}
