package storage

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cairn-go/cairn/internal/osfile"
)

// NoLinks is like [OS] but follows no symbolic link below root. Reading, changing or creating
// anything through a link fails with [cairn.ErrUnsupported]; a link itself can be removed, renamed
// or replaced. Directories are opened one after the other, each relative to its parent, so
// replacing one by a link meanwhile has no effect. Inherit, Exchange and Link, however, check the
// directories first and then use the path.
//
// Links in root itself and in names outside of it are followed, as in [OS].
func NoLinks(root string) FS { return noLinks{root: filepath.Clean(root)} }

type noLinks struct {
	osFS
	root string
}

// below returns the elements of a name relative to the root, and whether it is below the root.
func (n noLinks) below(name string) ([]string, bool) {
	name = filepath.Clean(name)
	if n.root == "." {
		return strings.Split(name, string(filepath.Separator)), filepath.IsLocal(name) && name != "."
	}

	sep := string(filepath.Separator)
	rest, ok := strings.CutPrefix(name, strings.TrimSuffix(n.root, sep)+sep)
	return strings.Split(rest, sep), ok && rest != ""
}

// in calls do with the opened parent directory of a name and its last element, or other if the name
// is not below the root. Errors are given the full name.
func (n noLinks) in(name string, do func(d *osfile.Dir, elem string) error, other func(name string) error) error {
	elems, ok := n.below(name)
	if !ok {
		return other(name)
	}

	d, err := n.open(elems[:len(elems)-1])
	if err != nil {
		return named(name, err)
	}

	err = errors.Join(do(d, elems[len(elems)-1]), d.Close())
	return named(name, err)
}

// open opens a directory below the root.
func (n noLinks) open(elems []string) (*osfile.Dir, error) {
	d, err := osfile.OpenDir(n.root)
	for _, elem := range elems {
		if err != nil {
			return nil, err
		}

		next, failed := d.Dir(elem)
		if err = errors.Join(failed, d.Close()); err != nil && failed == nil {
			_ = next.Close() // the error is of the folder before
		}
		d = next
	}
	return d, err
}

// named replaces the element in an error by the full name.
func named(name string, err error) error {
	var pe *fs.PathError
	if !errors.As(err, &pe) {
		return err
	}

	if !errors.Is(err, osfile.ErrLink) { // an error about a link names the link
		return unsupported(&fs.PathError{Op: strings.TrimSuffix(pe.Op, "at"), Path: name, Err: pe.Err})
	}
	return unsupported(pe)
}

// file opens a file by within if it is below the root, else by other.
func (n noLinks) file(name string, within func(d *osfile.Dir, elem string) (*os.File, error),
	other func(name string) (File, error)) (file File, err error) {
	err = n.in(name, func(d *osfile.Dir, elem string) error {
		f, err := within(d, elem)
		file = diskFile{f}
		return err
	}, func(name string) (err error) {
		file, err = other(name)
		return err
	})
	if err != nil {
		return nil, err
	}
	return file, nil
}

func (n noLinks) Open(name string) (File, error) {
	return n.file(name, func(d *osfile.Dir, elem string) (*os.File, error) { return d.Open(elem, osfile.ReadOnly) }, n.osFS.Open)
}

func (n noLinks) OpenRW(name string) (File, error) {
	return n.file(name, func(d *osfile.Dir, elem string) (*os.File, error) { return d.Open(elem, osfile.ReadWrite) }, n.osFS.OpenRW)
}

func (n noLinks) Create(name string) (File, error) {
	return n.file(name, func(d *osfile.Dir, elem string) (*os.File, error) { return d.Create(elem, 0o666) }, n.osFS.Create)
}

// OpenLock opens the file of a lock.
func (n noLinks) OpenLock(name string) (Lock, error) {
	var lock Lock
	file, err := n.file(name, (*osfile.Dir).OpenLock, func(name string) (_ File, err error) {
		lock, err = n.osFS.OpenLock(name)
		return lock, err
	})

	if f, ok := file.(diskFile); ok && err == nil {
		lock = diskLock{f}
	}
	return lock, err
}

// CreateFor creates a file that only the owner can open if something exists at place.
func (n noLinks) CreateFor(name, place string) (File, error) {
	perm := n.permFor(place, 0o600, 0o666)
	return n.file(name, func(d *osfile.Dir, elem string) (*os.File, error) { return d.Create(elem, perm) },
		func(name string) (File, error) { return n.osFS.CreateFor(name, place) })
}

func (n noLinks) permFor(place string, private, public fs.FileMode) fs.FileMode {
	if _, err := n.Stat(place); errors.Is(err, fs.ErrNotExist) {
		return public
	}
	return private
}

// MkdirFor is CreateFor for a directory.
func (n noLinks) MkdirFor(name, place string) error {
	perm := n.permFor(place, 0o700, 0o777)
	return n.in(name, func(d *osfile.Dir, elem string) error { return d.Mkdir(elem, perm) },
		func(name string) error { return n.osFS.MkdirFor(name, place) })
}

func (n noLinks) Mkdir(name string) error {
	return n.in(name, func(d *osfile.Dir, elem string) error { return d.Mkdir(elem, 0o777) }, n.osFS.Mkdir)
}

func (n noLinks) Remove(name string) error { return n.in(name, (*osfile.Dir).Remove, n.osFS.Remove) }

func (n noLinks) RemoveAll(name string) error {
	err := n.in(name, (*osfile.Dir).RemoveAll, n.osFS.RemoveAll)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
