package ndarray

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/slab"
)

// viewSlab is how many bytes a loop over the items of a view reads at a time, if an item is not more.
const viewSlab = 16 << 20

// Items yields every item of the view as bytes, with its coordinates in the view, in C order. Some 16 MiB are read at a time, each time from the newest state
// of the array. After an error there is nothing more.
func (v UntypedView) Items(ctx context.Context) iter.Seq2[RawItem, error] {
	return func(yield func(RawItem, error) bool) {
		err := v.eachSlab(ctx, false, func(start, stop []int64, data []byte) bool {
			at, size := slices.Clone(start), v.TypeSize()
			for ; len(data) > 0; data = data[size:] {
				if !yield(RawItem{at, data[:size:size]}, nil) {
					return false
				}
				advance(at, start, stop)
			}
			return true
		})
		if err != nil {
			yield(RawItem{}, err)
		}
	}
}

// Items yields every item of the view with its coordinates in the view, in C order; see [UntypedView.Items].
func (v View[T]) Items(ctx context.Context) iter.Seq2[Item[T], error] {
	return func(yield func(Item[T], error) bool) {
		err := v.v.eachSlab(ctx, true, func(start, stop []int64, data []byte) bool {
			at, values := slices.Clone(start), itemsOf[T](data)
			normalizeBool(values)
			for _, value := range values {
				if !yield(Item[T]{at, value}, nil) {
					return false
				}
				advance(at, start, stop)
			}
			return true
		})
		if err != nil {
			yield(Item[T]{}, err)
		}
	}
}

// Values yields every item of the view in C order; see [UntypedView.Items].
func (v View[T]) Values(ctx context.Context) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for item, err := range v.Items(ctx) {
			if !yield(item.Value, err) {
				return
			}
		}
	}
}

// eachSlab calls do for boxes whose items, one box after another, are those of the view in C order, until it returns false.
func (v UntypedView) eachSlab(ctx context.Context, host bool, do func(start, stop []int64, data []byte) bool) error {
	if err := v.Err(); err != nil {
		return err
	}
	size, shape := v.of.typeSize(), v.sel.Shape()
	if size > min(max(viewSlab, v.of.maxAlloc()), math.MaxInt) {
		return fmt.Errorf("items of %d bytes, MaxAlloc is %d: %w", size, v.of.maxAlloc(), cairn.ErrLimit)
	}
	zero, one := make([]int64, len(shape)), slices.Repeat([]int64{1}, len(shape))
	var buf []byte
	for box := range slab.Walk(zero, shape, slab.Runs(zero, shape, v.grain(), one, size, viewSlab)) {
		n, _ := grid.Mul(box.Items(), size)
		buf = resize(buf, int(n))
		if err := v.box(box.Start, box.Stop).readDense(ctx, buf, host); err != nil {
			return err
		}
		if !do(box.Start, box.Stop, buf) {
			return nil
		}
	}
	return ctx.Err()
}

// grain returns how many items along each dimension a chunk may hold: what is read at once should be some of that.
func (v UntypedView) grain() []int64 {
	grain := slices.Repeat([]int64{1}, v.Dims())
	chunk := v.of.chunk()
	for k, dim := range v.sel.dims {
		if dim != newDim && v.sel.axes[dim].List == nil {
			step := v.sel.axes[dim].Step
			grain[k] = max(1, chunk[dim]/max(step, -step, 1))
		}
	}
	return grain
}
