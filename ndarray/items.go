package ndarray

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/slab"
)

// Bounds of what a loop over items holds in memory: twice a row of chunks, or if that is more, a
// part of it.
const (
	leastSlab = 1 << 20
	mostSlab  = 64 << 20
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

// A slabRead is a box of an array and its items.
type slabRead struct {
	start, stop []int64
	data        []byte
	err         error
}

// eachSlab calls do for boxes whose items, one box after another, are those of the array in C
// order, until it returns false, which ended tells. The next box is read meanwhile.
func (u *Untyped) eachSlab(ctx context.Context, swap int, do func(start, stop []int64,
	data []byte) (bool, error)) (ended bool, err error) {
	at, release, err := u.enter(ctx)
	if err != nil {
		return false, err
	}
	defer leave(release, &err)
	ctx, cancel := context.WithCancel(WithProgress(ctx, nil))
	ready, free := make(chan slabRead), make(chan []byte, 2)
	free <- nil
	free <- nil
	wait := parallel.Start(func() {
		defer close(ready)
		u.readSlabs(ctx, at, swap, ready, free)
	})
	defer func() {
		cancel()
		wait()
	}()
	for s := range ready {
		if s.err != nil {
			return false, s.err
		}
		if more, err := do(s.start, s.stop, s.data); !more || err != nil {
			return err == nil, err
		}
		free <- s.data
	}
	return false, ctx.Err()
}

// readSlabs sends the boxes of eachSlab in memory that it gets back, until an error or the end of
// ctx.
func (u *Untyped) readSlabs(ctx context.Context, at *moment, swap int, ready chan<- slabRead, free <-chan []byte) {
	p := at.part
	start, stop := make([]int64, p.Dims), u.vec(p.Shape)
	for box := range slab.Walk(start, stop, itemSlabs(p)) {
		s := slabRead{start: slices.Clone(box.Start), stop: slices.Clone(box.Stop)}
		select {
		case s.data = <-free:
		case <-ctx.Done():
			return
		}
		if n := box.Items() * p.ItemSize; n > max(mostSlab, u.engine.Limits.MaxAlloc) || n > math.MaxInt {
			s.err = u.inArray(fmt.Errorf("items of %d bytes, MaxAlloc is %d: %w", p.ItemSize,
				u.engine.Limits.MaxAlloc, cairn.ErrLimit))
		} else {
			s.data = resize(s.data, int(n))
			s.err = u.readBox(ctx, at, s.data, s.start, s.stop, swap)
		}
		select {
		case ready <- s:
		case <-ctx.Done():
			return
		}
		if s.err != nil {
			return
		}
	}
}

// itemSlabs returns the edges of the boxes that a loop over items reads: a row of chunks if that is
// not too much.
func itemSlabs(p *grid.Partition) []int64 {
	shape, chunk, block := p.Shape[:p.Dims], p.Chunk[:p.Dims], p.Block[:p.Dims]
	budget := int64(mostSlab)
	if rows := slab.Rows(shape, chunk, p.ItemSize, 0); len(rows) > 0 {
		if n, ok := grid.Product(append([]int64{p.ItemSize}, rows...)); ok {
			budget = min(max(n, leastSlab), mostSlab)
		}
	}
	return slab.Runs(make([]int64, p.Dims), shape, chunk, block, p.ItemSize, budget)
}

// Values yields every item in C order, as the bytes that the file holds, valid until the next turn
// of the loop; otherwise it is as [Array.Values].
func (u *Untyped) Values(ctx context.Context) iter.Seq2[[]byte, error] {
	u = u.own()
	return func(yield func([]byte, error) bool) {
		size := u.TypeSize()
		ended, err := u.eachSlab(ctx, 0, func(_, _ []int64, data []byte) (bool, error) {
			for ; len(data) > 0; data = data[size:] {
				if !yield(data[:size:size], nil) {
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

// viewSlab is how many bytes a loop over the items of a view reads at a time, if an item is not
// more.
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

// Values yields every item of the view in C order, as the bytes that the file holds, valid until
// the next turn of the loop; otherwise it is as [View.Values].
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
