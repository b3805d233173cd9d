package ndarray

import (
	"fmt"
	"io"
	"io/fs"

	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/parallel"
)

// Open opens the array in a file or in a sparse directory. o may be nil. It fails with
// [cairn.ErrNotFound] if the frame exists but holds no array. The caller closes the array.
//
// Some frames of python-blosc2 only describe an array that is stored or computed elsewhere. They
// open with their shape and dtype. Reading items of a lazy array or a reference fails with
// [cairn.ErrUnsupported]; reading items that a proxy has not fetched fails with
// [cairn.ErrNotFound].
func Open(path string, o *OpenOptions) (*Untyped, error) {
	f, err := frame.Open(path, o.frame())
	return opened(f, err, o, path, o != nil && o.Mode == ReadWrite)
}

// OpenReader opens, for reading, the array in a contiguous frame of size bytes in r. r must stay
// usable until Close, and must allow concurrent calls.
func OpenReader(r io.ReaderAt, size int64, o *OpenOptions) (*Untyped, error) {
	f, err := frame.OpenReader(r, size, o.frame())
	u, err := opened(f, err, o, "", false)
	if err == nil {
		u.place = "reader"
	}
	return u, err
}

// OpenFS opens the array with a name in a file system, for reading.
func OpenFS(fsys fs.FS, name string, o *OpenOptions) (*Untyped, error) {
	f, err := frame.OpenFS(fsys, name, o.frame())
	return opened(f, err, o, name, false)
}

// FromBytes opens the array in a contiguous frame in memory. b must not change while the array is
// open. With mode ReadWrite changes are made to a copy, which [Untyped.Bytes] returns.
func FromBytes(b []byte, o *OpenOptions) (*Untyped, error) {
	f, err := frame.FromBytes(b, o.frame())
	return opened(f, err, o, "", o != nil && o.Mode == ReadWrite)
}

// OpenAs opens the array at path with items of type T: [Open] and [As] in one call.
func OpenAs[T any](path string, o *OpenOptions) (Array[T], error) {
	return typed[T](Open(path, o))
}

// opened returns the array in a frame that was just opened; after an error it closes the frame.
func opened(f *frame.Frame, err error, o *OpenOptions, name string, write bool) (*Untyped, error) {
	if err != nil {
		return nil, err
	}
	if o == nil {
		o = &OpenOptions{}
	}
	var u *Untyped
	err = notNegative([]string{"WriteBehind", "CacheBytes"}, o.WriteBehind, o.CacheBytes)
	if err == nil {
		u, err = newUntyped(f, handleCore{name: name, workers: o.Workers, memory: parallel.Memory(0),
			engine: o.Engine, readOnly: !write, locking: o.Locking,
			requests: f.Inside().Requests()}, o.WriteBehind, o.CacheBytes)
	}
	if err != nil {
		f.Close()
		if name != "" {
			err = fmt.Errorf("open %s: %w", name, err)
		}
		return nil, err
	}
	return u, nil
}
