package ndarray

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/readahead"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/ndarray/internal/selection"
)

// eachSlab calls do with the items of the array in C order, one box at a time, until do returns
// false; ended tells whether it did. The next box is read meanwhile, or the next three, each half
// as large, if the file is far.
func (a *array) eachSlab(ctx context.Context, swap int,
	do func(data []byte) (bool, error)) (ended bool, err error) {
	at, release, err := a.beginFlushedRead(ctx)
	if err != nil {
		return false, err
	}
	defer endRead(release, &err)

	p := at.part
	edge := itemSlabs(p)
	ahead := 1
	if a.requests > 0 {
		edge, ahead = farSlabs(p, edge)
	}

	buffers := make([][]byte, 1+ahead)
	read := func(ctx context.Context, slot int, box slab.Box) ([]byte, error) {
		n := box.Items() * p.ItemSize
		if n > max(maxSlab, a.engine.Limits.MaxAlloc) || n > math.MaxInt {
			return nil, a.inArray(fmt.Errorf("items of %d bytes, MaxAlloc is %d: %w", p.ItemSize,
				a.engine.Limits.MaxAlloc, cairn.ErrLimit))
		}
		buffers[slot] = slab.Resize(buffers[slot], n)
		return buffers[slot], a.readBox(ctx, at, buffers[slot], box.Start, box.Stop, swap)
	}
	handle := func(_ slab.Box, data []byte) error {
		more, err := do(data)
		if err != nil {
			return err
		}
		if !more {
			return errBroken
		}
		return nil
	}

	// Reads of single boxes report no progress of their own.
	boxes := slab.Walk(make([]int64, p.Dims), a.vec(p.Shape), edge)
	err = readahead.Boxes(WithProgress(ctx, nil), ahead, boxes, read, handle)
	if errors.Is(err, errBroken) {
		return true, nil
	}
	return false, err
}

// itemSlabs returns the extents of the boxes that a loop over items reads: a row of chunks if it
// fits the bounds.
func itemSlabs(p *grid.Partition) []int64 {
	shape := p.Shape[:p.Dims]
	chunk := p.Chunk[:p.Dims]
	block := p.Block[:p.Dims]
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
	shape := p.Shape[:p.Dims]
	chunk := p.Chunk[:p.Dims]
	block := p.Block[:p.Dims]
	edge = slab.Runs(make([]int64, p.Dims), shape, chunk, block, p.ItemSize, maxSlab/2)
	if slab.Whole(shape, chunk, edge) {
		return edge, 3
	}
	return usual, 1
}

// advance steps at to the next item of a box in C order.
func advance(at, start, stop []int64) {
	for i := len(at) - 1; i >= 0; i-- {
		at[i]++
		if at[i] < stop[i] {
			return
		}
		at[i] = start[i]
	}
}

// Bounds of the memory of a loop over items: two rows of chunks, or parts of rows if those are
// larger.
const (
	minSlab = 1 << 20
	maxSlab = 64 << 20 // bytes of the items that a loop holds, for items that are larger
)

// readItem reads one item into the memory of a plan.
func (a *array) readItem(ctx context.Context, plan *boxPlan, coordinates []int64, swap int) (err error) {
	at, release, err := a.beginRead(ctx)
	if err != nil {
		return err
	}
	defer endRead(release, &err)

	start, stop := plan.corners(at.part)
	if err := selection.Cell(at.part, coordinates, start, stop); err != nil {
		return a.refuse("read", err)
	}
	plan.item = slab.Resize(plan.item, at.part.ItemSize)
	return a.readPlanned(ctx, at, plan, plan.item, start, stop, swap)
}

// errBroken ends a visit after the caller left the loop.
var errBroken = errors.New("loop left")
