package storage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/cairn-go/cairn"
)

// BucketFS returns the objects of b as a file system for options of packages frame, ndarray, store,
// npy and zarr. Objects are opened for reading, in ranges as by [OpenRanges]. A folder is what the
// names of objects have before a slash; it exists while there is such an object. Files cannot be
// created or changed: methods that would do so fail with errors.ErrUnsupported. Frames and arrays
// are created and changed all the same, because they use the bucket itself, in a layout of their
// own (docs/format/bucket.md).
//
// The methods of the file system have no context of their own, so they end when ctx is done.
func BucketFS(ctx context.Context, b Bucket) FS { return &bucketFS{ctx, b} }

type bucketFS struct {
	ctx context.Context
	b   Bucket
}

// Bucket returns the bucket and the context for packages that use them instead of files.
func (f *bucketFS) Bucket() (context.Context, Bucket) { return f.ctx, f.b }

// object returns the name of the object of a file.
func (f *bucketFS) object(op, name string) (string, error) {
	if clean := path.Clean(name); fs.ValidPath(clean) && clean != "." {
		return clean, nil
	}
	return "", nameError(op, name, fs.ErrInvalid)
}

func (f *bucketFS) Open(name string) (File, error) {
	object, err := f.object("open", name)
	if err != nil {
		return nil, err
	}
	return OpenRanges(f.ctx, ObjectRanges(f.b, object), nil)
}

func (f *bucketFS) Stat(name string) (Info, error) {
	if path.Clean(name) == "." {
		return Info{Name: ".", Dir: true}, nil
	}

	object, err := f.object("stat", name)
	if err != nil {
		return Info{}, err
	}

	at, err := f.b.Stat(f.ctx, object)
	if err == nil {
		return Info{Name: path.Base(object), Size: at.Size}, nil
	}

	if !errors.Is(err, fs.ErrNotExist) {
		return Info{}, err
	}

	for _, failed := range f.b.List(f.ctx, object+"/") {
		if failed != nil {
			return Info{}, failed
		}
		return Info{Name: path.Base(object), Dir: true}, nil
	}
	return Info{}, err
}

// ReadDir lists all objects below the folder, because a bucket has no folders of its own.
func (f *bucketFS) ReadDir(name string) (entries []Info, err error) {
	prefix := ""
	if path.Clean(name) != "." {
		object, err := f.object("readdir", name)
		if err != nil {
			return nil, err
		}
		prefix = object + "/"
	}

	for at, err := range f.b.List(f.ctx, prefix) {
		if err != nil {
			return nil, err
		}
		first, _, deeper := strings.Cut(at.Name[len(prefix):], "/")

		entry := Info{Name: first, Size: at.Size, Dir: deeper}
		if deeper {
			entry.Size = 0
		}
		if n := len(entries); n == 0 || entries[n-1].Name != first || entries[n-1].Dir != deeper {
			entries = append(entries, entry)
		}
	}

	if len(entries) == 0 && prefix != "" {
		return nil, nameError("readdir", name, fs.ErrNotExist)
	}
	return entries, nil
}

func (f *bucketFS) OpenRW(name string) (File, error) {
	object, err := f.object("open", name)
	if err != nil {
		return nil, err
	}

	_, err = f.b.Stat(f.ctx, object)
	if err != nil {
		return nil, err
	}
	return nil, nameError("open", name, fmt.Errorf("an object for writing: %w", cairn.ErrReadOnly))
}

func (f *bucketFS) unsupported(op, name string) error {
	return nameError(op, name, fmt.Errorf("in a bucket: %w", errors.ErrUnsupported))
}

func (f *bucketFS) Create(name string) (File, error) { return nil, f.unsupported("create", name) }
func (f *bucketFS) Mkdir(name string) error          { return f.unsupported("mkdir", name) }
func (f *bucketFS) Rename(oldName, _ string) error   { return f.unsupported("rename", oldName) }
func (f *bucketFS) Remove(name string) error         { return f.unsupported("remove", name) }
func (f *bucketFS) RemoveAll(name string) error      { return f.unsupported("remove", name) }
func (f *bucketFS) SyncDir(name string) error        { return f.unsupported("sync", name) }
