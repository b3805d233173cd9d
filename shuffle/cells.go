package shuffle

import (
	"fmt"

	"github.com/cairn-go/cairn"
)

// maxCellDims is how many dimensions blocks with cells may have.
const maxCellDims = 8

// cellGrid is a block cut into cells of so many items along each dimension; those at its far ends
// may have fewer.
type cellGrid struct {
	dims  int
	items int
	shape [maxCellDims]int // of the block
	side  [maxCellDims]int // of a cell
}

// newCellGrid returns a grid without sides for the block that ctx tells of.
func newCellGrid(ctx *Context) (cellGrid, error) {
	g := cellGrid{dims: len(ctx.BlockShape), items: 1}
	switch {
	case g.dims == 0:
		return g, fmt.Errorf("blocks without a shape, as only arrays have it: %w", cairn.ErrUnsupported)
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

// fits refuses blocks that are not as long as their shape says.
func (g *cellGrid) fits(size, itemSize int) error {
	if int64(size) != int64(g.items)*int64(itemSize) {
		return fmt.Errorf("a block of %d bytes is not %d items of %d bytes", size, g.items, itemSize)
	}
	return nil
}

// cellItemSize returns how many bytes an item has for filters that go by items, however many they
// are.
func cellItemSize(ctx *Context) int {
	if ctx.FrameTypeSize > 0 {
		return ctx.FrameTypeSize
	}
	return ctx.TypeSize
}

// A cellGridOf says which cells a filter cuts blocks into.
type cellGridOf func(meta uint8, ctx *Context) (cellGrid, error)

// cellsOf returns the grid that a filter makes of a block of some bytes, and the size of its items.
func cellsOf(grid cellGridOf, bytes int, meta uint8, ctx *Context) (g cellGrid, itemSize int, err error) {
	itemSize = cellItemSize(ctx)
	if g, err = grid(meta, ctx); err == nil {
		err = g.fits(bytes, itemSize)
	}
	return g, itemSize, err
}

// A cellWalk goes over the cells of a grid in C order, and over the rows of each: its items along
// the last dimension.
//
//	for more := w.start(&g); more; more = w.nextCell() {
//		for item := w.firstRow(); item >= 0; item = w.nextRow() {
//			… w.width items from item on …
//		}
//	}
type cellWalk struct {
	g      cellGrid
	stride [maxCellDims]int // items from one to the next along a dimension
	origin [maxCellDims]int // of the cell
	extent [maxCellDims]int // of the cell
	count  int              // items of the cell
	width  int              // items of each of its rows
	first  int              // its first item
	at     [maxCellDims]int // of the row, in the cell
	row    int              // the row's first item
}

// start goes to the first cell. It returns true: a grid has one.
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

// enter computes what follows from the cell's origin.
func (w *cellWalk) enter() {
	w.count, w.first = 1, 0
	for i := range w.g.dims {
		w.extent[i] = min(w.g.side[i], w.g.shape[i]-w.origin[i])
		w.count *= w.extent[i]
		w.first += w.origin[i] * w.stride[i]
	}
	w.width = w.extent[w.g.dims-1]
}

// nextCell goes to the next cell, if there is one.
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

// firstRow goes to the first row of the cell and returns its first item.
func (w *cellWalk) firstRow() int {
	w.at = [maxCellDims]int{}
	w.row = w.first
	return w.row
}

// nextRow goes to the next row of the cell and returns its first item, or -1 behind the last.
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

// gatherCells copies items of src to dst cell after cell.
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
