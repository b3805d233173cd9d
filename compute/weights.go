package compute

import (
	"context"
	"fmt"
	"math"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/compute/internal/twosum"
	"github.com/cairn-go/cairn/internal/errkind"
	"github.com/cairn-go/cairn/ndarray"
)

// Weights give items of an array a weight each: areas of cells, lengths of months, probabilities.
//
// A mean is the sum of the items times their weights, divided by the sum of the weights; a variance
// is the mean of the squared distances from the mean. Items that are skipped do not count with
// their weights either. Without a weight that is not 0, means and variances are NaN, and sums 0.
// These are the rules of xarray's weighted and, for missing items, of CDO's fldmean. Weights that
// are negative, infinite or NaN are refused with [cairn.ErrInvalid].
type Weights struct {
	Of ndarray.Source // real numbers, which are computed with as float64
	// Axes are the dimensions of the array that Of has, in its order. nil means the last ones, as
	// in broadcasting. Extents are those of the array, or 1.
	Axes []int
}

// open opens weights for an array of some shape.
func (w *Weights) open(ctx context.Context, shape ndarray.Shape) (*companion, error) {
	return companionOf(ctx, "weights", w.Of, w.Axes, shape, fitWeights)
}

func fitWeights(values []float64) error {
	for _, w := range values {
		if !(w >= 0) || w > math.MaxFloat64 {
			return errkind.Invalid(fmt.Errorf("a weight is %v, must be a number that is not negative; "+
				"give 0 to items that do not count: %w", w, cairn.ErrBounds))
		}
	}
	return nil
}

// weighted returns the family of the items of a source with weights, and the source whose items
// they are.
func (w *Weights) family(ctx context.Context, src ndarray.Source, f *family, memory int64) (ndarray.Source, family, error) {
	if f.mean == nil {
		return src, family{}, nil // so that the operation is not possible
	}
	c, err := w.open(ctx, src.Shape())
	if err != nil {
		return nil, family{}, err
	}
	src, open, err := pairsOf(ctx, src, c, memory)
	if err != nil {
		return nil, family{}, err
	}

	return src, family{
		mean:     weightedSums(open, true),
		variance: weightedVariance(open, func(v float64) float64 { return v }),
		std:      weightedVariance(open, math.Sqrt),
		sum: func(in any) reduction {
			if _, ok := in.(float64); !ok {
				return nil
			}
			return weightedSums(open, false)
		},
		weighted: true,
	}, nil
}

// weightedSums returns the reduction to the sum of items times weights, or to the mean.
func weightedSums(open openInput[pair], mean bool) reduction {
	return reductionOf[pair]{open, func(s *setting) part[pair] {
		newCells := func() *pairSums { return &pairSums{skip: s.o.SkipNaN} }
		return partOf[pair](newCells, func(c *pairSums, cell int, n int64) (float64, error) {
			sum := c.high[cell] + c.low[cell]
			weight := c.weight[cell] + c.rest[cell]
			switch {
			case !mean:
				return sum, nil
			case n == 0 && !s.grouped():
				return 0, errNoItems("mean")
			case weight == 0:
				return math.NaN(), nil
			}
			return sum / weight, nil
		})
	}}
}

// pairSums are sums of items times weights and of the weights, in twice the precision of float64.
type pairSums struct {
	skip         bool // whether to ignore NaN
	high, low    []float64
	weight, rest []float64
	parts        [columnPart]pair
}

func (c *pairSums) reset(n int) {
	c.high, c.low = zeroed(c.high, n), zeroed(c.low, n)
	c.weight, c.rest = zeroed(c.weight, n), zeroed(c.rest, n)
}

func (c *pairSums) add(cell int, sum, weight float64) {
	c.high[cell], c.low[cell] = twosum.Add(c.high[cell], c.low[cell], sum)
	c.weight[cell], c.rest[cell] = twosum.Add(c.weight[cell], c.rest[cell], weight)
}

func (c *pairSums) row(cell int, values []pair, _ int64) {
	for len(values) > 0 {
		part := values[:min(leafItems, len(values))]
		values = values[len(part):]

		sum, weight := sumPairs(part)
		if c.skip && sum != sum {
			sum, weight = sumPairNumbers(part, 1)
		}
		c.add(cell, sum, weight)
	}
}

func (c *pairSums) column(cell int, values []pair, at int64) {
	c.columns(cell, values, len(values), 1, len(values), at, 0)
}

func (c *pairSums) columns(cell int, values []pair, width, rows, pitch int, _, _ int64) {
	for part := range columnParts(width, rows) {
		from := values[part.row*pitch+part.cell:]
		sums := c.parts[:part.width]
		clear(sums)
		for row := range part.rows {
			for k, p := range from[row*pitch:][:part.width] {
				// the conversion prevents fused multiply-add
				sums[k].v += float64(p.v * p.w)
				sums[k].w += p.w
			}
		}

		for k, s := range sums {
			if c.skip && s.v != s.v {
				s.v, s.w = sumPairNumbers(from[k:min(len(from), k+(part.rows-1)*pitch+1)], pitch)
			}
			c.add(cell+part.cell+k, s.v, s.w)
		}
	}
}

func (c *pairSums) repeat(cell int, value pair, n, _ int64) {
	for range n {
		c.row(cell, []pair{value}, 0)
	}
}

func (c *pairSums) merge(other cells[pair]) {
	from := other.(*pairSums)
	for i := range c.high {
		c.add(i, from.high[i], from.weight[i])
		c.low[i] += from.low[i]
		c.rest[i] += from.rest[i]
	}
}

