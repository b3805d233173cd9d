package compute

import (
	"context"
	"iter"
	"sync"

	"github.com/cairn-go/cairn/ndarray"
)

// cells are the accumulators of one reduction for the items of a tile.
type cells[T any] interface {
	reset(n int)
	// row adds values to one cell. at is the index of the first one in C order over the reduced
	// dimensions.
	row(cell int, values []T, at int64)
	// column adds one item to each of the cells from cell on. at is the index of all of them.
	column(cell int, values []T, at int64)
	// repeat adds an item n times; at is the index of the first one.
	repeat(cell int, value T, n, at int64)
	// merge adds the contents of other cells of the same type, whose items come later.
	merge(from cells[T])

	// width returns how many bytes encode appends for each cell.
	width() int
	// encode appends the cells to b: one field of all of them after the other, in little-endian.
	encode(b []byte) []byte
	// decode sets the cells to what encode appended. b has the bytes of as many cells.
	decode(b []byte) error
}

// A reducer is the state of a pass, which computes one or more reductions. The result of each is
// divided into tiles: a tile contains the items to which one chunk contributes. The chunks of a
// tile are visited in order, divided into segments that can be accumulated independently and are
// merged in order. The number of segments depends only on the geometry, so the result does not
// depend on the number of workers.
type reducer[T any] struct {
	tiling
	parts []part[T]

	// stretchDone is called with the merged cells of each stretch of runs, by any worker.
	stretchDone func(ctx context.Context, g stretch, total []cells[T]) error

	workers   []workerState[T]
	mu        sync.Mutex
	merging   map[int64]*merger[T] // by the first runs of stretches
	freeCells [][]cells[T]
}

// A tiling says how a result is divided. It is apart from the reducer, since it does not depend on
// the types, of which there are many.
type tiling struct {
	shape, chunk ndarray.Shape
	reduced      []bool
	groups       []*grouping // by dimension; nil for those without

	grid     []int64 // chunks along each dimension, or parts of its groups
	tiles    int64
	perTile  int64 // chunks per tile, at most
	segments int64 // per tile, each of which is a run

	all         bool  // all dimensions are reduced, and the runs are those of the array
	chunkRuns   int64 // runs of a chunk then
	first, last int64 // range of the runs that are visited
}

// minRuns is the minimum number of runs of a reduction that has as many chunks.
const minRuns = 64

// A workerState is the state of one worker.
type workerState[T any] struct {
	busy  bool
	cells []cells[T] // of each part
	tile  tile

	at, stop, pitch []int64 // scratch
}

// A tile is a box of the result.
type tile struct {
	// range in the array; the whole extent for reduced dimensions; of groups along those that have
	// them
	start, stop []int64
	stride      []int64 // distance in cells along each dimension, 0 for reduced ones
	number      []int64 // distance in reduced items along each dimension, 0 for others
	groups      []*grouping
	perCell     int64 // items, of each index along dimensions with groups
	cells       int
}

// resultBytes is the maximum size of an item of a result.
const resultBytes = 16

// workerBytes returns the memory of one worker's cells for each part: for its current segment and,
// if tiles have several, for two segments waiting to be merged.
func (s *reducer[T]) workerBytes() int64 {
	sets := int64(3)
	if s.segments == 1 {
		sets = 1
	}
	return (sets*s.width() + resultBytes*int64(len(s.parts))) * s.tileCells()
}

// run reduces all items of f.
func (s *reducer[T]) run(ctx context.Context, f *input[T], workers int) error {
	if s.perTile == 0 || s.tiles == 0 {
		return s.empty(ndarray.WithProgress(ctx, nil))
	}

	s.stretchDone = func(ctx context.Context, g stretch, total []cells[T]) error {
		t := s.tile(g.first / s.segments)
		return s.tileDone(ctx, &t, total)
	}
	return s.visit(ctx, f, workers, 0, s.tiles*s.segments)
}

// visit reduces the items of the runs from first up to last; there is at least one.
func (s *reducer[T]) visit(ctx context.Context, f *input[T], workers int, first, last int64) error {
	s.first = first
	s.last = last
	s.workers = make([]workerState[T], workers)
	s.merging = map[int64]*merger[T]{}

	quiet := ndarray.WithProgress(ctx, nil) // only the visit reports progress
	v := visitor[T]{workers: workers, block: s.block}
	v.runDone = func(worker, run int) error { return s.runDone(quiet, worker, first+int64(run)) }

	if s.all {
		v.first = first / s.chunkRuns
		v.count = (last - first) / s.chunkRuns
	} else {
		v.runs = int(last - first)
		v.chunks = func(run int) iter.Seq[int64] { return s.chunks(first + int64(run)) }
		v.again = s.grouped()
	}
	return f.visit(ctx, v)
}

// empty passes on the result of a reduction over no items.
func (s *reducer[T]) empty(ctx context.Context) error {
	for i := range s.tiles {
		t := s.tile(i)
		if err := s.tileDone(ctx, &t, s.takeCells(t.cells)); err != nil {
			return err
		}
	}
	return nil
}

