package shuffle

import (
	"fmt"

	"github.com/cairn-go/cairn"
)

// maxCellDims is the maximum number of dimensions of blocks with cells.
const maxCellDims = 8

// cellGrid is the division of a block into cells; those at its far ends may be smaller.
type cellGrid struct {
	dims  int
	items int
	shape [maxCellDims]int // of the block
	side  [maxCellDims]int // of a cell
}

// newCellGrid returns a grid without sides for the block shape in ctx.
func newCellGrid(ctx *Context) (cellGrid, error) {
	g := cellGrid{dims: len(ctx.BlockShape), items: 1}
	switch {
	case g.dims == 0:
		return g, fmt.Errorf("blocks without a shape, which only arrays have: %w", cairn.ErrUnsupported)
	case g.dims > maxCellDims:
		return g, fmt.Errorf("blocks of %d dimensions, at most %d can be cut into cells: %w", g.dims, maxCellDims, cairn.ErrUnsupported)
	}

	items := int64(1)
	for i, n := range ctx.BlockShape {
		if items *= int64(n); n < 1 || items >= 1<<31 {
			return g, fmt.Errorf("no block has the shape %v", ctx.BlockShape)
		}
		g.shape[i] = int(n)
	}

	g.items = int(items)
	return g, nil
}

// fits fails if a block does not have the size of its shape.
func (g *cellGrid) fits(size, itemSize int) error {
	if int64(size) != int64(g.items)*int64(itemSize) {
		return fmt.Errorf("a block of %d bytes is not %d items of %d bytes", size, g.items, itemSize)
	}
	return nil
}

// cellItemSize returns the size of an item for filters that work on items, even if it exceeds 255.
func cellItemSize(ctx *Context) int {
	if ctx.FrameTypeSize > 0 {
		return ctx.FrameTypeSize
	}
	return ctx.TypeSize
}

// A cellGridOf returns the grid of cells of a filter.
type cellGridOf func(meta uint8, ctx *Context) (cellGrid, error)

// cellsOf returns the grid of a filter for a block of the given size, and the size of its items.
func cellsOf(grid cellGridOf, bytes int, meta uint8, ctx *Context) (g cellGrid, itemSize int, err error) {
	itemSize = cellItemSize(ctx)
	if g, err = grid(meta, ctx); err != nil {
		return g, itemSize, err
	}

	err = g.fits(bytes, itemSize)
	return g, itemSize, err
}

// A cellWalk visits the cells of a grid in C order, and the rows of each cell, which are its items
// along the last dimension.
//
//	for more := w.start(&g); more; more = w.nextCell() {
//		for item := w.firstRow(); item >= 0; item = w.nextRow() {
//			… w.width items from item on …
//		}
//	}
type cellWalk struct {
	g      cellGrid
	stride [maxCellDims]int // distance in items along each dimension
	origin [maxCellDims]int // of the cell
	extent [maxCellDims]int // of the cell
	count  int              // items of the cell
	width  int              // items of each of its rows
	first  int              // index of its first item
	at     [maxCellDims]int // of the row, within the cell
	row    int              // index of the row's first item
}

// start moves to the first cell. It always returns true, since a grid is never empty.
func (w *cellWalk) start(g *cellGrid) bool {
	*w = cellWalk{g: *g}

	stride := 1
	for i := g.dims - 1; i >= 0; i-- {
		w.stride[i] = stride
		stride *= g.shape[i]
	}

	w.enter()
	return true
}

// enter computes the values that depend on the cell's origin.
func (w *cellWalk) enter() {
	w.count = 1
	w.first = 0
	for i := range w.g.dims {
		w.extent[i] = min(w.g.side[i], w.g.shape[i]-w.origin[i])
		w.count *= w.extent[i]
		w.first += w.origin[i] * w.stride[i]
	}

	w.width = w.extent[w.g.dims-1]
}

// nextCell moves to the next cell, if there is one.
func (w *cellWalk) nextCell() bool {
	for i := w.g.dims - 1; i >= 0; i-- {
		if w.origin[i] += w.g.side[i]; w.origin[i] < w.g.shape[i] {
			w.enter()
			return true
		}
		w.origin[i] = 0
	}
	return false
}

// firstRow moves to the first row of the cell and returns the index of its first item.
func (w *cellWalk) firstRow() int {
	w.at = [maxCellDims]int{}
	w.row = w.first
	return w.row
}

// nextRow moves to the next row of the cell and returns the index of its first item, or -1 after
// the last row.
func (w *cellWalk) nextRow() int {
	for i := w.g.dims - 2; i >= 0; i-- {
		w.row += w.stride[i]
		if w.at[i]++; w.at[i] < w.extent[i] {
			return w.row
		}
		w.row -= w.extent[i] * w.stride[i]
		w.at[i] = 0
	}
	return -1
}

// gatherCells copies the items of src to dst, cell by cell.
func gatherCells(dst, src []byte, g *cellGrid, itemSize int) {
	var w cellWalk
	for more := w.start(g); more; more = w.nextCell() {
		size := w.width * itemSize
		for item := w.firstRow(); item >= 0; item = w.nextRow() {
			copy(dst[:size], src[item*itemSize:])
			dst = dst[size:]
		}
	}
}

// scatterCells undoes gatherCells.
func scatterCells(dst, src []byte, g *cellGrid, itemSize int) {
	var w cellWalk
	for more := w.start(g); more; more = w.nextCell() {
		size := w.width * itemSize
		for item := w.firstRow(); item >= 0; item = w.nextRow() {
			copy(dst[item*itemSize:], src[:size])
			src = src[size:]
		}
	}
}
