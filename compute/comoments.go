package compute

import (
	"context"
	"fmt"
	"math"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
)

// Cov returns the covariance of the items of two arrays, computed in float64: the sum of the
// products of their distances from their means, divided by the number of items minus DDoF. NumPy
// and xarray take a DDoF of 1. b has the shape of a, or can be broadcast to it. If either item is
// NaN, so is the result, unless SkipNaN leaves out both. It is NaN for DDoF items or fewer.
func Cov(ctx context.Context, a, b ndarray.Source, o *Options) (ndarray.Array[float64], error) {
	return applyPairs(ctx, "covariance", covariance, a, b, nil, o)
}

// Corr returns Pearson's correlation coefficient of the items of two arrays, as [Cov] does. It is
// NaN if the items of one of them are all the same.
func Corr(ctx context.Context, a, b ndarray.Source, o *Options) (ndarray.Array[float64], error) {
	return applyPairs(ctx, "correlation", correlation, a, b, nil, o)
}

// Slope returns the slope of the line that fits items y at places x best, by least squares: how
// much y grows per unit of x. x has the shape of y, or can be broadcast to it; one dimension is
// that of the only axis in the options. nil means that the places are 0, 1, 2 and so on along that
// axis. If either is NaN, so is the result, unless SkipNaN leaves out both. It is NaN for fewer
// than two places.
func Slope(ctx context.Context, y, x ndarray.Source, o *Options) (ndarray.Array[float64], error) {
	return applyTrend(ctx, "slope", slope, y, x, o)
}

// Intercept returns the value that the line of [Slope] has at 0.
func Intercept(ctx context.Context, y, x ndarray.Source, o *Options) (ndarray.Array[float64], error) {
	return applyTrend(ctx, "intercept", intercept, y, x, o)
}

// PValue returns how likely the slope of [Slope] is to be as far from 0, in either direction, if y
// does not depend on x: the two-sided p-value of Student's t-test, as scipy.stats.linregress has
// it. It is NaN for fewer than two places.
func PValue(ctx context.Context, y, x ndarray.Source, o *Options) (ndarray.Array[float64], error) {
	return applyTrend(ctx, "p-value", pValue, y, x, o)
}

// applyTrend is applyPairs for the places of the items of y.
func applyTrend(ctx context.Context, what string, of func(m *comoment, ddof int) float64, y, x ndarray.Source,
	o *Options) (none ndarray.Array[float64], err error) {
	if o == nil {
		o = &Options{}
	}
	shape := y.Shape()
	axis, err := o.onlyAxis(len(shape))
	if x != nil && len(x.Shape()) != 1 {
		return applyPairs(ctx, what, of, y, x, nil, o)
	}
	if err != nil {
		return none, fmt.Errorf("%s: %w", what, err)
	}

	if x == nil {
		places := make([]float64, shape[axis])
		for i := range places {
			places[i] = float64(i)
		}
		if x, err = ndarray.FromSlice(places, ndarray.Shape{shape[axis]}, nil); err != nil {
			return none, err
		}
	}
	return applyPairs(ctx, what, of, y, x, []int{axis}, o)
}

// onlyAxis returns the axis along which items are reduced, or divided into groups.
func (o *Options) onlyAxis(dims int) (int, error) {
	axes := o.Axes
	for _, g := range o.Groups {
		axes = append(axes[:len(axes):len(axes)], g.axes()...)
	}
	if len(axes) == 0 && dims == 1 {
		axes = []int{0}
	}
	if len(axes) != 1 {
		return 0, fmt.Errorf("along %d axes, must be one: %w", len(axes), cairn.ErrBounds)
	}
	return axisNumber(axes[0], dims)
}

// applyPairs reduces the pairs of a source and a companion along some of its axes.
func applyPairs(ctx context.Context, what string, of func(m *comoment, ddof int) float64, a, b ndarray.Source,
	axes []int, o *Options) (none ndarray.Array[float64], err error) {
	if o == nil {
		o = &Options{}
	}
	if o.Weights != nil {
		return none, noWeights(what)
	}
	src, f, err := relatedFamily(ctx, what, a, b, axes, o.Memory)
	if err != nil {
		return none, err
	}

	return alone[float64](ctx, f.relate(of), src, o)
}

