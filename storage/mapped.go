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

// Map maps the current bytes of the file. Bytes that are appended later are read with system calls.
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
	// This releases the mapping of a File that was never closed. Memory that is still leased stays
	// mapped.
	m.forgotten = runtime.AddCleanup(m, (*mapping).leave, m.mapping)
	return m, nil
}

// mapping is memory that is unmapped when its last user leaves. Users are counted, because the
// garbage collector does not see slices of mapped memory.
type mapping struct {
	data  []byte
	users atomic.Int64 // leases, and the File while it is open
}

// enter adds a user unless the mapping has none left, and so is unmapped.
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
		_ = osfile.Unmap(m.data) // fails only for memory that is not mapped
	}
}

// mappedFile reads with system calls, so that I/O errors are returned as errors, and leases the
// mapping.
type mappedFile struct {
	readOnly
	file      *os.File
	mapping   *mapping
	forgotten runtime.Cleanup
	closed    atomic.Bool
}

func (m *mappedFile) ReadAt(p []byte, off int64) (int, error) { return m.file.ReadAt(p, off) }

func (m *mappedFile) Size() (int64, error) { return diskFile{m.file}.Size() }

// Stat returns the file's info, as *os.File does.
func (m *mappedFile) Stat() (fs.FileInfo, error) { return m.file.Stat() }

func (m *mappedFile) Close() error {
	if m.closed.Swap(true) {
		return nameError("close", m.file.Name(), fs.ErrClosed)
	}
	m.forgotten.Stop()
	m.mapping.leave()
	return m.file.Close()
}

// Slice returns nil, since memory lent for good could never be unmapped.
func (m *mappedFile) Slice(int64, int) []byte { return nil }

// Lease lends mapped memory unless the file is closed or has become too short.
func (m *mappedFile) Lease(off int64, n int) []byte {
	data := m.mapping.data
	if m.closed.Load() || off < 0 || n < 0 || off > int64(len(data))-int64(n) {
		return nil
	}

	// Seek returns the current size in one system call without allocating. Nothing uses the file's
	// position.
	if size, err := m.file.Seek(0, io.SeekEnd); err != nil || size < off+int64(n) || !m.mapping.enter() {
		return nil
	}
	return data[off : off+int64(n) : off+int64(n)]
}

// Release ends a lease.
func (m *mappedFile) Release() { m.mapping.leave() }