func (c *pairSums) width() int { return 32 }

func (c *pairSums) encode(b []byte) []byte {
	b = appendNumbers(appendNumbers(b, c.high), c.low)
	return appendNumbers(appendNumbers(b, c.weight), c.rest)
}

func (c *pairSums) decode(b []byte) error {
	takeNumbers(takeNumbers(takeNumbers(takeNumbers(b, c.high), c.low), c.weight), c.rest)
	return nil
}

// sumPairs adds items times weights, and weights, in four partial sums each.
func sumPairs(pairs []pair) (sum, weight float64) {
	var a, b, c, d, p, q, r, s float64
	for ; len(pairs) >= 4; pairs = pairs[4:] {
		v := (*[4]pair)(pairs)
		// the conversions prevent fused multiply-add
		a += float64(v[0].v * v[0].w)
		b += float64(v[1].v * v[1].w)
		c += float64(v[2].v * v[2].w)
		d += float64(v[3].v * v[3].w)
		p, q, r, s = p+v[0].w, q+v[1].w, r+v[2].w, s+v[3].w
	}
	for _, v := range pairs {
		a += float64(v.v * v.w)
		p += v.w
	}
	return (a + b) + (c + d), (p + q) + (r + s)
}

// sumPairNumbers is sumPairs for every step-th item that is not NaN.
func sumPairNumbers(pairs []pair, step int) (sum, weight float64) {
	for i := 0; i < len(pairs); i += step {
		if p := pairs[i]; p.v == p.v {
			sum += float64(p.v * p.w)
			weight += p.w
		}
	}
	return sum, weight
}

// weightedVariance returns a reduction that converts variances by of.
func weightedVariance(open openInput[pair], of func(float64) float64) reduction {
	return reductionOf[pair]{open, func(s *setting) part[pair] {
		newCells := func() *pairMoments { return &pairMoments{skip: s.o.SkipNaN} }
		return partOf[pair](newCells, func(c *pairMoments, cell int, n int64) (float64, error) {
			switch {
			case s.o.DDoF != 0:
				return 0, fmt.Errorf("variance with weights and DDoF %d, which is not defined: %w", s.o.DDoF, cairn.ErrUnsupported)
			case n == 0 && !s.grouped():
				return 0, errNoItems("variance")
			case c.weight[cell] == 0:
				return math.NaN(), nil
			}
			return of(c.m2[cell] / c.weight[cell]), nil
		})
	}}
}

// pairMoments are sums of weights, weighted means, and weighted sums of the squared distances from
// them.
type pairMoments struct {
	skip             bool
	weight, mean, m2 []float64
	scratch          []pair
}

func (c *pairMoments) reset(n int) {
	c.weight, c.mean, c.m2 = zeroed(c.weight, n), zeroed(c.mean, n), zeroed(c.m2, n)
}

// add merges moments of other items, of which at least one has a weight.
func (c *pairMoments) add(cell int, weight, mean, m2 float64) {
	if weight == 0 {
		return
	}

	total := c.weight[cell] + weight
	share := weight / total
	delta := mean - c.mean[cell]
	if c.weight[cell] == 0 {
		delta = 0
		c.mean[cell] = mean
	}

	// the conversions prevent fused multiply-add
	c.m2[cell] += m2 + float64(delta*delta*share*c.weight[cell])
	c.mean[cell] += float64(delta * share)
	c.weight[cell] = total
}

func (c *pairMoments) row(cell int, values []pair, _ int64) {
	for len(values) > 0 {
		part := values[:min(leafItems, len(values))]
		values = values[len(part):]
		c.leaf(cell, part)
	}
}

// leaf adds a few items in two passes.
func (c *pairMoments) leaf(cell int, part []pair) {
	sum, weight := sumPairs(part)
	if c.skip && sum != sum {
		sum, weight = sumPairNumbers(part, 1)
	}
	if sum != sum && weight == 0 { // NaN that counts for nothing is still NaN
		weight = math.SmallestNonzeroFloat64
	}
	if weight == 0 {
		return
	}

	mean := sum / weight
	m2 := 0.0
	for _, p := range part {
		if c.skip && p.v != p.v {
			continue
		}
		d := p.v - mean
		m2 += float64(float64(d*d) * p.w)
	}
	c.add(cell, weight, mean, m2)
}

func (c *pairMoments) column(cell int, values []pair, at int64) {
	c.columns(cell, values, len(values), 1, len(values), at, 0)
}

func (c *pairMoments) columns(cell int, values []pair, width, rows, pitch int, _, _ int64) {
	for part := range columnParts(width, rows) {
		from := values[part.row*pitch+part.cell:]
		for k := range part.width {
			c.scratch = c.scratch[:0]
			for row := range part.rows {
				c.scratch = append(c.scratch, from[row*pitch+k])
			}
			c.leaf(cell+part.cell+k, c.scratch)
		}
	}
}

func (c *pairMoments) repeat(cell int, value pair, n, _ int64) {
	for range n {
		c.row(cell, []pair{value}, 0)
	}
}

func (c *pairMoments) merge(other cells[pair]) {
	from := other.(*pairMoments)
	for i := range c.weight {
		c.add(i, from.weight[i], from.mean[i], from.m2[i])
	}
}

func (c *pairMoments) width() int { return 24 }

func (c *pairMoments) encode(b []byte) []byte {
	return appendNumbers(appendNumbers(appendNumbers(b, c.weight), c.mean), c.m2)
}

func (c *pairMoments) decode(b []byte) error {
	takeNumbers(takeNumbers(takeNumbers(b, c.weight), c.mean), c.m2)
	return nil
}