// relatedFamily returns the family of the pairs of two sources, and the source that it is of.
func relatedFamily(ctx context.Context, what string, a, b ndarray.Source, axes []int, memory int64) (
	ndarray.Source, family, error) {
	f, err := familyOf(a, what)
	if err != nil {
		return nil, f, err
	}
	if f.mean == nil {
		return nil, f, typeError(what, a.DType())
	}

	c, err := companionOf(ctx, what+" with items", b, axes, a.Shape(), nil)
	if err != nil {
		return nil, f, err
	}
	src, open, err := pairsOf(ctx, a, c, memory)
	return src, family{relate: func(of func(m *comoment, ddof int) float64) reduction {
		return reductionOf[pair]{open, func(s *setting) part[pair] {
			newCells := func() *comoments { return &comoments{skip: s.o.SkipNaN} }
			return partOf[pair](newCells, func(c *comoments, cell int, _ int64) (float64, error) {
				return of(&c.cell[cell], s.o.DDoF), nil
			})
		}}
	}}, err
}

// A comoment has the means of the items of pairs, and the sums of the products of their distances
// from these.
type comoment struct{ n, v, w, vv, ww, vw float64 }

func covariance(m *comoment, ddof int) float64 {
	if m.n <= float64(ddof) {
		return math.NaN()
	}
	return m.vw / (m.n - float64(ddof))
}

func correlation(m *comoment, _ int) float64 {
	if m.vv == 0 || m.ww == 0 || m.n < 2 {
		return math.NaN()
	}
	r := m.vw / (math.Sqrt(m.vv) * math.Sqrt(m.ww))
	return max(-1, min(1, r))
}

func slope(m *comoment, _ int) float64 {
	if m.ww == 0 || m.n < 2 {
		return math.NaN()
	}
	return m.vw / m.ww
}

func intercept(m *comoment, ddof int) float64 { return m.v - float64(slope(m, ddof)*m.w) }

func pValue(m *comoment, _ int) float64 {
	switch {
	case m.n < 2 || m.ww == 0 || m.vw != m.vw:
		return math.NaN()
	case m.vv == 0:
		return 1
	case m.n == 2:
		return 0 // as linregress has it for a line through two points that differ
	}
	// With t² = r²·df/(1-r²), the p-value is the regularized incomplete beta function of
	// df/(df+t²) = 1-r² with df/2 and 1/2.
	rest := 1 - float64(m.vw/m.vv)*(m.vw/m.ww)
	return incompleteBeta(max(0, min(1, rest)), (m.n-2)/2, 0.5)
}

// merge adds other pairs.
func (m *comoment) merge(o comoment) {
	if o.n == 0 {
		return
	}
	if m.n == 0 {
		*m = o
		return
	}

	n := m.n + o.n
	share := o.n / n
	dv := o.v - m.v
	dw := o.w - m.w

	// the conversions prevent fused multiply-add
	scale := share * m.n
	m.vv += o.vv + float64(dv*dv*scale)
	m.ww += o.ww + float64(dw*dw*scale)
	m.vw += o.vw + float64(dv*dw*scale)
	m.v += float64(dv * share)
	m.w += float64(dw * share)
	m.n = n
}

// comomentOf returns the comoment of a few pairs, in two passes.
func comomentOf(pairs []pair) (m comoment) {
	for _, p := range pairs {
		m.v += p.v
		m.w += p.w
	}
	m.n = float64(len(pairs))
	if m.n == 0 {
		return m
	}
	m.v /= m.n
	m.w /= m.n

	for _, p := range pairs {
		dv := p.v - m.v
		dw := p.w - m.w
		m.vv += float64(dv * dv)
		m.ww += float64(dw * dw)
		m.vw += float64(dv * dw)
	}
	return m
}

