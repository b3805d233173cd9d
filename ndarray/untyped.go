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
	"iter"
	"slices"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/meta"
)

// Shape returns the number of items per dimension; with Locking, as of the last time that the
// handle followed other processes.
func (u *Untyped) Shape() Shape { return u.self().shape() }

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
func (u *Untyped) Info() frame.Info { return u.self().info() }

// Frame returns the frame that holds the array, for its metalayers and chunks. Changing chunks
// through it can make the array unreadable. Close the array, not the frame.
func (u *Untyped) Frame() *frame.Frame { return u.self().frame }

// Read returns the selected items in C order in new memory, at most Limits.MaxAlloc bytes.
func (u *Untyped) Read(ctx context.Context, selectors ...Selector) (dst []byte, err error) {
	v := u.asBytes()
	err = v.read(ctx, selectors, making(v, &dst))
	return filled(dst, err)
}

// ReadInto reads the selected items in C order into dst, whose length must be their size in bytes.
// After an error the contents of dst are undefined.
func (u *Untyped) ReadInto(ctx context.Context, dst []byte, selectors ...Selector) error {
	return u.asBytes().read(ctx, selectors, intoSpan(govalue.SpanOf(dst)))
}

// ReadBytes reads the items from start up to, not including, stop in each dimension into dst, in C
// order. The coordinates must be within the array, start must not exceed stop, and len(dst) must be
// the box's size in bytes.
func (u *Untyped) ReadBytes(ctx context.Context, dst []byte, start, stop []int64) error {
	return u.asBytes().readBox(ctx, govalue.SpanOf(dst), start, stop)
}

// Write stages the selected items, given in C order; len(src) must be their size in bytes. Chunks
// that are selected whole are encoded straight from src; in others only the touched blocks are
// decoded and encoded again. A write that fails changes nothing.
func (u *Untyped) Write(ctx context.Context, src []byte, selectors ...Selector) error {
	return u.asBytes().write(ctx, govalue.SpanOf(src), selectors)
}

// WriteBox is Write for the box from start up to, not including, stop, with coordinates as in
// ReadBytes.
func (u *Untyped) WriteBox(ctx context.Context, src []byte, start, stop []int64) error {
	return u.asBytes().writeBox(ctx, govalue.SpanOf(src), start, stop)
}

// Fill stages one value for all selected items, or for one. value is a Go number, bool or complex
// number that the dtype can hold, a text, a time, whatever else [ReadAny] returns for an item of
// the dtype, or an item's bytes as stored in the file. Chunks that are selected whole take up some
// 40 bytes each.
func (u *Untyped) Fill(ctx context.Context, value any, selectors ...Selector) error {
	v := u.asBytes()
	item, err := v.a.item(value)
	if err != nil {
		return v.a.failed(fmt.Errorf("fill: %w", err))
	}
	return v.fill(ctx, govalue.SpanOf(item), selectors)
}

// String returns the path, dtype, shape, chunks and codec of the array: "grid.b2nd: <f4 [1000
// 2000], chunks [100 2000], zstd".
func (u *Untyped) String() string {
	a := u.self()
	name := cmp.Or(a.name, a.place, "memory")
	return fmt.Sprintf("%s: %s %v, chunks %v, %v", name, a.dtypeText, a.shape(), a.chunkShape(), a.info().Codec)
}

// Stats returns the work done for the array so far. Any goroutine may call it at any time; the call
// is cheap.
func (u *Untyped) Stats() Stats {
	a := u.self()
	a.total.mu.Lock()
	defer a.total.mu.Unlock()

	sum := a.total.sum
	sum.BytesRead = a.frame.Inside().BytesRead()
	return sum
}

// Values yields every item in C order, as stored in the file. The slice is valid until the next
// iteration. Otherwise it is like [Array.Values].
func (u *Untyped) Values(ctx context.Context) iter.Seq2[[]byte, error] {
	a := u.self()
	return func(yield func([]byte, error) bool) {
		size := a.typeSize()
		ended, err := a.eachSlab(ctx, 0, func(data []byte) (bool, error) {
			for item := range slices.Chunk(data, size) {
				if !yield(item, nil) {
					return false, nil
				}
			}
			return true, nil
		})
		if err != nil && !ended {
			yield(nil, err)
		}
	}
}

