package shuffle

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
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

// ndMeanForward replaces the items of each cell by their mean, in the order of ndCellForward.
func ndMeanForward(dst, src []byte, meta uint8, ctx *Context) error {
	if size := cellItemSize(ctx); size != 4 && size != 8 {
		return errNDMeanSize
	}
	g, size, err := cellsOf(ndMeanGrid, len(src), meta, ctx)
	if err != nil {
		return err
	}
	mean := meanOf64
	if size == 4 {
		mean = meanOf32
	}
	gatherCells(dst, src, &g, size)
	var w cellWalk
	for more := w.start(&g); more; more = w.nextCell() {
		cell := dst[:w.count*size]
		mean(cell)
		for done := size; done < len(cell); done *= 2 {
			copy(cell[done:], cell[:done])
		}
		dst = dst[len(cell):]
	}
	return nil
}

// The result of infinity minus infinity on x86.
const (
	indefinite32 = 0xffc00000
	indefinite64 = 0xfff8000000000000
)

// meanOf32 sets the first item of a cell to the mean of all. Items are added in order in their own
// precision. A NaN sum becomes the first NaN of the sum, made quiet, so that all processors agree.
func meanOf32(cell []byte) {
	le := binary.LittleEndian
	sum := float32(0)
	for i := 0; i < len(cell); i += 4 {
		sum += math.Float32frombits(le.Uint32(cell[i:]))
	}
	bits := math.Float32bits(sum / float32(len(cell)/4))
	if sum != sum {
		bits, sum = indefinite32, 0
		for i := 0; i < len(cell) && sum == sum; i += 4 {
			x := le.Uint32(cell[i:])
			if v := math.Float32frombits(x); v != v {
				bits = x | 1<<22
				break
			}
			sum += math.Float32frombits(x)
		}
	}
	le.PutUint32(cell, bits)
}

// meanOf64 is meanOf32 for items of 8 bytes.
func meanOf64(cell []byte) {
	le := binary.LittleEndian
	sum := 0.0
	for i := 0; i < len(cell); i += 8 {
		sum += math.Float64frombits(le.Uint64(cell[i:]))
	}
	bits := math.Float64bits(sum / float64(len(cell)/8))
	if sum != sum {
		bits, sum = indefinite64, 0
		for i := 0; i < len(cell) && sum == sum; i += 8 {
			x := le.Uint64(cell[i:])
			if v := math.Float64frombits(x); v != v {
				bits = x | 1<<51
				break
			}
			sum += math.Float64frombits(x)
		}
	}
	le.PutUint64(cell, bits)
}
