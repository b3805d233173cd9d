package storagetest

import (
	"errors"
	"fmt"
	"sync"

	"github.com/cairn-go/cairn/storage"
)

// ErrInjected is the error of operations that [Faults] makes fail.
var ErrInjected = errors.New("injected fault")

// Faults is a file system that wraps another one and can fail. It counts, from 1, the operations
// that change something (create, write, truncate, sync, mkdir, rename, remove, directory sync),
// with Reads also the others except opening and closing, and with Closes the closing of files. It
// is safe for concurrent use.
type Faults struct {
	FS storage.FS

	FailAt     int  // number of the operation that fails, 0 for none
	Persistent bool // all later operations fail too
	Short      bool // a failing write writes the first half of its bytes
	// only operations that need more space fail, as if the disk were full; implies Persistent
	Full   bool
	Reads  bool  // operations that change nothing are counted and fail too
	Closes bool  // closing is counted and fails too, though the file is closed
	Panics bool  // a failing operation panics with ErrInjected
	Err    error // an error that the result also matches, such as syscall.EIO; may be nil

	mu      sync.Mutex
	count   int
	hits    int
	written int64
}

// Count returns the number of counted operations.
func (f *Faults) Count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.count
}

// Hits returns the number of failed operations.
func (f *Faults) Hits() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.hits
}

// Written returns the number of bytes written to files.
func (f *Faults) Written() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.written
}

// next counts an operation and returns its error, if it fails.
func (f *Faults) next(grows bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()

	f.count++
	later := f.count > f.FailAt && (f.Persistent || f.Full)
	if f.FailAt == 0 || f.count != f.FailAt && !later || f.Full && !grows {
		return nil
	}

	f.hits++
	if f.Panics {
		panic(ErrInjected)
	}
	if f.Err == nil {
		return ErrInjected
	}
	return fmt.Errorf("%w: %w", ErrInjected, f.Err)
}

// run executes an operation that changes something. grows means that it needs space for a new
// entry.
func (f *Faults) run(grows bool, do func() error) error {
	if err := f.next(grows); err != nil {
		return err
	}
	return do()
}

func look[T any](f *Faults, do func() (T, error)) (T, error) {
	if f.Reads {
		if err := f.next(false); err != nil {
			var none T
			return none, err
		}
	}
	return do()
}

func (f *Faults) wrap(file storage.File, err error) (storage.File, error) {
	if err != nil {
		return nil, err
	}
	faulty := faultyFile{file, f}
	if s, ok := file.(storage.Lender); ok && !f.Reads {
		return lendingFaultyFile{faulty, s}, nil
	}
	return faulty, nil
}

// Open opens a file for reading.
func (f *Faults) Open(name string) (storage.File, error) { return f.wrap(f.FS.Open(name)) }

// OpenRW opens a file for reading and writing.
func (f *Faults) OpenRW(name string) (storage.File, error) { return f.wrap(f.FS.OpenRW(name)) }

// Create creates a file, or fails.
func (f *Faults) Create(name string) (storage.File, error) {
	if err := f.next(true); err != nil {
		return nil, err
	}
	return f.wrap(f.FS.Create(name))
}

// Mkdir creates a directory, or fails.
func (f *Faults) Mkdir(name string) error {
	return f.run(true, func() error { return f.FS.Mkdir(name) })
}

// Rename renames, or fails.
func (f *Faults) Rename(oldName, newName string) error {
	return f.run(false, func() error { return f.FS.Rename(oldName, newName) })
}

// Remove removes a file or an empty directory, or fails.
func (f *Faults) Remove(name string) error {
	return f.run(false, func() error { return f.FS.Remove(name) })
}

// RemoveAll removes a tree, or fails before it removes anything.
func (f *Faults) RemoveAll(name string) error {
	return f.run(false, func() error { return f.FS.RemoveAll(name) })
}

// ReadDir lists a directory.
func (f *Faults) ReadDir(name string) ([]storage.Info, error) {
	return look(f, func() ([]storage.Info, error) { return f.FS.ReadDir(name) })
}

// Stat returns information about a file or directory.
func (f *Faults) Stat(name string) (storage.Info, error) {
	return look(f, func() (storage.Info, error) { return f.FS.Stat(name) })
}

// SyncDir syncs a directory, or fails.
func (f *Faults) SyncDir(name string) error {
	return f.run(false, func() error { return f.FS.SyncDir(name) })
}

// OpenLock opens a lock if the underlying file system has locks. Locks do not fail.
func (f *Faults) OpenLock(name string) (storage.Lock, error) {
	if l, ok := f.FS.(storage.Locker); ok {
		return l.OpenLock(name)
	}
	return nil, errors.ErrUnsupported
}

type faultyFile struct {
	storage.File
	faults *Faults
}

// lendingFaultyFile wraps a file that lends its memory.
type lendingFaultyFile struct {
	faultyFile
	storage.Lender
}

func (f faultyFile) ReadAt(p []byte, off int64) (int, error) {
	return look(f.faults, func() (int, error) { return f.File.ReadAt(p, off) })
}

func (f faultyFile) Size() (int64, error) { return look(f.faults, f.File.Size) }

// grows reports whether a write up to end needs more space.
func (f faultyFile) grows(end int64) bool {
	size, err := f.File.Size()
	return err != nil || end > size
}

func (f faultyFile) WriteAt(p []byte, off int64) (int, error) {
	if err := f.faults.next(f.grows(off + int64(len(p)))); err != nil {
		if !f.faults.Short {
			return 0, err
		}
		n, writeErr := f.File.WriteAt(p[:len(p)/2], off)
		return n, errors.Join(err, writeErr)
	}

	n, err := f.File.WriteAt(p, off)
	f.faults.mu.Lock()
	defer f.faults.mu.Unlock()

	f.faults.written += int64(n)
	return n, err
}

func (f faultyFile) Truncate(size int64) error {
	return f.faults.run(f.grows(size), func() error { return f.File.Truncate(size) })
}

func (f faultyFile) Sync() error { return f.faults.run(false, f.File.Sync) }

func (f faultyFile) Close() error {
	err := f.File.Close()
	if !f.faults.Closes {
		return err
	}
	return errors.Join(f.faults.next(false), err)
}
