package store

import (
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"

	"github.com/cairn-go/cairn/internal/placing"
	"github.com/cairn-go/cairn/storage"
)

// A file that replaces a leaf or a store gets the permissions of what it replaces. Until then it
// stays in a directory that only the owner can enter.

// takeOver gives a finished file the permissions of what is at place, or of the embed store of the
// directory root if place does not exist, durably.
func takeOver(fsys storage.FS, file, place, root string) error {
	if _, ok := fsys.(storage.Replacer); !ok {
		return nil
	}
	if _, err := fsys.Stat(place); errors.Is(err, fs.ErrNotExist) {
		place = path.Join(root, embedName)
	}

	f, err := fsys.OpenRW(file) // opened before its permissions change: they may forbid writing
	if err != nil {
		return err
	}
	if err = placing.Inherit(fsys, file, place); err != nil {
		return errors.Join(err, f.Close())
	}

	err = f.Sync()
	return errors.Join(err, f.Close())
}

// tree moves all leaves of a new store into a new directory and returns its path. If it replaces a
// store, files and folders get the permissions of their predecessors. Folders get theirs last, so
// that other users cannot enter them before everything is in place.
func (e *Editor) tree(leaves []Leaf) (dir string, err error) {
	if dir, err = e.newFile(); err != nil {
		return "", err
	}

	if err = placing.MkdirFor(e.fsys, dir, e.root); err != nil {
		return "", err
	}

	old, err := e.fsys.Stat(e.root)
	replaces := err == nil
	placeOf := func(name string) string {
		if !old.Dir { // a file is being replaced
			return e.root
		}
		return e.root + "/" + name
	}

	folders := map[string]bool{}
	move := func(file, name string) error {
		if err := addFolders(e.fsys, dir, path.Dir(name), folders); err != nil {
			return err
		}
		if err := e.fsys.Rename(file, dir+"/"+name); err != nil || !replaces {
			return err
		}
		return takeOver(e.fsys, dir+"/"+name, placeOf(name), e.root)
	}

	if err := move(e.newInfo.embed, embedName); err != nil {
		return dir, err
	}

	for i := range leaves {
		l := &leaves[i]
		if l.staged == "" {
			continue
		}
		if err := move(l.staged, l.File); err != nil {
			return dir, err
		}
	}

	for _, folder := range slices.Backward(append([]string{""}, slices.Sorted(maps.Keys(folders))...)) {
		name := path.Join(dir, folder)
		place := e.root
		if _, missing := e.fsys.Stat(placeOf(folder)); missing == nil {
			place = placeOf(folder)
		}
		if replaces {
			if err := placing.Inherit(e.fsys, name, place); err != nil {
				return dir, err
			}
		}
		if err := e.fsys.SyncDir(name); err != nil {
			return dir, err
		}
	}

	// the staging directory, from which files were moved
	err = e.fsys.SyncDir(path.Dir(dir))
	return dir, err
}

// addFolders creates a folder below root, with its parents, except those in made.
func addFolders(fsys storage.FS, root, folder string, made map[string]bool) error {
	if folder == "." || made[folder] {
		return nil
	}
	if err := addFolders(fsys, root, path.Dir(folder), made); err != nil {
		return err
	}
	made[folder] = true
	return fsys.Mkdir(root + "/" + folder)
}
