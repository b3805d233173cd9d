package format

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/storage"
)

// None is the address of something that does not exist.
const None int64 = -1

// A File is the bytes of an HDF5 file and what its superblock says. It is immutable but for its
// cache and its size, and safe for concurrent use.
type File struct {
	r      io.ReaderAt
	base   int64        // offset of address 0
	size   atomic.Int64 // bytes from address 0; see grown
	pages  pages
	heaps  lasting[Heap]
	shared sharedTable
	types  lasting[Header]

	Limits cairn.Limits
	// Trusting turns the comparison of checksums off, so that tests reach what is behind it.
	Trusting bool
	Superblock
}

// A Reader reads structures of a file. It is used by one call, and ends with the context of it.
type Reader struct {
	*File
	ctx context.Context
}

// In returns a reader that ends with ctx.
func (f *File) In(ctx context.Context) *Reader { return &Reader{f, ctx} }

// Underlying returns what the file is read from. Address 0 is at the offset Base of it.
func (f *File) Underlying() io.ReaderAt { return f.r }

// Size returns the number of bytes from address 0 to the end of the file.
func (f *File) Size() int64 { return f.size.Load() }

// Base returns the offset in the file of address 0.
func (f *File) Base() int64 { return f.base }

// A Ranged file reads several ranges at once, such as one of [storage.OpenRanges].
type Ranged interface {
	io.ReaderAt
	ReadRanges(ctx context.Context, ranges []storage.Range) error
	Requests() int
	Load(ctx context.Context, off, n int64) (release func(), err error)
}

// Requests returns how many requests the file may serve at a time; 0 if it is not read by requests.
func (f *File) Requests() int {
	if far, ok := f.r.(Ranged); ok {
		return far.Requests()
	}
	return 0
}

// Load fetches bytes of a file that is read by requests, and keeps them until release is called.
func (f *File) Load(ctx context.Context, at, n int64) (release func(), err error) {
	return f.r.(Ranged).Load(ctx, f.base+at, n)
}

// Outside reports whether the file does not have the n bytes at an address.
func (f *File) Outside(at, n int64) bool {
	if at < 0 || n < 0 {
		return true
	}
	outside := func(size int64) bool { return at > size || n > size-at }
	return outside(f.Size()) && (!f.grown() || outside(f.Size()))
}

// grown looks whether the file has become longer, because it is appended to.
func (f *File) grown() bool {
	file, ok := f.r.(interface{ Size() (int64, error) })
	if !ok {
		return false
	}
	size, err := file.Size()
	size -= f.base
	if err != nil || size <= f.Size() {
		return false
	}
	f.size.Store(size)
	f.pages.drop()
	return true
}

// ReadAt fills dst with the bytes at an address. layer names what they are, for errors.
func (r *Reader) ReadAt(layer string, dst []byte, at int64) error {
	if err := r.check(layer, at, int64(len(dst))); err != nil {
		return err
	}
	return r.fill(layer, dst, at)
}

// fill is ReadAt for bytes within the file.
func (r *Reader) fill(layer string, dst []byte, at int64) error {
	if len(dst) == 0 {
		return r.ctx.Err()
	}

	off := r.base + at
	if many, ok := r.r.(Ranged); ok {
		err := many.ReadRanges(r.ctx, []storage.Range{{Off: off, Data: dst}})
		if err != nil {
			return fmt.Errorf("reading %s at offset %d: %w", layer, off, err)
		}
		return nil
	}

	if err := r.ctx.Err(); err != nil {
		return err
	}

	n, err := r.r.ReadAt(dst, off)
	if n == len(dst) {
		return nil
	}

	if err == nil || errors.Is(err, io.EOF) {
		e := cairn.Corruptf(layer, off+int64(n), "the file ends early")
		e.Err = io.ErrUnexpectedEOF
		return e
	}
	return fmt.Errorf("reading %s at offset %d: %w", layer, off, err)
}

// check returns an error unless the file has n bytes at an address.
func (r *Reader) check(layer string, at, n int64) error {
	if r.Outside(at, n) {
		return cairn.Corruptf(layer, r.offset(at), "%d bytes at address %d of a file of %d", n, at, r.Size())
	}
	return nil
}

// offset returns the offset in the file of an address, -1 for one that no file has.
func (f *File) offset(at int64) int64 {
	if at < 0 || at > f.Size() {
		return -1
	}
	return f.base + at
}

// Bytes returns the n bytes at an address, for a structure of at most limit bytes. The caller must
// not change them.
func (r *Reader) Bytes(layer string, at, n, limit int64) ([]byte, error) {
	if err := r.check(layer, at, n); err != nil {
		return nil, err
	}
	if n > limit {
		return nil, fmt.Errorf("%s of %d bytes, the most is %d: %w", layer, n, limit, cairn.ErrLimit)
	}

	if n <= pageSize {
		b, err := r.fromPages(layer, at, int(n))
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			return b, err
		}
		// An appender may have cut off what it has not used, since the size was looked at.
	}
	b := make([]byte, n)
	return b, r.fill(layer, b, at)
}

// fromPages returns bytes that are in one page or two.
func (r *Reader) fromPages(layer string, at int64, n int) ([]byte, error) {
	number := at / pageSize
	from := int(at % pageSize)
	first, err := r.page(layer, number)
	if err != nil {
		return nil, err
	}
	if from+n <= len(first) {
		return first[from : from+n : from+n], nil
	}

	second, err := r.page(layer, number+1)
	if err != nil {
		return nil, err
	}
	b := append(make([]byte, 0, n), first[from:]...)
	return append(b, second[:n-len(b)]...), nil
}

// Some is Bytes for n bytes or those up to the end of the file.
func (r *Reader) Some(layer string, at, n int64) ([]byte, error) {
	if err := r.check(layer, at, 0); err != nil {
		return nil, err
	}
	return r.Bytes(layer, at, min(n, r.Size()-at), n)
}
