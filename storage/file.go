package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/osfile"
)

// OS returns the operating system's file system. Its files are *os.File. Open files may be renamed,
// replaced and removed on every system. Only regular files can be opened: opening a named pipe, a
// device or the like fails with [cairn.ErrUnsupported] at once.
func OS() FS { return osFS{} }

type osFS struct{}

type diskFile struct{ *os.File }

// Size returns the length of the file in bytes.
func (f diskFile) Size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// WritePieces writes pieces that follow each other.
func (f diskFile) WritePieces(pieces [][]byte, off int64) (int64, error) {
	return osfile.WritePieces(f.File, pieces, off)
}

// Alone asks the system who has the file open.
// SyncData is Sync for changes of the content alone.
func (f diskFile) SyncData() error { return osfile.SyncData(f.File) }

func (f diskFile) Alone() bool { return osfile.Alone(f.File) }

// Stamp returns a number that differs when the bytes of the file do. It reports false if they have
// changed so short a time ago that they may change again without another time.
func (f diskFile) Stamp() (uint64, bool) {
	info, err := f.Stat()
	if err != nil {
		return 0, false
	}
	firm := fineTime
	if info.ModTime().Nanosecond() == 0 {
		firm = coarseTime
	}
	if time.Since(info.ModTime()) < firm {
		return 0, false
	}

	const odd = 0x9e37_79b9_7f4a_7c15
	stamp := osfile.Inode(info)*odd + uint64(info.Size())
	return stamp*odd + uint64(info.ModTime().UnixNano()), true
}

// Two writes that are further apart than these give a file two times. Some file systems keep whole
// seconds, or every other one.
const (
	fineTime   = 100 * time.Millisecond
	coarseTime = 3 * time.Second
)

func openDisk(name string, flag int) (File, error) {
	return openedDisk(osfile.Open(name, flag))
}

func openedDisk(f *os.File, err error) (File, error) {
	if err != nil {
		return nil, unsupported(err)
	}
	return diskFile{f}, nil
}

// unsupported makes errors about links and irregular files match [cairn.ErrUnsupported].
func unsupported(err error) error {
	var pe *fs.PathError
	if (errors.Is(err, osfile.ErrIrregular) || errors.Is(err, osfile.ErrLink)) && errors.As(err, &pe) {
		return &fs.PathError{Op: pe.Op, Path: pe.Path, Err: fmt.Errorf("%w: %w", pe.Err, cairn.ErrUnsupported)}
	}
	return err
}

func (osFS) Open(name string) (File, error)   { return openDisk(name, osfile.ReadOnly) }
func (osFS) OpenRW(name string) (File, error) { return openDisk(name, osfile.ReadWrite) }
func (osFS) Create(name string) (File, error) { return openDisk(name, osfile.Exclusive) }
func (osFS) Mkdir(name string) error          { return os.Mkdir(name, 0o777) }
func (osFS) Remove(name string) error         { return os.Remove(name) }
func (osFS) RemoveAll(name string) error      { return os.RemoveAll(name) }
func (osFS) SyncDir(name string) error        { return osfile.SyncDir(name) }

// Link creates newName as a hard link to oldName. newName must not exist.
func (osFS) Link(oldName, newName string) error { return os.Link(oldName, newName) }

// Rename refuses to replace a directory, which some systems would do if it is empty.
func (osFS) Rename(oldName, newName string) error {
	from, err := os.Lstat(oldName)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(newName); err == nil && from.IsDir() {
		return &fs.PathError{Op: "rename", Path: newName, Err: fs.ErrExist}
	}
	return os.Rename(oldName, newName)
}

// CreateFor creates a file that only the owner can open if something exists at place.
func (osFS) CreateFor(name, place string) (File, error) {
	return openedDisk(osfile.CreateFor(name, place))
}

func (osFS) MkdirFor(name, place string) error { return osfile.MkdirFor(name, place) }
func (osFS) Inherit(name, from string) error   { return osfile.Inherit(name, from) }
func (osFS) Exchange(a, b string) error        { return osfile.Exchange(a, b) }

func (osFS) ReadDir(name string) ([]Info, error) { return infosOf(os.ReadDir(name)) }

// infosOf leaves out entries that were removed after they were listed, such as temporary files.
func infosOf(entries []fs.DirEntry, err error) ([]Info, error) {
	if err != nil {
		return nil, err
	}

	infos := make([]Info, 0, len(entries))
	for _, entry := range entries {
		info, err := infoOf(entry.Info())
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		infos = append(infos, info)
	}
	return infos, nil
}

func (osFS) Stat(name string) (Info, error) { return infoOf(os.Stat(name)) }

func infoOf(info fs.FileInfo, err error) (Info, error) {
	switch {
	case err != nil:
		return Info{}, err
	case info.IsDir():
		return Info{Name: info.Name(), Dir: true}, nil
	}
	return Info{Name: info.Name(), Size: info.Size(), Other: !info.Mode().IsRegular()}, nil
}
