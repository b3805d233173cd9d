// Package placing lets a file or a directory take the place of another one in any [storage.FS]:
// with its permissions, in one step, and durably.
package placing

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/cairn-go/cairn/storage"
)

// CreateFor makes a file that is to take a place; see [storage.Replacer]. In other file systems it
// is Create.
func CreateFor(fsys storage.FS, name, place string) (storage.File, error) {
	if i, ok := fsys.(storage.Replacer); ok {
		return i.CreateFor(name, place)
	}
	return fsys.Create(name)
}

// MkdirFor makes a directory that is to take a place; see [storage.Replacer]. In other file systems
// it is Mkdir.
func MkdirFor(fsys storage.FS, name, place string) error {
	if i, ok := fsys.(storage.Replacer); ok {
		return i.MkdirFor(name, place)
	}
	return fsys.Mkdir(name)
}

// Inherit gives a file or a directory what belongs to the place that it is going to take; see
// [storage.Replacer]. In other file systems it does nothing.
func Inherit(fsys storage.FS, name, from string) error {
	if i, ok := fsys.(storage.Replacer); ok {
		return i.Inherit(name, from)
	}
	return nil
}

// asideMark ends the name of what steps aside while something takes its place, where names cannot
// be exchanged.
const asideMark = ".tmp-old"

// Replace gives the name to to what is called from, in the place of what has it, a file or a tree,
// which is removed. With sync, from is durable already, and so is the change when Replace returns:
// whenever the power fails, the name leads to the old or to the new one. If Replace fails, that is
// so too, and moved tells that it may lead to the new one.
//
// Where directories are concerned and fsys is no [storage.Exchanger], there is a moment at which
// nothing has the name. After a crash in that moment [Restore] brings the old one back.
func Replace(fsys storage.FS, from, to string, sync bool) (moved bool, err error) {
	old, err := fsys.Stat(to)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	gone := err != nil
	fresh, err := fsys.Stat(from)
	if err != nil {
		return false, err
	}
	aside := ""
	if gone || !fresh.Dir && !old.Dir {
		err = fsys.Rename(from, to)
	} else {
		aside, err = swap(fsys, from, to)
	}
	if err != nil {
		return false, err
	}
	if sync {
		// Before this the removal of the old one could survive a loss of power, and the change not.
		if err := syncDirs(fsys, from, to); err != nil {
			return true, err
		}
	}
	if aside != "" {
		_ = fsys.RemoveAll(aside) // the new one stands: leftovers are no reason to say otherwise
	}
	return true, nil
}

// syncDirs makes a change of two names durable, which are entries of one directory or of two.
func syncDirs(fsys storage.FS, from, to string) error {
	source, target := filepath.Dir(filepath.Clean(from)), filepath.Dir(filepath.Clean(to))
	if err := fsys.SyncDir(target); err != nil || source == target {
		return err
	}
	return fsys.SyncDir(source)
}

// swap gives from the name to, and returns the name that the old one has then.
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

// clearAside removes what stepped aside for a replacement that a crash cut short after it was
// complete, but maybe not durable.
func clearAside(fsys storage.FS, aside string) error {
	if _, err := fsys.Stat(aside); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := fsys.SyncDir(filepath.Dir(aside)); err != nil {
		return err
	}
	return fsys.RemoveAll(aside)
}

// Restore gives a name that nothing has back to what stepped aside for a [Replace] that a crash cut
// short, and reports whether there was any.
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
