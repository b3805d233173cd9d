package compute

import (
	"context"

	"github.com/cairn-go/cairn/ndarray"
)

// CountNonZero counts items other than 0, or true ones; NaN is none of 0.
func CountNonZero(ctx context.Context, src ndarray.Source, o *Options) (ndarray.Array[int64], error) {
	r, err := reductionsOf(src, "count")
	if err != nil {
		return ndarray.Array[int64]{}, err
	}
	return r.count(ctx, src, o)
}

func (elements[T]) count(ctx context.Context, src ndarray.Source, o *Options) (ndarray.Array[int64], error) {
	return count(ctx, src, o, nonZero[T])
}

// Any reports whether an item is other than 0, or true. Of no items none is.
func Any(ctx context.Context, src ndarray.Source, o *Options) (ndarray.Array[bool], error) {
	r, err := reductionsOf(src, "any")
	if err != nil {
		return ndarray.Array[bool]{}, err
	}
	return r.any(ctx, src, o)
}

func (elements[T]) any(ctx context.Context, src ndarray.Source, o *Options) (ndarray.Array[bool], error) {
	return reduce[T](ctx, src, o, false, func() *counts[T] { return &counts[T]{count: nonZero[T]} },
		func(c *counts[T], cell int) (bool, error) { return c.n[cell] > 0, nil })
}

// All reports whether no item is 0, or false. Of no items all are not.
func All(ctx context.Context, src ndarray.Source, o *Options) (ndarray.Array[bool], error) {
	r, err := reductionsOf(src, "all")
	if err != nil {
		return ndarray.Array[bool]{}, err
	}
	return r.all(ctx, src, o)
}

func (elements[T]) all(ctx context.Context, src ndarray.Source, o *Options) (ndarray.Array[bool], error) {
	return reduce[T](ctx, src, o, false, func() *counts[T] { return &counts[T]{count: zero[T]} },
		func(c *counts[T], cell int) (bool, error) { return c.n[cell] == 0, nil })
}

func count[T ndarray.Element](ctx context.Context, src ndarray.Source, o *Options,
	of func([]T) int64) (ndarray.Array[int64], error) {
	return reduce[T](ctx, src, o, false, func() *counts[T] { return &counts[T]{count: of} },
		func(c *counts[T], cell int) (int64, error) { return c.n[cell], nil })
}

func nonZero[T ndarray.Element](values []T) (n int64) {
	if halves, ok := any(values).([]ndarray.Float16); ok {
		for _, h := range halves {
			if h.Bits()<<1 != 0 { // all but the sign
				n++
			}
		}
		return n
	}
	var none T
	for _, v := range values {
		if v != none {
			n++
		}
	}
	return n
}

func zero[T ndarray.Element](values []T) int64 { return int64(len(values)) - nonZero(values) }

// counts are numbers of items of a certain kind.
type counts[T ndarray.Element] struct {
	count func([]T) int64
	n     []int64
}

func (c *counts[T]) reset(n int) { c.n = cleared(c.n, n) }

func (c *counts[T]) row(cell int, values []T, _ int64) { c.n[cell] += c.count(values) }

func (c *counts[T]) column(cell int, values []T, _ int64) {
	for k := range values {
		c.n[cell+k] += c.count(values[k : k+1])
	}
}

func (c *counts[T]) repeat(cell int, value T, n, _ int64) { c.n[cell] += n * c.count([]T{value}) }

func (c *counts[T]) merge(from *counts[T]) {
	for i, n := range from.n {
		c.n[i] += n
	}
}
