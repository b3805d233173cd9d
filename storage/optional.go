package storage

// A Replacer is an FS whose files have more than bytes, such as permissions, which stay with a name
// when another file takes it, and in which several names can stand for one file. In others a new
// file has what any new file has, and names are what they are.
type Replacer interface {
	// CreateFor is Create of a file that is to take a place: while something else has that, nobody
	// but the owner may open the new file until Inherit. MkdirFor is the same for a directory.
	CreateFor(name, place string) (File, error)
	MkdirFor(name, place string) error
	// Inherit gives a file or directory what the one called from has besides its bytes, if there is
	// one. Like bytes that are written, it is durable after a Sync.
	Inherit(name, from string) error
	// Resolve returns the name of what a name leads to, which exists.
	Resolve(name string) (string, error)
}

// An Exchanger is an FS that can give two files or directories each other's name in a single step.
// The error matches errors.ErrUnsupported if it cannot after all. In others there is a moment at
// which a directory that is replaced has no name.
type Exchanger interface {
	Exchange(a, b string) error
}

// A Locker is an FS whose files can be locked against everybody else who asks, in this process or
// others. In others frames cannot be opened with Locking.
type Locker interface {
	// OpenLock opens the file of a lock, and makes it if it is not there. It may fail with an error
	// matching errors.ErrUnsupported.
	OpenLock(name string) (Lock, error)
}

// A Lock is an open file that can be locked. It keeps nobody from reading or writing this file or
// any other; it only tells those who ask. Closing it gives back what it has. It is used by one
// goroutine at a time.
type Lock interface {
	File
	// TryLock takes the lock, together with others who want it shared or alone. False means that
	// others have it in the way; it never waits. A Lock that has it already must give it back
	// first.
	TryLock(exclusive bool) (bool, error)
	Unlock() error
}

// A Claimer is a File that one handle at a time can claim, in this process and others: whoever is
// about to change it. A claim keeps nobody from reading or writing; it only tells those who ask for
// one. It ends with the handle, or the process, at the latest. Nothing tells of two who change
// another File.
type Claimer interface {
	File
	// TryClaim claims the file. False means that another handle has it; it never waits. A handle
	// that has it must not ask again. An error that matches errors.ErrUnsupported says that there
	// are no claims here.
	TryClaim() (bool, error)
	Unclaim() error
	// Is reports whether a name stands for this very file: not if it was replaced or removed since
	// it was opened.
	Is(name string) (bool, error)
}

// A Lender is a File that can lend its memory, which must not be changed. The bytes of others are
// copied.
type Lender interface {
	// Slice returns the n bytes at off, or nil if it cannot lend just those for good: they stay as
	// they are as long as nobody writes to that range of the file, also when it is closed or
	// referred to no more. Only memory of the garbage collector's is lent so.
	Slice(off int64, n int) []byte
	// Lease lends as Slice does, but only until Release, which is called once for every Lease that
	// did not return nil; until then the bytes are there, even if the file is closed.
	Lease(off int64, n int) []byte
	Release()
}

// A Mapper is a File that can be mapped into memory. Of others the option to map them asks nothing.
type Mapper interface {
	// Map returns a read-only File and [Lender] of the same bytes, which takes the place of this
	// one: closing it closes both. It fails with an error of the system's where that is not
	// possible, and then this one is as before.
	//
	// Memory is lent by Lease alone, and stays mapped until the File is closed and every lease is
	// released. No file that was mapped may become shorter: Lease looks at the length each time and
	// then lends nothing beyond it, but a process that touches memory behind the end of a file that
	// shrank since is killed by the system (SIGBUS).
	Map() (File, error)
}
