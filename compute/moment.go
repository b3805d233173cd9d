package compute

import (
	"context"
	"math"

	"github.com/cairn-go/cairn/ndarray"
)

// Var returns the variance of items, computed in float64: the sum of the squared distances from the
// mean, divided by the number of items minus DDoF. For DDoF items or fewer the error matches
// [cairn.ErrBounds]; if SkipNaN leaves that few of more items, the result is NaN.
func Var(ctx context.Context, src ndarray.Source, o *Options) (ndarray.Array[float64], error) {
	return apply[float64](ctx, src, o, "variance", func(f *family) reduction { return f.variance })
}

// Std returns the standard deviation of items, the square root of [Var].
func Std(ctx context.Context, src ndarray.Source, o *Options) (ndarray.Array[float64], error) {
	return apply[float64](ctx, src, o, "standard deviation", func(f *family) reduction { return f.std })
}

// variance returns a reduction that converts variances by of.
func variance[T ndarray.Real](open openInput[T], of func(float64) float64) reduction {
	return reductionOf[T]{open, func(s *setting) part[T] {
		o := s.o
		newCells := func() *moments[T] { return &moments[T]{skip: s.o.SkipNaN} }
		return partOf[T](newCells, func(c *moments[T], cell int, _ int64) (float64, error) {
			m := c.cell[cell]
			switch {
			case m.N+c.nan[cell] <= int64(o.DDoF) && !s.grouped():
				return 0, errNoItems("variance")
			case m.N <= int64(o.DDoF):
				return math.NaN(), nil
			}
			return of(m.Var(o.DDoF)), nil
		})
	}}
}

// Moments are the number, mean and spread of items. The zero value is that of no items. The moments
// of parts can be merged.
type Moments struct {
	N    int64
	Mean float64
	M2   float64 // sum of the squared distances from the mean
}

// Var returns the variance with divisor N-ddof.
func (m *Moments) Var(ddof int) float64 { return m.M2 / float64(m.N-int64(ddof)) }

// Add adds one item.
func (m *Moments) Add(v float64) { m.Merge(repeatedMoments(v, 1)) }

// Merge adds the items of other.
func (m *Moments) Merge(other Moments) {
	if other.N == 0 {
		return
	}

	if m.N == 0 {
		*m = other
		return
	}

	n := m.N + other.N
	delta := other.Mean - m.Mean
	share := float64(other.N) / float64(n)

	// the conversions prevent fused multiply-add
	m.M2 += other.M2 + float64(delta*delta*share*float64(m.N))
	if mean := m.Mean + float64(delta*share); delta-delta == 0 {
		m.Mean = mean
	} else { // delta is infinite or NaN, but the mean may be infinite
		m.Mean = float64(m.Mean*(1-share)) + float64(other.Mean*share)
	}

	m.N = n
}

// repeatedMoments returns the moments of n items equal to v.
func repeatedMoments(v float64, n int64) Moments {
	m := Moments{N: n, Mean: v}
	if v-v != 0 { // NaN or infinite, so the distances are NaN
		m.M2 = math.NaN()
	}
	return m
}

// momentsOf returns the moments of values, in two passes. With skip, NaN is ignored.
func momentsOf[T ndarray.Real](values []T, skip bool) (m Moments) {
	var sum FloatSum
	rest := values
	for len(rest) > 0 {
		part := rest[:min(leafItems, len(rest))]
		rest = rest[len(part):]

		s := sumLeaf(part)
		n := len(part)
		if skip && s != s {
			s, n = sumNumbers(part, 1)
		}

		sum.Add(s)
		m.N += int64(n)
	}

	if m.N == 0 {
		return m
	}
	m.Mean = sum.Value() / float64(m.N)

	if m.N == int64(len(values)) {
		m.M2 = squares(values, m.Mean)
		return m
	}

	for _, v := range values {
		if v == v {
			d := float64(v) - m.Mean
			m.M2 += float64(d * d)
		}
	}
	return m
}

// squares returns the sum of the squared distances from mean.
func squares[T ndarray.Real](values []T, mean float64) float64 {
	var a, b, c, d float64
	for ; len(values) >= 4; values = values[4:] {
		v := (*[4]T)(values)
		p := float64(v[0]) - mean
		q := float64(v[1]) - mean
		r := float64(v[2]) - mean
		s := float64(v[3]) - mean
		// The conversions prevent fused multiply-add, which would round differently on some
		// processors.
		a, b, c, d = a+float64(p*p), b+float64(q*q), c+float64(r*r), d+float64(s*s)
	}

	for _, v := range values {
		p := float64(v) - mean
		a += float64(p * p)
	}
	return (a + b) + (c + d)
}

// moments are Moments per cell.
type moments[T ndarray.Real] struct {
	skip bool
	cell []Moments
	nan  []int64 // number of skipped items

	means, squares [columnPart]float64
}

func (c *moments[T]) reset(n int) { c.cell, c.nan = zeroed(c.cell, n), zeroed(c.nan, n) }

func (c *moments[T]) row(cell int, values []T, _ int64) {
	m := momentsOf(values, c.skip)
	c.nan[cell] += int64(len(values)) - m.N
	c.cell[cell].Merge(m)
}

func (c *moments[T]) column(cell int, values []T, _ int64) {
	c.columns(cell, values, len(values), 1, len(values), 0, 0)
}

func (c *moments[T]) columns(cell int, values []T, width, rows, pitch int, _, _ int64) {
	for part := range columnParts(width, rows) {
		c.columnPart(cell+part.cell, values[part.row*pitch+part.cell:], part.width, part.rows, pitch)
	}
}

// columnPart adds at most columnRows rows to at most columnPart cells, in two passes.
func (c *moments[T]) columnPart(cell int, values []T, width, rows, pitch int) {
	means := c.means[:width]
	squares := c.squares[:width]
	clear(means)
	clear(squares)

	addColumns(means, values, rows, pitch)
	for k := range means {
		means[k] /= float64(rows)
	}

	addSquares(squares, means, values, rows, pitch)

	for k, mean := range means {
		if c.skip && mean != mean {
			c.skipColumn(cell+k, values[k:], rows, pitch)
			continue
		}
		c.cell[cell+k].Merge(Moments{int64(rows), mean, squares[k]})
	}
}

// skipColumn adds the first item of each of at most columnRows rows to a cell, except for NaN.
func (c *moments[T]) skipColumn(cell int, values []T, rows, pitch int) {
	var column [columnRows]T
	for row := range rows {
		column[row] = values[row*pitch]
	}
	c.row(cell, column[:rows], 0)
}

func (c *moments[T]) repeat(cell int, value T, n, _ int64) {
	if c.skip && value != value {
		c.nan[cell] += n
		return
	}
	c.cell[cell].Merge(repeatedMoments(float64(value), n))
}

func (c *moments[T]) merge(other cells[T]) {
	from := other.(*moments[T])
	for i := range c.cell {
		c.cell[i].Merge(from.cell[i])
		c.nan[i] += from.nan[i]
	}
}
