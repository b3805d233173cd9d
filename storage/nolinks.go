package storage

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cairn-go/cairn/internal/osfile"
)

// NoLinks returns the operating system's file system as [OS] does, but that no name below root is
// followed through a symbolic link: not to read, not to change, not to make something new. Such
// names fail with [cairn.ErrUnsupported]; a link itself can be removed, renamed or replaced. The
// elements are opened one after the other, each in the one before, so that a link which takes the
// place of a folder meanwhile leads nowhere. Inherit and Exchange look at the elements first, and
// then go by the name.
//
// The name of root itself, and names outside of it, are what they are in [OS].
func NoLinks(root string) FS { return noLinks{root: filepath.Clean(root)} }

type noLinks struct {
	osFS
	root string
}

// below returns the elements of a name below the root, and reports whether it is there.
func (n noLinks) below(name string) ([]string, bool) {
	name = filepath.Clean(name)
	if n.root == "." {
		return strings.Split(name, string(filepath.Separator)), filepath.IsLocal(name) && name != "."
	}
	sep := string(filepath.Separator)
	rest, ok := strings.CutPrefix(name, strings.TrimSuffix(n.root, sep)+sep)
	return strings.Split(rest, sep), ok && rest != ""
}

// in calls do with the directory that a name is in and its last element, or other with the name if
// it is not below the root. Errors get the name.
func (n noLinks) in(name string, do func(d *osfile.Dir, elem string) error, other func(name string) error) error {
	elems, ok := n.below(name)
	if !ok {
		return other(name)
	}
	d, err := n.open(elems[:len(elems)-1])
	if err == nil {
		err = errors.Join(do(d, elems[len(elems)-1]), d.Close())
	}
	return named(name, err)
}

// open opens a folder below the root.
func (n noLinks) open(elems []string) (*osfile.Dir, error) {
	d, err := osfile.OpenDir(n.root)
	for _, elem := range elems {
		if err != nil {
			return nil, err
		}
		next, failed := d.Dir(elem)
		err = errors.Join(failed, d.Close())
		d = next
	}
	return d, err
}

// named gives an error about something in a directory its name.
func named(name string, err error) error {
	var pe *fs.PathError
	if !errors.As(err, &pe) {
		return err
	}
	if !errors.Is(err, osfile.ErrLink) { // of that the element is worth to be told
		return unsupported(&fs.PathError{Op: strings.TrimSuffix(pe.Op, "at"), Path: name, Err: pe.Err})
	}
	return unsupported(pe)
}

// file runs what opens a file.
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

// CreateFor makes a file that the owner alone can open as long as something has the place.
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
