package npy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/naming"
	"github.com/cairn-go/cairn/internal/strided"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// An Array is the array of an .npy file, or of a raw one, for reading. It is an [ndarray.Source]
// that any number of goroutines may use, unless it is read [Array.InOrder].
type Array struct {
	head    Header
	shape   []int64 // the order of the file: the last dimension runs fastest
	items   items
	inOrder bool
	closer  io.Closer // nil if there is nothing to close
}

// Open opens the file at path. o may be nil. The caller closes the array.
//
// Errors match [cairn.ErrCorrupt] for a file that is invalid or too short, and
// [cairn.ErrUnsupported] for dtypes without a fixed size, such as Python objects.
func Open(path string, o *OpenOptions) (*Array, error) {
	o, err := o.orDefault()
	if err != nil {
		return nil, err
	}

	file, err := openFile(path, o)
	if err != nil {
		return nil, err
	}

	a, err := openArray(file, o)
	if err != nil {
		return nil, errors.Join(naming.Call("open", path, err), file.Close())
	}
	a.closer = file
	return a, nil
}

// openFile opens and, if possible, maps a file.
func openFile(path string, o *OpenOptions) (storage.File, error) {
	fsys := o.FS
	if fsys == nil {
		fsys = storage.OS()
	}

	file, err := fsys.Open(path)
	if m, ok := file.(storage.Mapper); ok && o.Map && err == nil {
		if mapped, err := m.Map(); err == nil {
			return mapped, nil
		}
	}
	return file, err
}

// OpenReader opens a file of size bytes that r reads, such as one of [storage.OpenRanges]. o may be
// nil. Closing the array does not close r.
func OpenReader(r io.ReaderAt, size int64, o *OpenOptions) (*Array, error) {
	o, err := o.orDefault()
	if err != nil {
		return nil, err
	}
	return openArray(storage.ReaderFile(r, size), o)
}

// openArray opens the array that a file begins with.
func openArray(file storage.File, o *OpenOptions) (*Array, error) {
	size, err := file.Size()
	if err != nil {
		return nil, err
	}
	return openSection(file, 0, size, o)
}

// openSection opens the array at the bytes [from, from+size) of a file.
func openSection(file storage.File, from, size int64, o *OpenOptions) (*Array, error) {
	h, n, err := o.header(io.NewSectionReader(file, from, size))
	if err != nil {
		return nil, err
	}

	have := size - n
	want := h.size()
	switch {
	case have < want:
		e := cairn.Corruptf(layer, from+size, "truncated: %d bytes of items, want %d", max(0, have), want)
		e.Layer = "npy file"
		e.Err = io.ErrUnexpectedEOF
		return nil, e
	case have > want && o.Raw != nil:
		return nil, fmt.Errorf("%d bytes, but items of type %s and shape %v have %d: %w", have,
			h.DType, h.Shape, want, cairn.ErrBounds)
	}
	return newArray(&h, fileItems{strided.File{File: file, Base: from + n, Name: layerFile}, file}, false)
}

// header returns the header of a file, or the one that the caller knows, with its length.
func (o *OpenOptions) header(r io.Reader) (Header, int64, error) {
	if o.Raw != nil {
		return *o.Raw, 0, nil
	}
	return readHeader(r, o.Limits.WithDefaults().MaxHeader)
}

// OpenStream opens an array that r delivers from front to back, such as a pipe. o may be nil. The
// header is read at once, and nothing beyond it.
//
// Reads of the array must ask for items in the order of the stream: see [Array.InOrder].
func OpenStream(r io.Reader, o *OpenOptions) (*Array, error) {
	o, err := o.orDefault()
	if err != nil {
		return nil, err
	}
	h, n, err := o.header(r)
	if err != nil {
		return nil, err
	}
	return newArray(&h, &sequence{r: r, base: n, at: n, end: n + h.size()}, true)
}

func newArray(h *Header, from items, inOrder bool) (*Array, error) {
	if h.DType.Size() == 0 {
		return nil, fmt.Errorf("items of 0 bytes (dtype %s): %w", h.DType, cairn.ErrUnsupported)
	}

	a := &Array{head: *h, items: from, inOrder: inOrder, shape: slices.Clone(h.Shape)}
	a.head.Shape = slices.Clone(h.Shape)
	a.head.Fortran = h.Fortran && len(h.Shape) > 1
	if a.head.Fortran {
		slices.Reverse(a.shape)
	}
	return a, nil
}

// Close ends the use of the array, and closes the file that [Open] opened.
func (a *Array) Close() error {
	if a.closer == nil {
		return nil
	}
	return a.closer.Close()
}

// Shape returns the number of items per dimension. The caller may change the slice.
func (a *Array) Shape() ndarray.Shape { return slices.Clone(a.head.Shape) }

// DType returns the dtype of the items.
func (a *Array) DType() meta.DType { return a.head.DType }

// Fortran reports whether the first index of the file runs fastest, in two dimensions or more.
func (a *Array) Fortran() bool { return a.head.Fortran }

// InOrder reports whether the items come from front to back: of a stream, or a compressed member of
// an archive.
//
// Each read of a stream must be behind the one before it, in the order of the file: slabs of full
// extent in every dimension but the first, or the last in Fortran order. A member may be read in
// any order, but reading more than 32 MiB behind what was read begins again at its start.
func (a *Array) InOrder() bool { return a.inOrder }

// gridBytes is the size of the boxes that Grid proposes.
const gridBytes = 1 << 20

// Grid returns the shape of boxes of up to 1 MiB that lie in one piece in the file, as chunks and
// as blocks.
func (a *Array) Grid() (chunks, blocks ndarray.Shape) {
	chunks = make(ndarray.Shape, len(a.shape))
	room := max(1, gridBytes/int64(a.head.DType.Size()))
	for d := len(chunks) - 1; d >= 0; d-- {
		chunks[d] = max(1, min(a.shape[d], room))
		room = max(1, room/chunks[d])
		if chunks[d] < a.shape[d] {
			room = 1
		}
	}

	if a.head.Fortran {
		slices.Reverse(chunks)
	}
	return chunks, slices.Clone(chunks)
}

// ReadBytes reads the items from start up to, not including, stop in each dimension into dst, in C
// order. It allocates up to 1 MiB besides, or 16 MiB for items that come in order. Boxes outside of
// the array are an error that matches [cairn.ErrBounds], items beyond the end of a stream one that
// matches [cairn.ErrCorrupt] and [io.ErrUnexpectedEOF].
func (a *Array) ReadBytes(ctx context.Context, dst []byte, start, stop []int64) error {
	b, err := a.box(len(dst), start, stop)
	if err == nil && len(dst) > 0 {
		err = b.read(ctx, dst)
	}
	return err
}

// box checks the arguments of a read.
func (a *Array) box(n int, start, stop []int64) (*box, error) {
	if err := grid.CheckBuffer(a.head.Shape, start, stop, a.head.DType.Size(), n); err != nil {
		return nil, err
	}

	b := &box{a: a, size: int64(a.head.DType.Size()), start: slices.Clone(start), stop: slices.Clone(stop)}
	if a.head.Fortran {
		slices.Reverse(b.start)
		slices.Reverse(b.stop)
	}
	return b, nil
}
