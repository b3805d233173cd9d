package tiles

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/ndarray"
)

// Boxes of a pass are blocks, or several of them if they are small. A source without blocks is read
// by rows.
const (
	boxBytes     = 512 << 10
	mostBoxBytes = 32 << 20
	rowItems     = 16 << 10
)

// A reader reads a plane of a source box by box.
type reader struct {
	src     ndarray.Source
	plane   Plane
	ny, nx  int64
	size    int64 // of an item
	floats  *govalue.Floats
	plain   bool // items need no conversion: little-endian float32
	workers int

	blockY, blockX int64 // what is decoded at once
	blockBytes     int64 // with what it holds outside of the plane
	edgeY, edgeX   int64 // the boxes of a pass
}

func newReader(src ndarray.Source, p Plane, workers int) (*reader, error) {
	shape := src.Shape()

	// The plane must be within the array.
	if len(p.At) != len(shape) {
		return nil, fmt.Errorf("%d indices for %d dimensions: %w", len(p.At), len(shape), cairn.ErrBounds)
	}
	if p.Y == p.X || min(p.Y, p.X) < 0 || max(p.Y, p.X) >= len(shape) {
		return nil, fmt.Errorf("axes %d and %d of %d dimensions: %w", p.Y, p.X, len(shape), cairn.ErrBounds)
	}

	for i, n := range shape {
		if i != p.Y && i != p.X && (p.At[i] < 0 || p.At[i] >= n) {
			return nil, fmt.Errorf("index %d of dimension %d with %d items: %w", p.At[i], i, n, cairn.ErrBounds)
		}
	}

	floats, err := govalue.FloatsOf(src.DType())
	if err != nil {
		return nil, err
	}

	r := &reader{src: src, plane: p, ny: shape[p.Y], nx: shape[p.X], size: int64(src.DType().Size()), floats: floats,
		plain:   floats.Float32(),
		workers: parallel.Workers(workers)}
	if r.ny == 0 || r.nx == 0 {
		return nil, fmt.Errorf("a plane without items: %w", cairn.ErrBounds)
	}

	r.chooseBoxes(shape)
	return r, nil
}

// chooseBoxes chooses boxes that consist of whole blocks, so that none is decoded twice.
func (r *reader) chooseBoxes(shape ndarray.Shape) {
	chunks, blocks := r.src.Grid()
	if blocks == nil {
		blocks = chunks
	}

	if len(blocks) != len(shape) || slices.ContainsFunc(blocks, func(n int64) bool { return n < 1 }) {
		chunks = slices.Clone(shape)
		blocks = make(ndarray.Shape, len(shape))
		for i := range blocks {
			blocks[i] = 1
		}
		last := max(r.plane.Y, r.plane.X)
		blocks[last] = min(shape[last], rowItems)
	}

	r.blockBytes = r.size
	for i, n := range blocks {
		r.blockBytes *= min(n, max(1, shape[i]))
	}

	r.blockY = min(blocks[r.plane.Y], r.ny)
	r.blockX = min(blocks[r.plane.X], r.nx)
	r.edgeY = r.blockY
	r.edgeX = r.blockX
	grow := func(edge *int64, other, chunk int64) {
		for *edge*2 <= chunk && *edge*other*r.size < boxBytes {
			*edge *= 2
		}
	}

	grow(&r.edgeX, r.edgeY, chunks[r.plane.X])
	grow(&r.edgeY, r.edgeX, chunks[r.plane.Y])
	for r.edgeY*r.edgeX*r.size > mostBoxBytes {
		if r.edgeY >= r.edgeX {
			r.edgeY = (r.edgeY + 1) / 2
		} else {
			r.edgeX = (r.edgeX + 1) / 2
		}
	}
}

// cost estimates how many bytes are decoded for some items of the plane.
func (r *reader) cost(ny, nx int64) int64 {
	blocks := float64(cellsOf(ny, r.blockY)) * float64(cellsOf(nx, r.blockX))
	return int64(min(blocks*float64(r.blockBytes), 1<<62))
}

// memory returns the bytes that a pass with some cells takes: sums, counts and means, and a box and
// a decoded block for each worker.
func (r *reader) memory(cells int64) int64 { return cells*22 + int64(r.workers)*r.scratchBytes() }

func (r *reader) scratchBytes() int64 { return r.edgeY*r.edgeX*r.size + r.blockBytes + 64<<10 }

