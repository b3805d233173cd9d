package compute

import (
	"context"

	"github.com/cairn-go/cairn/ndarray"
)

// CountNonZero counts the items that are not 0 or false. NaN counts as not 0.
func CountNonZero(ctx context.Context, src ndarray.Source, o *Options) (ndarray.Array[int64], error) {
	return apply[int64](ctx, src, o, "count", func(f *family) reduction { return f.count })
}

// CountNaN counts NaN, NaT, and complex numbers with NaN in either part.
func CountNaN(ctx context.Context, src ndarray.Source, o *Options) (ndarray.Array[int64], error) {
	return apply[int64](ctx, src, o, "count of NaN", func(f *family) reduction { return f.countNaN })
}

// Any reports whether any item is not 0 or false. For no items the result is false.
func Any(ctx context.Context, src ndarray.Source, o *Options) (ndarray.Array[bool], error) {
	return apply[bool](ctx, src, o, "any", func(f *family) reduction { return f.any })
}

// All reports whether all items are not 0 or false. For no items the result is true.
func All(ctx context.Context, src ndarray.Source, o *Options) (ndarray.Array[bool], error) {
	return apply[bool](ctx, src, o, "all", func(f *family) reduction { return f.all })
}

// valid counts the items that one does not report as missing.
func valid[T any](missing func(T) bool) func([]T) int64 {
	return func(values []T) int64 { return int64(len(values)) - countOf(values, missing) }
}

func count[T any](open openInput[T], of func([]T) int64) reduction {
	return counted(open, of, func(n int64) int64 { return n })
}

func anyOf[T comparable](open openInput[T]) reduction {
	return reductionOf[T]{open, func(s *setting) part[T] {
		of := nonZero[T]
		if s.o.SkipNaN {
			of = nonZeroNumber[T]
		}
		return partOf[T](func() *counts[T] { return &counts[T]{count: of} },
			func(c *counts[T], cell int, _ int64) (bool, error) { return c.n[cell] > 0, nil })
	}}
}

func allOf[T comparable](open openInput[T]) reduction {
	return counted(open, zero[T], func(n int64) bool { return n == 0 })
}

// counted returns a reduction that counts items and converts the counts.
func counted[T, R any](open openInput[T], of func([]T) int64, result func(n int64) R) reduction {
	return reductionOf[T]{open, func(*setting) part[T] {
		return partOf[T](func() *counts[T] { return &counts[T]{count: of} },
			func(c *counts[T], cell int, _ int64) (R, error) { return result(c.n[cell]), nil })
	}}
}

func nonZero[T comparable](values []T) (n int64) {
	var none T
	for _, v := range values {
		if v != none {
			n++
		}
	}
	return n
}

// nonZeroNumber counts items that are neither 0 nor NaN.
func nonZeroNumber[T comparable](values []T) (n int64) {
	var none T
	for _, v := range values {
		if v != none && v == v { // as NaN does not
			n++
		}
	}
	return n
}

func zero[T comparable](values []T) int64 { return int64(len(values)) - nonZero(values) }

// counts are the numbers of items that count returns.
type counts[T any] struct {
	count func([]T) int64
	n     []int64
}

func (c *counts[T]) reset(n int) { c.n = zeroed(c.n, n) }

func (c *counts[T]) row(cell int, values []T, _ int64) { c.n[cell] += c.count(values) }

func (c *counts[T]) column(cell int, values []T, _ int64) {
	for k := range values {
		c.n[cell+k] += c.count(values[k : k+1])
	}
}

func (c *counts[T]) repeat(cell int, value T, n, _ int64) { c.n[cell] += n * c.count([]T{value}) }

func (c *counts[T]) merge(other cells[T]) {
	from := other.(*counts[T])
	for i, n := range from.n {
		c.n[i] += n
	}
}
