package storage

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"sync/atomic"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/osfile"
)

// A Mapper is a File that can be mapped into memory.
type Mapper interface {
	// Map returns a read-only File and [Slicer] of the same bytes, which takes the place of this one: closing it closes both. It
	// fails with an error of the system's where that is not possible, and then this one is as before.
	//
	// The memory stays mapped after Close, until the garbage collector finds that nobody refers to the File any more; so whoever uses memory
	// that was lent must keep the File. No file that was mapped may become shorter: Slice looks at the length each time and then lends nothing beyond it,
	// but a process that touches memory behind the end of a file that shrank since is killed by the system (SIGBUS).
	Map() (File, error)
}

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
	m := &mappedFile{file: f.File, data: data}
	runtime.AddCleanup(m, func(data []byte) {
		_ = osfile.Unmap(data) // which fails only for memory that is not mapped
	}, data)
	return m, nil
}

// mappedFile reads from the file as usual, where errors are errors, and lends the mapping.
type mappedFile struct {
	file   *os.File
	data   []byte
	closed atomic.Bool
}

func (m *mappedFile) ReadAt(p []byte, off int64) (int, error) { return m.file.ReadAt(p, off) }

func (m *mappedFile) WriteAt([]byte, int64) (int, error) { return 0, cairn.ErrReadOnly }
func (m *mappedFile) Truncate(int64) error               { return cairn.ErrReadOnly }
func (m *mappedFile) Sync() error                        { return nil }
func (m *mappedFile) Size() (int64, error)               { return diskFile{m.file}.Size() }

// Stat returns what the system says of the file, as *os.File does.
func (m *mappedFile) Stat() (fs.FileInfo, error) { return m.file.Stat() }

func (m *mappedFile) Close() error {
	if m.closed.Swap(true) {
		return nameError("close", m.file.Name(), fs.ErrClosed)
	}
	return m.file.Close()
}

// Slice lends mapped memory, unless the file ends before.
func (m *mappedFile) Slice(off int64, n int) []byte {
	if m.closed.Load() || off < 0 || n < 0 || off > int64(len(m.data))-int64(n) {
		return nil
	}
	// Nobody uses the file's position, so this asks for its size, at the price of one system call and no memory.
	if size, err := m.file.Seek(0, io.SeekEnd); err != nil || size < off+int64(n) {
		return nil
	}
	return m.data[off : off+int64(n) : off+int64(n)]
}
