package bucketurl

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"sync"

	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/storage"
)

// FS is a file system whose names are URLs. Files stay open until the end: verbs open them several
// times to find out what they are. Closing them does nothing.
type FS struct {
	storage.FS
	ctx context.Context
	all *buckets

	mu    sync.Mutex
	files map[string]storage.File
	found map[string]string // by Look
	named map[string]int64  // versions in names, by Version

	marks []string // of folders
}

// New returns a file system of all buckets that openers open, and of directories. marks are names
// of objects that mark the format of their folder, besides those of Blosc2.
func New(ctx context.Context, openers Openers, marks []string) *FS {
	all := &buckets{openers: openers, open: map[string]storage.Bucket{}}
	return &FS{FS: storage.BucketFS(ctx, all), ctx: ctx, all: all,
		files: map[string]storage.File{}, found: map[string]string{}, named: map[string]int64{},
		marks: append([]string{AFrame, AStore}, marks...)}
}

// Bucket returns what package frame needs to keep frames in buckets.
func (f *FS) Bucket() (context.Context, storage.Bucket) { return f.ctx, f.all }

// At notes an operand, so that a directory that serves as a bucket is the same for all objects of a
// frame, and returns the file system.
func (f *FS) At(operand string) *FS {
	_, _ = f.all.at(f.ctx, operand) // an error is met again
	return f
}

// Open opens an object, or returns the one that is open.
func (f *FS) Open(name string) (storage.File, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if file := f.files[name]; file != nil {
		return file, nil
	}
	file, err := f.FS.Open(name)
	if err != nil {
		return nil, err
	}
	f.files[name] = file
	return file, nil
}

// Stat describes an object that is open without asking again.
func (f *FS) Stat(name string) (storage.Info, error) {
	f.mu.Lock()
	file := f.files[name]
	f.mu.Unlock()
	if file == nil {
		return f.FS.Stat(name)
	}
	size, err := file.Size()
	return storage.Info{Name: name, Size: size}, err
}

// Forget has the next Open find what there is then.
func (f *FS) Forget(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.files, name)
	delete(f.found, name)
}

// What Look finds: names of objects in a folder, by which its format is known.
const (
	AnObject = ""          // no folder
	AFrame   = "root"      // a frame in the layout of buckets
	AStore   = "embed.b2e" // the files of a store
)

// Look opens what is at a URL: AnObject, or a folder with one of the marks. A folder is not listed,
// because it may have millions of objects.
func (f *FS) Look(name string) (mark string, err error) {
	folder := strings.HasSuffix(name, "/")
	name = strings.TrimRight(name, "/")

	f.mu.Lock()
	mark, known := f.found[name]
	f.mu.Unlock()
	if known {
		return mark, nil
	}

	absent := error(&fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist})
	if !folder {
		_, err := f.Open(name)
		if err == nil || !mayBeAbsent(err) {
			return AnObject, err
		}
		absent = err
	}

	for _, mark := range f.marks {
		switch _, err := f.all.Stat(f.ctx, name+"/"+mark); {
		case err == nil:
			f.mu.Lock()
			defer f.mu.Unlock()
			f.found[name] = mark
			return mark, nil
		case !mayBeAbsent(err):
			return "", err
		}
	}
	return "", absent
}

// Version splits URL@N, version N of a frame, unless there is an object of that name. For another
// URL the version is 0.
func (f *FS) Version(operand string) (name string, version int64) {
	name, version = place.Version(operand)
	if version == 0 {
		return operand, 0
	}

	f.mu.Lock()
	defer f.mu.Unlock()
	if known, ok := f.named[operand]; ok {
		version = known
	} else if _, err := f.all.Stat(f.ctx, operand); err == nil {
		version = 0
	}

	if f.named[operand] = version; version == 0 {
		return operand, 0
	}
	return name, version
}

// mayBeAbsent reports whether an error may say that there is no object: S3 denies access to it if
// the caller may not list the bucket.
func mayBeAbsent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)
}
