package osfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrLink reports a symbolic link that is not followed.
var ErrLink = errors.New("is a symbolic link, which is not followed here")

// A Dir is an open directory. Its entries are accessed through the handle and not through its path,
// which may refer to another directory meanwhile. Names are single elements. Symbolic links are not
// followed.
type Dir struct{ root *os.Root }

// OpenDir opens a directory. Links in its path are followed, so the caller must trust the path.
func OpenDir(name string) (*Dir, error) {
	root, err := os.OpenRoot(name)
	return &Dir{root}, err
}

// errReplaced reports an entry that was replaced by another one between two looks.
var errReplaced = errors.New("is replaced again and again while it is opened")

// mostLooks is how often an entry is opened that others replace meanwhile.
const mostLooks = 100

// Dir opens a directory in d.
func (d *Dir) Dir(elem string) (next *Dir, err error) {
	for range mostLooks {
		if next, err = d.dir(elem); !errors.Is(err, errReplaced) {
			break
		}
	}
	return next, err
}

// dir opens a directory if it is still the one that was looked at.
func (d *Dir) dir(elem string) (*Dir, error) {
	info, err := d.root.Lstat(elem)
	if err != nil {
		return nil, err
	}

	if err = d.mustBe(elem, info, info.IsDir()); err != nil {
		return nil, err
	}

	root, err := d.root.OpenRoot(elem)
	if err != nil {
		return nil, err
	}

	now, err := root.Stat(".")
	if err == nil && !os.SameFile(info, now) {
		err = d.error(elem, errReplaced)
	}
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return &Dir{root}, nil
}

// Create creates a file in d with the given permissions, before the umask.
func (d *Dir) Create(elem string, perm fs.FileMode) (*os.File, error) {
	return d.root.OpenFile(elem, Exclusive, perm) // never follows a link
}

// Open opens an existing regular file in d, like the function of the same name. A file that another
// one replaces meanwhile, by a rename, is opened in its old or its new state.
func (d *Dir) Open(elem string, flag int) (f *os.File, err error) {
	for range mostLooks {
		if f, err = d.open(elem, flag); !errors.Is(err, errReplaced) {
			break
		}
	}
	return f, err
}

// open opens a file if it is still the one that was looked at: what a link led to is another.
func (d *Dir) open(elem string, flag int) (*os.File, error) {
	info, err := d.root.Lstat(elem)
	if err != nil {
		return nil, err
	}

	if err = d.mustBe(elem, info, info.Mode().IsRegular()); err != nil {
		return nil, err
	}

	f, err := stillRegular(d.root.OpenFile(elem, flag|nonBlocking, 0))
	if err != nil {
		return nil, err
	}

	now, err := f.Stat()
	if err == nil && !os.SameFile(info, now) {
		err = d.error(elem, errReplaced)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// OpenLock opens a file in d for locking, and creates it if it does not exist.
func (d *Dir) OpenLock(elem string) (*os.File, error) {
	for range 2 {
		f, err := d.Open(elem, ReadWrite)
		if !errors.Is(err, fs.ErrNotExist) {
			return f, err
		}

		f, err = d.Create(elem, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
	return d.Open(elem, ReadWrite)
}

// mustBe returns an error for an entry of the wrong type.
func (d *Dir) mustBe(elem string, info fs.FileInfo, ok bool) error {
	switch {
	case ok:
		return nil
	case info.Mode()&fs.ModeSymlink != 0:
		return d.error(elem, ErrLink)
	}
	return irregular(filepath.Join(d.root.Name(), elem), info.Mode())
}

func (d *Dir) error(elem string, err error) error {
	return &fs.PathError{Op: "open", Path: filepath.Join(d.root.Name(), elem), Err: err}
}

// Lstat returns information about an entry without following a link.
func (d *Dir) Lstat(elem string) (fs.FileInfo, error) { return d.root.Lstat(elem) }

// Mkdir creates a directory in d.
func (d *Dir) Mkdir(elem string, perm fs.FileMode) error { return d.root.Mkdir(elem, perm) }

// Remove removes a file, an empty directory or a link.
func (d *Dir) Remove(elem string) error { return d.root.Remove(elem) }

// RemoveAll removes a tree, or a link but not its target.
func (d *Dir) RemoveAll(elem string) error { return d.root.RemoveAll(elem) }

// ReadDir returns the entries of d.
func (d *Dir) ReadDir() ([]fs.DirEntry, error) { return fs.ReadDir(d.root.FS(), ".") }

// Each calls visit for the entries of d, in no order, without having all of them in memory. It ends
// with the first error of visit.
func (d *Dir) Each(visit func(fs.DirEntry) error) error {
	f, err := d.root.Open(".")
	if err != nil {
		return err
	}
	defer f.Close()

	for {
		const batch = 1024
		entries, err := f.ReadDir(batch)
		for _, e := range entries {
			if err := visit(e); err != nil {
				return err
			}
		}

		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// Sync makes creations, removals and renames of entries durable, like SyncDir.
func (d *Dir) Sync() error { return syncRoot(d.root) }

// Rename renames an entry of d to name in to, which may be d. A link itself is renamed.
func (d *Dir) Rename(elem string, to *Dir, name string) error {
	return renameAt(d.root, elem, to.root, name)
}

// Close closes the directory.
func (d *Dir) Close() error { return d.root.Close() }
