package placing

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/storage"
)

// A Making is a file that appears at its path when it is complete: it is written beside it, under
// another name. One of Commit and Abort must be called.
type Making struct {
	storage.File

	fsys       storage.FS
	path       string // as it was given
	name, temp string // what path refers to, and what is written
	overwrite  bool
}

// maxTemps is how many names of temporary files are tried. Crashed processes may have left files.
const maxTemps = 10_000

// Make begins a file. fsys may be nil, which means the operating system's. Without overwrite, it
// fails with [fs.ErrExist] if the path exists.
func Make(fsys storage.FS, path string, overwrite bool) (*Making, error) {
	if fsys == nil {
		fsys = storage.OS()
	}
	Restore(fsys, path)
	m := &Making{fsys: fsys, path: path, overwrite: overwrite}
	var err error
	if m.name, err = m.place(); err != nil {
		return nil, err
	}

	for n := range maxTemps {
		m.temp = fmt.Sprintf("%s.tmp-%d", m.name, n)
		m.File, err = CreateFor(fsys, m.temp, m.name)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if failed := (*fs.PathError)(nil); errors.As(err, &failed) {
			err = &fs.PathError{Op: "create", Path: m.name, Err: failed.Err}
		}
		return m, err
	}
	return nil, fmt.Errorf("%s.tmp-0 to %d: %w", m.name, maxTemps-1, fs.ErrExist)
}

// place returns the name of the file to replace: what the path refers to if that is a link. It
// fails for a file that must not be replaced, and for a directory.
func (m *Making) place() (string, error) {
	info, err := m.fsys.Stat(m.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return m.path, nil
	case err != nil:
		return "", err
	case !m.overwrite:
		return "", &fs.PathError{Op: "create", Path: m.path, Err: fs.ErrExist}
	case info.Dir:
		return "", &fs.PathError{Op: "create", Path: m.path, Err: errors.New("is a directory")}
	}
	if r, ok := m.fsys.(storage.Replacer); ok {
		return r.Resolve(m.path)
	}
	return m.path, nil
}

// Commit makes the file durable, and then puts it in its place, with the permissions of an old one.
// After an error that does not match [cairn.ErrCommitted] nothing is left of it.
func (m *Making) Commit() error {
	if err := errors.Join(m.complete(), m.File.Close()); err != nil {
		return m.failed(err)
	}
	if _, err := m.place(); err != nil { // it may have changed meanwhile
		return m.failed(err)
	}
	return m.failed(Replace(m.fsys, m.temp, m.name, true))
}

func (m *Making) complete() error {
	if m.overwrite {
		if err := Inherit(m.fsys, m.temp, m.name); err != nil {
			return err
		}
	}
	return m.Sync()
}

func (m *Making) failed(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, cairn.ErrCommitted):
		return fmt.Errorf("save %s: %w", m.path, err)
	}
	return errors.Join(fmt.Errorf("save %s: %w", m.path, err), m.fsys.Remove(m.temp))
}

// Abort removes what has been written.
func (m *Making) Abort() error { return errors.Join(m.File.Close(), m.fsys.Remove(m.temp)) }
