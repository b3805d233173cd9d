// Package ndarray reads and writes N-dimensional arrays in Blosc2 frames (B2ND files): arrays of up to 16 dimensions, cut into
// chunks and blocks, of which a read decodes no more blocks than it touches.
//
// There are two handles. [Untyped] has all of the logic and works in bytes, for dtypes known at run time, structures, strings, dates
// and foreign byte orders. [Array] is an Untyped seen as []T for the Go type T; [As], [OpenAs], [Create] and [New] make one.
//
//	a, err := ndarray.OpenAs[float32]("temp.b2nd", nil)
//	day, err := a.Read(ctx, ndarray.Index(31), ndarray.All, ndarray.Range(100, 200))
//
// If a function of the caller's panics while a call of this package runs it on another goroutine, a
// visitor, codec, filter, progress function or storage, the call panics with the same value on the
// caller's goroutine when all others have ended; the stack of the goroutine that panicked is printed
// if nobody recovers. A call of [runtime.Goexit], as t.FailNow makes, ends the caller's goroutine in
// the same way. What the call was changing is as before, and what it was creating leaves nothing.
//
// Changes are staged: reads through the same handle see them, the file has them after Commit or Close. Abort drops them.
package ndarray

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/inside"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/meta"
)

// Untyped is an array whose element type is known at run time; its methods take and give items as the bytes that the file holds, in
// C order and in the dtype's byte order. Items always have TypeSize bytes, even where an odd file's dtype says otherwise.
//
// Any number of goroutines may read, also while one writes: a read sees what was there before or after a write, never a
// part of it. Writes are serialised by the handle.
type Untyped struct {
	fixed
	pool pool

	writing  sync.Mutex // held by one write from start to end
	state    sync.Mutex
	stable   *moment                // what reads see while a write runs, else nil
	last     atomic.Pointer[moment] // the newest state that was asked for
	initial  inside.Savepoint       // what Rollback goes back to before the first commit
	together atomic.Bool            // whether Atomically is under way
	sharing  sharing
	behind   behind

	frozen bool        // it is a snapshot: last is all that it knows
	closed atomic.Bool // the snapshot is closed
}

// fixed is what an array and its snapshots have in common, and what never changes.
type fixed struct {
	frame     *frame.Frame
	name      string // for errors; may be empty
	readOnly  bool
	locking   bool
	part      *grid.Partition // when it was opened; a moment has that of its shape
	dtypeText string
	dtype     meta.DType
	dtypeErr  error // why the text does not describe the items
	without   error // why there are no items to read, or nil
	engine    chunk.Engine
	workers   int
	requests  int   // that may be in flight when chunks are read from afar; 0 for others
	memory    int64 // for chunks that are being made
	encode    chunk.Options
	decode    chunk.DecodeOptions
	cache     *blockCache // or nil
	total     *total
}

// Shape returns the number of items per dimension; with Locking, those that there were when the handle followed other processes last.
func (u *Untyped) Shape() Shape { return u.own().vec(u.own().geometry().Shape) }

// ChunkShape returns the shape of a chunk in items.
func (u *Untyped) ChunkShape() Shape { return u.own().vec(u.own().part.Chunk) }

// BlockShape returns the shape of a block in items.
func (u *Untyped) BlockShape() Shape { return u.own().vec(u.own().part.Block) }

func (u *Untyped) vec(v grid.Vec) Shape { return slices.Clone(Shape(v[:u.part.Dims])) }

// Dims returns the number of dimensions, 0 for a scalar.
func (u *Untyped) Dims() int { return u.own().part.Dims }

// Len returns the number of items.
func (u *Untyped) Len() int64 { return u.own().geometry().ItemCount }

// TypeSize returns the bytes per item.
func (u *Untyped) TypeSize() int { return int(u.own().part.ItemSize) }

// NumChunks returns the number of chunks that the shape needs. The frame may hold more; those are ignored.
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
	if at, err := u.moment(); err == nil {
		return at.view.Info()
	}
	return u.frame.Info()
}

// Frame returns the frame that holds the array, for its metalayers and chunks. Changing chunks through it can make an array
// unreadable; the handle stays the array's.
func (u *Untyped) Frame() *frame.Frame { return u.own().frame }

func selectIn(part *grid.Partition, selectors []Selector) (selection, error) {
	return Shape(part.Shape[:part.Dims]).choose(selectors...)
}

// Read returns the selected items in C order in new memory, of Limits.MaxAlloc bytes at most.
func (u *Untyped) Read(ctx context.Context, selectors ...Selector) (dst []byte, err error) {
	u = u.own()
	at, release, err := u.enterHeld(ctx)
	if err != nil {
		return nil, err
	}
	defer leave(release, &err)
	s, err := selectIn(at.part, selectors)
	if err != nil {
		return nil, u.refuse("read", err)
	}
	n, err := u.allocation(s)
	if err != nil {
		return nil, err
	}
	dst = make([]byte, n*int(u.part.ItemSize))
	return dst, u.readSelected(ctx, at, dst, s, 0)
}

