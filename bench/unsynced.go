package main

import "github.com/cairn-go/cairn/storage"

// An unsyncedFS is the operating system's file system without syncs. C-Blosc2 never syncs, and the
// speed of a disk says nothing about either library.
type unsyncedFS struct{ storage.FS }

type unsyncedFile struct{ storage.File }

func unsynced() storage.FS { return unsyncedFS{storage.OS()} }

func (f unsyncedFile) Sync() error { return nil }

func (f unsyncedFS) SyncDir(string) error { return nil }

func (f unsyncedFS) Open(name string) (storage.File, error) { return withoutSync(f.FS.Open(name)) }

func (f unsyncedFS) OpenRW(name string) (storage.File, error) { return withoutSync(f.FS.OpenRW(name)) }

func (f unsyncedFS) Create(name string) (storage.File, error) { return withoutSync(f.FS.Create(name)) }

func withoutSync(f storage.File, err error) (storage.File, error) {
	if err != nil {
		return nil, err
	}
	return unsyncedFile{f}, nil
}
