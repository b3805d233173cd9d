package storagetest

import (
	"errors"
	"sync"

	"github.com/cairn-go/cairn/storage"
)

// ErrInjected is what operations fail with that [Faults] was told to fail.
var ErrInjected = errors.New("injected fault")

// Faults is a file system over another one that can fail. It counts the operations that change something (create, write, truncate, sync,
// mkdir, rename, remove, directory sync) from 1; reads are neither counted nor failed. It is safe for concurrent use.
type Faults struct {
	FS storage.FS

	FailAt     int  // number of the operation that fails, 0 for none
	Persistent bool // whether every later one fails too
	Short      bool // whether a failing write writes the first half of its bytes

	mu    sync.Mutex
	count int
}

// Count returns how many operations were counted so far.
func (f *Faults) Count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.count
}

func (f *Faults) next() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count++
	if f.FailAt > 0 && (f.count == f.FailAt || f.Persistent && f.count > f.FailAt) {
		return ErrInjected
	}
	return nil
}

func (f *Faults) wrap(file storage.File, err error) (storage.File, error) {
	if err != nil {
		return nil, err
	}
	return faultyFile{file, f}, nil
}

// Open opens a file for reading.
func (f *Faults) Open(name string) (storage.File, error) { return f.wrap(f.FS.Open(name)) }

// OpenRW opens a file for reading and writing.
func (f *Faults) OpenRW(name string) (storage.File, error) { return f.wrap(f.FS.OpenRW(name)) }

// Create makes a file, or fails.
func (f *Faults) Create(name string) (storage.File, error) {
	if err := f.next(); err != nil {
		return nil, err
	}
	return f.wrap(f.FS.Create(name))
}

// Mkdir makes a directory, or fails.
func (f *Faults) Mkdir(name string) error {
	if err := f.next(); err != nil {
		return err
	}
	return f.FS.Mkdir(name)
}

// Rename renames, or fails.
func (f *Faults) Rename(oldName, newName string) error {
	if err := f.next(); err != nil {
		return err
	}
	return f.FS.Rename(oldName, newName)
}

// Remove removes a file or an empty directory, or fails.
func (f *Faults) Remove(name string) error {
	if err := f.next(); err != nil {
		return err
	}
	return f.FS.Remove(name)
}

// RemoveAll removes a tree, or fails before it removes anything.
func (f *Faults) RemoveAll(name string) error {
	if err := f.next(); err != nil {
		return err
	}
	return f.FS.RemoveAll(name)
}

// ReadDir lists a directory.
func (f *Faults) ReadDir(name string) ([]storage.Info, error) { return f.FS.ReadDir(name) }

// Stat says what a name stands for.
func (f *Faults) Stat(name string) (storage.Info, error) { return f.FS.Stat(name) }

// SyncDir syncs a directory, or fails.
func (f *Faults) SyncDir(name string) error {
	if err := f.next(); err != nil {
		return err
	}
	return f.FS.SyncDir(name)
}

type faultyFile struct {
	storage.File
	faults *Faults
}

func (f faultyFile) WriteAt(p []byte, off int64) (int, error) {
	if err := f.faults.next(); err != nil {
		if !f.faults.Short {
			return 0, err
		}
		n, writeErr := f.File.WriteAt(p[:len(p)/2], off)
		return n, errors.Join(err, writeErr)
	}
	return f.File.WriteAt(p, off)
}

func (f faultyFile) Truncate(size int64) error {
	if err := f.faults.next(); err != nil {
		return err
	}
	return f.File.Truncate(size)
}

func (f faultyFile) Sync() error {
	if err := f.faults.next(); err != nil {
		return err
	}
	return f.File.Sync()
}
