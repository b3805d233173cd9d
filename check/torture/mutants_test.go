package main

import (
	"sync"

	"github.com/cairn-go/cairn/internal/test/storagetest"
	"github.com/cairn-go/cairn/storage"
)

// A mutant is a file system that breaks one thing on which the safety of commits depends. If
// crashes on it lose nothing, this program would not notice the same defect in the library.
type mutant struct {
	storage.FS
	drop string // "data sync", "header sync", "directory sync", or ""
	flip bool   // write the header before the data that it refers to

	mutex sync.Mutex
}

// mutantNames are the mutants that must be caught by crashes.
var mutantNames = []string{"no data sync", "no header sync", "no directory sync", "header first"}

func newMutant(name string, fsys storage.FS) storage.FS {
	switch name {
	case "no data sync":
		return &mutant{FS: fsys, drop: "data sync"}
	case "no header sync":
		return &mutant{FS: fsys, drop: "header sync"}
	case "no directory sync":
		return &mutant{FS: fsys, drop: "directory sync"}
	case "header first":
		return &mutant{FS: fsys, flip: true}
	}
	return fsys
}

func (m *mutant) wrap(f storage.File, err error) (storage.File, error) {
	if err != nil {
		return nil, err
	}
	return &mutantFile{File: f, m: m}, nil
}

// Open opens a file for reading.
func (m *mutant) Open(name string) (storage.File, error) { return m.FS.Open(name) }

// OpenRW opens a file with the defect.
func (m *mutant) OpenRW(name string) (storage.File, error) { return m.wrap(m.FS.OpenRW(name)) }

// Create makes a file with the defect.
func (m *mutant) Create(name string) (storage.File, error) { return m.wrap(m.FS.Create(name)) }

// SyncDir syncs a directory, unless the mutant drops that.
func (m *mutant) SyncDir(name string) error {
	if m.drop == "directory sync" {
		return nil
	}
	return m.FS.SyncDir(name)
}

type mutantFile struct {
	storage.File
	m *mutant

	header bool // the last write was of the header
	held   []byte
	heldAt int64
	synced bool // a sync was called while a write was held back
}

// WriteAt writes. With flip, other writes are held back until the header is written.
func (f *mutantFile) WriteAt(p []byte, off int64) (int, error) {
	f.m.mutex.Lock()
	defer f.m.mutex.Unlock()
	f.header = off < storagetest.Sector && off+int64(len(p)) <= storagetest.Sector
	if !f.m.flip {
		return f.File.WriteAt(p, off)
	}
	if f.header {
		n, err := f.File.WriteAt(p, off)
		if err == nil {
			err = f.release()
		}
		return n, err
	}
	if err := f.release(); err != nil {
		return 0, err
	}
	f.held, f.heldAt = append([]byte(nil), p...), off
	return len(p), nil
}

// release does the writes that were held back.
func (f *mutantFile) release() error {
	held, synced := f.held, f.synced
	f.held, f.synced = nil, false
	if held == nil {
		return nil
	}
	if _, err := f.File.WriteAt(held, f.heldAt); err != nil {
		return err
	}
	if synced {
		return f.File.Sync()
	}
	return nil
}

func (f *mutantFile) settle() error {
	f.m.mutex.Lock()
	defer f.m.mutex.Unlock()
	return f.release()
}

// Sync syncs, unless the mutant drops that.
func (f *mutantFile) Sync() error {
	f.m.mutex.Lock()
	defer f.m.mutex.Unlock()
	if f.m.drop == "data sync" && !f.header || f.m.drop == "header sync" && f.header {
		return nil
	}
	if f.held != nil {
		f.synced = true
		return nil
	}
	return f.File.Sync()
}

// ReadAt reads, including writes that are held back.
func (f *mutantFile) ReadAt(p []byte, off int64) (int, error) {
	if err := f.settle(); err != nil {
		return 0, err
	}
	return f.File.ReadAt(p, off)
}

// Truncate sets the length.
func (f *mutantFile) Truncate(size int64) error {
	if err := f.settle(); err != nil {
		return err
	}
	return f.File.Truncate(size)
}

// Close does the writes that were held back and closes the file.
func (f *mutantFile) Close() error {
	if err := f.settle(); err != nil {
		return err
	}
	return f.File.Close()
}
