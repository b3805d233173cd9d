// Package osfile holds the few file operations whose code differs between operating systems:
// opening so that an open file can be renamed and replaced, making a directory's entries durable,
// mapping files into memory, and locking them.
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

// ErrIrregular reports what is no regular file: a directory, a named pipe, a socket, a device.
var ErrIrregular = errors.New("no regular file")

// Open opens a regular file so that other handles, and this process itself, may rename, replace or
// remove it while it is open. Files that it creates get the permissions 0666 before the umask. What
// is no regular file is refused with [ErrIrregular], and not opened first: a named pipe would wait
// for whoever writes to it, and a device may do anything when it is opened.
func Open(name string, flag int) (*os.File, error) {
	if flag == Exclusive {
		return open(name, flag)
	}
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return nil, irregular(name, info.Mode())
	}
	return stillRegular(open(name, flag))
}

// stillRegular looks at what was opened once more, since a name may come to stand for something
// else at any time.
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

// irregular says what a name stands for instead of a file.
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

// irregularError is what a name stands for.
type irregularError string

func (e irregularError) Error() string { return "is " + string(e) + ", " + ErrIrregular.Error() }

// Is makes it match ErrIrregular.
func (irregularError) Is(target error) bool { return target == ErrIrregular }

// SyncDir makes creations, removals and renames of entries of the directory durable. Where the
// operating system has no such operation (Windows: its file systems journal them) it does nothing.
func SyncDir(name string) error { return syncDir(name) }

// MakePipe makes a named pipe, for tests of what happens where a file should be. Where there are
// none, the error matches [errors.ErrUnsupported].
func MakePipe(name string) error { return mkfifo(name) }
