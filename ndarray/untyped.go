// Package ndarray reads and writes N-dimensional arrays in Blosc2 frames (B2ND files). Arrays
// have up to 16 dimensions and are cut into chunks and blocks; a read decodes only the blocks
// that it touches.
//
//	a, err := ndarray.OpenAs[float32]("temp.b2nd", nil)
//	day, err := a.Read(ctx, ndarray.Index(31), ndarray.All, ndarray.Range(100, 200))
//
// There are two handles. [Array] has items of the Go type T; [Create], [New], [OpenAs] and [As]
// make one. [Untyped] has items of any dtype as bytes, for dtypes known only at run time; [Open]
// makes one.
//
// Changes are staged: reads through the same handle see them at once, and the file has them
// after Commit or Close. Abort closes without committing.
//
// # Panics
//
// If a function of yours (a visitor, codec, filter, progress function or storage) panics on
// another goroutine during a call, the other goroutines end and the call panics with the same
// value on your goroutine. The stack of the original panic is printed if nobody recovers.
// [runtime.Goexit], which t.FailNow calls, ends your goroutine in the same way. The array stays
// as it was before the call, and nothing is left of one that was being created.
package ndarray

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/inside"
	"github.com/cairn-go/cairn/meta"
)

// Untyped is an array whose element type is known at run time; its methods take and give items as
// the bytes that the file holds, in C order and in the dtype's byte order. Items always have
// TypeSize bytes, even where an odd file's dtype says otherwise.
//
// Any number of goroutines may read, also while one writes: a read sees what was there before or
// after a write, never a part of it. Writes are serialised by the handle.
type Untyped struct {
	fixed
	pool pool

	// Which state reads and writes work on; begin.go says how.
	writeMu sync.Mutex // held by one write from start to end
	stateMu sync.Mutex
	stable  *state                // what reads see while a write runs, else nil
	last    atomic.Pointer[state] // the newest state that was asked for
	initial inside.Savepoint      // what Rollback goes back to before the first commit
	sharing sharing
	buffer  writeBuffer

	frozen bool        // it is a snapshot: last is all that it knows
	closed atomic.Bool // the snapshot is closed
}

// Shape returns the number of items per dimension; with Locking, those that there were when the
// handle followed other processes last.
func (u *Untyped) Shape() Shape { return u.own().vec(u.own().geometry().Shape) }

func (u *Untyped) chunkShape() Shape { return u.own().vec(u.own().part.Chunk) }

func (u *Untyped) blockShape() Shape { return u.own().vec(u.own().part.Block) }

func (u *fixed) vec(v grid.Vec) Shape { return shapeOf(u.part, v) }

func (u *Untyped) dims() int { return u.own().part.Dims }

// Len returns the number of items.
func (u *Untyped) Len() int64 { return u.own().geometry().ItemCount }

// TypeSize returns the bytes per item.
func (u *Untyped) TypeSize() int { return int(u.own().part.ItemSize) }

// NumChunks returns the number of chunks that the shape needs. The frame may hold more; those are
// ignored.
func (u *Untyped) NumChunks() int64 { return u.own().geometry().ChunkCount }

// DType returns the dtype, of TypeSize bytes,
// that of bytes for a file without one. Its String is as NumPy writes it.
// Where the file's text for it is not understood, or is
// that of items of another size, it is of kind 0 and that text; items can be read as bytes
// nevertheless.
func (u *Untyped) DType() meta.DType { return u.own().dtype }

// Info returns what the frame knows of itself: its kind, codec, filters and so on.
func (u *Untyped) Info() frame.Info {
	u = u.own()
	if at, err := u.state(); err == nil {
		return at.view.Info()
	}
	return u.frame.Info()
}

// Frame returns the frame that holds the array, for its metalayers and chunks. Changing chunks
// through it can make an array unreadable; the handle stays the array's.
func (u *Untyped) Frame() *frame.Frame { return u.own().frame }

// Read returns the selected items in C order in new memory, of Limits.MaxAlloc bytes at most.
func (u *Untyped) Read(ctx context.Context, selectors ...Selector) ([]byte, error) {
	return u.raw().Read(ctx, selectors...)
}

// ReadInto reads the selected items in C order into dst, whose length must be theirs in bytes.
// After an error the contents of dst are undefined.
func (u *Untyped) ReadInto(ctx context.Context, dst []byte, selectors ...Selector) error {
	return u.raw().ReadInto(ctx, dst, selectors...)
}

// ReadBytes reads the items from start up to, not including, stop in each dimension into dst, in C
// order. The coordinates must be within the array, start nowhere beyond stop, and len(dst) must be
// the box's size in bytes.
func (u *Untyped) ReadBytes(ctx context.Context, dst []byte, start, stop []int64) error {
	return u.raw().ReadBox(ctx, dst, start, stop)
}

// Write stages the selected items, given in C order; src must have their length in bytes. Chunks
// that the selection has as a whole are encoded straight from src; of others only the blocks that
// it meets are decoded and encoded again. A write that fails changes nothing.
func (u *Untyped) Write(ctx context.Context, src []byte, selectors ...Selector) error {
	return u.raw().Write(ctx, src, selectors...)
}

// WriteBox is Write for the box from start up to, not including, stop, with coordinates as in
// ReadBytes.
func (u *Untyped) WriteBox(ctx context.Context, src []byte, start, stop []int64) error {
	return u.raw().WriteBox(ctx, src, start, stop)
}

// Fill stages one value for all selected items. value is a Go number, bool or complex number that
// the dtype can hold, or an item's bytes as the file holds them. Chunks that are selected as a
// whole take up some 40 bytes.
func (u *Untyped) Fill(ctx context.Context, value any, selectors ...Selector) error {
	item, err := u.own().item(value)
	if err != nil {
		return fmt.Errorf("fill: %w", err)
	}
	return u.raw().own().fill(ctx, govalue.SpanOf(item), selectors)
}

// item returns an item of the array of a value that options and calls give for one.
func (u *Untyped) item(value any) ([]byte, error) {
	return govalue.EncodeItem(u.dtype, u.TypeSize(), value)
}

// refuse says which call on which array an argument is wrong for.
func (u *Untyped) refuse(call string, err error) error {
	if err == nil {
		return nil
	}
	return u.inArray(fmt.Errorf("%s: %w", call, err))
}

// String returns the path, dtype, shape, chunks and codec of the array: "grid.b2nd: <f4 [1000
// 2000], chunks [100 2000], zstd".
func (u *Untyped) String() string {
	u = u.own()
	name := u.name
	if name == "" {
		name = "memory"
	}
	return fmt.Sprintf("%s: %s %v, chunks %v, %v", name, u.dtypeText, u.Shape(), u.chunkShape(), u.Info().Codec)
}

// own returns u, or for the zero [Array] an array that has been closed.
func (u *Untyped) own() *Untyped {
	if u == nil {
		return neverOpened()
	}
	return u
}

// neverOpened returns the array of handles that were neither opened nor created.
func neverOpened() *Untyped {
	u, err := NewUntyped("|u1", Shape{0}, nil)
	if err == nil {
		err = u.Close()
	}
	if err != nil {
		panic(err) // nothing is stored, and no memory to speak of is needed
	}
	u.without = fmt.Errorf("an array that was neither opened nor created: %w", cairn.ErrClosed)
	return u
}
