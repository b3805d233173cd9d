package compute

import (
	"context"
	"fmt"
	"math"
	"reflect"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
)

// Total is the set of types in which Sum and Prod add up and multiply.
type Total interface{ int64 | uint64 | float64 }

// Sum adds items up in R. NumPy's choice is int64 for signed integers, uint64 for unsigned ones, and T itself for floats, where float64 is used here. Integers
// wrap around. The sum of no items is 0. R must be float64 if T is a float.
func Sum[R Total, T ndarray.Real](ctx context.Context, src ndarray.Source[T], o *Options) (ndarray.Array[R], error) {
	o = o.orDefault()
	if isFloat[R]() {
		return reduce(ctx, src, o, false, func() *floatSums[T] { return &floatSums[T]{skip: o.SkipNaN} },
			func(c *floatSums[T], cell int) (R, error) { return R(c.at(cell).Value()), nil })
	}
	if isFloat[T]() {
		return ndarray.Array[R]{}, fmt.Errorf("sum of %v in %v: %w", reflect.TypeFor[T](), reflect.TypeFor[R](), cairn.ErrType)
	}
	return reduce(ctx, src, o, false, func() *wrappingSums[T, R] { return &wrappingSums[T, R]{} },
		func(c *wrappingSums[T, R], cell int) (R, error) { return c.sum[cell], nil })
}

// Mean returns the mean of items, computed in float64 whatever T is. The mean of no items is an error matching [cairn.ErrBounds]; where SkipNaN leaves
// none of some it is NaN.
func Mean[T ndarray.Real](ctx context.Context, src ndarray.Source[T], o *Options) (ndarray.Array[float64], error) {
	o = o.orDefault()
	return reduce(ctx, src, o, false, func() *floatSums[T] { return &floatSums[T]{skip: o.SkipNaN} },
		func(c *floatSums[T], cell int) (float64, error) {
			if c.n[cell]+c.nan[cell] == 0 {
				return 0, errNoItems("mean")
			}
			return c.at(cell).Value() / float64(c.n[cell]), nil
		})
}

// CountNaN counts NaN; see [CountNonZero] about the rest.
func CountNaN[T ndarray.Real](ctx context.Context, src ndarray.Source[T], o *Options) (ndarray.Array[int64], error) {
	return count(ctx, src, o, func(values []T) (n int64) {
		for _, v := range values {
			if v != v {
				n++
			}
		}
		return n
	})
}

func errNoItems(what string) error { return fmt.Errorf("%s of no items: %w", what, cairn.ErrBounds) }

func isFloat[T any]() bool {
	k := reflect.TypeFor[T]().Kind()
	return k == reflect.Float32 || k == reflect.Float64
}

// A FloatSum is a sum in twice the precision of a float64. The zero value is 0. It is mergeable: sums of parts may be added to each other. Adding in another order
// can change the last bit of twice the precision, hardly ever one of the value.
type FloatSum struct{ high, low float64 }

// Add adds v.
func (s *FloatSum) Add(v float64) { s.high, s.low = addTo(s.high, s.low, v) }

// AddN adds v n times.
func (s *FloatSum) AddN(v float64, n int64) {
	if n == 0 {
		return
	}
	product := v * float64(n)
	s.Add(product)
	if rest := math.FMA(v, float64(n), -product); !math.IsNaN(rest) && !math.IsInf(rest, 0) {
		s.low += rest
	}
}

// Merge adds another sum.
func (s *FloatSum) Merge(other FloatSum) {
	s.Add(other.high)
	s.low += other.low
}

// Value returns the sum.
func (s *FloatSum) Value() float64 { return s.high + s.low }

// addTo adds v to a sum and what its rounding has lost so far. Where the sum is no number nothing is lost.
func addTo(high, low, v float64) (float64, float64) {
	sum := high + v
	part := sum - high
	lost := (high - (sum - part)) + (v - part)
	if lost != lost {
		return sum, low
	}
	return sum, low + lost
}

// leaf is how many items are added plainly: in eight sums, which processors add at the same time, of an eighth each.
const leaf = 1024

// floatSums are sums in float64.
type floatSums[T ndarray.Real] struct {
	skip      bool
	high, low []float64
	n, nan    []int64 // how many were added, and left out
}

