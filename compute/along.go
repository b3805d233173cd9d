package compute

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/ndarray"
)

// An alongAxis is a way through an array along an axis: column by column, which are boxes that
// span the axis, and in each in steps.
type alongAxis struct {
	shape   ndarray.Shape
	axis    int
	edge    []int64 // of the columns; 1 along the axis
	step    int64   // rows
	halo    int64   // rows that are held beside them
	most    int64   // items that fit into memory
	workers int     // columns that are computed at a time
	each    int     // goroutines of a column
}

// alongWay returns a way through a source of which chunks are read once, if the rows of a step and
// as many as halo before or after it fit into memory for a whole chunk across the axis. Otherwise
// columns are parts of chunks.
func alongWay(src ndarray.Source, axis int, itemSize, halo, memory int64, workers int) (*alongAxis, error) {
	shape := src.Shape()
	axis, err := axisNumber(axis, len(shape))
	if err != nil {
		return nil, err
	}

	chunk, block := src.Grid()
	for _, part := range [][]int64{chunk, block} {
		if len(part) != len(shape) || slices.ContainsFunc(part, func(n int64) bool { return n < 1 }) {
			chunk = shape
			block = shape
		}
	}
	w := &alongAxis{shape: shape, axis: axis, edge: make([]int64, len(shape)), halo: min(halo, max(1, shape[axis])),
		most: max(1, parallel.Memory(memory)/itemSize)}
	for i := range w.edge {
		w.edge[i] = max(1, min(chunk[i], shape[i]))
	}
	w.step = w.edge[axis]
	w.edge[axis] = 1

	w.shrink(block)
	w.grow(parallel.Workers(workers))
	return w, nil
}

// items returns how many items are held for a column: the rows of the halo, and three times those
// of a step.
func (w *alongAxis) items() int64 { return itemsOf(w.edge) * (w.halo + 3*w.step) }

// shrink makes columns narrower until one fits into memory: at first as wide as blocks.
func (w *alongAxis) shrink(block ndarray.Shape) {
	for i := range w.edge {
		if i != w.axis && w.items() > w.most {
			w.edge[i] = max(1, min(block[i], w.edge[i]))
		}
	}
	if w.items() > w.most {
		w.step = max(1, min(block[w.axis], w.step))
	}
	for i := range w.edge {
		if w.items() > w.most {
			others := w.items() / w.edge[i]
			w.edge[i] = min(w.edge[i], max(1, w.most/others))
		}
	}
	if w.items() > w.most {
		w.step = min(w.step, max(1, (w.most/itemsOf(w.edge)-w.halo)/3))
	}
}

// grow makes columns wider, and steps longer than the halo, as far as memory allows, and decides
// how many columns are computed at a time by some workers.
func (w *alongAxis) grow(workers int) {
	columns := func() int {
		return slab.GridOf(make([]int64, len(w.shape)), w.across(), w.edge).Count
	}
	w.workers = max(1, min(columns(), parallel.Within(w.most, w.items(), workers)))
	w.each = max(1, workers/w.workers)
	share := w.most / int64(w.workers)

	// A step that is short adds the rows of the halo again and again.
	extent := max(1, w.shape[w.axis])
	if want := min(extent, 2*w.halo); w.step < want {
		times := min((want+w.step-1)/w.step, max(1, (share/itemsOf(w.edge)-w.halo)/3/w.step))
		w.step = min(extent, w.step*times)
	}

	// Reads of little take as long as those of much. The last dimension is the first to grow.
	for i := len(w.edge) - 1; i >= 0; i-- {
		for i != w.axis && w.edge[i] < w.shape[i] && w.items() < boxItems && 2*w.items() < share && columns() > 4*workers {
			w.edge[i] = min(w.shape[i], 2*w.edge[i])
		}
	}
}

// boxItems is about how many items of a column are computed at a time.
const boxItems = boxBytes / 8

// across returns the shape with one item along the axis.
func (w *alongAxis) across() ndarray.Shape {
	shape := slices.Clone(w.shape)
	shape[w.axis] = 1
	return shape
}

// run calls do for each column, which is a box with one item along the axis.
func (w *alongAxis) run(ctx context.Context, do func(ctx context.Context, start, stop []int64) error) error {
	if itemsOf(w.shape) == 0 {
		return nil
	}
	columns := slab.GridOf(make([]int64, len(w.shape)), w.across(), w.edge)
	ctx = ndarray.WithProgress(ctx, nil)
	return parallel.For(ctx, min(w.workers, columns.Count), columns.Count, func(_, i int) error {
		box := columns.At(i)
		return do(ctx, box.Start, box.Stop)
	})
}

