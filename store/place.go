package store

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/cairn-go/cairn/storage"
)

// What takes a place in a store, or a store's own, gets the permissions that were there. Until it
// does, it is in a directory that nobody but the owner can enter.

// takeOver gives a finished file what belongs to its place, durably: what is there has it, or else
// the embed store of the directory root.
func takeOver(fsys storage.FS, file, place, root string) error {
	if _, ok := fsys.(storage.Inheritor); !ok {
		return nil
	}
	if _, err := fsys.Stat(place); errors.Is(err, fs.ErrNotExist) {
		place = path.Join(root, embedName)
	}
	f, err := fsys.OpenRW(file) // now, since it may become one that is not to be written
	if err != nil {
		return err
	}
	if err = storage.Inherit(fsys, file, place); err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// takeOverTree gives each file and folder of a directory what belongs to its place in another one,
// or to the file that is to be replaced, if there is any, and waits until the folders are on the
// disk. Their files were committed.
func takeOverTree(dir, place string) error {
	disk := storage.OS()
	info, err := os.Stat(place)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	replaces := err == nil
	placeOf := func(relative string) string {
		if replaces && !info.IsDir() {
			return place
		}
		return filepath.Join(place, relative)
	}
	var folders []string
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(dir, name)
		if err == nil && d.IsDir() {
			folders = append(folders, relative)
		} else if err == nil && replaces {
			err = takeOver(disk, name, placeOf(relative), place)
		}
		return err
	})
	slices.Reverse(folders) // nobody else enters any before all is done
	for _, relative := range folders {
		name, there := filepath.Join(dir, relative), placeOf(relative)
		if _, missing := os.Stat(there); missing != nil {
			there = place
		}
		if err == nil && replaces {
			err = storage.Inherit(disk, name, there)
		}
		if err == nil {
			err = disk.SyncDir(name)
		}
	}
	return err
}

// find says what a path stands for, and gives it back to what stepped aside for a replacement that a
// crash cut short.
func find(fsys storage.FS, name string) (storage.Info, error) {
	info, err := fsys.Stat(name)
	if errors.Is(err, fs.ErrNotExist) && storage.Restore(fsys, name) {
		info, err = fsys.Stat(name)
	}
	return info, err
}
