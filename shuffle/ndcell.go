package shuffle

import "fmt"

// ndCellCheck accepts parameters that C-Blosc2 can decode (format: filters, ndcell).
func ndCellCheck(meta uint8, ctx *Context) error {
	_, err := ndCellGrid(meta, ctx)
	return err
}

func ndCellGrid(meta uint8, ctx *Context) (cellGrid, error) {
	g, err := newCellGrid(ctx)
	if err != nil {
		return g, err
	}

	volume := int64(1) // stays below 2^39
	for i := range g.dims {
		g.side[i] = int(meta)
		if volume *= int64(meta); volume < 1 || volume > int64(g.items) {
			return g, fmt.Errorf("parameter %d: no cell with such sides has from 1 to %d items, as many as the block", meta, g.items)
		}
	}
	return g, nil
}

// ndCellForward makes the items of each cell contiguous.
func ndCellForward(dst, src []byte, meta uint8, ctx *Context) error {
	g, size, err := cellsOf(ndCellGrid, len(src), meta, ctx)
	if err != nil {
		return err
	}
	gatherCells(dst, src, &g, size)
	return nil
}

// fromCells returns a filter that moves items back to their places. For ndmean, the grid may differ
// from that of the means, as in C-Blosc2.
func fromCells(grid cellGridOf) func(dst, src []byte, meta uint8, ctx *Context) error {
	return func(dst, src []byte, meta uint8, ctx *Context) error {
		g, size, err := cellsOf(grid, len(src), meta, ctx)
		if err != nil {
			return err
		}
		scatterCells(dst, src, &g, size)
		return nil
	}
}
