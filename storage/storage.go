// Package storage is where frames keep their bytes: files that are read and written at offsets, and
// the file systems that hold them. It knows nothing of what the bytes mean.
//
// There are four kinds of place: the operating system's files ([OS]), memory ([NewMemory]), any
// [io/fs.FS] for reading ([IOFS]), and single readers or buffers ([ReaderFile], [BytesFile]).
// Errors match those of package io/fs ([io/fs.ErrNotExist], …).
package storage

import "io"

// A File is a sequence of bytes at rest. ReadAt may be called concurrently with everything else but
// Close; writes to bytes that are being read at the same time give either content. WriteAt beyond
// the end fills the gap with zeros.
type File interface {
	io.ReaderAt
	io.WriterAt
	Truncate(size int64) error
	// Sync returns once everything written before it survives a loss of power.
	Sync() error
	Size() (int64, error)
	Close() error
}

// Info says what a name stands for.
type Info struct {
	Name string // last element of the name
	Size int64  // bytes; 0 for a directory
	Dir  bool
	// Other says that an entry of a directory is neither a file nor a directory, such as a symbolic
	// link. Stat follows links.
	Other bool
}

// An FS is a tree of named files. Names are paths as the implementation knows them; every
// implementation takes "/" between elements. All methods are safe for concurrent use. Nothing is
// durable before Sync of a file and SyncDir of the directory whose entries changed.
type FS interface {
	Open(name string) (File, error)       // for reading; writes fail with cairn.ErrReadOnly or the system's error
	OpenRW(name string) (File, error)     // for reading and writing; the file must exist
	Create(name string) (File, error)     // for reading and writing; fails with fs.ErrExist if the name is taken
	Mkdir(name string) error              // fails with fs.ErrExist if the name is taken
	Rename(oldName, newName string) error // a file atomically replaces a file; a directory needs a free name
	Remove(name string) error             // a file or an empty directory
	RemoveAll(name string) error          // a tree; no error if there is none
	ReadDir(name string) ([]Info, error)  // entries sorted by name
	Stat(name string) (Info, error)
	SyncDir(name string) error // makes creations, removals and renames of the directory's entries durable
}

// A Slicer is a File that can lend its memory. Slice returns the n bytes at off, or nil if it
// cannot lend just those. The bytes must not be changed, and stay as they are as long as nobody
// writes to that range of the file, also when it is closed or referred to no more: only memory of
// the garbage collector's is lent so.
type Slicer interface {
	Slice(off int64, n int) []byte
}

// A Leaser is a Slicer that is told when lent memory is no longer needed. Lease lends as Slice
// does, but only until Release, which is called once for every Lease that did not return nil; until
// then the bytes are there, even if the file is closed. A file whose memory was only leased can use
// it again after Discard, or give it back to the system.
type Leaser interface {
	Slicer
	Lease(off int64, n int) []byte
	Release()
}

// A Discarder is a File whose content can go although the file is closed. Discard empties a file
// that no name leads to any more and that nobody else has open. What was lent for good, or is
// leased, stays as it is; the rest of the memory is used again.
type Discarder interface {
	Discard()
}
