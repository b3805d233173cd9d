package ndarray

import (
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/ndarray/internal/selection"
)

// boxPlan is a box, in dense memory.
type boxPlan struct{ grid.Plan }

// meshPlan is everything else that selectors and views can select, in memory of any strides.
type meshPlan struct{ grid.Mesh }

func (p *meshPlan) set(part *grid.Partition, m selection.Mesh, write bool) error {
	if err := p.Set(part, m.Axes, m.Memory, write); err != nil {
		return fmt.Errorf("%w: %w", err, cairn.ErrBounds)
	}
	return nil
}

// pointPlan is single items in the order of a list.
type pointPlan struct{ grid.Points }

// maskPlan is the items that a mask of the whole array has.
type maskPlan struct{ grid.Mask }

// planDense sets up a plan for a box and checks the size of its dense buffer.
func planDense(plan *grid.Plan, part *grid.Partition, bytes int, start, stop []int64) error {
	if err := planBox(plan, part, start, stop); err != nil {
		return err
	}
	if int64(bytes) != plan.Bytes {
		return selection.WrongLength(int64(bytes), plan.Bytes/part.ItemSize, part.ItemSize)
	}
	return nil
}

func planBox(plan *grid.Plan, part *grid.Partition, start, stop []int64) error {
	if err := plan.Set(part, start, stop); err != nil {
		return fmt.Errorf("%w: %w", err, cairn.ErrBounds)
	}
	return nil
}

// set describes points in memory of a number of bytes.
func (p *pointPlan) set(part *grid.Partition, bytes int, coordinates []int64, swap int) error {
	count := int64(bytes) / part.ItemSize
	if int64(bytes)%part.ItemSize != 0 {
		return fmt.Errorf("buffer of %d bytes for items of %d: %w", bytes, part.ItemSize, cairn.ErrBounds)
	}
	if err := p.Set(part, coordinates, count); err != nil {
		return fmt.Errorf("%w: %w", err, cairn.ErrBounds)
	}
	p.Swap(swap)
	return nil
}

func (p *maskPlan) set(part *grid.Partition, mask []bool, swap int) error {
	if err := p.Set(part, govalue.Bytes(mask)); err != nil {
		return fmt.Errorf("%w: %w", err, cairn.ErrBounds)
	}
	p.Swap(swap)
	return nil
}

// takePlan returns memory for a plan.
func (p *pool) takePlan() *boxPlan {
	if plan, ok := p.plans.Get().(*boxPlan); ok {
		return plan
	}
	return &boxPlan{}
}