// tileDone passes a complete tile on to the results.
func (s *reducer[T]) tileDone(ctx context.Context, t *tile, all []cells[T]) error {
	for i, c := range all {
		if err := s.parts[i].tileDone(ctx, t, c); err != nil {
			return err
		}
	}
	return nil
}

// divide counts the tiles and their segments.
func (s *tiling) divide(chunkRuns int64) {
	s.grid = make([]int64, len(s.shape))
	s.tiles = 1
	s.perTile = 1
	s.all = true
	s.chunkRuns = chunkRuns

	s.divideGroups()
	for i, n := range s.shape {
		if n > 0 {
			s.grid[i] = (n-1)/s.chunk[i] + 1
		}
		switch g := s.groups[i]; {
		case g != nil:
			s.perTile *= s.grid[i]
			s.grid[i] = int64(len(g.parts))
			s.tiles *= s.grid[i]
			s.all = false
		case s.reduced[i]:
			s.perTile *= s.grid[i]
		default:
			s.tiles *= s.grid[i]
			s.all = false
		}
	}

	s.segments = min(s.perTile, max(1, minRuns/max(1, s.tiles)))
	switch {
	case s.all:
		s.segments = s.perTile * chunkRuns
	case s.grouped():
		s.segments = min(s.segments, max(1, s.groupedSegments()))
	}
}

// segmentItems is the minimum number of items for each cell of a segment with groups, so that
// merging takes little time beside accumulating.
const segmentItems = 16

// groupedSegments returns the number of segments of a tile with groups at most.
func (s *tiling) groupedSegments() int64 {
	items := itemsOf(s.shape) / max(1, s.tiles)
	return items / segmentItems / s.tileCells()
}

// tileCells returns the number of cells of a tile at most.
func (s *tiling) tileCells() int64 {
	cells := int64(1)
	for i, n := range s.tileShape() {
		if !s.reduced[i] {
			cells *= max(1, min(n, s.shape[i]))
		}
	}
	return cells
}

// chunks yields the chunks of a run, which is a segment of a tile.
func (s *tiling) chunks(run int64) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		number := run / s.segments
		segment := run % s.segments
		count := s.chunksOf(number)
		from := segment * count / s.segments
		to := (segment + 1) * count / s.segments
		for k := from; k < to; k++ {
			if !yield(s.chunkOf(number, k)) {
				return
			}
		}
	}
}

// chunksOf returns the number of chunks of a tile.
func (s *tiling) chunksOf(tile int64) int64 {
	count := int64(1)
	for i := len(s.grid) - 1; i >= 0; i-- {
		switch g := s.groups[i]; {
		case g != nil:
			count *= int64(len(g.parts[tile%s.grid[i]].chunks))
		case s.reduced[i]:
			count *= s.grid[i]
			continue
		}
		tile /= s.grid[i]
	}
	return count
}

// chunkOf returns chunk k of a tile.
func (s *tiling) chunkOf(tile, k int64) int64 {
	step := int64(1)
	chunk := int64(0)

	for i := len(s.grid) - 1; i >= 0; i-- {
		along := s.grid[i]

		switch g := s.groups[i]; {
		case g != nil:
			chunks := g.parts[tile%s.grid[i]].chunks
			tile /= s.grid[i]
			chunk += chunks[k%int64(len(chunks))] * step
			k /= int64(len(chunks))
			along = (s.shape[i]-1)/s.chunk[i] + 1
		case s.reduced[i]:
			chunk += k % along * step
			k /= along
		default:
			chunk += tile % along * step
			tile /= along
		}

		step *= along
	}
	return chunk
}

// tile returns the tile of index n.
func (s *tiling) tile(n int64) tile {
	dims := len(s.shape)
	t := tile{make([]int64, dims), make([]int64, dims), make([]int64, dims), make([]int64, dims), s.groups, 1, 1}
	number := int64(1)

	for i := dims - 1; i >= 0; i-- {
		if s.reduced[i] {
			t.stop[i] = s.shape[i]
			t.number[i] = number
			number *= s.shape[i]
			if groupingAlong(s.groups, i) == nil {
				t.perCell *= s.shape[i]
			}
			continue
		}

		if g := s.groups[i]; g != nil {
			part := g.parts[n%s.grid[i]]
			t.start[i] = int64(part.first)
			t.stop[i] = int64(part.stop)
			t.number[i] = number
			number *= s.shape[i]
		} else {
			t.start[i] = n % s.grid[i] * s.chunk[i]
			t.stop[i] = min(t.start[i]+s.chunk[i], s.shape[i])
		}
		n /= s.grid[i]

		t.stride[i] = int64(t.cells)
		t.cells *= int(t.stop[i] - t.start[i])
	}
	return t
}

// A stretch is a range of runs of one tile whose cells are merged in order.
type stretch struct{ first, count int64 }

