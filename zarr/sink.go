package zarr

import (
	"archive/zip"
	"errors"
	"hash/crc32"
	"io/fs"
	"path"
	"strings"
	"sync"
	"unicode"

	"github.com/cairn-go/cairn/internal/placing"
	"github.com/cairn-go/cairn/storage"
)

// A sink takes what a writer writes, under a temporary name. Any number of goroutines may put.
type sink interface {
	put(key string, parts ...[]byte) error
	// finish makes everything durable, if it shall be, and closes the sink.
	finish() error
	abort() error
}

// folder writes a directory.
type folder struct {
	fsys storage.FS
	root string
	sync bool

	mu   sync.Mutex
	dirs map[string]bool // that exist
}

func newFolder(fsys storage.FS, root, place string, sync bool) (*folder, error) {
	return &folder{fsys: fsys, root: root, sync: sync, dirs: map[string]bool{".": true}}, placing.MkdirFor(fsys,
		root, place)
}

func (f *folder) put(key string, parts ...[]byte) error {
	if err := f.mkdir(path.Dir(key)); err != nil {
		return err
	}

	file, err := f.fsys.Create(f.root + "/" + key)
	if err != nil {
		return err
	}

	at := int64(0)
	for _, b := range parts {
		if _, err = file.WriteAt(b, at); err != nil {
			break
		}
		at += int64(len(b))
	}

	if err == nil && f.sync {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// mkdir makes a folder with those above it.
func (f *folder) mkdir(dir string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.mkdirLocked(dir)
}

func (f *folder) mkdirLocked(dir string) error {
	if f.dirs[dir] {
		return nil
	}

	if err := f.mkdirLocked(path.Dir(dir)); err != nil {
		return err
	}

	if err := f.fsys.Mkdir(f.root + "/" + dir); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	f.dirs[dir] = true
	return nil
}

func (f *folder) finish() error {
	if !f.sync {
		return nil
	}
	for dir := range f.dirs {
		if err := f.fsys.SyncDir(path.Join(f.root, dir)); err != nil {
			return err
		}
	}
	return nil
}

func (f *folder) abort() error { return f.fsys.RemoveAll(f.root) }

// nameIsUTF8 is the flag of a member whose name is not ASCII.
const nameIsUTF8 = 1 << 11

// archive writes a zip archive, whose members are stored.
type archive struct {
	fsys storage.FS
	name string
	sync bool

	mu   sync.Mutex
	file storage.File
	at   int64
	zip  *zip.Writer
}

func newArchive(fsys storage.FS, name, place string, sync bool) (*archive, error) {
	file, err := placing.CreateFor(fsys, name, place)
	a := &archive{fsys: fsys, name: name, sync: sync, file: file}
	a.zip = zip.NewWriter(a)
	return a, err
}

// Write appends to the file.
func (a *archive) Write(b []byte) (int, error) {
	n, err := a.file.WriteAt(b, a.at)
	a.at += int64(n)
	return n, err
}

func (a *archive) put(key string, parts ...[]byte) error {
	h := &zip.FileHeader{Name: key, Method: zip.Store}
	for _, b := range parts {
		h.CRC32 = crc32.Update(h.CRC32, crc32.IEEETable, b)
		h.UncompressedSize64 += uint64(len(b))
	}
	h.CompressedSize64 = h.UncompressedSize64
	if strings.ContainsFunc(key, func(r rune) bool { return r > unicode.MaxASCII }) {
		h.Flags |= nameIsUTF8 // otherwise Python's zipfile takes it for another name
	}

	a.mu.Lock()
	defer a.mu.Unlock()

	to, err := a.zip.CreateRaw(h)
	for i := 0; i < len(parts) && err == nil; i++ {
		_, err = to.Write(parts[i])
	}
	return err
}

func (a *archive) finish() error {
	err := a.zip.Close()
	if err == nil && a.sync {
		err = a.file.Sync()
	}
	return errors.Join(err, a.file.Close())
}

func (a *archive) abort() error {
	_ = a.file.Close() // it may be closed already, and its content does not matter
	return a.fsys.Remove(a.name)
}
