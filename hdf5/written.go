package hdf5

import (
	"context"
	"fmt"
)

// mostWritten is the most chunks that WrittenBoxes lists.
const mostWritten = 1 << 18

// WrittenBoxes returns the first items of the chunks that the file has, and the shape of chunks;
// all other items are the fill value. It reports false if the index cannot be listed without
// looking up every chunk, or if it has more than 262,144.
func (d *Dataset) WrittenBoxes(ctx context.Context) (starts [][]int64, shape []int64, ok bool, err error) {
	if d.flat != nil {
		return nil, nil, false, nil
	}

	in := d.file.format.In(ctx)
	shape = d.part.Chunk[:d.part.Dims]
	ok, err = in.EachChunk(d.index, func(at []int64) bool {
		start := make([]int64, len(shape)) // the dimensions of items that are arrays are whole
		for i, n := range at {
			if n >= d.part.ChunkGrid[i] {
				return true // left from before the dataset was made smaller
			}
			start[i] = n * shape[i]
		}
		starts = append(starts, start)
		return len(starts) <= mostWritten && ctx.Err() == nil
	})

	if err != nil {
		return nil, nil, false, fmt.Errorf("dataset %q: %w", d.key, err)
	}

	if err = ctx.Err(); err != nil {
		return nil, nil, false, fmt.Errorf("dataset %q: %w", d.key, err)
	}
	return starts, shape, ok, nil
}
