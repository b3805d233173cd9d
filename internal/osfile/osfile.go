// Package osfile holds the few file operations whose code differs between operating systems: opening so that an open file can be
// renamed and replaced, making a directory's entries durable, mapping files into memory, and locking them.
package osfile

import "os"

// Flags for [Open], a subset of those of [os.OpenFile].
const (
	ReadOnly  = os.O_RDONLY
	ReadWrite = os.O_RDWR
	Exclusive = os.O_RDWR | os.O_CREATE | os.O_EXCL
)

// Open opens a file so that other handles, and this process itself, may rename, replace or remove it while it is open. Files
// that it creates get the permissions 0666 before the umask.
func Open(name string, flag int) (*os.File, error) { return open(name, flag) }

// SyncDir makes creations, removals and renames of entries of the directory durable. Where the operating system has no such
// operation (Windows: its file systems journal them) it does nothing.
func SyncDir(name string) error { return syncDir(name) }
