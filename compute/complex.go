package compute

import "math"

// sumComplex sums complex numbers. With SkipNaN, items with NaN in either part are ignored.
func sumComplex[T complex64 | complex128]() reduction {
	return reductionOf[T]{plainInput[T], func(s *setting) part[T] {
		newCells := func() *complexSums[T] { return &complexSums[T]{skip: s.o.SkipNaN} }
		return partOf[T](newCells, func(c *complexSums[T], cell int, _ int64) (complex128, error) {
			return complex(c.re.high[cell]+c.re.low[cell], c.im.high[cell]+c.im.low[cell]), nil
		})
	}}
}

// complexSums are sums of complex numbers, with separate parts.
type complexSums[T complex64 | complex128] struct {
	skip           bool
	re, im         floatSums[float64]
	rePart, imPart [leafItems]float64
}

func (c *complexSums[T]) reset(n int) {
	c.re.reset(n)
	c.im.reset(n)
}

// parts splits values into real and imaginary parts. Skipped values become 0.
func (c *complexSums[T]) parts(values []T) (re, im []float64) {
	for k, v := range values {
		w := complex128(v)
		if c.skip && (math.IsNaN(real(w)) || math.IsNaN(imag(w))) {
			w = 0
		}

		c.rePart[k] = real(w)
		c.imPart[k] = imag(w)
	}
	return c.rePart[:len(values)], c.imPart[:len(values)]
}

// split calls do with the parts of up to leaf values at a time.
func (c *complexSums[T]) split(values []T, do func(from int, re, im []float64)) {
	for from := 0; from < len(values); from += leafItems {
		re, im := c.parts(values[from:min(from+leafItems, len(values))])
		do(from, re, im)
	}
}

func (c *complexSums[T]) row(cell int, values []T, at int64) {
	c.split(values, func(_ int, re, im []float64) {
		c.re.row(cell, re, at)
		c.im.row(cell, im, at)
	})
}

func (c *complexSums[T]) column(cell int, values []T, at int64) {
	c.split(values, func(from int, re, im []float64) {
		c.re.column(cell+from, re, at)
		c.im.column(cell+from, im, at)
	})
}

func (c *complexSums[T]) repeat(cell int, value T, n, at int64) {
	re, im := c.parts([]T{value})
	c.re.repeat(cell, re[0], n, at)
	c.im.repeat(cell, im[0], n, at)
}

func (c *complexSums[T]) merge(other cells[T]) {
	from := other.(*complexSums[T])
	c.re.merge(&from.re)
	c.im.merge(&from.im)
}
