package storage

// A Replacer is an FS that has links, and file metadata such as permissions that a replacement
// should keep. Without it, new files have default metadata and names are used as they are.
type Replacer interface {
	// CreateFor is like Create for a file that is to be renamed to place. If something exists at
	// place, only the owner may open the new file until Inherit is called. MkdirFor does the same
	// for a directory.
	CreateFor(name, place string) (File, error)
	MkdirFor(name, place string) error
	// Inherit copies the metadata of from, if it exists, to name. The change is durable after a
	// Sync.
	Inherit(name, from string) error
	// Resolve returns the name of the existing file that name refers to, following links.
	Resolve(name string) (string, error)
}

// An Exchanger is an FS that can atomically swap the names of two files or directories. The error
// matches errors.ErrUnsupported if that is not possible. Without it, a directory that is being
// replaced does not exist for a moment.
type Exchanger interface {
	Exchange(a, b string) error
}

// A Locker is an FS with advisory locks between goroutines and processes. Without it, frames cannot
// be opened with Locking.
type Locker interface {
	// OpenLock opens a lock file, creating it if it does not exist. The error matches
	// errors.ErrUnsupported if locks are not available.
	OpenLock(name string) (Lock, error)
}

// A Lock is an open lock file. The lock is advisory: it does not prevent access to this or any
// other file. Close releases it. A Lock must not be used concurrently.
type Lock interface {
	File
	// TryLock takes the lock, shared or exclusive, without waiting. It returns false if another
	// Lock prevents it. The lock must not be held already.
	TryLock(exclusive bool) (bool, error)
	Unlock() error
}

// A Claimer is a File that one handle at a time, in any process, can claim before changing it. The
// claim is advisory: it does not prevent reads or writes. It ends when the handle is closed or the
// process ends. For a File that is not a Claimer, concurrent changes go unnoticed.
type Claimer interface {
	File
	// TryClaim claims the file without waiting. It returns false if another handle has the claim. A
	// handle with the claim must not call it again. The error matches errors.ErrUnsupported if the
	// file cannot be claimed.
	TryClaim() (bool, error)
	Unclaim() error
	// Is reports whether name refers to this file: it does not if the file was replaced or removed
	// after it was opened.
	Is(name string) (bool, error)
}

// A Lender is a File that can lend its memory, which the borrower must not change. Without it,
// bytes are copied.
type Lender interface {
	// Slice returns the n bytes at off as memory of the garbage collector, or nil if it cannot.
	// They stay valid and unchanged until that range of the file is written to, even after the file
	// is closed.
	Slice(off int64, n int) []byte
	// Lease is like Slice, but lends only until Release, which must be called once for each Lease
	// that did not return nil. Until then the memory stays valid even if the file is closed.
	Lease(off int64, n int) []byte
	Release()
}

// A Gatherer is a File that writes several pieces of memory with one call. Without it, they are
// written one after the other, or copied into one piece if they are small.
type Gatherer interface {
	File
	// WritePieces is WriteAt for pieces that follow each other in the file.
	WritePieces(pieces [][]byte, off int64) (n int64, err error)
}

// A Mapper is a File that can be mapped into memory. Without it, the option to map files is
// ignored.
type Mapper interface {
	// Map returns a read-only File and [Lender] of the same bytes that takes ownership of this
	// File: closing the new one closes both. After an error, this File is unchanged.
	//
	// Only Lease lends mapped memory. It stays mapped until the File is closed and every lease is
	// released. A mapped file must not be truncated by any process. Lease checks the length each
	// time and returns nil beyond it, but if the file is truncated later, touching the memory
	// beyond its end kills the process (SIGBUS).
	Map() (File, error)
}
