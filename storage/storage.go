// Package storage provides the files in which frames are stored: files that are read and written at
// offsets, and file systems that contain them.
//
// There are four kinds: the files of the operating system ([OS]), memory ([NewMemory]), any
// [io/fs.FS] for reading ([IOFS]), and single readers or buffers ([ReaderFile], [BytesFile]).
//
// To add another kind, implement [FS] and [File]; or [RangeReader] for a source that is read in
// ranges, such as a web server; or [Bucket] for a store of whole objects. An FS may also be a
// [Replacer], an [Exchanger] or a [Locker], and a File a [Claimer], a [Lender], a [Gatherer] or a
// [Mapper]. The documentation of each says what happens without it. They are found by type
// assertion, so a wrapper hides those that it does not implement. Errors match those of package
// io/fs, such as [io/fs.ErrNotExist].
package storage

import "io"

// A File is a file that is read and written at offsets. ReadAt may be called concurrently with all
// methods but Close. A read that overlaps a concurrent write may return old or new bytes. WriteAt
// beyond the end fills the gap with zeros.
type File interface {
	io.ReaderAt
	io.WriterAt
	Truncate(size int64) error
	// Sync returns once everything written before it survives a power failure.
	Sync() error
	Size() (int64, error)
	Close() error
}

// Info describes a file or directory.
type Info struct {
	Name string // last element of the name
	Size int64  // bytes; 0 for a directory
	Dir  bool
	// Other is set by ReadDir for an entry that is neither a file nor a directory, such as a
	// symbolic link. Stat follows links.
	Other bool
}

// An FS is a tree of named files. The implementation defines what names are valid, but must accept
// "/" between elements. All methods are safe for concurrent use. Nothing is durable before Sync of
// a file and SyncDir of the directory whose entries changed.
type FS interface {
	// opens for reading; writes fail with cairn.ErrReadOnly or the system's error
	Open(name string) (File, error)
	OpenRW(name string) (File, error) // opens an existing file for reading and writing
	// creates for reading and writing; fails with fs.ErrExist if the name is taken
	Create(name string) (File, error)
	Mkdir(name string) error // fails with fs.ErrExist if the name is taken
	// atomically replaces a file by a file; a directory needs a free name
	Rename(oldName, newName string) error
	Remove(name string) error            // a file or an empty directory
	RemoveAll(name string) error         // a tree; no error if there is none
	ReadDir(name string) ([]Info, error) // entries sorted by name
	Stat(name string) (Info, error)
	// makes creations, removals and renames of the directory's entries durable
	SyncDir(name string) error
}
