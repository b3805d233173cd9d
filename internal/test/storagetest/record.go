package storagetest

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"sync"

	"github.com/cairn-go/cairn/storage"
)

// OpKind is the type of an [Op].
type OpKind uint8

// The operations that a [Recorder] records.
const (
	OpCreate OpKind = iota
	OpWrite
	OpTruncate
	OpSync
	OpMkdir
	OpRename
	OpRemove
	OpSyncDir
	OpExchange
	OpLink
)

// String returns the name of the operation.
func (k OpKind) String() string {
	return [...]string{"create", "write", "truncate", "sync", "mkdir", "rename", "remove", "syncdir",
		"exchange", "link"}[k]
}

// Op is a recorded operation. File is the number of its file in the order of creation, which does
// not change when the file is renamed.
type Op struct {
	Kind   OpKind
	File   int    // for create, write, truncate and sync
	Name   string // for create and the operations on names
	To     string // for rename, exchange and link
	Offset int64  // for write, and the size for truncate
	Data   []byte // for write
}

// String describes the operation in one line, without the data.
func (o Op) String() string {
	switch o.Kind {
	case OpWrite:
		return fmt.Sprintf("write file %d [%d, %d)", o.File, o.Offset, o.Offset+int64(len(o.Data)))
	case OpTruncate:
		return fmt.Sprintf("truncate file %d to %d", o.File, o.Offset)
	case OpSync:
		return fmt.Sprintf("sync file %d", o.File)
	case OpCreate:
		return fmt.Sprintf("create %s as file %d", o.Name, o.File)
	case OpRename, OpLink:
		return fmt.Sprintf("%v %s to %s", o.Kind, o.Name, o.To)
	case OpExchange:
		return fmt.Sprintf("exchange %s and %s", o.Name, o.To)
	}
	return fmt.Sprintf("%v %s", o.Kind, o.Name)
}

// A Recorder is a file system in memory that logs every operation that changes it. It is safe for
// concurrent use.
type Recorder struct {
	mu    sync.Mutex
	mem   storage.FS
	ops   []Op
	files int
	names map[string]int // file number by current name
}

// NewRecorder returns an empty file system with an empty log.
func NewRecorder() *Recorder {
	return &Recorder{mem: storage.NewMemory(), names: map[string]int{}}
}

// Resume returns a recorder whose file system initially has the contents of m, durably. It also
// returns the number of operations at the beginning of its log that create those contents.
func Resume(m storage.FS) (*Recorder, int, error) {
	r := NewRecorder()
	if err := r.adopt(m, "."); err != nil {
		return nil, 0, err
	}
	return r, len(r.ops), nil
}

func (r *Recorder) adopt(m storage.FS, dir string) error {
	entries, err := m.ReadDir(dir)
	if err != nil {
		return err
	}

	for _, e := range entries {
		name := path.Join(dir, e.Name)
		if !e.Dir {
			if err := r.adoptFile(m, name); err != nil {
				return err
			}
			continue
		}

		if err := r.Mkdir(name); err != nil {
			return err
		}
		if err := r.adopt(m, name); err != nil {
			return err
		}
	}
	return r.SyncDir(dir)
}

func (r *Recorder) adoptFile(m storage.FS, name string) error {
	from, err := m.Open(name)
	if err != nil {
		return err
	}

	size, err := from.Size()
	if err != nil {
		return err
	}

	to, err := r.Create(name)
	if err != nil {
		return err
	}

	if size > 0 {
		data := make([]byte, size)
		if _, err := from.ReadAt(data, 0); err != nil {
			return err
		}
		if _, err := to.WriteAt(data, 0); err != nil {
			return err
		}
	}
	return errors.Join(to.Sync(), to.Close(), from.Close())
}

// Ops returns the log so far.
func (r *Recorder) Ops() []Op {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Op(nil), r.ops...)
}

// Len returns the number of operations in the log.
func (r *Recorder) Len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.ops)
}

// do runs an operation and logs it if it succeeds.
func (r *Recorder) do(op Op, run func() error) error {
	r.mu.Lock()
	defer r.mu.Unlock()

	if err := run(); err != nil {
		return err
	}
	if op.Name != "" {
		op.Name = path.Clean(op.Name)
	}
	if op.To != "" {
		op.To = path.Clean(op.To)
	}

	r.ops = append(r.ops, op)
	return nil
}

// Open opens a file for reading.
func (r *Recorder) Open(name string) (storage.File, error) { return r.mem.Open(name) }

