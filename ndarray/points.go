package ndarray

import (
	"context"
	"fmt"
	"math"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/grid"
)

// ReadPoints returns single items, one for each of the points, whose coordinates are as for At, in their order; see [Untyped.ReadPointsInto].
func (u *Untyped) ReadPoints(ctx context.Context, points [][]int64) ([]byte, error) {
	flat, err := u.flatten(points)
	if err != nil {
		return nil, err
	}
	dst := make([]byte, len(points)*u.TypeSize())
	return dst, u.readPoints(ctx, dst, flat, 0)
}

// ReadPointsInto reads single items into dst, one after another. coordinates has the numbers of one item after those of another, as many as the array has dimensions; negative
// ones count from the end of their dimension. Items may come in any order and several times: each block is decoded once. It takes 24 bytes of memory per
// point.
func (u *Untyped) ReadPointsInto(ctx context.Context, dst []byte, coordinates []int64) error {
	return u.readPoints(ctx, dst, coordinates, 0)
}

// WritePoints stages single items, one for each of the points; src has their values one after another. Of several values for one item the last stays. Each
// block is decoded and encoded once.
func (u *Untyped) WritePoints(ctx context.Context, src []byte, points [][]int64) error {
	flat, err := u.flatten(points)
	if err != nil {
		return err
	}
	if len(src) != len(points)*u.TypeSize() {
		return fmt.Errorf("buffer of %d bytes for %d points: %w", len(src), len(points), cairn.ErrBounds)
	}
	return u.writePoints(ctx, src, flat, 0)
}

// WritePointsFrom is WritePoints for coordinates as in [Untyped.ReadPointsInto].
func (u *Untyped) WritePointsFrom(ctx context.Context, src []byte, coordinates []int64) error {
	return u.writePoints(ctx, src, coordinates, 0)
}

// ReadPoints returns single items, one for each of the points; see [Untyped.ReadPoints].
func (a Array[T]) ReadPoints(ctx context.Context, points [][]int64) ([]T, error) {
	flat, err := a.own().flatten(points)
	if err != nil {
		return nil, err
	}
	dst := make([]T, len(points))
	return dst, a.ReadPointsInto(ctx, dst, flat)
}

// ReadPointsInto reads single items into dst; see [Untyped.ReadPointsInto].
func (a Array[T]) ReadPointsInto(ctx context.Context, dst []T, coordinates []int64) error {
	err := a.own().readPoints(ctx, bytesOf(dst), coordinates, a.own().hostSwap())
	normalizeBool(dst)
	return err
}

// WritePoints stages single items, one for each of the points; see [Untyped.WritePoints].
func (a Array[T]) WritePoints(ctx context.Context, src []T, points [][]int64) error {
	flat, err := a.own().flatten(points)
	if err != nil {
		return err
	}
	if len(src) != len(points) {
		return fmt.Errorf("%d values for %d points: %w", len(src), len(points), cairn.ErrBounds)
	}
	return a.WritePointsFrom(ctx, src, flat)
}

// WritePointsFrom is WritePoints for coordinates as in [Untyped.ReadPointsInto].
func (a Array[T]) WritePointsFrom(ctx context.Context, src []T, coordinates []int64) error {
	return a.own().writePoints(ctx, bytesOf(src), coordinates, a.own().hostSwap())
}

// flatten returns the coordinates of points one after another.
func (u *Untyped) flatten(points [][]int64) ([]int64, error) {
	if n, ok := grid.Mul(int64(len(points)), u.part.ItemSize); !ok || n > min(u.limits.MaxAlloc, math.MaxInt) {
		return nil, fmt.Errorf("%d points of %d bytes, MaxAlloc is %d: %w", len(points), u.part.ItemSize, u.limits.MaxAlloc, cairn.ErrLimit)
	}
	flat := make([]int64, 0, len(points)*u.part.Dims)
	for k, p := range points {
		if len(p) != u.part.Dims {
			return nil, fmt.Errorf("point %d: %d coordinates for %d dimensions: %w", k, len(p), u.part.Dims, cairn.ErrBounds)
		}
		flat = append(flat, p...)
	}
	return flat, nil
}

func (u *Untyped) readPoints(ctx context.Context, dst []byte, coordinates []int64, swap int) (err error) {
	at, release, err := u.enterHeld(ctx)
	if err != nil {
		return err
	}
	defer leave(release, &err)
	var plan pointPlan
	if err := plan.set(at.part, len(dst), coordinates, swap); err != nil {
		return err
	}
	return u.readPlan(ctx, at, &plan, dst)
}

func (u *Untyped) writePoints(ctx context.Context, src []byte, coordinates []int64, swap int) error {
	part := u.geometry()
	var plan pointPlan
	if err := plan.set(part, len(src), coordinates, swap); err != nil {
		return err
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
