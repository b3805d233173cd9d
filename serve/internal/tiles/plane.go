package tiles

import (
	"fmt"
	"math/bits"

	"github.com/cairn-go/cairn"
)

// A Plane is a two-dimensional part of an array: all items along two axes, at fixed indices of the
// others.
type Plane struct {
	Y, X int     // the axes; rows of the picture lie one below the other along Y
	At   []int64 // an index for each axis; those of Y and X do not count
}

// Size is the width and height of a tile, in items of its level.
const Size = 256

// baseItems is the most items of the finest level that one pass over a plane fills. The sums of a
// pass take 12 bytes for each of them.
const baseItems = 4 << 20

// cells returns how many cells of a level n items make.
func cells(n int64, level int) int64 { return (n-1)>>level + 1 }

// levelOf returns the level at which n items make no more than some cells, a power of two.
func levelOf(n, most int64) int {
	return max(0, bits.Len64(uint64(n-1))-bits.Len64(uint64(most-1)))
}

// Levels are the level of rows and that of columns: a cell has 2^Y × 2^X items.
type Levels struct{ Y, X int }

// baseCells is up to how many cells rows, or columns, stay as fine as those of a square plane.
const baseCells = 1024

// baseLevels returns the finest levels that a pass over the whole plane fills. An axis becomes no
// coarser than a screen needs for the sake of the other one.
func baseLevels(ny, nx int64) (l Levels) {
	topY := levelOf(ny, baseCells)
	topX := levelOf(nx, baseCells)
	for level := 0; cells(nx, l.X) > baseItems/cells(ny, l.Y); level++ {
		l = Levels{min(level, topY), min(level, topX)}
	}
	return l
}

// A Place is a tile of a plane.
type Place struct {
	Levels
	TY, TX int64
}

// check compares the place with the extents of a plane. Both levels may be as coarse as the longer
// axis needs.
func (at Place) check(ny, nx int64) error {
	most := levelOf(max(ny, nx), Size)
	if min(at.Y, at.X) < 0 || max(at.Y, at.X) > most {
		return fmt.Errorf("levels %d, %d of %d: %w", at.Y, at.X, most, cairn.ErrBounds)
	}

	rows := cells(cells(ny, at.Y), 8)
	columns := cells(cells(nx, at.X), 8)
	if at.TY < 0 || at.TY >= rows || at.TX < 0 || at.TX >= columns {
		return fmt.Errorf("tile %d, %d of %d × %d: %w", at.TY, at.TX, rows, columns, cairn.ErrBounds)
	}
	return nil
}

// raster returns the empty raster of the place's cells.
func (at Place) raster(ny, nx int64) *raster {
	y := at.TY * Size
	x := at.TX * Size
	return newRaster(at.Levels, y, x, int(min(Size, cells(ny, at.Y)-y)), int(min(Size, cells(nx, at.X)-x)))
}
