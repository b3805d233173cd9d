package ndarray

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/slab"
)

// viewSlab is how many bytes a loop over the items of a view reads at a time, if an item is not more.
const viewSlab = 16 << 20

// eachSlab calls do for boxes whose items, one box after another, are those of the view in C order,
// until it returns false. n is the number of items of the box.
func (v UntypedView) eachSlab(ctx context.Context, do func(box UntypedView, n int) (bool, error)) error {
	if err := v.Err(); err != nil {
		return err
	}
	size, shape := v.of.typeSize(), v.sel.Shape()
	if size > min(max(viewSlab, v.of.maxAlloc()), math.MaxInt) {
		return fmt.Errorf("items of %d bytes, MaxAlloc is %d: %w", size, v.of.maxAlloc(), cairn.ErrLimit)
	}
	chunks, _ := v.Grid()
	zero, one := make([]int64, len(shape)), slices.Repeat([]int64{1}, len(shape))
	for box := range slab.Walk(zero, shape, slab.Runs(zero, shape, chunks, one, size, viewSlab)) {
		if more, err := do(v.box(box.Start, box.Stop), int(box.Items())); !more || err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Values yields every item of the view in C order, as the bytes that the file holds, valid until the
// next turn of the loop; otherwise it is as [View.Values].
func (v UntypedView) Values(ctx context.Context) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		var data []byte
		err := v.eachSlab(ctx, func(box UntypedView, n int) (bool, error) {
			size := int(v.of.typeSize())
			data = resize(data, n*size)
			if err := box.readDense(ctx, data, false); err != nil {
				return false, err
			}
			for rest := data; len(rest) > 0; rest = rest[size:] {
				if !yield(rest[:size:size], nil) {
					return false, nil
				}
			}
			return true, nil
		})
		if err != nil {
			yield(nil, err)
		}
	}
}
