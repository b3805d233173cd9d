// Package tree opens whatever holds arrays as an [ndarray.Tree]: a file of any format that this
// module reads, a store, a Zarr store, or a directory of such files.
//
//	t, err := tree.Open(ctx, "measurements", nil)
//	for n, err := range ndarray.Walk(ctx, t, "/") { … }
//
// Programs that want one format use its package, whose files are trees too, and tell more.
package tree

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/internal/naming"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// Options are the options of [Open]. Nil and the zero value mean the defaults.
type Options struct {
	// FS has the path: storage/httprange.NewFS makes one for URLs of web servers,
	// [storage.BucketFS] one for a bucket. Nil means the operating system.
	FS      storage.FS
	Workers int // goroutines of a read; 0 means one per CPU
	// Links are the folders below which are the other files that an HDF5 file may lead to; see
	// hdf5.OpenOptions.
	Links  []string
	Limits cairn.Limits
}

// Open opens what is at path. o may be nil. The caller closes the tree.
//
// The format is that of the content, or that of the name where the content does not tell. Errors
// match [cairn.ErrUnsupported] for a file that has none.
//
// A directory that is none of these is a tree of the files in it. Folders are groups; so are files
// with several arrays, while one with a single array is that array. Files are opened when a call
// needs them and closed behind it, but for the last one: arrays keep theirs open until they are
// closed. Symbolic links and files whose names begin with a dot are other nodes, which are not
// opened, and so are files of no known format. What is added to a directory later is seen.
func Open(ctx context.Context, path string, o *Options) (ndarray.Tree, error) {
	if o == nil {
		o = &Options{}
	}
	if err := errors.Join(o.Limits.Validate(), ctx.Err()); err != nil {
		return nil, naming.Call("open", path, err)
	}
	t, err := o.open(ctx, path)
	if err != nil {
		return nil, named(path, err)
	}
	return t, nil
}

// named adds a path to an error that does not have it.
func named(path string, err error) error {
	if of := (*fs.PathError)(nil); errors.As(err, &of) || naming.Of(err) == path {
		return err
	}
	return naming.Call("open", path, err)
}

func (o *Options) open(ctx context.Context, path string) (ndarray.Tree, error) {
	files := o.FS
	if files == nil {
		files = storage.OS()
	}
	info, err := files.Stat(path)
	if err == nil && !info.Dir {
		return o.openFile(ctx, files, path)
	}
	if err != nil && !mayBeDirectory(err) {
		return nil, err
	}

	// Web servers do not say what is a directory; a name that ends with a slash is taken for one.
	dir := path
	if err != nil {
		dir = strings.TrimSuffix(path, "/") + "/"
	}
	if t, dirErr := o.openDir(ctx, files, dir); t != nil || dirErr != nil {
		return t, dirErr
	}
	if err != nil {
		return nil, err
	}
	if o.FS == nil {
		files = storage.NoLinks(path)
	}
	return &folder{o: o, files: files, root: path}, nil
}

// mayBeDirectory reports whether an error of Stat is one that servers and buckets have for
// directories: nothing is there, access is denied, or a page lists what is in it.
func mayBeDirectory(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, cairn.ErrUnsupported)
}

// openDir opens a directory that is an array or a tree; nil if it is a plain one.
func (o *Options) openDir(ctx context.Context, files storage.FS, dir string) (ndarray.Tree, error) {
	p, err := formats.ProbeDir(files, dir)
	if err != nil || len(p.Entries) == 0 {
		return nil, err
	}
	t, _, err := formats.Open(ctx, o.input(dir, files), p)
	return t, err
}

func (o *Options) input(name string, files storage.FS) *formats.Input {
	return &formats.Input{Name: name, Path: name, Files: files, Workers: o.Workers, Limits: o.Limits, Links: o.Links,
		LinkFS: o.FS}
}

// openFile opens a file.
func (o *Options) openFile(ctx context.Context, files storage.FS, name string) (ndarray.Tree, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}

	in := o.input(name, files)
	in.File = f
	if in.Size, err = f.Size(); err != nil {
		return nil, errors.Join(err, f.Close())
	}

	p, err := formats.ProbeFile(path.Base(name), f, in.Size)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	t, row, err := formats.Open(ctx, in, p)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}

	if row.ByPath {
		if err := f.Close(); err != nil {
			return nil, errors.Join(err, t.Close())
		}
		return t, nil
	}
	return &openedFile{t, f}, nil
}

// openedFile is the tree of a file that is closed with it.
type openedFile struct {
	ndarray.Tree
	file storage.File
}

func (t *openedFile) Close() error { return errors.Join(t.Tree.Close(), t.file.Close()) }
