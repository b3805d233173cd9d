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

// ReadWhere returns the items for which a mask is true, in C order, in new memory of at most
// Limits.MaxAlloc bytes. The mask is a source of bools with the array's shape: an array, a view, or
// [Items] of a slice; ReadWhere reads it into memory. Only blocks with such items are decoded.
func (u *Untyped) ReadWhere(ctx context.Context, mask Source) ([]byte, error) {
	return u.asBytes().ReadWhere(ctx, mask)
}

// WriteWhere stages the items for which a mask is true, given in C order; len(src) must be their
// size in bytes. The mask is as in ReadWhere.
func (u *Untyped) WriteWhere(ctx context.Context, src []byte, mask Source) error {
	return u.asBytes().WriteWhere(ctx, src, mask)
}

// FillWhere stages one value for all items for which a mask is true; see [Untyped.Fill] and
// [Untyped.ReadWhere].
func (u *Untyped) FillWhere(ctx context.Context, value any, mask Source) error {
	item, err := u.self().item(value)
	if err != nil {
		return u.failed(fmt.Errorf("fill: %w", err))
	}
	return u.asBytes().bound().fillWhere(ctx, govalue.SpanOf(item), mask)
}

// changeMasked applies a change to the items for which a mask is true.
func (u *Untyped) changeMasked(ctx context.Context, mask []bool, c change) error {
	var plan grid.Mask
	part := u.geometry()
	if err := plan.Set(part, govalue.Bytes(mask)); err != nil {
		return u.refuse(c.call(), err)
	}
	plan.Swap(c.swap)
	if c.fill {
		plan.Broadcast()
	} else if n, ok := grid.Mul(plan.Count, part.ItemSize); !ok || n != int64(len(c.src)) {
		return u.refuse("write", selection.WrongLength(int64(len(c.src)), plan.Count, part.ItemSize))
	}
	c.plan = &plan
	return u.change(ctx, part, c)
}

// readMask reads a mask of the array's shape.
func (u *Untyped) readMask(ctx context.Context, mask Source) ([]bool, error) {
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

// ReadPoints reads single items into dst, one after another. coordinates holds the coordinates of
// one item after those of another, one number per dimension; negative ones count from the end of
// their dimension. Items may come in any order and several times: each block is decoded once. The
// call takes 24 bytes of memory per point.
func (u *Untyped) ReadPoints(ctx context.Context, dst []byte, coordinates []int64) error {
	return u.asBytes().ReadPoints(ctx, dst, coordinates)
}

// WritePoints stages single items. src holds their values one after another; coordinates are as in
// ReadPoints. If an item occurs several times, its last value counts. Each block is decoded and
// encoded once.
func (u *Untyped) WritePoints(ctx context.Context, src []byte, coordinates []int64) error {
	return u.asBytes().WritePoints(ctx, src, coordinates)
}