// ReadInto reads the selected items in C order into dst, whose length must be theirs in bytes. After an error the contents of
// dst are undefined.
func (u *Untyped) ReadInto(ctx context.Context, dst []byte, selectors ...Selector) (err error) {
	u = u.own()
	at, release, err := u.enterHeld(ctx)
	if err != nil {
		return err
	}
	defer leave(release, &err)
	s, err := selectIn(at.part, selectors)
	if err != nil {
		return u.refuse("read", err)
	}
	return u.readSelected(ctx, at, dst, s, 0)
}

// ReadBytes reads the items from start up to, not including, stop in each dimension into dst, in C order.
// The coordinates must be within the array, start nowhere beyond stop, and len(dst) must be the box's size in bytes.
func (u *Untyped) ReadBytes(ctx context.Context, dst []byte, start, stop []int64) (err error) {
	u = u.own()
	at, release, err := u.enterHeld(ctx)
	if err != nil {
		return err
	}
	defer leave(release, &err)
	return u.readBox(ctx, at, dst, start, stop, 0)
}

// Write stages the selected items, given in C order; src must have their length in bytes. Chunks that the selection has as a whole are
// encoded straight from src; of others only the blocks that it meets are decoded and encoded again. A write that fails
// changes nothing.
func (u *Untyped) Write(ctx context.Context, src []byte, selectors ...Selector) error {
	u = u.own()
	part := u.geometry()
	s, err := selectIn(part, selectors)
	if err != nil {
		return u.refuse("write", err)
	}
	return u.writeSelected(ctx, part, src, s, 0)
}

// WriteBox is Write for the box from start up to, not including, stop, with coordinates as in ReadBytes.
func (u *Untyped) WriteBox(ctx context.Context, src []byte, start, stop []int64) error {
	u = u.own()
	return u.writeBox(ctx, u.geometry(), src, start, stop, 0)
}

// Fill stages one value for all selected items. value is a Go number, bool or complex number that the dtype can hold, or an item's
// bytes as the file holds them. Chunks that are selected as a whole take up some 40 bytes.
func (u *Untyped) Fill(ctx context.Context, value any, selectors ...Selector) error {
	u = u.own()
	item, err := govalue.EncodeItem(u.dtype, u.TypeSize(), value)
	if err != nil {
		return fmt.Errorf("fill: %w", err)
	}
	part := u.geometry()
	s, err := selectIn(part, selectors)
	if err != nil {
		return u.refuse("fill", err)
	}
	return u.fillSelected(ctx, part, item, s)
}

// allocation returns the number of items of a selection that Read allocates memory for.
func (u *Untyped) allocation(s selection) (int, error) {
	n, ok := grid.Mul(s.Len(), u.part.ItemSize)
	if !ok || n > min(u.engine.Limits.MaxAlloc, math.MaxInt) {
		return 0, u.inArray(fmt.Errorf("read of %d items of %d bytes, MaxAlloc is %d: %w",
			s.Len(), u.part.ItemSize, u.engine.Limits.MaxAlloc, cairn.ErrLimit))
	}
	return int(s.Len()), nil
}

// refuse says which call on which array an argument is wrong for.
func (u *Untyped) refuse(call string, err error) error {
	if err == nil {
		return nil
	}
	return u.inArray(fmt.Errorf("%s: %w", call, err))
}

// wrongLength returns the error of memory of a number of bytes that has not the length of so many items.
func wrongLength(bytes, items, size int64) error {
	if bytes%size != 0 {
		return fmt.Errorf("%d bytes in memory for %d items of %d: %w", bytes, items, size, cairn.ErrBounds)
	}
	return fmt.Errorf("%d items in memory, %d are selected: %w", bytes/size, items, cairn.ErrBounds)
}

// planDense sets up a plan for a box and checks the size of its dense buffer.
func planDense(plan *grid.Plan, part *grid.Partition, bytes int, start, stop []int64) error {
	if err := planBox(plan, part, start, stop); err != nil {
		return err
	}
	if int64(bytes) != plan.Bytes {
		return wrongLength(int64(bytes), plan.Bytes/part.ItemSize, part.ItemSize)
	}
	return nil
}

func planBox(plan *grid.Plan, part *grid.Partition, start, stop []int64) error {
	if err := plan.Set(part, start, stop); err != nil {
		return fmt.Errorf("%w: %w", err, cairn.ErrBounds)
	}
	return nil
}

// takeWorkers returns workers for a number of chunks. The budget is one: what chunks leave over of it goes to their blocks.
func (u *Untyped) takeWorkers(ctx context.Context, pieces int, write bool) ([]*worker, error) {
	budget := parallel.Workers(u.workers)
	chunks, blocks := min(max(budget, u.requests), pieces), 1
	if write {
		chunks, blocks = u.spread(pieces)
	} else {
		blocks = max(1, budget/chunks)
	}
	workers := u.pool.take(chunks)
	for _, w := range workers {
		if err := w.ready(ctx, u, blocks, write); err != nil {
			u.pool.give(workers)
			return nil, err
		}
	}
	return workers, nil
}
