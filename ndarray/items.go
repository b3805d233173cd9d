package ndarray

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"reflect"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/readahead"
	"github.com/cairn-go/cairn/internal/slab"
)

// Bounds of the memory of a loop over items: two rows of chunks, or parts of rows if those are
// larger.
const (
	minSlab = 1 << 20
	maxSlab = 64 << 20 // bytes of the items that a loop holds, for items that are larger
)

// advance steps at to the next item of a box in C order.
func advance(at, start, stop []int64) {
	for i := len(at) - 1; i >= 0; i-- {
		if at[i]++; at[i] < stop[i] {
			return
		}
		at[i] = start[i]
	}
}

// eachSlab calls do with the items of the array in C order, one box at a time, until do returns
// false; ended tells whether it did. The next box is read meanwhile, or the next three, each half
// as large, if the file is far.
func (u *Untyped) eachSlab(ctx context.Context, swap int,
	do func(data []byte) (bool, error)) (ended bool, err error) {
	at, release, err := u.beginFlushedRead(ctx)
	if err != nil {
		return false, err
	}
	defer endRead(release, &err)
	p, ahead := at.part, 1
	edge := itemSlabs(p)
	if u.requests > 0 {
		edge, ahead = farSlabs(p, edge)
	}
	buffers := make([][]byte, 1+ahead)
	boxes := slab.Walk(make([]int64, p.Dims), u.vec(p.Shape), edge)
	err = readahead.Boxes(WithProgress(ctx, nil), ahead, boxes,
		func(ctx context.Context, slot int, box slab.Box) ([]byte, error) {
			n := box.Items() * p.ItemSize
			if n > max(maxSlab, u.engine.Limits.MaxAlloc) || n > math.MaxInt {
				return nil, u.inArray(fmt.Errorf("items of %d bytes, MaxAlloc is %d: %w", p.ItemSize,
					u.engine.Limits.MaxAlloc, cairn.ErrLimit))
			}
			buffers[slot] = slab.Resize(buffers[slot], n)
			return buffers[slot], u.readBox(ctx, at, buffers[slot], box.Start, box.Stop, swap)
		},
		func(_ slab.Box, data []byte) error {
			more, err := do(data)
			if err == nil && !more {
				err = errBroken
			}
			return err
		})
	if errors.Is(err, errBroken) {
		return true, nil
	}
	return false, err
}

// itemSlabs returns the extents of the boxes that a loop over items reads: a row of chunks if it
// fits the bounds.
func itemSlabs(p *grid.Partition) []int64 {
	shape, chunk, block := p.Shape[:p.Dims], p.Chunk[:p.Dims], p.Block[:p.Dims]
	budget := int64(maxSlab)
	if rows := slab.Rows(shape, chunk, p.ItemSize, 0); len(rows) > 0 {
		if n, ok := grid.Product(append([]int64{p.ItemSize}, rows...)); ok {
			budget = min(max(n, minSlab), maxSlab)
		}
	}
	return slab.Runs(make([]int64, p.Dims), shape, chunk, block, p.ItemSize, budget)
}

// farSlabs returns the extents of the boxes that a loop over items of a far file reads, and how
// many it reads ahead. They have as many rows as fit, because a request should be for much, but are
// only smaller than those of other files if they consist of whole chunks.
func farSlabs(p *grid.Partition, usual []int64) (edge []int64, ahead int) {
	shape, chunk, block := p.Shape[:p.Dims], p.Chunk[:p.Dims], p.Block[:p.Dims]
	edge = slab.Runs(make([]int64, p.Dims), shape, chunk, block, p.ItemSize, maxSlab/2)
	if slab.Whole(shape, chunk, edge) {
		return edge, 3
	}
	return usual, 1
}

// Values yields every item in C order, as stored in the file. The slice is valid until the next
// iteration. Otherwise it is like [Array.Values].
func (u *Untyped) Values(ctx context.Context) iter.Seq2[[]byte, error] {
	u = u.self()
	return func(yield func([]byte, error) bool) {
		size := u.TypeSize()
		ended, err := u.eachSlab(ctx, 0, func(data []byte) (bool, error) {
			for item := range slices.Chunk(data, size) {
				if !yield(item, nil) {
					return false, nil
				}
			}
			return true, nil
		})
		if err != nil && !ended {
			yield(nil, err)
		}
	}
}

// viewSlab is how many bytes a loop over the items of a view reads at a time; a larger item is read
// alone.
const viewSlab = 16 << 20

// eachRun calls do with the items of the view in C order, many at a time, until do returns false.
func (v View[T]) eachRun(ctx context.Context, do func(values []T) bool) error {
	if err := v.Err(); err != nil {
		return err
	}
	size, shape := v.of.typeSize(), v.sel.Shape()
	if size > min(max(viewSlab, v.of.maxAlloc()), math.MaxInt) {
		return fmt.Errorf("items of %d bytes, MaxAlloc is %d: %w", size, v.of.maxAlloc(), cairn.ErrLimit)
	}
	chunks, _ := v.Grid()
	zero, one := make([]int64, len(shape)), slices.Repeat([]int64{1}, len(shape))
	var values []T
	for box := range slab.Walk(zero, shape, slab.Runs(zero, shape, chunks, one, size, viewSlab)) {
		values = slab.Resize(values, v.layout.Count(box.Items()))
		if err := v.ReadBox(ctx, values, box.Start, box.Stop); err != nil || !do(values) {
			return err
		}
	}
	return ctx.Err()
}

// Values yields every item of the view in C order, as stored in the file. The slice is valid until
// the next iteration. Otherwise it is like [View.Values].
func (v UntypedView) Values(ctx context.Context) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		err := v.asBytes().eachRun(ctx, func(data []byte) bool {
			for item := range slices.Chunk(data, v.TypeSize()) {
				if !yield(item, nil) {
					return false
				}
			}
			return true
		})
		if err != nil {
			yield(nil, err)
		}
	}
}

// ReadAny returns items of any dtype as Go values, for programs that know neither dtypes nor shapes
// beforehand: the selected items in C order as a slice, such as []float32 or []string, and a single
// item, where selectors leave no dimension, as it is. Numbers, bools and complex numbers have the
// types of their sizes, floats of 16 bits are [Float16], texts string, dates [time.Time], spans of
// time [time.Duration]; dates without a unit and spans of months are int64, structures
// map[string]any, sub-arrays slices, and everything else is []byte. All of these can be printed,
// written as JSON, and given to [Untyped.Fill].
func ReadAny(ctx context.Context, src Source, selectors ...Selector) (any, error) {
	v := ViewOf(src).Slice(selectors...)
	if v.Err() == nil && v.TypeSize() == 0 {
		return nil, fmt.Errorf("items of dtype %q have no bytes: %w", v.DType(), cairn.ErrType)
	}
	raw, err := v.Read(ctx)
	if err != nil {
		return nil, err
	}
	values, err := govalue.Anys(v.DType(), v.TypeSize(), int(v.Len()), reflect.TypeFor[Float16](), raw)
	if err != nil {
		return nil, err
	}
	if len(v.Shape()) == 0 {
		return values.Index(0).Interface(), nil
	}
	return values.Interface(), nil
}
