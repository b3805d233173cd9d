package shuffle

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/cairn-go/cairn/internal/exact"
)

var errNDMeanSize = errors.New("items must be floats of 4 or 8 bytes")

// ndMeanCheck accepts parameters that C-Blosc2 can both encode and decode (format: filters,
// ndmean).
func ndMeanCheck(meta uint8, ctx *Context) error {
	if size := cellItemSize(ctx); size != 4 && size != 8 {
		return errNDMeanSize
	}
	_, err := ndMeanGrid(meta, ctx)
	return err
}

// ndMeanGrid returns cells of meta items a side, limited to the block.
func ndMeanGrid(meta uint8, ctx *Context) (cellGrid, error) {
	g, err := newCellGrid(ctx)
	if err != nil {
		return g, err
	}
	side := int(int8(meta))
	if side < 1 {
		return g, fmt.Errorf("parameter %d is not a side from 1 to 127", side)
	}

	for i := range g.dims {
		g.side[i] = min(side, g.shape[i])
		if g.shape[0] < side && g.shape[i] > side {
			return g, fmt.Errorf("parameter %d: cells as long as the first side of blocks of shape %v, and shorter than another, cannot be decoded", side, ctx.BlockShape)
		}
	}
	return g, nil
}

// ndMeanForward replaces the items of each cell by their mean, in the order of ndCellForward. Items
// that are kept have no part in it. A cell whose mean is too large for its dtype, or would be kept
// itself, does not change.
func ndMeanForward(dst, src []byte, meta uint8, ctx *Context) error {
	if size := cellItemSize(ctx); size != 4 && size != 8 {
		return errNDMeanSize
	}
	g, size, err := cellsOf(ndMeanGrid, len(src), meta, ctx)
	if err != nil {
		return err
	}

	kept := exact.Floats(size, ctx.Exact)
	gatherCells(dst, src, &g, size)

	var w cellWalk
	for more := w.start(&g); more; more = w.nextCell() {
		cell := dst[:w.count*size]
		if size == 4 {
			meanOf32(cell, &kept)
		} else {
			meanOf64(cell, &kept)
		}
		dst = dst[len(cell):]
	}
	return nil
}

// meanOf32 replaces the items of a cell by their mean. They are added in order in their own
// precision.
func meanOf32(cell []byte, kept *exact.Items) {
	le := binary.LittleEndian
	sum := float32(0)
	count := 0
	for i := 0; i < len(cell); i += 4 {
		if bits := le.Uint32(cell[i:]); !kept.Has(uint64(bits)) {
			sum += math.Float32frombits(bits)
			count++
		}
	}

	mean := math.Float32bits(sum / float32(count))
	if count == 0 || kept.Has(uint64(mean)) {
		return
	}
	for i := 0; i < len(cell); i += 4 {
		if !kept.Has(uint64(le.Uint32(cell[i:]))) {
			le.PutUint32(cell[i:], mean)
		}
	}
}

// meanOf64 is meanOf32 for items of 8 bytes.
func meanOf64(cell []byte, kept *exact.Items) {
	le := binary.LittleEndian
	sum := 0.0
	count := 0
	for i := 0; i < len(cell); i += 8 {
		if bits := le.Uint64(cell[i:]); !kept.Has(bits) {
			sum += math.Float64frombits(bits)
			count++
		}
	}

	mean := math.Float64bits(sum / float64(count))
	if count == 0 || kept.Has(mean) {
		return
	}
	for i := 0; i < len(cell); i += 8 {
		if !kept.Has(le.Uint64(cell[i:])) {
			le.PutUint64(cell[i:], mean)
		}
	}
}
