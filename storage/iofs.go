package storage

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"

	"github.com/cairn-go/cairn"
)

// IOFS returns fsys as a read-only FS. Files that do not implement [io.ReaderAt], such as members
// of a compressed archive, are read into memory when they are opened. Names follow the rules of
// [io/fs.ValidPath].
func IOFS(fsys fs.FS) FS { return ioFS{fsys} }

type ioFS struct{ fsys fs.FS }

// Open opens a regular file. It calls Stat first if the file system has it, since opening a named
// pipe would block.
func (f ioFS) Open(name string) (File, error) {
	if s, ok := f.fsys.(fs.StatFS); ok {
		if info, err := s.Stat(name); err == nil && !info.Mode().IsRegular() {
			return nil, irregular(name, info)
		}
	}

	file, err := f.fsys.Open(name)
	if err != nil {
		return nil, err
	}

	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = irregular(name, info)
	}
	if err != nil {
		_ = file.Close() // nothing was read or written, so the first error is enough
		return nil, err
	}

	if r, ok := file.(io.ReaderAt); ok {
		return &readerFile{r: r, size: info.Size(), closer: file}, nil
	}

	content, err := io.ReadAll(file)
	if err := cmp.Or(err, file.Close()); err != nil {
		return nil, err
	}
	return BytesFile(content), nil
}

// irregular returns the error for a name that is not a regular file.
func irregular(name string, info fs.FileInfo) error {
	if info.IsDir() {
		return nameError("open", name, fs.ErrInvalid)
	}
	return nameError("open", name, fmt.Errorf("not a regular file but %v: %w", info.Mode().Type(), cairn.ErrUnsupported))
}

func (f ioFS) ReadDir(name string) ([]Info, error) { return infosOf(fs.ReadDir(f.fsys, name)) }

func (f ioFS) Stat(name string) (Info, error) { return infoOf(fs.Stat(f.fsys, name)) }

func (f ioFS) OpenRW(name string) (File, error) {
	return nil, nameError("open", name, cairn.ErrReadOnly)
}
func (f ioFS) Create(name string) (File, error) {
	return nil, nameError("create", name, cairn.ErrReadOnly)
}
func (f ioFS) Mkdir(name string) error        { return nameError("mkdir", name, cairn.ErrReadOnly) }
func (f ioFS) Rename(oldName, _ string) error { return nameError("rename", oldName, cairn.ErrReadOnly) }
func (f ioFS) Remove(name string) error       { return nameError("remove", name, cairn.ErrReadOnly) }
func (f ioFS) RemoveAll(name string) error    { return nameError("remove", name, cairn.ErrReadOnly) }
func (f ioFS) SyncDir(string) error           { return nil }
