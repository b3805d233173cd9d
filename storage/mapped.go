package storage

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"sync/atomic"

	"github.com/cairn-go/cairn/internal/osfile"
)

// Map maps the file as it is now. Bytes that are added later are read as usual.
func (f diskFile) Map() (File, error) {
	size, err := f.Size()
	if err != nil {
		return nil, err
	}
	data, err := osfile.Map(f.File, size)
	if err != nil {
		return nil, fmt.Errorf("map %s: %w", f.Name(), err)
	}
	m := &mappedFile{file: f.File, mapping: &mapping{data: data}}
	m.mapping.users.Store(1)
	// A File that nobody closed is one user less, too; what is still leased stays mapped for ever.
	m.forgotten = runtime.AddCleanup(m, (*mapping).leave, m.mapping)
	return m, nil
}

// mapping is memory that is unmapped when nobody uses it any more: by counting, because the garbage
// collector knows nothing of the slices that refer to it.
type mapping struct {
	data  []byte
	users atomic.Int64 // leases, and the File as long as it is open
}

// enter counts another user, unless there is none any more.
func (m *mapping) enter() bool {
	for {
		n := m.users.Load()
		if n == 0 || m.users.CompareAndSwap(n, n+1) {
			return n > 0
		}
	}
}

func (m *mapping) leave() {
	if m.users.Add(-1) == 0 {
		_ = osfile.Unmap(m.data) // which fails only for memory that is not mapped
	}
}

// mappedFile reads from the file as usual, where errors are errors, and leases the mapping.
type mappedFile struct {
	readOnly
	file      *os.File
	mapping   *mapping
	forgotten runtime.Cleanup
	closed    atomic.Bool
}

func (m *mappedFile) ReadAt(p []byte, off int64) (int, error) { return m.file.ReadAt(p, off) }

func (m *mappedFile) Size() (int64, error) { return diskFile{m.file}.Size() }

// Stat returns what the system says of the file, as *os.File does.
func (m *mappedFile) Stat() (fs.FileInfo, error) { return m.file.Stat() }

func (m *mappedFile) Close() error {
	if m.closed.Swap(true) {
		return nameError("close", m.file.Name(), fs.ErrClosed)
	}
	m.forgotten.Stop()
	m.mapping.leave()
	return m.file.Close()
}

// Slice lends nothing: what has no end cannot be counted.
func (m *mappedFile) Slice(int64, int) []byte { return nil }

// Lease lends mapped memory, unless the file ends before or is closed.
func (m *mappedFile) Lease(off int64, n int) []byte {
	data := m.mapping.data
	if m.closed.Load() || off < 0 || n < 0 || off > int64(len(data))-int64(n) {
		return nil
	}
	// Nobody uses the file's position, so this asks for its size, at the price of one system call
	// and no memory.
	if size, err := m.file.Seek(0, io.SeekEnd); err != nil || size < off+int64(n) || !m.mapping.enter() {
		return nil
	}
	return data[off : off+int64(n) : off+int64(n)]
}

// Release ends a lease.
func (m *mappedFile) Release() { m.mapping.leave() }
