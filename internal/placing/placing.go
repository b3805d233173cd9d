// Package placing replaces files and directories in any [storage.FS]: with the permissions of the
// old one, atomically if possible, and durably.
package placing

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/cairn-go/cairn/storage"
)

// CreateFor creates a file that will be renamed to place; see [storage.Replacer]. In other file
// systems it is Create.
func CreateFor(fsys storage.FS, name, place string) (storage.File, error) {
	if i, ok := fsys.(storage.Replacer); ok {
		return i.CreateFor(name, place)
	}
	return fsys.Create(name)
}

// MkdirFor creates a directory that will be renamed to place; see [storage.Replacer]. In other file
// systems it is Mkdir.
func MkdirFor(fsys storage.FS, name, place string) error {
	if i, ok := fsys.(storage.Replacer); ok {
		return i.MkdirFor(name, place)
	}
	return fsys.Mkdir(name)
}

// Inherit copies metadata such as permissions from from to name; see [storage.Replacer]. In other
// file systems it does nothing.
func Inherit(fsys storage.FS, name, from string) error {
	if i, ok := fsys.(storage.Replacer); ok {
		return i.Inherit(name, from)
	}
	return nil
}

// asideMark is the suffix of an old directory that is renamed while it is being replaced, if names
// cannot be exchanged.
const asideMark = ".tmp-old"

// Replace renames from to to and removes what was there, a file or a tree. With sync, from must be
// durable already, and the change is durable when Replace returns: after a power failure at any
// time, to is the old or the new one. The same holds if Replace fails. If to is the new one by
// then, the error matches [cairn.ErrCommitted], and from is gone.
//
// If a directory is replaced or replaces something and fsys is not a [storage.Exchanger], to does
// not exist for a moment. After a crash in that moment [Restore] restores the old one.
func Replace(fsys storage.FS, from, to string, sync bool) error {
	old, err := fsys.Stat(to)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	gone := err != nil

	fresh, err := fsys.Stat(from)
	if err != nil {
		return err
	}

	aside := ""
	if gone || !fresh.Dir && !old.Dir {
		err = fsys.Rename(from, to)
	} else {
		aside, err = swap(fsys, from, to)
	}

	if err != nil {
		return err
	}

	if sync {
		// Otherwise the removal of the old one could survive a power failure without the change.
		if err := syncDirs(fsys, from, to); err != nil {
			return Committed(err)
		}
	}

	if aside != "" {
		_ = fsys.RemoveAll(aside) // the new one is in place, so leftovers are not an error
	}
	return nil
}

// syncDirs makes a change of two names durable, in one or two directories.
func syncDirs(fsys storage.FS, from, to string) error {
	source := filepath.Dir(filepath.Clean(from))
	target := filepath.Dir(filepath.Clean(to))
	if err := fsys.SyncDir(target); err != nil || source == target {
		return err
	}
	return fsys.SyncDir(source)
}

// swap renames from to to, and returns the new name of the old one.
func swap(fsys storage.FS, from, to string) (aside string, err error) {
	if x, ok := fsys.(storage.Exchanger); ok {
		if err := x.Exchange(from, to); !errors.Is(err, errors.ErrUnsupported) {
			return from, err
		}
	}

	aside = filepath.Clean(to) + asideMark
	if err := clearAside(fsys, aside); err != nil {
		return "", err
	}
	if err := fsys.Rename(to, aside); err != nil {
		return "", err
	}
	if err := fsys.Rename(from, to); err != nil {
		return "", errors.Join(err, fsys.Rename(aside, to))
	}
	return aside, nil
}

// clearAside removes what an interrupted replacement left, after the replacement was complete but
// maybe not durable.
func clearAside(fsys storage.FS, aside string) error {
	if _, err := fsys.Stat(aside); errors.Is(err, fs.ErrNotExist) {
		return nil
	}

	if err := fsys.SyncDir(filepath.Dir(aside)); err != nil {
		return err
	}
	return fsys.RemoveAll(aside)
}

// Restore renames what an interrupted [Replace] has set aside back to name if name does not exist,
// and reports whether there was anything.
func Restore(fsys storage.FS, name string) bool {
	if _, err := fsys.Stat(name); !errors.Is(err, fs.ErrNotExist) {
		return false
	}

	aside := filepath.Clean(name) + asideMark
	if _, err := fsys.Stat(aside); err != nil {
		return false
	}
	return fsys.Rename(aside, name) == nil
}
