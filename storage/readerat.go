package storage

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"math"
	"sync/atomic"

	"github.com/cairn-go/cairn"
)

// ReaderFile returns the first size bytes of r as a read-only File. Closing it does not close r. If
// r is a [Lender] or reads several ranges at once, like a File of [OpenRanges], so does the File.
func ReaderFile(r io.ReaderAt, size int64) File {
	f := &readerFile{r: r, size: size}
	switch r := r.(type) {
	case Lender:
		return lenderFile{f, r}
	case manyReader:
		return manyFile{f, r}
	}
	return f
}

// BytesFile returns b as a read-only File that lends its memory. b must not be changed while the
// file is in use.
func BytesFile(b []byte) File { return ReaderFile(byteReader{bytes.NewReader(b), b}, int64(len(b))) }

type byteReader struct {
	*bytes.Reader
	data []byte
}

func (r byteReader) Slice(off int64, n int) []byte {
	if off < 0 || n < 0 || off > int64(len(r.data))-int64(n) {
		return nil
	}
	return r.data[off : off+int64(n) : off+int64(n)]
}

// Lease needs no Release, since the memory is garbage collected.
func (r byteReader) Lease(off int64, n int) []byte { return r.Slice(off, n) }
func (r byteReader) Release()                      {}

// readOnly implements the writing methods of a read-only File.
type readOnly struct{}

func (readOnly) WriteAt([]byte, int64) (int, error) { return 0, cairn.ErrReadOnly }
func (readOnly) Truncate(int64) error               { return cairn.ErrReadOnly }
func (readOnly) Sync() error                        { return nil }

// readerFile is a File that reads from r.
type readerFile struct {
	readOnly
	r      io.ReaderAt
	size   int64
	closer io.Closer // nil if there is nothing to close
	closed atomic.Bool
}

// A manyReader reads several ranges at once, like a File of [OpenRanges].
type manyReader interface {
	ReadRanges(ctx context.Context, ranges []Range) error
	Requests() int
	Load(ctx context.Context, off, n int64) (release func(), err error)
}

// manyFile is a readerFile that reads several ranges at once.
type manyFile struct {
	*readerFile
	manyReader
}

// ReadRanges fills ranges that lie within the first size bytes.
func (f manyFile) ReadRanges(ctx context.Context, ranges []Range) error {
	for _, r := range ranges {
		if err := f.has(r.Off, len(r.Data)); err != nil {
			return err
		}
	}
	return f.manyReader.ReadRanges(ctx, ranges)
}

// Load loads bytes that lie within the first size bytes.
func (f manyFile) Load(ctx context.Context, off, n int64) (release func(), err error) {
	if n > math.MaxInt {
		return nil, fs.ErrInvalid
	}

	if err := f.has(off, int(n)); err != nil {
		return nil, err
	}
	return f.manyReader.Load(ctx, off, n)
}

// lenderFile is a readerFile that lends memory.
type lenderFile struct {
	*readerFile
	Lender
}

func (f lenderFile) Slice(off int64, n int) []byte {
	if f.has(off, n) != nil {
		return nil
	}
	return f.Lender.Slice(off, n)
}

func (f lenderFile) Lease(off int64, n int) []byte {
	if f.has(off, n) != nil {
		return nil
	}
	return f.Lender.Lease(off, n)
}

// has returns an error if the file is closed or does not have the n bytes at off.
func (f *readerFile) has(off int64, n int) error {
	switch {
	case f.closed.Load():
		return fs.ErrClosed
	case off < 0 || n < 0:
		return fs.ErrInvalid
	case off > f.size-int64(n):
		return io.ErrUnexpectedEOF
	}
	return nil
}

func (f *readerFile) ReadAt(p []byte, off int64) (int, error) {
	if f.closed.Load() {
		return 0, fs.ErrClosed
	}
	if off < 0 {
		return 0, fs.ErrInvalid
	}
	if off >= f.size {
		return 0, io.EOF
	}

	short := int64(len(p)) > f.size-off
	if short {
		p = p[:f.size-off]
	}

	n, err := f.r.ReadAt(p, off)
	if n == len(p) && !short {
		return n, nil // a reader may report io.EOF together with the last bytes
	}

	if err == nil || n == len(p) {
		err = io.EOF
	}
	return n, err
}

func (f *readerFile) Size() (int64, error) { return f.size, nil }

func (f *readerFile) Close() error {
	if f.closed.Swap(true) {
		return fs.ErrClosed
	}
	if f.closer == nil {
		return nil
	}
	return f.closer.Close()
}
