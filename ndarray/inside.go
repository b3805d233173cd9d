package ndarray

import (
	"context"
	"iter"
	"math"
	"slices"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/internal/chunked"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/inside"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/meta"
)

// Inside is for the packages of this module: it gives access to operations on views that are not
// exported.
func (v UntypedView) Inside() inside.Array {
	if a := v.whole(); a != nil {
		return insideArray{a}
	}
	return insideView{v: v}
}

// insideArray is an array as a whole.
type insideArray struct{ of *array }

func (a insideArray) Freeze(ctx context.Context, workers int, memory int64) (inside.Array, error) {
	s, err := a.of.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	if workers > 0 {
		s.workers = workers
	}
	s.memory = parallel.Memory(memory)
	return insideArray{s}, nil
}

func (a insideArray) Source() any                { return &Untyped{a.of} }
func (a insideArray) Shape() []int64             { return a.of.shape() }
func (a insideArray) DType() (meta.DType, error) { return a.of.dtype, a.of.inArray(a.of.dtypeErr) }
func (a insideArray) ChunkShape() []int64        { return a.of.chunkShape() }
func (a insideArray) Workers() int               { return parallel.Workers(a.of.workers) }

func (a insideArray) Box() (start, stop []int64, ok bool) {
	return make([]int64, a.of.dims()), a.of.shape(), true
}

func (a insideArray) Requests() int { return a.of.requests }

func (a insideArray) EqualChunks(i int64) (chunks, items int64, err error) {
	return a.of.equalChunks(i)
}

func (a insideArray) ReadHost(ctx context.Context, dst []byte, start, stop []int64) error {
	return insideView{v: a.of.view()}.ReadHost(ctx, dst, start, stop)
}

func (a insideArray) ChunkRuns() int64 { return chunkRuns(a.of.part) }

func (a insideArray) Visit(ctx context.Context, v *inside.Visitor) error {
	return a.of.visitBlocks(ctx, hostSwap(a.of.dtype, v.Host), v)
}

func (a insideArray) Stored(ctx context.Context) (_ any, err error) {
	at, release, err := a.of.beginFlushedRead(ctx)
	if err != nil {
		return nil, err
	}
	defer endRead(release, &err)

	if at.proxy != nil || a.of.without != nil {
		return nil, nil
	}
	if a.of.unhold != nil && !a.of.frozen {
		return a.of.frame.Snapshot(), nil
	}
	return at.view, nil
}

// insideView is any other view: it consists of boxes, each of which counts as one chunk and one
// run.
type insideView struct {
	v       UntypedView
	written *writtenBoxes // of a frozen view; nil if they are not known
}

func (w insideView) Freeze(ctx context.Context, workers int, _ int64) (inside.Array, error) {
	if err := w.v.Err(); err != nil {
		return nil, err
	}

	of, err := w.v.of.frozen(ctx, &freezer{workers: workers})
	if err != nil {
		return nil, err
	}
	w.v.of = of
	w.written, err = w.writtenBoxes(ctx)
	return w, err
}

func (w insideView) Source() any    { return w.v }
func (w insideView) Shape() []int64 { return w.v.Shape() }

func (w insideView) Box() (start, stop []int64, ok bool) {
	if _, ok := w.v.of.(arrayOrigin); !ok || w.v.Err() != nil || !w.v.sel.Box() {
		return nil, nil, false
	}
	s := w.v.sel
	s.Bound()
	return s.Start, s.Stop, true
}

func (w insideView) Requests() int {
	if s, ok := w.v.of.(arrayOrigin); ok {
		return s.a.requests
	}
	return 0
}

func (w insideView) DType() (d meta.DType, err error) {
	if err := w.v.Err(); err != nil {
		return d, err
	}
	return w.v.of.dtype(), w.v.of.check(func(meta.DType, int) error { return nil })
}

func (w insideView) ChunkShape() []int64 {
	if edge := w.wholeChunks(); edge != nil {
		return edge
	}

	shape := w.v.Shape()
	part, err := autoPartition(shape, w.v.TypeSize(), nil)
	if err != nil { // such as more chunks than a file can have
		return slices.Repeat(Shape{1}, len(shape))
	}
	return shapeOf(part, part.Chunk)
}

