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
// after Commit or Close. Abort closes without committing, and does nothing after Close: defer it
// where you write, and return the result of Close.
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
	"cmp"
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/inside"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/meta"
)

// Untyped is an array whose element type is known at run time. Its methods take and return items as
// bytes, as stored in the file: in C order and in the dtype's byte order. Items always have
// TypeSize bytes, even if the dtype of a faulty file has another size.
//
// Any number of goroutines may read, also during a write: a read sees the state before or after the
// write. The handle serialises writes.
type Untyped struct {
	handleCore
	pool pool

	// The state that reads and writes work on; see begin.go.
	writeMu parallel.Mutex // held by one write from start to end
	stateMu sync.Mutex
	stable  *state                // what reads see while a write runs, otherwise nil
	last    atomic.Pointer[state] // the newest state that was looked up
	initial inside.Savepoint      // what Rollback returns to before the first commit
	sharing sharing
	buffer  writeBuffer

	frozen bool        // a snapshot, whose only state is last
	closed atomic.Bool // the snapshot is closed
	unkeep func()      // ends the snapshot's hold on its chunks; may be nil
}

// Shape returns the number of items per dimension; with Locking, as of the last time that the
// handle followed other processes.
func (u *Untyped) Shape() Shape { return u.self().vec(u.self().geometry().Shape) }

func (u *Untyped) chunkShape() Shape { return u.self().vec(u.self().part.Chunk) }

func (u *Untyped) blockShape() Shape { return u.self().vec(u.self().part.Block) }

func (u *handleCore) vec(v grid.Vec) Shape { return shapeOf(u.part, v) }

func (u *Untyped) dims() int { return u.self().part.Dims }

// Len returns the number of items.
func (u *Untyped) Len() int64 { return u.self().geometry().ItemCount }

// TypeSize returns the bytes per item.
func (u *Untyped) TypeSize() int { return int(u.self().part.ItemSize) }

// NumChunks returns the number of chunks that the shape needs. The frame may hold more, which are
// ignored.
func (u *Untyped) NumChunks() int64 { return u.self().geometry().ChunkCount }

// DType returns the dtype, which has TypeSize bytes; a file without a dtype has items of bytes. Its
// String is in NumPy's notation. If the dtype in the file is not understood, or has another size
// than the items, the result is of kind 0 with the file's text; items can still be read as bytes.
func (u *Untyped) DType() meta.DType { return u.self().dtype }

// Info returns the properties of the frame: its kind, codec, filters and so on.
func (u *Untyped) Info() frame.Info {
	u = u.self()
	if at, err := u.state(); err == nil {
		return at.view.Info()
	}
	return u.frame.Info()
}

// Frame returns the frame that holds the array, for its metalayers and chunks. Changing chunks
// through it can make the array unreadable. Close the array, not the frame.
func (u *Untyped) Frame() *frame.Frame { return u.self().frame }

// Read returns the selected items in C order in new memory, at most Limits.MaxAlloc bytes.
func (u *Untyped) Read(ctx context.Context, selectors ...Selector) ([]byte, error) {
	return u.asBytes().Read(ctx, selectors...)
}

// ReadInto reads the selected items in C order into dst, whose length must be their size in bytes.
// After an error the contents of dst are undefined.
func (u *Untyped) ReadInto(ctx context.Context, dst []byte, selectors ...Selector) error {
	return u.asBytes().ReadInto(ctx, dst, selectors...)
}

// ReadBytes reads the items from start up to, not including, stop in each dimension into dst, in C
// order. The coordinates must be within the array, start must not exceed stop, and len(dst) must be
// the box's size in bytes.
func (u *Untyped) ReadBytes(ctx context.Context, dst []byte, start, stop []int64) error {
	return u.asBytes().ReadBox(ctx, dst, start, stop)
}

// Write stages the selected items, given in C order; len(src) must be their size in bytes. Chunks
// that are selected whole are encoded straight from src; in others only the touched blocks are
// decoded and encoded again. A write that fails changes nothing.
func (u *Untyped) Write(ctx context.Context, src []byte, selectors ...Selector) error {
	return u.asBytes().Write(ctx, src, selectors...)
}

// WriteBox is Write for the box from start up to, not including, stop, with coordinates as in
// ReadBytes.
func (u *Untyped) WriteBox(ctx context.Context, src []byte, start, stop []int64) error {
	return u.asBytes().WriteBox(ctx, src, start, stop)
}

// Fill stages one value for all selected items, or for one. value is a Go number, bool or complex
// number that the dtype can hold, a text, a time, whatever else [ReadAny] returns for an item of
// the dtype, or an item's bytes as stored in the file. Chunks that are selected whole take up some
// 40 bytes each.
func (u *Untyped) Fill(ctx context.Context, value any, selectors ...Selector) error {
	item, err := u.self().item(value)
	if err != nil {
		return u.failed(fmt.Errorf("fill: %w", err))
	}
	return u.asBytes().bound().fill(ctx, govalue.SpanOf(item), selectors)
}

// item encodes a value that options or calls give for an item.
func (u *Untyped) item(value any) ([]byte, error) {
	return govalue.EncodeItem(u.dtype, u.TypeSize(), value)
}

// refuse adds the array and the call to an error about an argument.
func (u *Untyped) refuse(call string, err error) error {
	if err == nil {
		return nil
	}
	return u.inArray(fmt.Errorf("%s: %w", call, err))
}

// String returns the path, dtype, shape, chunks and codec of the array: "grid.b2nd: <f4 [1000
// 2000], chunks [100 2000], zstd".
func (u *Untyped) String() string {
	u = u.self()
	name := cmp.Or(u.name, u.place, "memory")
	return fmt.Sprintf("%s: %s %v, chunks %v, %v", name, u.dtypeText, u.Shape(), u.chunkShape(), u.Info().Codec)
}

// self returns u, or for the zero [Array] an array that has been closed.
func (u *Untyped) self() *Untyped {
	if u == nil {
		return closedArray()
	}
	return u
}

// closedArray returns the array for handles that were neither opened nor created.
func closedArray() *Untyped {
	u, err := NewUntyped("|u1", Shape{0}, nil)
	if err == nil {
		err = u.Close()
	}
	if err != nil {
		panic(err) // cannot fail: it needs no storage and little memory
	}
	u.without = fmt.Errorf("an array that was neither opened nor created: %w", cairn.ErrClosed)
	return u
}
