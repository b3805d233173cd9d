package hdf5

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5/internal/format"
	"github.com/cairn-go/cairn/internal/decoded"
	"github.com/cairn-go/cairn/internal/inplace"
	"github.com/cairn-go/cairn/internal/naming"
	"github.com/cairn-go/cairn/storage"
)

// OpenOptions are the options for opening files. Nil and the zero value mean the defaults.
type OpenOptions struct {
	FS      storage.FS // file system of the path; nil means the operating system's
	Workers int        // goroutines of a read; 0 means one per CPU

	// Links are the folders below which are the other files that external links and virtual
	// datasets may lead to. Without any, such links are listed, and following one is a [LinkError].
	// Names of files count from the folder of the file that has the link. Symbolic links lead
	// nowhere outside of these folders.
	Links   []string
	NoCache bool // keep no decoded chunks: see [ndarray.SetCacheBytes]

	// Path is that of a file of [OpenReader], for errors, and for names of other files.
	Path string

	// MaxHeader bounds the bytes of an object header, MaxMeta those of the names or the attributes
	// of an object, MaxIndex those of a block of a chunk index, MaxChunk those of a chunk,
	// MaxAlloc those of other allocations, and MaxNodes the groups and datasets that are listed,
	// and the links of a group.
	Limits cairn.Limits
}

// A File is an HDF5 file that is open for reading, as an [ndarray.Tree]. Any number of goroutines
// may use it. The file must not change meanwhile, unless its writer is in the mode for readers
// beside it (SWMR): then groups, shapes and attributes are as they were when they were first looked
// at, and what a checksum finds half written, or what lies behind the former end of the file, is an
// error that matches [cairn.ErrCorrupt] or [cairn.ErrChecksum].
type File struct {
	format  *format.File
	name    string // for errors
	path    string // without links, if others are not nil
	others  *others
	workers int
	closer  io.Closer // nil if there is nothing to close
	large   largeItems
	kept    *decoded.Owner // of chunks; nil for none

	mu      sync.Mutex
	objects map[int64]*object // by address
	staged  map[int64]*object // those that a [Changer] will have changed
	links   int               // of objects
	tree    *tree             // nil until it is needed
}

// Open opens the file at path. o may be nil. The caller must close the file, after which its
// datasets cannot be read.
//
// Errors match [cairn.ErrCorrupt] if this is no HDF5 file, or a damaged or truncated one, and
// [cairn.ErrLocked] if its writer has not closed it, except in the mode SWMR.
func Open(path string, o *OpenOptions) (*File, error) {
	own := OpenOptions{}
	if o != nil {
		own = *o
	}
	own.Path = path

	fsys := own.FS
	if fsys == nil {
		fsys = storage.OS()
	}

	file, err := fsys.Open(path)
	if err != nil {
		return nil, err
	}

	size, err := file.Size()
	var f *File
	if err != nil {
		return nil, errors.Join(naming.Call("open", path, err), file.Close())
	}

	f, err = open(file, size, path, &own)
	if err != nil {
		return nil, errors.Join(naming.Call("open", path, err), file.Close())
	}

	f.closer = file
	return f, nil
}

// OpenReader opens a file of size bytes that r reads, such as one of [storage.OpenRanges]. o may be
// nil. Closing the file does not close r.
func OpenReader(r io.ReaderAt, size int64, o *OpenOptions) (*File, error) {
	name := "HDF5 file"
	if o != nil && o.Path != "" {
		name = o.Path
	}

	f, err := open(r, size, name, o)
	if err != nil {
		return nil, fmt.Errorf("open HDF5 file: %w", err)
	}
	return f, nil
}

func open(r io.ReaderAt, size int64, name string, o *OpenOptions) (*File, error) {
	if o == nil {
		o = &OpenOptions{}
	}
	if err := o.Limits.Validate(); err != nil {
		return nil, err
	}

	in, err := format.Open(context.Background(), r, size, o.Limits)
	for errors.Is(err, io.ErrUnexpectedEOF) {
		longer, ok := inplace.Longer(r, size)
		if !ok {
			break
		}
		size = longer
		in, err = format.Open(context.Background(), r, size, o.Limits)
	}
	if err != nil {
		return nil, err
	}

	f := &File{format: in, name: name, workers: o.Workers, objects: map[int64]*object{}}
	if !o.NoCache && !in.Growing() {
		f.kept = decoded.Shared().Owner()
	}
	f.others, err = newOthers(f, o)
	return f, err
}

// Is reports whether the first size bytes of r are an HDF5 file: it looks for the signature, which
// may be behind a user block.
func Is(r io.ReaderAt, size int64) bool {
	_, ok, err := format.Find(r, size)
	return ok && err == nil
}

// Close releases the file, and those that its links have led to.
func (f *File) Close() error {
	f.kept.Drop()
	err := f.others.close()
	if f.closer == nil {
		return err
	}
	return errors.Join(err, f.closer.Close())
}

// String returns the path of the file.
func (f *File) String() string { return "HDF5 file " + f.name }
