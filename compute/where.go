package compute

import (
	"context"
	"fmt"
	"iter"

	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/ndarray"
)

// Where yields the coordinates of the items that are not 0 or false, in C order, like NumPy's
// argwhere. The coordinates are valid until the next ones are yielded. After an error there are no
// more. The source may be an [Expression], such as a comparison. Some megabytes of items are in
// memory at a time.
func Where(ctx context.Context, src ndarray.Source) iter.Seq2[[]int64, error] {
	return func(yield func([]int64, error) bool) {
		e, err := castTo(ctx, src, "bool", nil)
		if err != nil {
			yield(nil, fmt.Errorf("where: %w", err))
			return
		}

		from, err := ndarray.ViewAs[bool](e)
		if err != nil {
			yield(nil, err)
			return
		}

		start := make([]int64, len(e.shape))
		if itemsOf(e.shape) == 0 {
			return
		}

		block := make([]int64, len(e.edge))
		for i := range block {
			block[i] = 1
		}

		edge := slab.Runs(start, e.shape, e.edge, block, e.bytesPerItem, boxBytes*int64(e.workers))
		cells := slab.GridOf(start, e.shape, edge)
		var box []bool
		for i := range cells.Count {
			b := cells.At(i)
			box = slab.Resize(box, b.Items())
			if err := from.ReadBox(ctx, box, b.Start, b.Stop); err != nil {
				yield(nil, err)
				return
			}

			at := append([]int64{}, b.Start...)
			for _, is := range box {
				if is && !yield(at, nil) {
					return
				}
				advance(at, b.Start, b.Stop)
			}
		}
	}
}