// Chunks yields a description of every chunk, in C order over the grid of chunks, from one state of
// the array. It reads headers, decodes nothing, and verifies no checksums. The caller owns the
// yielded values. An error is yielded last. With Locking the lock is shared until the loop ends,
// and the loop must not write to the array. If the frame has fewer chunks than the shape needs, the
// error comes after the chunks that exist.
func (u *Untyped) Chunks(ctx context.Context) iter.Seq2[ChunkInfo, error] {
	a := u.self()
	return func(yield func(ChunkInfo, error) bool) {
		ended := false
		err := a.eachChunk(ctx, func(c ChunkInfo) bool {
			ended = !yield(c, nil)
			return !ended
		})
		if err != nil && !ended {
			yield(ChunkInfo{}, err)
		}
	}
}

// Append stages items after the last ones along an axis. The axis grows by the items of src, which
// are in C order and have the array's extents along all other axes; so len(src) must be a multiple
// of the bytes of one step along the axis. A negative axis counts from the last. Existing chunks do
// not change, except partly filled ones at the end. These stay in the write buffer, see
// Options.WriteBehind, and are encoded when full or at Commit, so that many small appends cost
// little more than one large one. If src has more bytes than half of the buffer, it is encoded at
// once.
//
// Items are added to the newest state, so several goroutines may append, and with Locking several
// processes. As with every change nothing is durable before Commit, and after an error nothing has
// changed. Errors match [cairn.ErrBounds] for an invalid axis or length, and [cairn.ErrLimit] for
// too many chunks.
func (u *Untyped) Append(ctx context.Context, axis int, src []byte) error {
	return u.asBytes().insert(ctx, "append", axis, nil, govalue.SpanOf(src))
}

// Insert stages items before position at of an axis, counted from the end if negative; the items
// from there on move back. src and errors are as for Append. If at and the number of new items
// along the axis are multiples of the chunk's extent, later chunks are moved unchanged.
// Otherwise all chunks from at on are decoded and encoded again, by all workers, in memory of a few
// chunks for each.
func (u *Untyped) Insert(ctx context.Context, axis int, at int64, src []byte) error {
	return u.asBytes().insert(ctx, "insert", axis, &at, govalue.SpanOf(src))
}

// ReadWhere returns the items for which a mask is true, in C order, in new memory of at most
// Limits.MaxAlloc bytes. The mask is a source of bools with the array's shape: an array, a view, or
// [Items] of a slice; ReadWhere reads it into memory. Only blocks with such items are decoded.
func (u *Untyped) ReadWhere(ctx context.Context, mask Source) (dst []byte, err error) {
	v := u.asBytes()
	err = v.readWhere(ctx, mask, making(v, &dst))
	return filled(dst, err)
}

// WriteWhere stages the items for which a mask is true, given in C order; len(src) must be their
// size in bytes. The mask is as in ReadWhere.
func (u *Untyped) WriteWhere(ctx context.Context, src []byte, mask Source) error {
	return u.asBytes().writeWhere(ctx, govalue.SpanOf(src), mask)
}

// FillWhere stages one value for all items for which a mask is true; see [Untyped.Fill] and
// [Untyped.ReadWhere].
func (u *Untyped) FillWhere(ctx context.Context, value any, mask Source) error {
	v := u.asBytes()
	item, err := v.a.item(value)
	if err != nil {
		return v.a.failed(fmt.Errorf("fill: %w", err))
	}
	return v.fillWhere(ctx, govalue.SpanOf(item), mask)
}

// ReadPoints reads single items into dst, one after another. coordinates holds the coordinates of
// one item after those of another, one number per dimension; negative ones count from the end of
// their dimension. Items may come in any order and several times: each block is decoded once. The
// call takes 24 bytes of memory per point.
func (u *Untyped) ReadPoints(ctx context.Context, dst []byte, coordinates []int64) error {
	return u.asBytes().readPoints(ctx, govalue.SpanOf(dst), coordinates)
}

// WritePoints stages single items. src holds their values one after another; coordinates are as in
// ReadPoints. If an item occurs several times, its last value counts. Each block is decoded and
// encoded once.
func (u *Untyped) WritePoints(ctx context.Context, src []byte, coordinates []int64) error {
	return u.asBytes().writePoints(ctx, govalue.SpanOf(src), coordinates)
}

// Grid returns the shapes of chunks and blocks in items, which the caller may change.
func (u *Untyped) Grid() (chunks, blocks Shape) { return u.self().chunkShape(), u.self().blockShape() }

