package storage

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/internal/osfile"
)

// Methods of noLinks that take directories or two names.

// folder calls do with the opened directory if it is the root or below it, and other otherwise.
func (n noLinks) folder(name string, do func(d *osfile.Dir) error, other func(name string) error) error {
	with := func(d *osfile.Dir, err error) error {
		if err != nil {
			return err
		}
		defer d.Close()
		return do(d)
	}

	if filepath.Clean(name) == n.root {
		return with(osfile.OpenDir(name))
	}
	return n.in(name, func(d *osfile.Dir, elem string) error { return with(d.Dir(elem)) }, other)
}

func (n noLinks) SyncDir(name string) error {
	return n.folder(name, (*osfile.Dir).Sync, n.osFS.SyncDir)
}

// ReadDir lists a directory. Links are listed as Other.
func (n noLinks) ReadDir(name string) (infos []Info, err error) {
	err = n.folder(name, func(d *osfile.Dir) (err error) {
		infos, err = infosOf(d.ReadDir())
		return err
	}, func(name string) (err error) {
		infos, err = n.osFS.ReadDir(name)
		return err
	})
	return infos, err
}

// ReadNames is ReadDir without sizes, so that it need not look at each file.
func (n noLinks) ReadNames(name string) (infos []Info, err error) {
	err = n.folder(name, func(d *osfile.Dir) error {
		return d.Names(func(name string, kind fs.FileMode) {
			infos = append(infos, Info{Name: name, Dir: kind.IsDir(), Other: !kind.IsDir() && !kind.IsRegular()})
		})
	}, func(name string) (err error) {
		infos, err = n.osFS.ReadDir(name)
		return err
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(infos, func(a, b Info) int { return strings.Compare(a.Name, b.Name) })
	return infos, nil
}

// Stat fails for a link, like opening it.
func (n noLinks) Stat(name string) (info Info, err error) {
	err = n.in(name, func(d *osfile.Dir, elem string) (err error) {
		found, err := d.Lstat(elem)
		if err == nil && found.Mode()&fs.ModeSymlink != 0 {
			err = unsupported(&fs.PathError{Op: "stat", Path: name, Err: osfile.ErrLink})
		}
		info, err = infoOf(found, err)
		return err
	}, func(name string) (err error) {
		info, err = n.osFS.Stat(name)
		return err
	})
	return info, err
}

// Resolve returns names below the root unchanged, since no link is followed there.
func (n noLinks) Resolve(name string) (string, error) {
	if _, ok := n.below(name); !ok {
		return n.osFS.Resolve(name)
	}
	_, err := n.Stat(name)
	return name, err
}

// Rename refuses to replace a directory, as in OS.
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

	source := filepath.Base(oldName)
	target := filepath.Base(newName)

	info, err := from.Lstat(source)
	if err != nil {
		return named(oldName, err)
	}

	if _, err := to.Lstat(target); err == nil && info.IsDir() {
		return nameError("rename", newName, fs.ErrExist)
	}
	return from.Rename(source, to, target)
}

// parent opens the parent directory of a name, below the root or not.
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
		err := n.in(name, func(*osfile.Dir, string) error { return nil }, func(string) error { return nil })
		if err != nil {
			return err
		}
	}
	return nil
}

// Inherit copies permissions and the like; see [Replacer].
func (n noLinks) Inherit(name, from string) error {
	if err := n.check(name, from); err != nil {
		return err
	}
	return n.osFS.Inherit(name, from)
}

// Exchange swaps the names of two files or directories.
func (n noLinks) Exchange(a, b string) error {
	if err := n.check(a, b); err != nil {
		return err
	}
	return n.osFS.Exchange(a, b)
}

// Link creates newName as a hard link to oldName.
func (n noLinks) Link(oldName, newName string) error {
	if err := n.check(oldName, newName); err != nil {
		return err
	}
	return n.osFS.Link(oldName, newName)
}
