package formats

import (
	"context"
	"slices"

	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/ndarray"
)

const (
	// minBudget and maxBudget bound the bytes of items that a transfer holds at a time, unless a
	// single chunk has more.
	minBudget = 8 << 20
	maxBudget = 1 << 30
	// RowBudget is the largest row of chunks that a transfer to or from NumPy holds for speed.
	RowBudget = 32 << 20
)

// Budget returns how many bytes of an array's items to hold at a time: enough to keep all workers
// busy.
func Budget(src ndarray.Source, workers int) int64 {
	chunks, _ := src.Grid()
	chunk := slab.Box{Start: make([]int64, len(chunks)), Stop: chunks}
	busy := 2 * int64(parallel.Workers(workers))
	if size := chunk.Items() * int64(src.DType().Size()); size < maxBudget/busy {
		return max(minBudget, size*busy)
	}
	return maxBudget
}

// chunkRow returns the bytes of a row of chunks, which is read from storage once if it is read at
// once, or 0 if it is larger than RowBudget or no boxes are cheaper than others.
func chunkRow(src ndarray.Source) int64 {
	chunks, _ := src.Grid()
	if chunks == nil {
		return 0
	}

	row := int64(src.DType().Size())
	for d, n := range src.Shape() {
		if d == 0 {
			n = min(n, chunks[0])
		}
		if n > RowBudget/max(row, 1) {
			return 0
		}
		row *= n
	}
	return row
}

// ReadAll reads all items of a source, and tells how many bytes it has read each time.
func ReadAll(ctx context.Context, src ndarray.Source, progress func(bytes int64)) error {
	return eachBox(ctx, src, func(items []byte) error {
		progress(int64(len(items)))
		return nil
	})
}

// eachBox calls use with all items of a source, box by box. Boxes are whole chunks if these are
// not too large.
func eachBox(ctx context.Context, src ndarray.Source, use func(items []byte) error) error {
	shape := src.Shape()
	item := int64(src.DType().Size())
	chunks, _ := src.Grid()
	if chunks == nil {
		chunks = slices.Repeat([]int64{1}, len(shape))
	}

	origin := make([]int64, len(shape))
	edge := slab.Chunked(shape, chunks, item, Budget(src, 0))
	if one := (slab.Box{Start: origin, Stop: edge}); one.Items() > maxBudget/max(item, 1) {
		edge = slab.Runs(origin, shape, chunks, chunks, item, maxBudget)
	}

	var buf []byte
	for box := range slab.Walk(origin, shape, edge) {
		size := box.Items() * item
		buf = slab.Resize(buf, size)
		if err := src.ReadBytes(ctx, buf, box.Start, box.Stop); err != nil {
			return err
		}
		if err := use(buf); err != nil {
			return err
		}
	}
	return nil
}
