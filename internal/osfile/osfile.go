// Package osfile contains the file operations that differ between operating systems: opening files
// so that they can be renamed and replaced while open, syncing directories, mapping, and locking;
// and what differs of memory.
package osfile

import (
	"errors"
	"io/fs"
	"os"
)

// Flags for [Open], a subset of those of [os.OpenFile].
const (
	ReadOnly  = os.O_RDONLY
	ReadWrite = os.O_RDWR
	Exclusive = os.O_RDWR | os.O_CREATE | os.O_EXCL
)

// ErrIrregular reports something other than a regular file: a directory, a named pipe, a socket, a
// device.
var ErrIrregular = errors.New("not a regular file")

// Open opens a regular file so that other handles and processes may rename, replace or remove it
// while it is open. Created files have permissions 0666 before the umask. Anything but a regular
// file is refused with [ErrIrregular] before it is opened: opening a named pipe would block, and
// opening a device may have any effect.
func Open(name string, flag int) (*os.File, error) {
	if flag == Exclusive {
		return open(name, flag)
	}
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return nil, irregular(name, info.Mode())
	}
	return stillRegular(open(name, flag))
}

// stillRegular checks an opened file again, since its path may have changed meanwhile.
func stillRegular(f *os.File, err error) (*os.File, error) {
	if err != nil {
		return nil, err
	}

	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = irregular(f.Name(), info.Mode())
	}
	if err != nil {
		_ = f.Close() // nothing was read or written
		return nil, err
	}
	return f, nil
}

// irregular returns the error for a path that is not a regular file.
func irregular(name string, mode fs.FileMode) error {
	kind := "something else"
	for _, k := range []struct {
		mode fs.FileMode
		name string
	}{
		{fs.ModeDir, "directory"}, {fs.ModeSymlink, "symbolic link"}, {fs.ModeNamedPipe, "named pipe"}, {fs.ModeSocket, "socket"},
		{fs.ModeDevice, "device"},
	} {
		if mode&k.mode != 0 {
			kind = "a " + k.name
			break
		}
	}
	return &fs.PathError{Op: "open", Path: name, Err: irregularError(kind)}
}

// irregularError is the type of a file that is not regular.
type irregularError string

func (e irregularError) Error() string { return "is " + string(e) + ", " + ErrIrregular.Error() }

// Is makes it match ErrIrregular.
func (irregularError) Is(target error) bool { return target == ErrIrregular }

// SyncDir makes creations, removals and renames of a directory's entries durable. On Windows, which
// has no such operation, it does nothing.
func SyncDir(name string) error { return syncDir(name) }

// MakePipe creates a named pipe, for tests. If the system has none, the error matches
// [errors.ErrUnsupported].
func MakePipe(name string) error { return mkfifo(name) }