// limitWorkers makes a pass with some cells use fewer workers, at least one, if it takes more than
// most bytes.
func (r *reader) limitWorkers(cells, most int64) {
	r.workers = parallel.Within(most-cells*22, r.scratchBytes(), r.workers)
}

func cellsOf(n, edge int64) int64 { return (n-1)/edge + 1 }

// scratch is the memory of a worker.
type scratch struct {
	raw    []byte
	values []float64
	part   raster
}

// fill adds all items in the cells of a raster to it.
func (r *reader) fill(ctx context.Context, s *raster) error {
	l := s.levels
	y0 := s.y << l.Y
	x0 := s.x << l.X
	y1 := min(r.ny, (s.y+int64(s.ny))<<l.Y)
	x1 := min(r.nx, (s.x+int64(s.nx))<<l.X)
	firstY := y0 / r.edgeY
	firstX := x0 / r.edgeX
	rows := (y1-1)/r.edgeY - firstY + 1
	columns := (x1-1)/r.edgeX - firstX + 1

	// Boxes of whole cells share none.
	disjoint := r.edgeY&(1<<l.Y-1) == 0 && r.edgeX&(1<<l.X-1) == 0
	var mu sync.Mutex
	work := make([]scratch, r.workers)
	return parallel.For(ctx, r.workers, int(rows*columns), func(worker, i int) error {
		w := &work[worker]
		by := (firstY + int64(i)/columns) * r.edgeY
		bx := (firstX + int64(i)%columns) * r.edgeX
		fromY := max(y0, by)
		fromX := max(x0, bx)
		toY := min(y1, by+r.edgeY)
		toX := min(x1, bx+r.edgeX)
		if disjoint {
			return r.add(ctx, w, s, fromY, fromX, toY, toX)
		}

		cy := fromY >> l.Y
		cx := fromX >> l.X
		w.part.reset(l, cy, cx, int(cells(toY, l.Y)-cy), int(cells(toX, l.X)-cx))
		if err := r.add(ctx, w, &w.part, fromY, fromX, toY, toX); err != nil {
			return err
		}

		mu.Lock()
		defer mu.Unlock()

		// Add the cells of the worker's raster, which lies within this one.
		o := &w.part
		for r := range o.ny {
			at := (int(o.y-s.y)+r)*s.nx + int(o.x-s.x)
			from := r * o.nx
			for i := range o.nx {
				s.addCell(at+i, o, from+i)
			}
		}

		return nil
	})
}

// add reads a box and adds its items to a raster.
func (r *reader) add(ctx context.Context, w *scratch, s *raster, y0, x0, y1, x1 int64) error {
	if err := r.read(ctx, w, y0, x0, y1, x1); err != nil {
		return err
	}

	rows := y1 - y0
	columns := x1 - x0
	alongY := r.plane.Y > r.plane.X
	if alongY { // the items of a column are neighbours
		rows, columns = columns, rows
	}

	if r.plain && s.levels.X > 0 && !alongY {
		for i := range rows {
			s.addFloats(w.raw[i*columns*4:][:columns*4], y0+i, x0)
		}
		return nil
	}

	const piece = 4096 // of a row, whose numbers stay in the processor's cache
	w.values = slices.Grow(w.values[:0], piece)[:piece]
	for i := range rows {
		for from := int64(0); from < columns; from += piece {
			n := min(piece, columns-from)
			r.floats.Convert(w.values[:n], w.raw[(i*columns+from)*r.size:][:n*r.size])
			if alongY {
				s.addRow(w.values[:n], y0+from, x0+i, true)
			} else {
				s.addRow(w.values[:n], y0+i, x0+from, false)
			}
		}
	}
	return nil
}

// read reads a box of the plane in the order of the array.
func (r *reader) read(ctx context.Context, w *scratch, y0, x0, y1, x1 int64) error {
	start := slices.Clone(r.plane.At)
	stop := slices.Clone(r.plane.At)
	for i := range stop {
		stop[i]++
	}

	start[r.plane.Y] = y0
	stop[r.plane.Y] = y1
	start[r.plane.X] = x0
	stop[r.plane.X] = x1
	n := (y1 - y0) * (x1 - x0) * r.size
	w.raw = slab.Resize(w.raw, n)
	return r.src.ReadBytes(ctx, w.raw, start, stop)
}