// comoments are comoments per cell.
type comoments struct {
	skip  bool
	cell  []comoment
	valid []pair
	parts [columnPart]comoment
}

func (c *comoments) reset(n int) { c.cell = zeroed(c.cell, n) }

func (c *comoments) row(cell int, values []pair, _ int64) {
	for len(values) > 0 {
		part := values[:min(leafItems, len(values))]
		values = values[len(part):]
		c.leaf(cell, part, 1)
	}
}

// leaf adds every step-th of some pairs.
func (c *comoments) leaf(cell int, pairs []pair, step int) {
	if step == 1 {
		m := comomentOf(pairs)
		if !c.skip || m.vw == m.vw {
			c.cell[cell].merge(m)
			return
		}
	}

	c.valid = c.valid[:0]
	for i := 0; i < len(pairs); i += step {
		if p := pairs[i]; !c.skip || p.v == p.v && p.w == p.w {
			c.valid = append(c.valid, p)
		}
	}
	c.cell[cell].merge(comomentOf(c.valid))
}

func (c *comoments) column(cell int, values []pair, at int64) {
	c.columns(cell, values, len(values), 1, len(values), at, 0)
}

func (c *comoments) columns(cell int, values []pair, width, rows, pitch int, _, _ int64) {
	for part := range columnParts(width, rows) {
		from := values[part.row*pitch+part.cell:]
		all := c.parts[:part.width]
		sumColumns(all, from, part.rows, pitch)

		for k, m := range all {
			if c.skip && m.vw != m.vw {
				c.leaf(cell+part.cell+k, from[k:min(len(from), k+(part.rows-1)*pitch+1)], pitch)
				continue
			}
			c.cell[cell+part.cell+k].merge(m)
		}
	}
}

// sumColumns sets comoments to those of one pair of each row, in two passes.
func sumColumns(all []comoment, values []pair, rows, pitch int) {
	clear(all)
	for row := range rows {
		for k, p := range values[row*pitch:][:len(all)] {
			all[k].v += p.v
			all[k].w += p.w
		}
	}
	for k := range all {
		m := &all[k]
		m.n = float64(rows)
		m.v /= m.n
		m.w /= m.n
	}

	for row := range rows {
		for k, p := range values[row*pitch:][:len(all)] {
			m := &all[k]
			dv := p.v - m.v
			dw := p.w - m.w
			m.vv += float64(dv * dv)
			m.ww += float64(dw * dw)
			m.vw += float64(dv * dw)
		}
	}
}

func (c *comoments) repeat(cell int, value pair, n, _ int64) {
	for range n {
		c.row(cell, []pair{value}, 0)
	}
}

func (c *comoments) merge(other cells[pair]) {
	for i, m := range other.(*comoments).cell {
		c.cell[i].merge(m)
	}
}

func (c *comoments) width() int { return 48 }

func (c *comoments) encode(b []byte) []byte {
	for _, of := range (&comoment{}).fields() {
		numbers := make([]float64, len(c.cell))
		for i := range c.cell {
			numbers[i] = *of(&c.cell[i])
		}
		b = appendNumbers(b, numbers)
	}
	return b
}

func (c *comoments) decode(b []byte) error {
	numbers := make([]float64, len(c.cell))
	for _, of := range (&comoment{}).fields() {
		b = takeNumbers(b, numbers)
		for i, v := range numbers {
			*of(&c.cell[i]) = v
		}
	}
	for _, m := range c.cell {
		if !(m.n >= 0) {
			return cairn.Corruptf("accumulators", -1, "%v pairs", m.n)
		}
	}
	return nil
}

// fields are the fields of a comoment in the order in which they are encoded.
func (*comoment) fields() []func(m *comoment) *float64 {
	return []func(m *comoment) *float64{
		func(m *comoment) *float64 { return &m.n },
		func(m *comoment) *float64 { return &m.v }, func(m *comoment) *float64 { return &m.w },
		func(m *comoment) *float64 { return &m.vv }, func(m *comoment) *float64 { return &m.ww },
		func(m *comoment) *float64 { return &m.vw },
	}
}