// stretchOf returns the stretch of a run. Cells are merged from the first segment of a tile on, in
// any number of processes: so a stretch begins there, or consists of one run.
func (s *tiling) stretchOf(run int64) stretch {
	if first := run - run%s.segments; first >= s.first {
		return stretch{first, min(first+s.segments, s.last) - first}
	}
	return stretch{run, 1}
}

// block accumulates a block.
func (s *reducer[T]) block(b *blockValues[T]) error {
	w := &s.workers[b.Worker]
	if !w.busy {
		t := s.tile((s.first + int64(b.Run)) / s.segments)
		w.busy = true
		w.tile = t
		w.cells = s.takeCells(t.cells)
	}

	if b.values == nil {
		s.repeat(w, b)
		return nil
	}

	for i, c := range w.cells {
		s.accumulate(w, c, b, s.parts[i].indexed())
	}
	return nil
}

// items returns the number of items of a cell.
func (t *tile) items(cell int) int64 {
	n := t.perCell
	for i, g := range t.groups {
		if g != nil {
			at := int64(cell) / t.stride[i] % (t.stop[i] - t.start[i])
			n *= g.sizes[t.start[i]+at]
		}
	}
	return n
}

// alike returns how many cells from any multiple of that number on have as many items as each
// other.
func (t *tile) alike() int {
	for i := len(t.groups) - 1; i >= 0; i-- {
		if t.groups[i] != nil {
			return int(t.stride[i])
		}
	}
	return max(1, t.cells)
}

// accumulate adds the items of a block to the cells of one part. With indexed, the cells need the
// indexes of items.
func (s *reducer[T]) accumulate(w *workerState[T], to cells[T], b *blockValues[T], indexed bool) {
	dims := len(s.shape)
	if dims == 0 {
		to.row(0, b.values, 0)
		return
	}

	if g := groupingAlong(s.groups, dims-1); g != nil {
		s.groupedRows(w, to, b, g)
		return
	}

	if columns, ok := to.(columnCells[T]); ok && !s.reduced[dims-1] {
		s.columns(w, columns, b)
		return
	}

	inner := dims - 1
	for s.reduced[dims-1] && !indexed && inner > 0 && s.reduced[inner-1] && groupingAlong(s.groups, inner-1) == nil {
		inner--
	}

	run := 1
	for i := inner; i < dims; i++ {
		run *= int(b.Stop[i] - b.Start[i])
	}

	w.at = append(w.at[:0], b.Start...)
	for values := b.values; len(values) > 0; values = values[run:] {
		cell, number, ok := w.tile.place(w.at)
		switch {
		case !ok:
		case s.reduced[dims-1]:
			to.row(cell, values[:run], number)
		default:
			to.column(cell, values[:run], number)
		}
		advance(w.at[:inner], b.Start, b.Stop)
	}
}

// groupedRows accumulates a block whose last dimension is divided into groups.
func (s *reducer[T]) groupedRows(w *workerState[T], to cells[T], b *blockValues[T], g *grouping) {
	last := len(s.shape) - 1
	start := b.Start[last]
	stop := b.Stop[last]

	w.at = append(w.at[:0], b.Start...)
	for values := b.values; len(values) > 0; values = values[stop-start:] {
		for x := start; x < stop; {
			w.at[last] = x
			n := g.run(w.at, last, stop)
			if cell, number, ok := w.tile.place(w.at); ok {
				to.row(cell, values[x-start:][:n], number)
			}
			x += n
		}
		advance(w.at[:last], b.Start, b.Stop)
	}
}

// repeat accumulates a block with one repeated value.
func (s *reducer[T]) repeat(w *workerState[T], b *blockValues[T]) {
	n := int64(1)
	kept := make([]int64, len(b.Start))
	for i := range b.Start {
		if kept[i] = b.Start[i] + 1; !s.reduced[i] || groupingAlong(s.groups, i) != nil {
			kept[i] = b.Stop[i]
			continue
		}
		n *= b.Stop[i] - b.Start[i]
	}

	w.at = append(w.at[:0], b.Start...)
	for more := true; more; more = advance(w.at, b.Start, kept) {
		cell, number, ok := w.tile.place(w.at)
		if !ok {
			continue
		}
		for _, c := range w.cells {
			c.repeat(cell, b.value, n, number)
		}
	}
}

// place returns the cell of an item and its index in C order over the reduced dimensions. It
// reports false for an item that is in none of the tile's groups.
func (t *tile) place(at []int64) (cell int, number int64, ok bool) {
	c := int64(0)
	for i, x := range at {
		number += x * t.number[i]
		if g := t.groups[i]; g != nil {
			x = int64(g.number(at))
			if x < t.start[i] || x >= t.stop[i] {
				return 0, 0, false
			}
		}
		c += (x - t.start[i]) * t.stride[i]
	}
	return int(c), number, true
}

// advance moves at to the next item of a box in C order, and reports whether there is one.
func advance(at, start, stop []int64) bool {
	for i := len(at) - 1; i >= 0; i-- {
		if at[i]++; at[i] < stop[i] {
			return true
		}
		at[i] = start[i]
	}
	return false
}