// visitBoxBytes is about how many bytes of a source are visited at a time, and mostBoxBytes how
// many there may be where a smaller box would be a part of a block, which is decoded for each of
// its parts.
const (
	visitBoxBytes = 4 << 20
	mostBoxBytes  = 64 << 20
)

// wholeChunks returns the edges of boxes that consist of whole chunks, or of blocks if chunks are
// large, so that no block is decoded for two boxes. It returns nil if the items of v are not in the
// order of the chunks, or if the blocks are very large too.
func (w insideView) wholeChunks() Shape {
	if w.v.Err() != nil || !w.v.sel.Plain() {
		return nil
	}

	shape := w.v.Shape()
	size := w.v.of.typeSize()
	chunks, blocks := w.v.of.grid()
	var edge Shape
	for _, part := range []Shape{chunks, blocks} {
		if len(part) != len(shape) || slices.ContainsFunc(part, func(n int64) bool { return n < 1 }) {
			return nil
		}
		edge = Shape(slab.Chunked(shape, part, size, visitBoxBytes))
		if boxItems(make([]int64, len(edge)), edge) <= 2*visitBoxBytes/size {
			return edge
		}
	}
	if boxItems(make([]int64, len(edge)), edge) <= mostBoxBytes/size {
		return edge
	}
	return nil
}

func (w insideView) Workers() int { return parallel.Workers(0) }

func (w insideView) EqualChunks(i int64) (chunks, items int64, err error) {
	if w.written == nil {
		return 0, 0, w.v.Err()
	}

	part, err := w.partition()
	if err != nil {
		return 0, 0, err
	}
	chunks = w.written.equal(i, part.ChunkCount)
	return chunks, part.ItemsBefore(i+chunks) - part.ItemsBefore(i), nil
}

func (w insideView) ReadHost(ctx context.Context, dst []byte, start, stop []int64) error {
	return w.v.box(start, stop).readDense(ctx, dst, true)
}

func (w insideView) partition() (*grid.Partition, error) {
	if err := w.v.Err(); err != nil {
		return nil, err
	}
	chunks := w.ChunkShape()
	return grid.New(w.v.Shape(), chunks, chunks, w.v.of.typeSize())
}

func (w insideView) Stored(context.Context) (any, error) { return nil, nil }

func (w insideView) ChunkRuns() int64 { return 1 }

func (w insideView) Visit(ctx context.Context, v *inside.Visitor) error {
	part, err := w.partition()
	if err != nil {
		return err
	}

	// Without runs of the visitor's own, each chunk is one.
	count := v.Runs
	chunks := v.Chunks
	if chunks == nil {
		first, chunkCount := v.Range(part.ChunkCount)
		count = int(min(chunkCount, math.MaxInt))
		chunks = func(run int) iter.Seq[int64] { return slices.Values([]int64{first + int64(run)}) }
	}

	// The reads of a box report no progress of their own.
	progress := startProgress(ctx, int64(count))
	quiet := WithProgress(ctx, nil)
	workers := v.Most(w.Workers())
	buffers := make([][]byte, workers)
	return parallel.Ahead(ctx, workers, count, runsAhead*workers, func(worker, run int) error {
		for number := range chunks(run) {
			start, stop := part.ChunkBox(number)
			b := inside.Block{
				Worker: worker, Run: run, Chunk: number,
				Start: start[:part.Dims], Stop: stop[:part.Dims],
			}
			buffer, err := w.readBlock(quiet, &b, buffers[worker], v.Host)
			buffers[worker] = buffer
			if err != nil {
				return err
			}
			if err := v.Block(&b); err != nil {
				return err
			}
		}

		if v.RunDone != nil {
			if err := v.RunDone(worker, run); err != nil {
				return err
			}
		}
		progress.add(1)
		return nil
	})
}

