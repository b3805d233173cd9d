package store

import (
	"context"
	"errors"
	"io"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// Verify checks a leaf as [ndarray.Verify] does, or, if it is no array, as [frame.Verify] does: then the report has no shape.
func (s *Store) Verify(ctx context.Context, key string) (ndarray.Report, error) {
	name, fsys, err := s.Place(key)
	if err != nil {
		return ndarray.Report{}, err
	}
	o := s.arrayOptions()
	o.FS = fsys
	r, err := ndarray.Verify(ctx, name, o)
	if errors.Is(err, cairn.ErrNotFound) && r.Frame.Info.HeaderLen > 0 && len(r.Frame.Faults) == 0 {
		err = nil // a frame without the metalayer of an array
	}
	return r, err
}

// Place returns where the frame of a leaf is: a name in a file system, for functions that want those, such as [ndarray.Salvage]. All other names are what
// they are in the file system that the store was opened in. The leaf is for reading; it can be read until the store is closed.
func (s *Store) Place(key string) (name string, fsys storage.FS, err error) {
	l, err := s.Leaf(key)
	if err != nil {
		return "", nil, err
	}
	name, r, err := s.place(&l)
	if err != nil || r == nil {
		return name, s.fsys, err
	}
	name = s.name + "::" + l.Key
	return name, leafFS{s.fsys, name, r, l.Size}, nil
}

// leafFS is a file system in which one name leads to bytes that are no file.
type leafFS struct {
	storage.FS
	name string
	r    io.ReaderAt
	size int64
}

func (f leafFS) Open(name string) (storage.File, error) {
	if name != f.name {
		return f.FS.Open(name)
	}
	return storage.ReaderFile(f.r, f.size), nil
}

func (f leafFS) Stat(name string) (storage.Info, error) {
	if name != f.name {
		return f.FS.Stat(name)
	}
	return storage.Info{Name: name, Size: f.size}, nil
}
