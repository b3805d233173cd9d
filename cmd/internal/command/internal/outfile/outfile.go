// Package outfile writes files that appear under their names only when they are complete.
package outfile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cairn-go/cairn/internal/osfile"
	"github.com/cairn-go/cairn/internal/placing"
)

// A File is a file under construction: it appears under its name only when it is complete.
type File struct {
	*os.File
	name  string // the final one, or "" if the file is written in place
	force bool
}

// Create starts a file for name. Without force it fails if the file exists. Devices and pipes
// cannot be replaced, and are written to directly.
func Create(name string, force bool) (*File, error) {
	info, err := os.Stat(name)
	switch {
	case err == nil && !info.Mode().IsRegular() && !info.IsDir():
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		return &File{File: f}, err
	case err == nil && info.IsDir():
		return nil, fmt.Errorf("%s is a directory", name)
	case err == nil && !force:
		return nil, &fs.PathError{Op: "create", Path: name, Err: fs.ErrExist}
	case err == nil:
		// Replace what a link points to, not the link.
		if name, err = filepath.EvalSymlinks(name); err != nil {
			return nil, err
		}
	}

	dir, base := filepath.Split(name)
	f, err := osfile.CreateFor(filepath.Join(dir, "."+base+"."+rand.Text()[:8]+".tmp"), name)
	if err != nil {
		if failed := (*fs.PathError)(nil); errors.As(err, &failed) {
			err = &fs.PathError{Op: "create", Path: name, Err: failed.Err}
		}
		return nil, err
	}
	return &File{f, name, force}, nil
}

// Commit gives the file its name and its permissions, durably.
func (f *File) Commit() error {
	if f.name == "" {
		return f.Close()
	}

	if err := f.complete(); err != nil {
		f.Abort()
		return err
	}
	if err := f.publish(); err != nil {
		os.Remove(f.File.Name())
		return err
	}

	if err := osfile.SyncDir(filepath.Dir(f.name)); err != nil {
		return fmt.Errorf("%s: %w", f.name, placing.Committed(err))
	}
	return nil
}

// complete closes the file, once it is on disk with the permissions that it will have.
func (f *File) complete() error {
	if f.force {
		if err := osfile.Inherit(f.File.Name(), f.name); err != nil {
			return err
		}
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return f.Close()
}

// publish renames the file. If it must not replace another, it tries a hard link first, which,
// unlike a rename, fails if the name is taken.
func (f *File) publish() error {
	temporary := f.File.Name()
	if !f.force {
		err := os.Link(temporary, f.name)
		if err == nil {
			return os.Remove(temporary)
		}
		if errors.Is(err, fs.ErrExist) {
			return err
		}
		if _, err := os.Lstat(f.name); err == nil {
			return &fs.PathError{Op: "create", Path: f.name, Err: fs.ErrExist}
		}
	}
	return os.Rename(temporary, f.name)
}

// Abort removes the file.
func (f *File) Abort() {
	f.Close()
	if f.name != "" {
		os.Remove(f.File.Name())
	}
}
