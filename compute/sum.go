package compute

import (
	"context"
	"fmt"
	"math"
	"reflect"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/compute/internal/twosum"
	"github.com/cairn-go/cairn/internal/asm/totals"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/ndarray"
)

// Total is the set of types in which Sum and Prod accumulate.
type Total interface {
	int64 | uint64 | float64 | complex128
}

// realTotal are the real numbers among them.
type realTotal interface{ int64 | uint64 | float64 }

// Sum adds items in R. NumPy uses int64 for signed integers and bool, uint64 for unsigned integers,
// and the type itself for floats and complex numbers. Here R must be complex128 for complex numbers
// and float64 for floats; for other items it may be any real type. Integers wrap around. The sum of
// no items is 0.
func Sum[R Total](ctx context.Context, src ndarray.Source, o *Options) (ndarray.Array[R], error) {
	var in R
	return apply[R](ctx, src, o, fmt.Sprintf("sum in %T", in), func(f *family) reduction {
		if f.sum == nil {
			return nil
		}
		return f.sum(in)
	})
}

// sumFloats returns the reduction that adds in float64.
func sumFloats[T ndarray.Real](open openInput[T]) reduction {
	return sums(open, false, func(sum float64, _ int64) (float64, error) { return sum, nil })
}

// sum returns the reduction that adds in R. The bits of a sum that wraps around are those of int64
// for both.
func sum[R int64 | uint64, T ndarray.Real](open openInput[T]) reduction {
	return reductionOf[T]{open, func(*setting) part[T] {
		return partOf[T](func() *wrappingSums[T] { return &wrappingSums[T]{} },
			func(c *wrappingSums[T], cell int, _ int64) (R, error) { return R(c.sum[cell]), nil })
	}}
}

// Mean returns the mean of items, computed in float64. For no items the error matches
// [cairn.ErrBounds]; if SkipNaN skips all items the result is NaN.
func Mean(ctx context.Context, src ndarray.Source, o *Options) (ndarray.Array[float64], error) {
	return apply[float64](ctx, src, o, "mean", func(f *family) reduction { return f.mean })
}

func mean[T ndarray.Real](open openInput[T]) reduction {
	return sums(open, true, func(sum float64, n int64) (float64, error) {
		if n < 0 {
			return 0, errNoItems("mean")
		}
		return sum / float64(n), nil
	})
}

// sums returns a reduction whose result is computed from a sum and the number n of its items. The
// sum is as exact as a float64 can be. n is -1 if there are no items, and 0 if all were skipped, or
// a group has none. n is undefined unless counted is true.
func sums[R any, T ndarray.Real](open openInput[T], counted bool,
	result func(sum float64, n int64) (R, error)) reduction {
	return reductionOf[T]{open, func(s *setting) part[T] {
		least := int64(1)
		if s.grouped() {
			least = 0
		}
		known := func(n int64) int64 {
			if n < least {
				return -1
			}
			return n
		}

		if fitsInt64[T](s.items()) {
			return partOf[T](func() *wrappingSums[T] { return &wrappingSums[T]{} },
				func(c *wrappingSums[T], cell int, n int64) (R, error) {
					return result(float64(c.sum[cell]), known(n))
				})
		}

		skip := s.o.SkipNaN && isFloat[T]()

		newCells := func() *floatSums[T] { return &floatSums[T]{skip: skip, counted: skip && counted} }
		return partOf[T](newCells, func(c *floatSums[T], cell int, n int64) (R, error) {
			if c.counted && n > 0 {
				n = c.n[cell]
			} else {
				n = known(n)
			}
			return result(c.high[cell]+c.low[cell], n)
		})
	}}
}

// fitsInt64 reports whether the sum of so many items fits into an int64, which takes less memory
// than a FloatSum and is as exact.
func fitsInt64[T ndarray.Real](items int64) bool {
	t := reflect.TypeFor[T]()
	switch t.Kind() {
	case reflect.Int8, reflect.Uint8, reflect.Int16, reflect.Uint16, reflect.Int32, reflect.Uint32:
		return items <= math.MaxInt64>>t.Bits()
	}
	return false
}

func errNoItems(what string) error { return fmt.Errorf("%s of no items: %w", what, cairn.ErrBounds) }

func isFloat[T any]() bool {
	k := reflect.TypeFor[T]().Kind()
	return k == reflect.Float32 || k == reflect.Float64
}

// A FloatSum is a sum with twice the precision of a float64. The zero value is 0. The sums of parts
// can be merged. The order of additions may affect the last bit of the doubled precision, and so
// hardly ever the value.
type FloatSum struct{ high, low float64 }

// Add adds v.
func (s *FloatSum) Add(v float64) { s.high, s.low = twosum.Add(s.high, s.low, v) }

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

// leafItems is the number of items that are added in plain float64: in eight partial sums of an
// eighth each, which processors compute in parallel.
const leafItems = 1024

// floatSums are sums of twice the precision of float64.
type floatSums[T ndarray.Real] struct {
	skip, counted bool // whether to ignore NaN, and whether to count the other items
	high, low     []float64
	n             []int64
	part          [columnPart]float64
}

func (c *floatSums[T]) reset(n int) {
	c.high, c.low = zeroed(c.high, n), zeroed(c.low, n)
	if c.counted {
		c.n = zeroed(c.n, n)
	}
}

