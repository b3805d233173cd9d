package osfile

import "os"

// OpenLock opens a file for locking, reading and writing, and makes it if it is not there. It may
// be renamed and removed while it is open. A symbolic link is not followed where the system can
// refuse that: the counter in it would be written to what it leads to.
func OpenLock(name string) (*os.File, error) { return openLock(name) }

// TryLock locks a file against everybody else who locks it, in this process or another, until
// [Unlock] or until it is closed. Any number of handles can have a shared lock, or one an exclusive
// one. It does not wait: false means that others hold it. A handle that has a lock must give it
// back before it asks for another kind. Nobody is kept from reading or writing the file; on Windows
// its first byte, which is what is locked there, is an exception.
func TryLock(f *os.File, exclusive bool) (bool, error) { return tryLock(f, exclusive) }

// TryClaim is TryLock, alone, for files that hold data: it keeps nobody from reading or writing any
// of it, on Windows neither.
func TryClaim(f *os.File) (bool, error) { return tryClaim(f) }

// Unclaim gives back what TryClaim took.
func Unclaim(f *os.File) error { return unclaim(f) }

// Unlock gives a lock back.
func Unlock(f *os.File) error { return unlock(f) }