// OpenRW opens a file for reading and writing.
func (r *Recorder) OpenRW(name string) (storage.File, error) {
	name = path.Clean(name)
	r.mu.Lock()
	defer r.mu.Unlock()
	f, err := r.mem.OpenRW(name)
	if err != nil {
		return nil, err
	}
	return &recordedFile{f, r, r.names[name]}, nil
}

// Create creates a file.
func (r *Recorder) Create(name string) (storage.File, error) {
	name = path.Clean(name)
	r.mu.Lock()
	defer r.mu.Unlock()

	f, err := r.mem.Create(name)
	if err != nil {
		return nil, err
	}

	number := r.files
	r.files++
	r.names[name] = number
	r.ops = append(r.ops, Op{Kind: OpCreate, File: number, Name: name})
	return &recordedFile{f, r, number}, nil
}

// Mkdir creates a directory.
func (r *Recorder) Mkdir(name string) error {
	return r.do(Op{Kind: OpMkdir, Name: name}, func() error { return r.mem.Mkdir(name) })
}

// Rename moves a file or a directory.
func (r *Recorder) Rename(oldName, newName string) error {
	return r.do(Op{Kind: OpRename, Name: oldName, To: newName}, func() error {
		if err := r.mem.Rename(oldName, newName); err != nil {
			return err
		}
		moveNames(r.names, path.Clean(oldName), path.Clean(newName))
		return nil
	})
}

// Exchange swaps the names of two files or directories.
func (r *Recorder) Exchange(a, b string) error {
	return r.do(Op{Kind: OpExchange, Name: a, To: b}, func() error {
		if err := r.mem.(storage.Exchanger).Exchange(a, b); err != nil {
			return err
		}
		exchangeNames(r.names, path.Clean(a), path.Clean(b))
		return nil
	})
}

// Remove removes a file or an empty directory.
func (r *Recorder) Remove(name string) error {
	return r.do(Op{Kind: OpRemove, Name: name}, func() error { return r.mem.Remove(name) })
}

// RemoveAll removes a tree entry by entry, as operating systems do.
func (r *Recorder) RemoveAll(name string) error {
	info, err := r.mem.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}

	if info.Dir {
		entries, err := r.mem.ReadDir(name)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := r.RemoveAll(name + "/" + e.Name); err != nil {
				return err
			}
		}
	}
	return r.Remove(name)
}

// ReadDir returns the entries of a directory.
func (r *Recorder) ReadDir(name string) ([]storage.Info, error) { return r.mem.ReadDir(name) }

// Stat returns information about a file or directory.
func (r *Recorder) Stat(name string) (storage.Info, error) { return r.mem.Stat(name) }

// SyncDir makes a directory's entries durable in the images of the log.
func (r *Recorder) SyncDir(name string) error {
	return r.do(Op{Kind: OpSyncDir, Name: name}, func() error { return r.mem.SyncDir(name) })
}

// OpenLock opens a lock. Locks are not logged, since a crash releases them.
func (r *Recorder) OpenLock(name string) (storage.Lock, error) {
	return r.mem.(storage.Locker).OpenLock(name)
}

type recordedFile struct {
	storage.File
	r      *Recorder
	number int
}

func (f *recordedFile) WriteAt(p []byte, off int64) (n int, err error) {
	err = f.r.do(Op{Kind: OpWrite, File: f.number, Offset: off, Data: bytes.Clone(p)}, func() (err error) {
		n, err = f.File.WriteAt(p, off)
		return err
	})
	return n, err
}

// WritePieces is one write.
func (f *recordedFile) WritePieces(pieces [][]byte, off int64) (int64, error) {
	n, err := f.WriteAt(bytes.Join(pieces, nil), off)
	return int64(n), err
}

func (f *recordedFile) Truncate(size int64) error {
	return f.r.do(Op{Kind: OpTruncate, File: f.number, Offset: size}, func() error { return f.File.Truncate(size) })
}

func (f *recordedFile) Sync() error {
	return f.r.do(Op{Kind: OpSync, File: f.number}, f.File.Sync)
}

// Slice, Lease and Release lend the memory of the underlying file.
func (f *recordedFile) Slice(off int64, n int) []byte { return f.File.(storage.Lender).Slice(off, n) }
func (f *recordedFile) Lease(off int64, n int) []byte { return f.File.(storage.Lender).Lease(off, n) }
func (f *recordedFile) Release()                      { f.File.(storage.Lender).Release() }
