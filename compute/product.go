package compute

import (
	"context"
	"fmt"
	"math"
	"reflect"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
)

// Prod multiplies items in R; see [Sum] for the choice of R. The product of no items is 1. Each factor of a float adds at most 2⁻⁵³ to the relative error.
func Prod[R Total](ctx context.Context, src ndarray.Source, o *Options) (ndarray.Array[R], error) {
	r, err := realsOf(src, "product")
	if err != nil {
		return ndarray.Array[R]{}, err
	}
	return total[R](ctx, src, o, r.prodInt64, r.prodUint64, r.prodFloat64)
}

func (reals[T]) prodInt64(ctx context.Context, src ndarray.Source, o *Options) (ndarray.Array[int64], error) {
	return product[int64, T](ctx, src, o)
}

func (reals[T]) prodUint64(ctx context.Context, src ndarray.Source, o *Options) (ndarray.Array[uint64], error) {
	return product[uint64, T](ctx, src, o)
}

func (reals[T]) prodFloat64(ctx context.Context, src ndarray.Source, o *Options) (ndarray.Array[float64], error) {
	return product[float64, T](ctx, src, o)
}

func product[R Total, T ndarray.Real](ctx context.Context, src ndarray.Source, o *Options) (ndarray.Array[R], error) {
	o = o.orDefault()
	if isFloat[T]() && !isFloat[R]() {
		return ndarray.Array[R]{}, fmt.Errorf("product of %v in %v: %w", reflect.TypeFor[T](), reflect.TypeFor[R](), cairn.ErrType)
	}
	return reduce[T](ctx, src, o, false, func() *products[T, R] { return &products[T, R]{skip: o.SkipNaN} },
		func(c *products[T, R], cell int) (R, error) { return c.product[cell], nil })
}

// products are products; integers wrap around.
type products[T ndarray.Real, R Total] struct {
	skip    bool
	product []R
}

func (c *products[T, R]) reset(n int) {
	c.product = cleared(c.product, n)
	for i := range c.product {
		c.product[i] = 1
	}
}

func (c *products[T, R]) row(cell int, values []T, _ int64) {
	p := c.product[cell]
	for _, v := range values {
		if c.skip && v != v {
			continue
		}
		p *= R(v)
	}
	c.product[cell] = p
}

func (c *products[T, R]) column(cell int, values []T, at int64) {
	for k := range values {
		c.row(cell+k, values[k:k+1], at)
	}
}

func (c *products[T, R]) repeat(cell int, value T, n, _ int64) {
	if c.skip && value != value {
		return
	}
	if isFloat[R]() {
		c.product[cell] *= R(math.Pow(float64(value), float64(n)))
		return
	}
	for base := R(value); n > 0; n >>= 1 {
		if n&1 == 1 {
			c.product[cell] *= base
		}
		base *= base
	}
}

func (c *products[T, R]) merge(from *products[T, R]) {
	for i, p := range from.product {
		c.product[i] *= p
	}
}
