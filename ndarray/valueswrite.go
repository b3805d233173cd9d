package ndarray

import (
	"context"
	"fmt"
	"math"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/grid"
)

// Write stages the selected values, given in C order; src must have their number. Gaps of the dtype become zeros. Memory for the items as the file has them is used
// meanwhile, unless that is how they are in src. Of a field, and of structs with IgnoreFields, only what they stand for is changed: all blocks of the chunks that they
// are in are decoded and encoded. A write that fails changes nothing. See [Untyped.Write].
func (v Values[V]) Write(ctx context.Context, src []V, selectors ...Selector) error {
	s, err := v.own().Select(selectors...)
	if err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return v.writeSelected(ctx, src, s)
}

// Set stages one value; see [Array.Set].
func (v Values[V]) Set(value V, coordinates ...int64) error {
	view := v.own().View().cell(coordinates)
	if err := view.Err(); err != nil {
		return err
	}
	view.sel.bound()
	return v.writeSelected(context.Background(), []V{value}, view.sel)
}

// Fill stages one value for all selected items; see [Untyped.Fill].
func (v Values[V]) Fill(ctx context.Context, value V, selectors ...Selector) error {
	s, err := v.own().Select(selectors...)
	if err != nil {
		return fmt.Errorf("fill: %w", err)
	}
	item, err := v.encode(ctx, []V{value})
	if err != nil {
		return fmt.Errorf("fill: %w", err)
	}
	if v.mask != nil {
		return v.own().writeMasked(ctx, item, oneItem(s, int64(len(item))), v.mask)
	}
	return v.own().fillSelected(ctx, v.own().geometry(), item, s)
}

func (v Values[V]) writeSelected(ctx context.Context, src []V, s Selection) error {
	if n := s.Len(); n != int64(len(src)) {
		return fmt.Errorf("write: %d values, %d are selected: %w", len(src), n, cairn.ErrBounds)
	}
	if v.write {
		return v.own().writeSelected(ctx, v.own().geometry(), memoryOf(src), s, 0)
	}
	items, err := v.encode(ctx, src)
	if err != nil {
		return fmt.Errorf("write: %w", err)
	}
	if v.mask == nil {
		return v.own().writeSelected(ctx, v.own().geometry(), items, s, 0)
	}
	m, err := denseMemory(s, v.own().part.ItemSize, len(items))
	if err != nil {
		return err
	}
	return v.own().writeMasked(ctx, items, m, v.mask)
}

// encode returns values as items of the file.
func (v Values[V]) encode(ctx context.Context, src []V) ([]byte, error) {
	size := v.own().TypeSize()
	n, ok := grid.Mul(int64(len(src)), int64(size))
	if !ok || n > math.MaxInt {
		return nil, fmt.Errorf("%d items of %d bytes: %w", len(src), size, cairn.ErrLimit)
	}
	items := make([]byte, n)
	err := v.eachJob(ctx, len(src), func(from, to int) error {
		if done, err := v.encodeMany(items[from*size:to*size], src[from:to]); err != nil {
			return fmt.Errorf("value %d: %w", from+done, err)
		}
		return nil
	})
	return items, err
}
