package osfile

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

func openLock(name string) (*os.File, error) { return openShared(name, os.O_RDWR, windows.OPEN_ALWAYS) }

// What is locked is the first byte, which nothing else is kept in.
func lockRange(f *os.File, do func(windows.Handle, *windows.Overlapped) error) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var lockErr error
	err = conn.Control(func(fd uintptr) { lockErr = do(windows.Handle(fd), &windows.Overlapped{}) })
	if err == nil && lockErr != nil {
		err = &os.PathError{Op: "lock", Path: f.Name(), Err: lockErr}
	}
	return err
}

func tryLock(f *os.File, exclusive bool) (bool, error) {
	flags := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if exclusive {
		flags |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	err := lockRange(f, func(h windows.Handle, at *windows.Overlapped) error { return windows.LockFileEx(h, flags, 0, 1, 0, at) })
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return false, nil
	}
	return err == nil, err
}

func unlock(f *os.File) error {
	return lockRange(f, func(h windows.Handle, at *windows.Overlapped) error { return windows.UnlockFileEx(h, 0, 1, 0, at) })
}
