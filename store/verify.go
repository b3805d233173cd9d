package store

import (
	"context"
	"io"
	"io/fs"

	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// Verify checks a leaf as [ndarray.Verify] does.
func (s *Store) Verify(ctx context.Context, key string) (ndarray.Report, error) {
	l, err := s.Leaf(key)
	if err != nil {
		return ndarray.Report{}, err
	}
	r, err := s.place(&l)
	if err != nil {
		return ndarray.Report{}, err
	}
	o := &ndarray.OpenOptions{Workers: s.workers, Limits: s.limits, Codecs: s.codecs, FilterSet: s.filters}
	name := l.File
	if r == nil {
		o.FS = storage.IOFS(s.fsys)
	} else {
		name = "leaf"
		o.FS = leafFS{storage.IOFS(noFiles{}), r, l.Size}
	}
	report, err := ndarray.Verify(ctx, name, o)
	return report, s.inLeaf(&l, err)
}

// noFiles is a file system without any.
type noFiles struct{}

func (noFiles) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// leafFS is a file system with one file, "leaf".
type leafFS struct {
	storage.FS
	r    io.ReaderAt
	size int64
}

func (f leafFS) Open(name string) (storage.File, error) {
	if name != "leaf" {
		return f.FS.Open(name)
	}
	return storage.ReaderFile(f.r, f.size), nil
}

func (f leafFS) Stat(name string) (storage.Info, error) {
	if name != "leaf" {
		return f.FS.Stat(name)
	}
	return storage.Info{Name: name, Size: f.size}, nil
}
