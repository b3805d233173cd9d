package ndarray

import (
	"context"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/grid"
)

// ReadPoints reads single items into dst, one after another. coordinates has the numbers of one item
// after those of another, as many as the array has dimensions; negative ones count from the end of
// their dimension. Items may come in any order and several times: each block is decoded once. It takes
// 24 bytes of memory per point.
func (u *Untyped) ReadPoints(ctx context.Context, dst []byte, coordinates []int64) error {
	u = u.own()
	return u.readPoints(ctx, dst, coordinates, 0)
}

// WritePoints stages single items; src has their values one after another, coordinates are as in
// ReadPoints. Of several values for one item the last stays. Each block is decoded and encoded once.
func (u *Untyped) WritePoints(ctx context.Context, src []byte, coordinates []int64) error {
	u = u.own()
	return u.writePoints(ctx, src, coordinates, 0)
}

func (u *Untyped) readPoints(ctx context.Context, dst []byte, coordinates []int64, swap int) (err error) {
	at, release, err := u.enterHeld(ctx)
	if err != nil {
		return err
	}
	defer leave(release, &err)
	var plan pointPlan
	if err := plan.set(at.part, len(dst), coordinates, swap); err != nil {
		return u.refuse("read of points", err)
	}
	return u.readPlan(ctx, at, &plan, dst)
}

func (u *Untyped) writePoints(ctx context.Context, src []byte, coordinates []int64, swap int) error {
	part := u.geometry()
	var plan pointPlan
	if err := plan.set(part, len(src), coordinates, swap); err != nil {
		return u.refuse("write of points", err)
	}
	return u.writePlan(ctx, part, &plan, src, (*worker).encode)
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
