// Package inplace changes files in place, in steps that a crash leaves whole.
package inplace

import (
	"errors"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/storage"
)

// Sector is how many bytes at a multiple of it are written entirely or not at all.
const Sector = 512

// A File is a file that one handle at a time changes, beside any number of readers.
type File struct {
	storage.File
	lock storage.Lock // nil if there are no locks
}

// Open opens a file for changes. fsys may be nil, which means the operating system's. It fails with
// an error that matches [cairn.ErrLocked] while another handle has the file open for writing, or a
// program of HDF5 has it open in any way.
func Open(fsys storage.FS, path string) (*File, error) {
	if fsys == nil {
		fsys = storage.OS()
	}
	if r, ok := fsys.(storage.Replacer); ok {
		resolved, err := r.Resolve(path)
		if err != nil {
			return nil, err
		}
		path = resolved
	}

	file, err := fsys.OpenRW(path)
	if err != nil {
		return nil, err
	}
	f := &File{File: file}
	if err := f.claim(fsys, path); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return f, nil
}

// claim takes the lock of the file alone, so that nobody has it, and then the shared one, which
// programs of HDF5 take for reading: they refuse files that are locked by a writer.
func (f *File) claim(fsys storage.FS, path string) error {
	locker, ok := fsys.(storage.Locker)
	if !ok {
		return nil
	}
	lock, err := locker.OpenLock(path)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	if err != nil {
		return err
	}

	got, err := lock.TryLock(true)
	if err == nil && got {
		err = lock.Unlock()
	}
	if err == nil && got {
		got, err = lock.TryLock(false)
	}
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return lock.Close()
	case err != nil:
		return errors.Join(err, lock.Close())
	case !got:
		err = fmt.Errorf("the file is open for writing, or in a program of HDF5: %w", cairn.ErrLocked)
		return errors.Join(err, lock.Close())
	}
	f.lock = lock
	return nil
}

// Sync returns once the content is durable. Its time of change need not be.
func (f *File) Sync() error {
	if d, ok := f.File.(interface{ SyncData() error }); ok {
		return d.SyncData()
	}
	return f.File.Sync()
}

// Close closes the file.
func (f *File) Close() error {
	err := f.File.Close()
	if f.lock != nil {
		err = errors.Join(err, f.lock.Close())
	}
	return err
}

// Whole reports whether n bytes at an offset are in one sector.
func Whole(at, n int64) bool { return n <= 0 || at/Sector == (at+n-1)/Sector }

// Fit returns the first offset from at on that has n bytes in one sector, of which there are at
// most [Sector], at a multiple of 8.
func Fit(at, n int64) int64 {
	at = (at + 7) &^ 7
	if Whole(at, n) {
		return at
	}
	return (at + Sector - 1) &^ (Sector - 1)
}

// Changed returns the range of bytes in which two pieces of memory of the same length differ.
func Changed(a, b []byte) (from, to int) {
	for from < len(a) && a[from] == b[from] {
		from++
	}
	to = len(a)
	for to > from && a[to-1] == b[to-1] {
		to--
	}
	return from, to
}