func (c *floatSums[T]) count(cell int, n int64) {
	if c.counted {
		c.n[cell] += n
	}
}

func (c *floatSums[T]) row(cell int, values []T, _ int64) {
	high := c.high[cell]
	low := c.low[cell]

	for len(values) > 0 {
		part := values[:min(leafItems, len(values))]
		values = values[len(part):]
		sum := sumLeaf(part)
		n := len(part)

		if c.skip && sum != sum {
			sum, n = sumNumbers(part, 1)
		}

		high, low = twosum.Add(high, low, sum)
		c.count(cell, int64(n))
	}

	c.high[cell] = high
	c.low[cell] = low
}

func (c *floatSums[T]) column(cell int, values []T, _ int64) {
	c.columns(cell, values, len(values), 1, len(values), 0, 0)
}

func (c *floatSums[T]) columns(cell int, values []T, width, rows, pitch int, _, _ int64) {
	for part := range columnParts(width, rows) {
		c.columnPart(cell+part.cell, values[part.row*pitch+part.cell:], part.width, part.rows, pitch)
	}
}

// columnPart adds at most columnRows rows to at most columnPart cells.
func (c *floatSums[T]) columnPart(cell int, values []T, width, rows, pitch int) {
	part := c.part[:width]
	high := c.high[cell:][:width]
	low := c.low[cell:][:width]

	clear(part)
	addColumns(part, values, rows, pitch)

	if c.counted {
		n := c.n[cell:][:width]
		for k := range n {
			n[k] += int64(rows)
		}
	}
	if c.skip {
		for k, sum := range part {
			if sum != sum {
				n := 0
				part[k], n = sumNumbers(values[k:min(len(values), k+(rows-1)*pitch+1)], pitch)
				c.count(cell+k, int64(n-rows))
			}
		}
	}
	totals.Twice(high, low, part)
}

func (c *floatSums[T]) repeat(cell int, value T, n, _ int64) {
	if c.skip && value != value {
		return
	}

	s := FloatSum{c.high[cell], c.low[cell]}
	s.AddN(float64(value), n)
	c.high[cell] = s.high
	c.low[cell] = s.low
	c.count(cell, n)
}

func (c *floatSums[T]) merge(other cells[T]) {
	from := other.(*floatSums[T])
	totals.Twice(c.high, c.low, from.high)
	for i, low := range from.low {
		c.low[i] += low
	}

	for i, n := range from.n {
		c.n[i] += n
	}
}

// sumLeaf adds at most leaf items.
func sumLeaf[T ndarray.Real](values []T) float64 {
	switch values := any(values).(type) {
	case []float32:
		return totals.Floats(values)
	case []float64:
		return totals.Floats(values)
	}

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

// sumNumbers adds every step-th item that is not NaN, in eight partial sums, and counts them.
func sumNumbers[T ndarray.Real](values []T, step int) (sum float64, n int) {
	var s [8]float64
	for i := 0; i < len(values); i += step {
		if v := values[i]; v == v {
			s[n%8] += float64(v)
			n++
		}
	}
	return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7])), n
}

// intSum returns the sum of values modulo 2⁶⁴ if they are of a type that [totals.Ints] takes.
func intSum[T ndarray.Real](values []T) (sum int64, ok bool) {
	switch values := any(values).(type) {
	case []int8:
		return totals.Ints(values), true
	case []uint8:
		return totals.Ints(values), true
	case []int16:
		return totals.Ints(values), true
	case []uint16:
		return totals.Ints(values), true
	case []int32:
		return totals.Ints(values), true
	case []uint32:
		return totals.Ints(values), true
	}
	return 0, false
}

// wrappingSums are sums that wrap around on overflow.
type wrappingSums[T ndarray.Real] struct{ sum []int64 }

func (c *wrappingSums[T]) reset(n int) { c.sum = zeroed(c.sum, n) }

func (c *wrappingSums[T]) row(cell int, values []T, _ int64) {
	if sum, ok := intSum(values); ok {
		c.sum[cell] += sum
		return
	}

	var p, q, r, s int64
	for ; len(values) >= 8; values = values[8:] {
		v := (*[8]T)(values)
		p, q = p+int64(v[0])+int64(v[4]), q+int64(v[1])+int64(v[5])
		r, s = r+int64(v[2])+int64(v[6]), s+int64(v[3])+int64(v[7])
	}

	for _, v := range values {
		p += int64(v)
	}
	c.sum[cell] += p + q + r + s
}

func (c *wrappingSums[T]) column(cell int, values []T, _ int64) {
	addColumns(c.sum[cell:][:len(values)], values, 1, len(values))
}

func (c *wrappingSums[T]) columns(cell int, values []T, width, rows, pitch int, _, _ int64) {
	addColumns(c.sum[cell:][:width], values, rows, pitch)
}

func (c *wrappingSums[T]) repeat(cell int, value T, n, _ int64) { c.sum[cell] += int64(value) * n }

func (c *wrappingSums[T]) merge(other cells[T]) {
	from := other.(*wrappingSums[T])
	for i, v := range from.sum {
		c.sum[i] += v
	}
}

// zeroed returns n zeros, reusing b if its capacity suffices.
func zeroed[E any](b []E, n int) []E {
	b = slab.Resize(b, n)
	clear(b)
	return b
}
