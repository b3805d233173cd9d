package bucket

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"math"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/wire"
	"github.com/cairn-go/cairn/storage"
)

// An Object is an object of a bucket as a file that is only read. Its size is known from the first
// bytes on, which are read without asking for the size before.
type Object struct {
	*Objects
	ctx    context.Context // of calls that have none
	object string
	size   int64
}

// UnknownSize is the size of an object of which nothing was read.
const UnknownSize = math.MaxInt64

// Start reads the first bytes of the object, n of them unless the object is shorter, in buf's
// memory if they fit.
func (o *Object) Start(ctx context.Context, buf []byte, n int64) ([]byte, error) {
	if int64(cap(buf)) < n {
		buf = make([]byte, n)
	}
	if ctx == nil {
		ctx = o.ctx
	}
	got, at, err := o.ReadStart(ctx, o.object, buf[:n])
	if errors.Is(err, fs.ErrNotExist) {
		return nil, wire.Because(cairn.Corruptf("chunk", -1,
			"its object is missing: removed as a part of an old version, or lost"), err)
	}
	o.size = at.Size
	return buf[:got], err
}

// ReadAt reads a part of the object; the first bytes by a request of their own.
func (o *Object) ReadAt(p []byte, off int64) (int, error) {
	if off == 0 {
		got, err := o.Start(o.ctx, p[:0:len(p)], int64(len(p)))
		if err == nil && len(got) < len(p) {
			err = io.EOF
		}
		return len(got), err
	}
	err := o.ReadRanges(o.ctx, []storage.Range{{Off: off, Data: p}})
	switch {
	case err == nil:
		return len(p), nil
	case errors.Is(err, cairn.ErrBounds):
		err = io.ErrUnexpectedEOF
	}
	return 0, err
}

// Bytes returns the size of the object, or UnknownSize if nothing was read.
func (o *Object) Bytes() int64 { return o.size }

// ReadRanges reads several parts of the object.
func (o *Object) ReadRanges(ctx context.Context, ranges []storage.Range) error {
	return o.Bucket.ReadRanges(ctx, storage.Object{Name: o.object, Size: o.size}, ranges)
}

// WriteAt fails: an object is never changed.
func (o *Object) WriteAt([]byte, int64) (int, error) { return 0, cairn.ErrReadOnly }

// Truncate fails: an object is never changed.
func (o *Object) Truncate(int64) error { return cairn.ErrReadOnly }

// Sync does nothing: an object is durable.
func (o *Object) Sync() error { return nil }

// Size returns the size of the object, or UnknownSize if nothing was read.
func (o *Object) Size() (int64, error) { return o.size, nil }

// Close does nothing.
func (o *Object) Close() error { return nil }

// Chunk returns the object of a chunk.
func (r *Objects) Chunk(number int64) *Object {
	return &Object{Objects: r, ctx: r.Ctx, object: r.Name(number, ChunkKind), size: UnknownSize}
}

// EndWith sets the context of calls that have none.
func (o *Object) EndWith(ctx context.Context) { o.ctx = ctx }
