package storage

import (
	"io/fs"
	"path/filepath"

	"github.com/cairn-go/cairn/internal/osfile"
)

// What of a file system without links takes a folder, or two names.

// folder opens a directory at or below the root, or reports that it is none of both.
func (n noLinks) folder(name string, do func(d *osfile.Dir) error) (bool, error) {
	if filepath.Clean(name) == n.root {
		d, err := osfile.OpenDir(name)
		if err != nil {
			return true, err
		}
		defer d.Close()
		return true, do(d)
	}
	return n.in(name, func(d *osfile.Dir, elem string) error {
		sub, err := d.Dir(elem)
		if err != nil {
			return err
		}
		defer sub.Close()
		return do(sub)
	})
}

func (n noLinks) SyncDir(name string) error {
	ok, err := n.folder(name, (*osfile.Dir).Sync)
	if !ok {
		return n.osFS.SyncDir(name)
	}
	return err
}

// ReadDir lists a directory. Links are listed as something else than a file or a directory.
func (n noLinks) ReadDir(name string) ([]Info, error) {
	var infos []Info
	ok, err := n.folder(name, func(d *osfile.Dir) error {
		entries, err := d.ReadDir()
		if err == nil {
			infos, err = infosOf(entries)
		}
		return err
	})
	if !ok {
		return n.osFS.ReadDir(name)
	}
	return infos, err
}

// Stat fails for a link, as opening it would.
func (n noLinks) Stat(name string) (Info, error) {
	var info fs.FileInfo
	ok, err := n.in(name, func(d *osfile.Dir, elem string) (err error) {
		info, err = d.Lstat(elem)
		if err == nil && info.Mode()&fs.ModeSymlink != 0 {
			err = &fs.PathError{Op: "stat", Path: name, Err: osfile.ErrLink}
		}
		return err
	})
	if !ok {
		return n.osFS.Stat(name)
	}
	if err != nil {
		return Info{}, err
	}
	return infoOf(info), nil
}

// Resolve has nothing to follow below the root.
func (n noLinks) Resolve(name string) (string, error) {
	if _, ok := n.below(name); !ok {
		return n.osFS.Resolve(name)
	}
	_, err := n.Stat(name)
	return name, err
}

// Rename lets a directory take a free name only, as that of OS.
func (n noLinks) Rename(oldName, newName string) error {
	from, err := n.parent(oldName)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := n.parent(newName)
	if err != nil {
		return err
	}
	defer to.Close()
	source, target := filepath.Base(oldName), filepath.Base(newName)
	info, err := from.Lstat(source)
	if err != nil {
		return named(oldName, err)
	}
	if _, err := to.Lstat(target); err == nil && info.IsDir() {
		return nameError("rename", newName, fs.ErrExist)
	}
	return from.Rename(source, to, target)
}

// parent opens the directory that a name is in, wherever that is.
func (n noLinks) parent(name string) (*osfile.Dir, error) {
	elems, ok := n.below(name)
	if !ok {
		return osfile.OpenDir(filepath.Dir(filepath.Clean(name)))
	}
	d, err := n.open(elems[:len(elems)-1])
	return d, named(name, err)
}

// check fails if an element of a name below the root is a link.
func (n noLinks) check(names ...string) error {
	for _, name := range names {
		if _, err := n.in(name, func(*osfile.Dir, string) error { return nil }); err != nil {
			return err
		}
	}
	return nil
}

// Inherit gives a file what another one has besides its bytes.
func (n noLinks) Inherit(name, from string) error {
	if err := n.check(name, from); err != nil {
		return err
	}
	return n.osFS.Inherit(name, from)
}

// Exchange gives two names to each other's file.
func (n noLinks) Exchange(a, b string) error {
	if err := n.check(a, b); err != nil {
		return err
	}
	return n.osFS.Exchange(a, b)
}

// Link gives a file a second name.
func (n noLinks) Link(oldName, newName string) error {
	if err := n.check(oldName, newName); err != nil {
		return err
	}
	return n.osFS.Link(oldName, newName)
}
