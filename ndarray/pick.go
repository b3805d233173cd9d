package ndarray

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/ndarray/internal/selection"
)

// ReadWhere returns the items for which a mask is true, in C order, in new memory of
// Limits.MaxAlloc bytes at most. The mask is a source of bools, of the array's shape: an array, a
// view, or [Items] of a slice; it is in memory meanwhile. Only blocks with such items are decoded.
func (u *Untyped) ReadWhere(ctx context.Context, mask Source) (dst []byte, err error) {
	u = u.own()
	m, err := u.wholeMask(ctx, mask)
	if err != nil {
		return nil, err
	}
	err = u.readMask(ctx, m, 0, func(n int) []byte {
		dst = make([]byte, n*u.TypeSize())
		return dst
	})
	return dst, err
}

// WriteWhere stages the items for which a mask is true, given in C order; src must have their
// length in bytes. The mask is as in ReadWhere.
func (u *Untyped) WriteWhere(ctx context.Context, src []byte, mask Source) error {
	u = u.own()
	m, err := u.wholeMask(ctx, mask)
	if err != nil {
		return err
	}
	return u.writeMask(ctx, src, m, 0, nil)
}

// FillWhere stages one value for all items for which a mask is true; see [Untyped.Fill] and
// [Untyped.ReadWhere].
func (u *Untyped) FillWhere(ctx context.Context, value any, mask Source) error {
	u = u.own()
	m, err := u.wholeMask(ctx, mask)
	if err != nil {
		return err
	}
	item, err := govalue.EncodeItem(u.dtype, u.TypeSize(), value)
	if err != nil {
		return fmt.Errorf("fill: %w", err)
	}
	return u.fillMask(ctx, m, item, nil)
}

// fillMask stages an item, of which only the bytes that own has are taken, if that is not nil.
func (u *Untyped) fillMask(ctx context.Context, mask []bool, item []byte, own []bool) error {
	var plan maskPlan
	part := u.geometry()
	if err := plan.set(part, mask, 0); err != nil {
		return u.refuse("fill", err)
	}
	plan.Broadcast()
	return u.change(ctx, part, change{plan: &plan, src: item, fill: true, mask: own})
}

// readMask reads into memory that allocate makes for a number of items.
func (u *Untyped) readMask(ctx context.Context, mask []bool, swap int, allocate func(n int) []byte) (err error) {
	at, release, err := u.enterHeld(ctx)
	if err != nil {
		return err
	}
	defer leave(release, &err)
	var plan maskPlan
	if err := plan.set(at.part, mask, swap); err != nil {
		return u.refuse("read", err)
	}
	if n, ok := grid.Mul(plan.Count, at.part.ItemSize); !ok || n > min(u.engine.Limits.MaxAlloc, math.MaxInt) {
		return fmt.Errorf("read of %d items of %d bytes, MaxAlloc is %d: %w", plan.Count, at.part.ItemSize,
			u.engine.Limits.MaxAlloc, cairn.ErrLimit)
	}
	return u.readPlan(ctx, at, &plan, allocate(int(plan.Count)))
}

func (u *Untyped) writeMask(ctx context.Context, src []byte, mask []bool, swap int, own []bool) error {
	var plan maskPlan
	part := u.geometry()
	if err := plan.set(part, mask, swap); err != nil {
		return u.refuse("write", err)
	}
	if n, ok := grid.Mul(plan.Count, part.ItemSize); !ok || n != int64(len(src)) {
		return u.refuse("write", selection.WrongLength(int64(len(src)), plan.Count, part.ItemSize))
	}
	return u.change(ctx, part, change{plan: &plan, src: src, mask: own})
}

// wholeMask reads a mask of the array's shape.
func (u *Untyped) wholeMask(ctx context.Context, mask Source) ([]bool, error) {
	shape := mask.Shape()
	if !slices.Equal(shape, u.Shape()) {
		return nil, u.inArray(fmt.Errorf("mask of shape %v for an array of %v: %w", shape, u.Shape(),
			cairn.ErrBounds))
	}
	n, _ := grid.Product(shape)
	if n > min(u.engine.Limits.MaxAlloc, math.MaxInt) {
		return nil, fmt.Errorf("mask of %d items, MaxAlloc is %d: %w", n, u.engine.Limits.MaxAlloc, cairn.ErrLimit)
	}
	values, err := ViewAs[bool](mask)
	if err != nil {
		return nil, err
	}
	if m := values.inMemory(); m != nil {
		return m, nil
	}
	m := make([]bool, n)
	return m, values.ReadInto(WithProgress(ctx, nil), m)
}

// ReadPoints reads single items into dst, one after another. coordinates has the numbers of one
// item after those of another, as many as the array has dimensions; negative ones count from the
// end of their dimension. Items may come in any order and several times: each block is decoded
// once. It takes 24 bytes of memory per point.
func (u *Untyped) ReadPoints(ctx context.Context, dst []byte, coordinates []int64) error {
	u = u.own()
	return u.readPoints(ctx, dst, coordinates, 0)
}

// WritePoints stages single items; src has their values one after another, coordinates are as in
// ReadPoints. Of several values for one item the last stays. Each block is decoded and encoded
// once.
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
	return u.change(ctx, part, change{plan: &plan, src: src})
}
