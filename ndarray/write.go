package ndarray

import (
	"cmp"
	"context"
	"errors"

	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/ndarray/internal/selection"
)

// writeSelected applies a change to the selected items.
func (a *array) writeSelected(ctx context.Context, c change, selectors []Selector) error {
	part := a.geometry()
	s, err := selectIn(part, selectors)
	if err != nil {
		return a.refuse(c.call(), err)
	}
	if s.Box() {
		return a.writeBoxIn(ctx, part, c, s.Start, s.Stop)
	}

	if c.fill {
		return a.writeMesh(ctx, part, c, selection.OneItem(s, part.ItemSize))
	}
	m, err := selection.Dense(s, part.ItemSize, len(c.src))
	if err != nil {
		return a.refuse(c.call(), err)
	}
	return a.writeMesh(ctx, part, c, m)
}

// writeBox applies a change to the items from start up to, not including, stop.
func (a *array) writeBox(ctx context.Context, c change, start, stop []int64) error {
	return a.writeBoxIn(ctx, a.geometry(), c, start, stop)
}

func (a *array) writeBoxIn(ctx context.Context, part *grid.Partition, c change, start, stop []int64) error {
	var plan grid.Box
	var err error
	if c.fill {
		err = plan.Set(part, start, stop)
		plan.Broadcast()
	} else {
		err = planDense(&plan, part, len(c.src), start, stop)
		plan.Swap(c.swap)
	}
	if err != nil {
		return cmp.Or(a.noItems(), a.refuse(c.call(), err))
	}

	c.plan = &plan
	return a.change(ctx, part, c)
}

// writeMesh applies a change to the items of a mesh.
func (a *array) writeMesh(ctx context.Context, part *grid.Partition, c change, m selection.Mesh) error {
	var plan grid.Mesh
	if err := plan.Set(part, m.Axes, m.Memory, true); err != nil {
		return a.refuse(c.call(), err)
	}
	plan.Swap(c.swap)

	c.plan = &plan
	return a.change(ctx, part, c)
}

// change applies a change. A small one goes into the write buffer; otherwise the chunks that it
// touches are encoded and put into the frame. It fails if the geometry of the array is no longer
// part.
func (a *array) change(ctx context.Context, part *grid.Partition, c change) (err error) {
	at, err := a.beginWrite(ctx, part)
	if err != nil {
		return err
	}
	defer func() {
		if failed := a.endWrite(); failed != nil {
			err = errors.Join(err, failed)
		}
	}()

	if c.plan.NumPieces() == 0 {
		return ctx.Err()
	}
	at, buffered, err := a.bufferWrite(ctx, at, &c)
	if buffered || err != nil {
		return err
	}
	return a.undoOnError(func() (bool, error) {
		done, err := a.stagePlan(ctx, at, c.plan, c.src, c.encoder())
		return done > 0, err
	})
}

// changeMasked applies a change to the items for which a mask is true.
func (a *array) changeMasked(ctx context.Context, mask []bool, c change) error {
	var plan grid.Mask
	part := a.geometry()
	if err := plan.Set(part, govalue.Bytes(mask)); err != nil {
		return a.refuse(c.call(), err)
	}
	plan.Swap(c.swap)

	if c.fill {
		plan.Broadcast()
	} else if n, ok := grid.Mul(plan.Count, part.ItemSize); !ok || n != int64(len(c.src)) {
		return a.refuse("write", selection.WrongLength(int64(len(c.src)), plan.Count, part.ItemSize))
	}

	c.plan = &plan
	return a.change(ctx, part, c)
}