func (c *floatSums[T]) reset(n int) {
	c.high, c.low, c.n, c.nan = cleared(c.high, n), cleared(c.low, n), cleared(c.n, n), cleared(c.nan, n)
}

func (c *floatSums[T]) at(cell int) *FloatSum { return &FloatSum{c.high[cell], c.low[cell]} }

func (c *floatSums[T]) row(cell int, values []T, _ int64) {
	high, low := c.high[cell], c.low[cell]
	for len(values) > 0 {
		part := values[:min(leaf, len(values))]
		values = values[len(part):]
		sum, n := sumLeaf(part), len(part)
		if c.skip && sum != sum {
			sum, n = sumNumbers(part)
			c.nan[cell] += int64(len(part) - n)
		}
		high, low = addTo(high, low, sum)
		c.n[cell] += int64(n)
	}
	c.high[cell], c.low[cell] = high, low
}

func (c *floatSums[T]) column(cell int, values []T, _ int64) {
	high, low, counts := c.high[cell:][:len(values)], c.low[cell:][:len(values)], c.n[cell:][:len(values)]
	for k, v := range values {
		if c.skip && v != v {
			c.nan[cell+k]++
			continue
		}
		high[k], low[k] = addTo(high[k], low[k], float64(v))
		counts[k]++
	}
}

func (c *floatSums[T]) repeat(cell int, value T, n, _ int64) {
	if c.skip && value != value {
		c.nan[cell] += n
		return
	}
	s := c.at(cell)
	s.AddN(float64(value), n)
	c.high[cell], c.low[cell] = s.high, s.low
	c.n[cell] += n
}

func (c *floatSums[T]) merge(from *floatSums[T]) {
	for i := range c.high {
		c.high[i], c.low[i] = addTo(c.high[i], c.low[i], from.high[i])
		c.low[i] += from.low[i]
		c.n[i] += from.n[i]
		c.nan[i] += from.nan[i]
	}
}

// sumLeaf adds up to leaf items.
func sumLeaf[T ndarray.Real](values []T) float64 {
	var a, b, c, d, e, f, g, h float64
	for ; len(values) >= 8; values = values[8:] {
		v := (*[8]T)(values)
		a, b, c, d = a+float64(v[0]), b+float64(v[1]), c+float64(v[2]), d+float64(v[3])
		e, f, g, h = e+float64(v[4]), f+float64(v[5]), g+float64(v[6]), h+float64(v[7])
	}
	for _, v := range values {
		a += float64(v)
	}
	return ((a + b) + (c + d)) + ((e + f) + (g + h))
}

// sumNumbers is sumLeaf without NaN. It also returns how many there are.
func sumNumbers[T ndarray.Real](values []T) (sum float64, n int) {
	for _, v := range values {
		if v == v {
			sum += float64(v)
			n++
		}
	}
	return sum, n
}

// wrappingSums are sums of integers.
type wrappingSums[T ndarray.Real, R Total] struct{ sum []R }

func (c *wrappingSums[T, R]) reset(n int) { c.sum = cleared(c.sum, n) }

func (c *wrappingSums[T, R]) row(cell int, values []T, _ int64) {
	var p, q, r, s R
	for ; len(values) >= 8; values = values[8:] {
		v := (*[8]T)(values)
		p, q, r, s = p+R(v[0])+R(v[4]), q+R(v[1])+R(v[5]), r+R(v[2])+R(v[6]), s+R(v[3])+R(v[7])
	}
	for _, v := range values {
		p += R(v)
	}
	c.sum[cell] += p + q + r + s
}

func (c *wrappingSums[T, R]) column(cell int, values []T, _ int64) {
	sums := c.sum[cell:][:len(values)]
	for k, v := range values {
		sums[k] += R(v)
	}
}

func (c *wrappingSums[T, R]) repeat(cell int, value T, n, _ int64) { c.sum[cell] += R(value) * R(n) }

func (c *wrappingSums[T, R]) merge(from *wrappingSums[T, R]) {
	for i, v := range from.sum {
		c.sum[i] += v
	}
}

// cleared returns n zeros, in b's memory if they fit.
func cleared[E any](b []E, n int) []E {
	if cap(b) < n {
		return make([]E, n)
	}
	b = b[:n]
	clear(b)
	return b
}
