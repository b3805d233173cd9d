package ndarray

import (
	"context"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/errkind"
	"github.com/cairn-go/cairn/internal/grid"
)

// ResizeOptions say how an array is resized. Nil and the zero value mean: items are added and
// removed at the ends of the axes, and new ones are zero.
type ResizeOptions struct {
	// Fill is the value of new items: a number that the dtype can hold, or an item's bytes as
	// stored in the file; nil means zero. The fill value from the creation of an array is not
	// stored in its file.
	Fill any
	// Start is, along each axis, the position of the first new or the first removed item. Positions
	// other than the end must be at chunk borders, and then only whole chunks can be added or
	// removed. Start is ignored along axes that keep their extent. Nil means the ends.
	Start Shape
}

// wrongRank is the error for a shape with another number of dimensions than the array has.
func wrongRank(what string, shape Shape, dims int) error {
	err := fmt.Errorf("%s %v for %d dimensions: %w", what, shape, dims, cairn.ErrBounds)
	return errkind.Mark(errkind.Invalid(err), errkind.ErrRank)
}

// resize sets up a change to another shape.
func (r *reshaping) resize(shape, start Shape) error {
	dims := r.a.dims()
	if len(shape) != dims {
		return wrongRank("shape", shape, dims)
	}
	if start != nil && len(start) != dims {
		return wrongRank("start", start, dims)
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

// resizeAxis determines the change along one axis.
func (r *reshaping) resizeAxis(i int, start Shape) error {
	oldGrid := r.at.part.ChunkGrid[i]
	newGrid := r.part.ChunkGrid[i]
	c := axisChange{
		cut:     min(oldGrid, newGrid),
		added:   max(0, newGrid-oldGrid),
		dropped: max(0, oldGrid-newGrid),
	}

	old := r.at.part.Shape[i]
	now := r.part.Shape[i]
	end := min(old, now)
	n := max(old, now) - end
	if start != nil && n > 0 && start[i] != end {
		at := start[i]
		side := r.part.Chunk[i]
		if at < 0 || at > end {
			return fmt.Errorf("axis %d: start %d, must be within 0:%d: %w", i, at, end, cairn.ErrBounds)
		}
		if at%side != 0 || n%side != 0 {
			return fmt.Errorf("axis %d: %d items at %d, must be multiples of %d, or at the end: %w",
				i, n, at, side, cairn.ErrBounds)
		}
		c.cut = at / side
	}
	r.axes[i] = c
	return nil
}

// eachPadding calls do for each box of items in remaining chunks that were padding and become
// visible.
func (r *reshaping) eachPadding(do func(start, stop []int64) error) error {
	if r.at.part.ItemCount == 0 || r.part.ItemCount == 0 {
		return nil
	}

	p := r.part
	var stop grid.Vec // end of the remaining chunks, where the axis changes at its end
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
		stop[i] = old // so that corners are visited once
	}
	return nil
}

// atEnd reports whether all remaining items along an axis keep their coordinates.
func (r *reshaping) atEnd(i int) bool {
	c := r.axes[i]
	return c.added == 0 || c.cut == r.at.part.ChunkGrid[i]
}

// fillBox sets every item of a box to the given one.
func (r *reshaping) fillBox(ctx context.Context, item []byte, start, stop []int64) error {
	var plan grid.Box
	if err := plan.Set(r.part, start, stop); err != nil {
		return err
	}
	plan.Broadcast()

	at := r.stateWith(r.a.frame.Inside().Newest())
	_, err := r.a.stagePlan(ctx, at, &plan, item, (*worker).encodeRevealed)
	return err
}