// results returns the chunk shape of a result that is written column by column, or nil for that of
// options which have one.
func (w *alongAxis) results(o *ndarray.Options, src ndarray.Source) ndarray.Options {
	var options ndarray.Options
	if o != nil {
		options = *o
	}
	if options.ChunkShape != nil || options.BlockShape != nil {
		return options
	}

	chunk, block := src.Grid()
	if len(chunk) != len(w.shape) {
		return options
	}
	options.ChunkShape = chunk
	options.BlockShape = block
	for i, n := range w.edge {
		if i == w.axis {
			n = w.step
		}
		if n < min(chunk[i], w.shape[i]) { // whole chunks are written
			options.ChunkShape[i] = n
			options.BlockShape = nil
		}
	}
	return options
}

// A strip is where the rows of a column are: row after row, although other dimensions may be
// outside of the axis in the array.
type strip[T any] struct {
	way          *alongAxis
	from         boxes[T]
	start, stop  []int64
	inner, outer int64
	box          []T // as it is in the array
}

func stripOf[T any](w *alongAxis, from boxes[T], start, stop []int64) *strip[T] {
	s := &strip[T]{way: w, from: from, start: slices.Clone(start), stop: slices.Clone(stop), inner: 1, outer: 1}
	for i := range start {
		switch {
		case i < w.axis:
			s.outer *= stop[i] - start[i]
		case i > w.axis:
			s.inner *= stop[i] - start[i]
		}
	}
	return s
}

// width returns the number of items of a row.
func (s *strip[T]) width() int64 { return s.outer * s.inner }

// read fills rows with those from first on.
func (s *strip[T]) read(ctx context.Context, rows []T, first int64) error {
	s.start[s.way.axis] = first
	s.stop[s.way.axis] = first + int64(len(rows))/s.width()
	if s.outer == 1 {
		return s.from.ReadBox(ctx, rows, s.start, s.stop)
	}

	s.box = slab.Resize(s.box, len(rows))
	if err := s.from.ReadBox(ctx, s.box, s.start, s.stop); err != nil {
		return err
	}
	turn(rows, s.box, s.outer, s.stop[s.way.axis]-first, s.inner)
	return nil
}

// write stores rows from first on.
func (s *strip[T]) write(ctx context.Context, to ndarray.Array[T], rows []T, first int64) error {
	s.start[s.way.axis] = first
	count := int64(len(rows)) / s.width()
	s.stop[s.way.axis] = first + count
	if s.outer == 1 {
		return to.WriteBox(ctx, rows, s.start, s.stop)
	}

	s.box = slab.Resize(s.box, len(rows))
	turn(s.box, rows, count, s.outer, s.inner)
	return to.WriteBox(ctx, s.box, s.start, s.stop)
}

// turn exchanges the first two dimensions of src, of which the extents are given, in squares that
// fit into the caches of processors.
func turn[T any](dst, src []T, outer, rows, inner int64) {
	const square = 32
	for o := int64(0); o < outer; o += square {
		for r := int64(0); r < rows; r += square {
			for i := o; i < min(o+square, outer); i++ {
				for k := r; k < min(r+square, rows); k++ {
					if inner == 1 {
						dst[k*outer+i] = src[i*rows+k]
						continue
					}
					copy(dst[(k*outer+i)*inner:][:inner], src[(i*rows+k)*inner:])
				}
			}
		}
	}
}

// A columnCall is what byColumn needs to know.
type columnCall struct {
	to    *Options // where the result is
	src   ndarray.Source
	what  string // for errors
	axis  int
	halo  int64
	dtype string // of the result, or "" for that of its type
	o     *ndarray.Options
}

// byColumn creates an array of the shape of a source, column by column.
func byColumn[T any](ctx context.Context, c *columnCall,
	do func(ctx context.Context, c *strip[T], out ndarray.Array[T]) error) (*ndarray.Untyped, error) {
	var memory int64
	var workers int
	if c.o != nil {
		memory = c.o.Memory
		workers = c.o.Workers
	}
	way, err := alongWay(c.src, c.axis, sizeOf[T](), c.halo, memory, workers)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.what, err)
	}

	_, from, err := boxesOf[T](ctx, ndarray.ViewOf(c.src).Inside(), way.each)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.what, err)
	}

	options := way.results(c.o, c.src)
	out, err := createAs[T](c.to, c.dtype, way.shape, &options)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.what, err)
	}

	done := false
	defer func() {
		if !done {
			out.Abort()
		}
	}()

	err = way.run(ctx, func(ctx context.Context, start, stop []int64) error {
		return do(ctx, stripOf(way, from, start, stop), out)
	})
	done = err == nil
	if err != nil {
		return nil, err
	}
	return out.Untyped, nil
}

// errWindow is the error for a window that makes no sense.
func errWindow(format string, args ...any) error {
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), cairn.ErrInvalid)
}
