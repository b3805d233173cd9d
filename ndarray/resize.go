package ndarray

import (
	"context"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/grid"
)

// ResizeOptions say how an array is resized. Nil and the zero value mean: items come and go at the
// ends of their axes, and new ones are zero.
type ResizeOptions struct {
	// Fill is the value of new items: a number that the dtype can hold, or an item's bytes as the
	// file holds them; nil means zero. Files do not say what an array was filled with when it was
	// created.
	Fill any
	// Start says where items come or go along each axis: the first new one, or the first that goes.
	// Other places than the end are possible at the borders of chunks and for whole chunks only.
	// Along axes that keep their extent it means nothing. Nil means the ends.
	Start Shape
}

// Resize stages another shape with as many dimensions, larger or smaller along each. Items that
// stay keep their values, and their coordinates unless something comes or goes before them; new
// ones have the fill value. o may be nil. The shape is visible to reads of this handle at once, and
// durable with Commit, as all changes are. Readers see the shape and the items of one state.
//
// New chunks are special chunks, which take no room unless the fill value is none of zero and NaN:
// the time depends on their number as little as on the size of the array. What is at the far edges
// of chunks that stay is decoded, and where it comes into sight and is not the fill value, encoded
// again.
//
// The shape is that from the newest state on: with Locking, whatever another process made of it.
// Resize fails with [cairn.ErrBounds] for a shape or a start that is not possible, with
// [cairn.ErrLimit] for more chunks than a frame can have, and then, as with any error, has changed
// nothing.
func (u *Untyped) Resize(ctx context.Context, shape Shape, o *ResizeOptions) error {
	u = u.own()
	if o == nil {
		o = &ResizeOptions{}
	}
	item := make([]byte, u.TypeSize())
	if o.Fill != nil {
		var err error
		if item, err = u.item(o.Fill); err != nil {
			return fmt.Errorf("resize: %w", err)
		}
	}
	return u.changeShape(ctx, "resize",
		func(r *reshaping) error { return r.resize(shape, o.Start) },
		func(r *reshaping) (bool, error) { return r.extend(ctx, item) },
		func(r *reshaping) error {
			if err := r.arrange(ctx, item); err != nil {
				return err
			}
			return r.eachPadding(func(start, stop []int64) error {
				return r.fillBox(ctx, item, start, stop)
			})
		})
}

// resize sets up a change to another shape.
func (r *reshaping) resize(shape, start Shape) error {
	if dims := r.u.dims(); len(shape) != dims {
		return fmt.Errorf("shape %v for %d dimensions: %w", shape, dims, cairn.ErrBounds)
	} else if start != nil && len(start) != dims {
		return fmt.Errorf("start %v for %d dimensions: %w", start, dims, cairn.ErrBounds)
	}
	if err := r.to(shape); err != nil {
		return err
	}
	for i := range r.part.Dims {
		if err := r.resizeAxis(i, start); err != nil {
			return err
		}
	}
	return nil
}

// resizeAxis finds out what happens along one axis.
func (r *reshaping) resizeAxis(i int, start Shape) error {
	old, now, side := r.at.part.Shape[i], r.part.Shape[i], r.part.Chunk[i]
	oldGrid, newGrid := r.at.part.ChunkGrid[i], r.part.ChunkGrid[i]
	end, n := min(old, now), max(old, now)-min(old, now)
	c := axisChange{cut: min(oldGrid, newGrid)}
	if start != nil && n > 0 && start[i] != end {
		at := start[i]
		switch {
		case at < 0 || at > end:
			return fmt.Errorf("axis %d: start %d, must be within 0:%d: %w", i, at, end, cairn.ErrBounds)
		case at%side != 0 || n%side != 0:
			return fmt.Errorf("axis %d: %d items at %d, must be multiples of %d, or at the end: %w", i, n, at, side, cairn.ErrBounds)
		}
		c.cut = at / side
	}
	c.added, c.dropped = max(0, newGrid-oldGrid), max(0, oldGrid-newGrid)
	r.axes[i] = c
	return nil
}

// eachPadding goes over the boxes of items of chunks that stay, which were padding and come into
// sight.
func (r *reshaping) eachPadding(do func(start, stop []int64) error) error {
	if r.at.part.ItemCount == 0 || r.part.ItemCount == 0 {
		return nil
	}
	p := r.part
	var stop grid.Vec // of chunks that stay, where they are not in between
	for i := range p.Dims {
		stop[i] = min(p.Shape[i], r.at.part.ChunkGrid[i]*p.Chunk[i])
		if !r.atEnd(i) {
			stop[i] = p.Shape[i]
		}
	}
	for i := range p.Dims {
		old := r.at.part.Shape[i]
		if !r.atEnd(i) || old >= stop[i] {
			continue
		}
		var start grid.Vec
		start[i] = old
		if err := do(start[:p.Dims], stop[:p.Dims]); err != nil {
			return err
		}
		stop[i] = old // the corner is done
	}
	return nil
}

// atEnd reports whether nothing comes before items that stay along an axis.
func (r *reshaping) atEnd(i int) bool {
	c := r.axes[i]
	return c.added == 0 || c.cut == r.at.part.ChunkGrid[i]
}

// fillBox makes every item of a box the given one.
func (r *reshaping) fillBox(ctx context.Context, item []byte, start, stop []int64) error {
	var plan grid.Plan
	if err := plan.Set(r.part, start, stop); err != nil {
		return err
	}
	plan.Broadcast()
	_, err := r.u.stagePlan(ctx, r.next(r.u.frame.Snapshot()), &plan, item, (*worker).encodeRevealed)
	return err
}
