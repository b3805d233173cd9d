package zarr

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/chunked"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/storage"
)

// keys is what a store keeps: bytes by key. Keys are valid by [fs.ValidPath]. Any number of
// goroutines may use it. Errors match fs.ErrNotExist if a key does not exist.
type keys interface {
	// open opens the bytes of a key.
	open(ctx context.Context, key string) (object, error)
	// list returns the names in the folder of a prefix, "." for the root: of keys, and of folders
	// with a slash at their end, sorted.
	list(ctx context.Context, folder string) ([]string, error)
	close() error
}

// An object is the bytes of one key, to be closed after use.
type object interface {
	size() int64
	chunked.Source // of bytes within the size
	close() error
}

// get returns the bytes of a key, at most limit. It uses the memory of buf if they fit.
func get(ctx context.Context, k keys, key string, limit int64, buf []byte) (_ []byte, err error) {
	o, err := k.open(ctx, key)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, o.close()) }()

	n := o.size()
	if n > limit {
		return nil, fmt.Errorf("%s has %d bytes, the most is %d: %w", key, n, limit, cairn.ErrLimit)
	}

	buf = slab.Resize(buf, n)
	return buf, o.ReadAt(ctx, buf, 0)
}

// files are the keys of a directory in a file system.
type files struct {
	fsys storage.FS
	root string // "" for a file system whose root is the store's
}

func (f files) name(key string) string {
	switch {
	case f.root == "" || f.root == ".":
		return key
	case key == ".":
		return f.root
	}
	return strings.TrimSuffix(f.root, "/") + "/" + key
}

func (f files) open(_ context.Context, key string) (object, error) {
	file, err := f.fsys.Open(f.name(key))
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if info, failed := f.fsys.Stat(f.name(key)); failed == nil && info.Dir {
			err = fmt.Errorf("%s is a directory: %w", key, fs.ErrNotExist)
		}
		return nil, err
	}

	size, err := file.Size()
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return openFile{file, size}, nil
}

func (f files) list(_ context.Context, folder string) ([]string, error) {
	entries, err := f.fsys.ReadDir(f.name(folder))
	if err != nil {
		return nil, err
	}

	var names []string
	for _, e := range entries {
		name := e.Name
		if e.Other { // a link, perhaps to a folder
			info, err := f.fsys.Stat(f.name(path.Join(folder, name)))
			if err != nil {
				continue
			}
			e.Dir = info.Dir
		}

		if e.Dir {
			name += "/"
		}
		names = append(names, name)
	}
	return names, nil
}

func (files) close() error { return nil }

// openFile is an object in a file.
type openFile struct {
	file  storage.File
	bytes int64
}

func (o openFile) size() int64  { return o.bytes }
func (o openFile) close() error { return o.file.Close() }

func (o openFile) ReadAt(ctx context.Context, b []byte, off int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return readAt(o.file, b, off)
}

func readAt(r io.ReaderAt, b []byte, off int64) error {
	if n, err := r.ReadAt(b, off); n < len(b) {
		return cmp.Or(fileEnded(err), error(io.ErrUnexpectedEOF))
	}
	return nil
}

// fileEnded returns err, or a clearer one for a file that has become shorter.
func fileEnded(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// inBucket are the keys of a bucket that begin with a prefix.
type inBucket struct {
	bucket storage.Bucket
	prefix string // "" or with a slash at its end
}

func (b inBucket) open(ctx context.Context, key string) (object, error) {
	at, err := b.bucket.Stat(ctx, b.prefix+key)
	if err != nil {
		return nil, err
	}
	return bucketObject{b.bucket, at}, nil
}

func (b inBucket) list(ctx context.Context, folder string) ([]string, error) {
	prefix := b.prefix
	if folder != "." {
		prefix += folder + "/"
	}

	var names []string
	for o, err := range b.bucket.List(ctx, prefix) {
		if err != nil {
			return nil, err
		}
		name, _, below := strings.Cut(strings.TrimPrefix(o.Name, prefix), "/")
		if below {
			name += "/"
		}
		if len(names) == 0 || names[len(names)-1] != name {
			names = append(names, name)
		}
	}

	slices.Sort(names)
	return slices.Compact(names), nil
}

func (inBucket) close() error { return nil }

// bucketObject is an object of a bucket, of the version that was found when it was opened.
type bucketObject struct {
	bucket storage.Bucket
	at     storage.Object
}

func (o bucketObject) size() int64  { return o.at.Size }
func (o bucketObject) close() error { return nil }

func (o bucketObject) ReadAt(ctx context.Context, b []byte, off int64) error {
	return o.bucket.ReadRanges(ctx, o.at, []storage.Range{{Off: off, Data: b}})
}
