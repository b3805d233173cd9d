package ndarray

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/grid"
)

// ReadMask returns the items for which mask is true, in C order, in new memory of Limits.MaxAlloc bytes at most. mask has an entry for each item of the array, in
// C order. Only blocks with such items are decoded.
func (u *Untyped) ReadMask(ctx context.Context, mask []bool) (dst []byte, err error) {
	err = u.readMask(ctx, mask, 0, func(n int) []byte {
		dst = make([]byte, n*u.TypeSize())
		return dst
	})
	return dst, err
}

// WriteMask stages the items for which mask is true, given in C order; src must have their length in bytes.
func (u *Untyped) WriteMask(ctx context.Context, src []byte, mask []bool) error {
	return u.writeMask(ctx, src, mask, 0)
}

// FillMask stages one value for all items for which mask is true; see [Untyped.Fill].
func (u *Untyped) FillMask(ctx context.Context, value any, mask []bool) error {
	item, err := encodeItem(u.dtype, u.TypeSize(), value)
	if err != nil {
		return fmt.Errorf("fill: %w", err)
	}
	var plan maskPlan
	part := u.geometry()
	if err := plan.set(part, mask, 0); err != nil {
		return err
	}
	plan.Broadcast()
	return u.writePlan(ctx, part, &plan, item, (*worker).encodeFilled)
}

// ReadMask returns the items for which mask is true, in C order; see [Untyped.ReadMask].
func (a Array[T]) ReadMask(ctx context.Context, mask []bool) (dst []T, err error) {
	err = a.own().readMask(ctx, mask, a.own().hostSwap(), func(n int) []byte {
		dst = make([]T, n)
		return bytesOf(dst)
	})
	normalizeBool(dst)
	return dst, err
}

// WriteMask stages the items for which mask is true, given in C order; src must have their number.
func (a Array[T]) WriteMask(ctx context.Context, src []T, mask []bool) error {
	return a.own().writeMask(ctx, bytesOf(src), mask, a.own().hostSwap())
}

// FillMask stages one value for all items for which mask is true.
func (a Array[T]) FillMask(ctx context.Context, value T, mask []bool) error {
	return a.own().FillMask(ctx, a.item(value), mask)
}

// ReadWhere is ReadMask for a mask that is an array or a view, of the array's shape. The mask is in memory meanwhile.
func (a Array[T]) ReadWhere(ctx context.Context, mask Source[bool]) ([]T, error) {
	m, err := a.own().wholeMask(ctx, mask)
	if err != nil {
		return nil, err
	}
	return a.ReadMask(ctx, m)
}

// WriteWhere is WriteMask for a mask that is an array or a view, of the array's shape. The mask is in memory meanwhile.
func (a Array[T]) WriteWhere(ctx context.Context, src []T, mask Source[bool]) error {
	m, err := a.own().wholeMask(ctx, mask)
	if err != nil {
		return err
	}
	return a.WriteMask(ctx, src, m)
}

// FillWhere is FillMask for a mask that is an array or a view, of the array's shape. The mask is in memory meanwhile.
func (a Array[T]) FillWhere(ctx context.Context, value T, mask Source[bool]) error {
	m, err := a.own().wholeMask(ctx, mask)
	if err != nil {
		return err
	}
	return a.FillMask(ctx, value, m)
}

// wholeMask reads a mask of the array's shape.
func (u *Untyped) wholeMask(ctx context.Context, mask Source[bool]) ([]bool, error) {
	shape := mask.Shape()
	if !slices.Equal(shape, u.Shape()) {
		return nil, fmt.Errorf("mask of shape %v for an array of %v: %w", shape, u.Shape(), cairn.ErrBounds)
	}
	n, _ := grid.Product(shape)
	if n > min(u.limits.MaxAlloc, math.MaxInt) {
		return nil, fmt.Errorf("mask of %d items, MaxAlloc is %d: %w", n, u.limits.MaxAlloc, cairn.ErrLimit)
	}
	m := make([]bool, n)
	return m, mask.ReadBox(WithProgress(ctx, nil), m, make([]int64, len(shape)), shape)
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
		return err
	}
	if n, ok := grid.Mul(plan.Count, at.part.ItemSize); !ok || n > min(u.limits.MaxAlloc, math.MaxInt) {
		return fmt.Errorf("read of %d items of %d bytes, MaxAlloc is %d: %w", plan.Count, at.part.ItemSize, u.limits.MaxAlloc, cairn.ErrLimit)
	}
	return u.readPlan(ctx, at, &plan, allocate(int(plan.Count)))
}

func (u *Untyped) writeMask(ctx context.Context, src []byte, mask []bool, swap int) error {
	var plan maskPlan
	part := u.geometry()
	if err := plan.set(part, mask, swap); err != nil {
		return err
	}
	if n, ok := grid.Mul(plan.Count, part.ItemSize); !ok || n != int64(len(src)) {
		return fmt.Errorf("buffer of %d bytes for %d items of %d: %w", len(src), plan.Count, part.ItemSize, cairn.ErrBounds)
	}
	return u.writePlan(ctx, part, &plan, src, (*worker).encode)
}

func (p *maskPlan) set(part *grid.Partition, mask []bool, swap int) error {
	if err := p.Set(part, bytesOf(mask)); err != nil {
		return fmt.Errorf("%w: %w", err, cairn.ErrBounds)
	}
	p.Swap(swap)
	return nil
}
