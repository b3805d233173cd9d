package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cairn-go/cairn/internal/osfile"
)

// outFile is a file under construction: it appears under its name only when it is complete.
type outFile struct {
	*os.File
	name  string // the final one, or "" if the file is written in place
	force bool
}

// createFile starts a file for name. Without force it fails if the file exists. Devices and pipes
// cannot be replaced, and are written to directly.
func createFile(name string, force bool) (*outFile, error) {
	info, err := os.Stat(name)
	switch {
	case err == nil && !info.Mode().IsRegular() && !info.IsDir():
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		return &outFile{File: f}, err
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
	return &outFile{f, name, force}, nil
}

// commit gives the file its name and its permissions, durably.
func (f *outFile) commit() error {
	if f.name == "" {
		return f.Close()
	}
	var err error
	if f.force {
		err = osfile.Inherit(f.File.Name(), f.name)
	}
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = f.publish()
	}
	if err != nil {
		os.Remove(f.File.Name())
		return err
	}
	if err := osfile.SyncDir(filepath.Dir(f.name)); err != nil {
		return fmt.Errorf("%s is complete, but may not survive a loss of power: %w", f.name, err)
	}
	return nil
}

// publish renames the file. If it must not replace another, it tries a hard link first, which,
// unlike a rename, fails if the name is taken.
func (f *outFile) publish() error {
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

// abort removes the file.
func (f *outFile) abort() {
	f.Close()
	if f.name != "" {
		os.Remove(f.File.Name())
	}
}

// namedWriter names its target in errors.
type namedWriter struct {
	w    io.Writer
	name string
}

func (w namedWriter) Write(p []byte) (int, error) {
	n, err := w.w.Write(p)
	if err != nil {
		// The operating system's error names the stream its own way: keep only the cause.
		var pathErr *fs.PathError
		if errors.As(err, &pathErr) {
			err = pathErr.Err
		}
		err = fmt.Errorf("writing %s: %w", w.name, err)
	}
	return n, err
}