// readBlock reads the items of a block, or a single one if all are equal. It returns the buffer
// that it was given, or a larger one.
func (w insideView) readBlock(ctx context.Context, b *inside.Block, buffer []byte,
	host bool) ([]byte, error) {
	if w.written.has(b.Chunk) {
		buffer = slab.Resize(buffer, int(b.Items())*w.v.TypeSize())
		b.Data = buffer
		return buffer, w.v.box(b.Start, b.Stop).readDense(ctx, buffer, host)
	}

	stop := slices.Clone(b.Start)
	for d := range stop {
		stop[d]++
	}
	buffer = slab.Resize(buffer, w.v.TypeSize())
	b.Item = buffer
	b.Kind = chunk.SpecialValue
	return buffer, w.v.box(b.Start, stop).readDense(ctx, buffer, false)
}

// A sparseSource can tell where its items have been written. All others have the same value.
type sparseSource interface {
	// WrittenBoxes returns the first items of the boxes with such items, which have one shape
	// except at the edges of the array. It reports false if it does not know, or if there are too
	// many.
	WrittenBoxes(ctx context.Context) (starts [][]int64, shape []int64, ok bool, err error)
}

// writtenBoxes are the numbers of the boxes of a view whose items may differ, in order. Nil means
// all of them.
type writtenBoxes struct{ numbers []int64 }

// mostWritten bounds the boxes that are remembered.
const mostWritten = 1 << 20

// writtenBoxes asks the source of a view for them.
func (w insideView) writtenBoxes(ctx context.Context) (*writtenBoxes, error) {
	of, ok := w.v.of.(sourceOrigin)
	if !ok || !w.v.sel.Plain() || !slices.Equal(w.v.Shape(), of.src.Shape()) {
		return nil, nil
	}
	source, ok := of.src.(sparseSource)
	if !ok {
		return nil, nil
	}
	starts, shape, ok, err := source.WrittenBoxes(ctx)
	if err != nil || !ok {
		return nil, err
	}
	part, err := w.partition()
	if err != nil {
		return nil, err
	}

	written := &writtenBoxes{}
	grid := part.ChunkGrid[:part.Dims]
	edge := part.Chunk[:part.Dims]
	for _, start := range starts {
		// A box of the source may lie in several boxes of the view.
		first := make([]int64, len(start))
		end := make([]int64, len(start))
		for d, at := range start {
			first[d] = at / edge[d]
			end[d] = min((at+shape[d]-1)/edge[d]+1, grid[d])
		}
		for box := range slab.Walk(first, end, slices.Repeat([]int64{1}, len(first))) {
			number := int64(0)
			for d, at := range box.Start {
				number = number*grid[d] + at
			}
			written.numbers = append(written.numbers, number)
		}

		if len(written.numbers) > mostWritten {
			return nil, nil
		}
	}

	slices.Sort(written.numbers)
	written.numbers = slices.Compact(written.numbers)
	return written, nil
}

// equal returns how many of all boxes from number i on are of one value, at least 1.
func (w *writtenBoxes) equal(i, all int64) int64 {
	next := all
	at, _ := slices.BinarySearch(w.numbers, i)
	if at < len(w.numbers) {
		next = w.numbers[at]
	}
	return max(1, next-i)
}

// has reports whether the items of a box may differ.
func (w *writtenBoxes) has(number int64) bool {
	if w == nil {
		return true
	}
	_, found := slices.BinarySearch(w.numbers, number)
	return found
}

func (a insideArray) StoredChunks(context.Context) (*chunked.Stored, error) { return nil, nil }

func (a insideArray) AnyBox() bool { return false }

func (a insideArray) Memory() []byte { return nil }

func (w insideView) StoredChunks(ctx context.Context) (*chunked.Stored, error) {
	return w.v.storedChunks(ctx)
}

func (w insideView) AnyBox() bool {
	of, ok := w.v.of.(sourceOrigin)
	if !ok || !w.v.sel.Plain() {
		return false
	}
	chunks, _ := of.src.Grid()
	return chunks == nil
}

func (w insideView) Memory() []byte {
	of, ok := w.v.of.(sourceOrigin)
	m, is := of.src.(*memorySource)
	if !ok || !is || !w.v.sel.Plain() || w.v.Len() != m.part.ItemCount {
		return nil
	}
	return m.data
}
