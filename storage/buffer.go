package storage

import (
	"errors"
	"io"
	"io/fs"
	"math"
	"sync"
	"sync/atomic"

	"github.com/cairn-go/cairn"
)

// buffer is the content of a file in memory, shared by its handles.
//
// Growing may move the bytes to a new array; slices that were lent keep the old one. Because writers of frames never change a
// byte that a reader may hold, both arrays say the same wherever a reader looks.
type buffer struct {
	mu   sync.RWMutex
	data []byte
}

func (b *buffer) size() int64 {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return int64(len(b.data))
}

// resize sets the length, zeroing what it adds. The caller holds the lock.
func (b *buffer) resize(size int64) error {
	if size > math.MaxInt {
		return errors.New("file too large for memory")
	}
	n, old := int(size), len(b.data)
	if n <= cap(b.data) {
		b.data = b.data[:n]
		if n > old {
			clear(b.data[old:])
		}
		return nil
	}
	b.data = append(b.data, make([]byte, n-old)...)
	return nil
}

// memoryFile is a handle on a buffer.
type memoryFile struct {
	*buffer
	name     string
	readOnly bool
	closed   atomic.Bool
}

func (f *memoryFile) check(op string, write bool, off int64) error {
	switch {
	case f.closed.Load():
		return nameError(op, f.name, fs.ErrClosed)
	case write && f.readOnly:
		return nameError(op, f.name, cairn.ErrReadOnly)
	case off < 0:
		return nameError(op, f.name, fs.ErrInvalid)
	}
	return nil
}

func (f *memoryFile) ReadAt(p []byte, off int64) (int, error) {
	if err := f.check("read", false, off); err != nil {
		return 0, err
	}
	f.mu.RLock()
	defer f.mu.RUnlock()
	if off >= int64(len(f.data)) {
		return 0, io.EOF
	}
	n := copy(p, f.data[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (f *memoryFile) WriteAt(p []byte, off int64) (int, error) {
	if err := f.check("write", true, off); err != nil {
		return 0, err
	}
	if off > math.MaxInt64-int64(len(p)) {
		return 0, nameError("write", f.name, fs.ErrInvalid)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if end := off + int64(len(p)); end > int64(len(f.data)) {
		if err := f.resize(end); err != nil {
			return 0, nameError("write", f.name, err)
		}
	}
	return copy(f.data[off:], p), nil
}

func (f *memoryFile) Truncate(size int64) error {
	if err := f.check("truncate", true, size); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if size < int64(len(f.data)) {
		// Lent slices may reach beyond size: give them the array and go on with another, so that later growth writes no zeros into theirs.
		f.data = append([]byte(nil), f.data[:size]...)
		return nil
	}
	if err := f.resize(size); err != nil {
		return nameError("truncate", f.name, err)
	}
	return nil
}

func (f *memoryFile) Sync() error { return f.check("sync", false, 0) }

func (f *memoryFile) Size() (int64, error) {
	if err := f.check("stat", false, 0); err != nil {
		return 0, err
	}
	return f.size(), nil
}

func (f *memoryFile) Close() error {
	if f.closed.Swap(true) {
		return nameError("close", f.name, fs.ErrClosed)
	}
	return nil
}

// Slice lends the bytes at off.
func (f *memoryFile) Slice(off int64, n int) []byte {
	if f.closed.Load() {
		return nil
	}
	f.mu.RLock()
	defer f.mu.RUnlock()
	if off < 0 || n < 0 || off > int64(len(f.data))-int64(n) {
		return nil
	}
	return f.data[off : off+int64(n) : off+int64(n)]
}
