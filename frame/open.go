package frame

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame/internal/locking"
	"github.com/cairn-go/cairn/internal/naming"
	"github.com/cairn-go/cairn/storage"
)

// Open opens a frame: a file, or a directory that holds a sparse one. Errors say "open", the path
// and what is wrong.
func Open(path string, o *OpenOptions) (*Frame, error) {
	o = cmp.Or(o, &OpenOptions{})
	fsys := cmp.Or(o.FS, storage.OS())
	f, err := openPath(fsys, path, o)
	if err != nil {
		return nil, openError(path, err)
	}
	return f, nil
}

func openError(name string, err error) error {
	var pe *fs.PathError
	switch {
	case name == "" || errors.As(err, &pe) && pe.Op == "open":
		return err // it already has the operation and the path
	case err == error(pe) && pe.Path == name:
		return &fs.PathError{Op: "open", Path: name, Err: pe.Err}
	}
	return naming.Call("open", name, err)
}

// OpenFS opens a frame in a file system of package io/fs, for reading.
func OpenFS(fsys fs.FS, name string, o *OpenOptions) (*Frame, error) {
	options := *cmp.Or(o, &OpenOptions{})
	options.FS = storage.IOFS(fsys)
	return Open(name, &options)
}

// OpenReader opens a contiguous frame for reading from the first size bytes of r. Closing the frame
// does not close r. If r has a method Name, as files have, errors name what that returns.
func OpenReader(r io.ReaderAt, size int64, o *OpenOptions) (*Frame, error) {
	if o != nil && o.Mode == ReadWrite {
		return nil, fmt.Errorf("frame: a reader cannot be opened for writing: %w", cairn.ErrReadOnly)
	}
	f, err := openSingle(storage.ReaderFile(r, size), o)
	if err != nil {
		return nil, err
	}
	f.env.fixed = true
	f.env.name = naming.Reader(r)
	return f, nil
}

// FromBytes opens a contiguous frame in memory. A frame opened for reading uses b, which must not
// be modified while it is open. A frame opened for writing is a copy: see [Frame.Bytes].
func FromBytes(b []byte, o *OpenOptions) (*Frame, error) {
	if o == nil || o.Mode == ReadOnly {
		return openSingle(storage.BytesFile(b), o)
	}
	m := storage.NewMemory()
	file, err := m.Create(memoryName)
	if err != nil {
		return nil, err
	}

	if _, err := file.WriteAt(b, 0); err != nil {
		return nil, err
	}
	options := *o
	options.FS = m
	f, err := openPath(m, memoryName, &options)
	if err != nil {
		return nil, err
	}
	f.env.name = ""
	return f, nil
}

func openSingle(file storage.File, o *OpenOptions) (*Frame, error) {
	o = cmp.Or(o, &OpenOptions{})
	if err := o.Validate(); err != nil {
		return nil, err
	}
	v, err := readState(file, newEnv("", o), o.Offset, nil)
	if err != nil {
		return nil, err
	}
	return newFrame(v, nil, file.Close), nil
}

func openPath(fsys storage.FS, path string, o *OpenOptions) (*Frame, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if o.Locking {
		return openLocked(fsys, path, o)
	}
	return openFiles(fsys, path, o)
}

// openLocked opens a frame under its lock.
func openLocked(fsys storage.FS, path string, o *OpenOptions) (*Frame, error) {
	info, err := fsys.Stat(path)
	if err != nil {
		return nil, err
	}
	lock, err := locking.New(fsys, path, info.Dir, o.LockTimeout)
	if err != nil {
		return nil, err
	}

	// A sweep must not remove the files of another writer that is active.
	take := lock.Share
	release := lock.Unshare
	if o.Sweep {
		take = lock.Begin
		release = lock.End
	}

	if err := take(context.Background()); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	f, err := openFiles(fsys, path, o)
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}

	lock.Stale.Store(false) // it was opened since
	if err := release(); err != nil {
		return nil, errors.Join(err, f.edit.closeUnchanged(), lock.Close())
	}
	f.edit.lock = lock
	return f, nil
}

// Verify opens a frame for reading, decodes every chunk and every metalayer, and checks that the
// parts are consistent. It returns the first fault as its error; the report has all. Overlaps and
// orphans are not faults, unless overlapping chunks have many times the bytes of the file.
// o.Workers chunks are decoded in parallel, in at most 256 MiB plus twice the largest block of
// memory.
func Verify(ctx context.Context, path string, o *OpenOptions) (Report, error) {
	options := *cmp.Or(o, &OpenOptions{})
	workers := max(1, options.Workers)
	options.Mode = ReadOnly
	options.Workers = 1
	f, err := Open(path, &options)
	if err != nil {
		return Report{Faults: []error{err}}, err
	}
	r, err := f.cur.Load().verify(ctx, workers)
	return r, errors.Join(err, f.Close())
}