// asView returns src as a view if it is an array of this package, and not a type that embeds one.
func (u *Untyped) asView(src Source) (UntypedView, bool) {
	_, ok := src.(*Untyped)
	return u.View(), ok
}

// View returns a view of the whole array.
func (u *Untyped) View() UntypedView { return u.self().view() }

// Slice returns a view of the selected items; see [Selector].
func (u *Untyped) Slice(selectors ...Selector) UntypedView {
	return u.View().Slice(selectors...)
}

// Field returns a view of one field of all items; see [UntypedView.Field].
func (u *Untyped) Field(name string) UntypedView { return u.View().Field(name) }

// Save writes a copy of the array to path; see [Save].
func (u *Untyped) Save(ctx context.Context, path string, o *CopyOptions) error {
	return Save(ctx, path, u, o)
}

// Reshape makes a new array with the items of this one in C order and another shape of the same
// size. One extent may be -1, which is then computed from the others. o may be nil. Chunk and block
// shapes that it does not give are chosen as by [Create]; everything else is as with [Copy]. An
// empty path makes the array in memory; otherwise the path is created by the first Commit or Close.
// Items are read in runs as long as the memory that o allows.
func (u *Untyped) Reshape(ctx context.Context, path string, shape Shape, o *CopyOptions) (*Untyped, error) {
	return handleOf(u.self().reshape(ctx, path, shape, o))
}

// Delete stages the removal of the items from one position up to, not including, another along an
// axis; later items move up. Negative positions and axes count from the end. If the number of items
// is a multiple of the chunk's extent, later chunks are moved unchanged, and at most the chunks in
// which the deletion begins are encoded again; at the end of the axis none are. Otherwise all
// chunks from there on are decoded and encoded again, as in Insert. The bytes of removed chunks
// stay in a contiguous file until it is compacted.
//
// Positions refer to the newest state. Errors match [cairn.ErrBounds] for invalid positions, and
// then nothing has changed.
func (u *Untyped) Delete(ctx context.Context, axis int, from, to int64) error {
	return u.self().delete(ctx, axis, from, to)
}

// Resize stages another shape with the same number of dimensions, larger or smaller along each.
// Remaining items keep their values, and their coordinates unless items are added or removed before
// them; new items have the fill value. o may be nil. Reads of this handle see the new shape at
// once, and Commit makes it durable. Each read sees the shape and the items of one state.
//
// New chunks are special chunks, which take no storage if the fill value is zero or NaN. The time
// depends neither on their number nor on the size of the array. Partly filled chunks at the old
// edges are decoded, and encoded again if their padding becomes visible and differs from the fill
// value.
//
// The change applies to the newest state, which with Locking includes changes of other processes.
// Resize fails with [cairn.ErrBounds] for an impossible shape or start, which also matches
// [cairn.ErrInvalid] if the number of dimensions is wrong, and with [cairn.ErrLimit] for more
// chunks than a frame can have. After any error nothing has changed.
func (u *Untyped) Resize(ctx context.Context, shape Shape, o *ResizeOptions) error {
	return u.self().resize(ctx, shape, o)
}

// Like returns options for a new array that is stored like u: with the same chunk and block shapes,
// codec and filters, and the same kind of container. They suit any array with the same number of
// dimensions; for others set ChunkShape and BlockShape to nil.
func Like(u *Untyped) *Options {
	a := u.self()
	info := a.info()
	o := &Options{
		ChunkShape: a.chunkShape(), BlockShape: a.blockShape(), ZarrBlocks: info.ZarrBlocks,
		Codec: info.Codec, Level: info.Level, Filters: orNone(filtersOf(info.Pipeline)), Split: info.Split,
		Sparse: info.Sparse, Workers: a.workers, Engine: a.engine,
	}
	if info.Level == 0 {
		o.Level = chunk.Stored
	}
	return o
}

// Blocks yields every block that contains items of the array, as bytes, in the order of the chunks.
// It decodes one block at a time, each once; a special chunk is yielded as a whole without
// decoding. All blocks are from one state of the array. An error is yielded last. With Locking the
// lock is shared until the loop ends, and the loop must not write to the array.
func (u *Untyped) Blocks(ctx context.Context) iter.Seq2[*Block[byte], error] {
	return blocksOf[byte](ctx, u.asBytes())
}
