package compute

import (
	"context"
	"fmt"
	"math"

	"github.com/cairn-go/cairn/ndarray"
)

// Prod multiplies items in R; see [Sum] for the choice of R. Complex numbers are not supported. The
// product of no items is 1. Integers wrap around. Each float factor adds at most 2⁻⁵³ to the
// relative error.
func Prod[R Total](ctx context.Context, src ndarray.Source, o *Options) (ndarray.Array[R], error) {
	var in R
	return apply[R](ctx, src, o, fmt.Sprintf("product in %T", in), func(f *family) reduction {
		if f.product == nil {
			return nil
		}
		return f.product(in)
	})
}

// product returns the reduction that multiplies in P, with the result in R. The bits of a product
// that wraps around are the same for int64 and uint64.
func product[P int64 | float64, R realTotal, T ndarray.Real](open openInput[T]) reduction {
	return reductionOf[T]{open, func(s *setting) part[T] {
		return partOf[T](func() *products[T, P] { return &products[T, P]{skip: s.o.SkipNaN} },
			func(c *products[T, P], cell int, _ int64) (R, error) { return R(c.product[cell]), nil })
	}}
}

// products are the products per cell.
type products[T ndarray.Real, R int64 | float64] struct {
	skip    bool
	product []R
}

func (c *products[T, R]) reset(n int) {
	c.product = zeroed(c.product, n)
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

func (c *products[T, R]) merge(other cells[T]) {
	from := other.(*products[T, R])
	for i, p := range from.product {
		c.product[i] *= p
	}
}
