package rounding

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/meta"
)

// The information of a bit is the mutual information of its values in neighbouring items (Klöwer
// et al. 2021, doi:10.1038/s43588-021-00156-2). What is not significant, or no more than the last
// bits have, counts as none.
const (
	kept       = 0.99   // of the information
	quantile   = 2.5758 // of the normal distribution, for a confidence of 99 %
	noise      = 1.5    // times the information of the last bits is none
	lastBits   = 4
	mostSample = 32 << 20 // bytes of items that are looked at
)

// A Reader reads the items of an array from start up to stop, in C order.
type Reader func(ctx context.Context, dst []byte, start, stop []int64) error

// KeepBits returns how many bits of the mantissa have 99 % of the information that items share with
// their neighbours along an axis, for the axis that needs most. It looks at 32 MiB of the items at
// most, in boxes of the given shape that are spread evenly.
func KeepBits(
	ctx context.Context, d meta.DType, attributes meta.Map, shape, box []int64, read Reader,
) (int, error) {
	if _, err := New(d, attributes, Bound{Bits, 1}); err != nil {
		return 0, err
	}

	c := &counter{format: floatsOf(d.Size())}
	c.item, _ = govalue.NumberOf(d)
	for _, n := range cf.Of(d, attributes).Missing {
		c.missing = append(c.missing, n.Float)
	}
	c.axes = make([]pairs, len(shape))

	all := boxesOf(shape, box, int64(c.item.Size))
	each := int64(c.item.Size) * product(all.edge)
	count := min(all.count, max(1, mostSample/max(each, 1)))
	items := make([]byte, each)
	for k := range count {
		start, stop := all.box(k * all.count / count)
		some := make([]int64, len(shape))
		for i := range some {
			some[i] = stop[i] - start[i]
		}
		room := items[:int64(c.item.Size)*product(some)]
		if err := read(ctx, room, start, stop); err != nil {
			return 0, err
		}
		c.add(room, some)
	}

	most := 0
	shares := false
	for i := range c.axes {
		bits, some := c.axes[i].keepBits(c.format)
		most = max(most, bits)
		shares = shares || some
	}
	switch {
	case most == 0 && shares: // but the last bits have as much as the others
		return c.format.mantissa, nil
	case most == 0:
		return 0, fmt.Errorf("bits of the mantissa: no item shares information with a neighbour: %w",
			cairn.ErrInvalid)
	}
	return most, nil
}

// boxes are those into which a shape is cut.
type boxes struct {
	shape, edge, grid []int64
	count             int64
}

// boxesOf cuts a shape into boxes of about the given shape, which get more items where they have
// few, and fewer where a box would be too large.
func boxesOf(shape, box []int64, size int64) *boxes {
	const small = 1 << 20
	b := &boxes{shape: shape, edge: slices.Clone(shape), grid: make([]int64, len(shape)), count: 1}
	if len(box) == len(shape) {
		for i := range box {
			b.edge[i] = max(1, min(box[i], shape[i]))
		}
	}

	// Whole rows, if that is not much.
	for i := len(shape) - 1; i >= 0; i-- {
		for b.edge[i] < shape[i] && size*product(b.edge) < small {
			b.edge[i] = min(2*b.edge[i], shape[i])
		}
	}
	for i := 0; i < len(shape); {
		if b.edge[i] < 3 || size*product(b.edge) <= mostSample/8 {
			i++
			continue
		}
		b.edge[i] = (b.edge[i] + 1) / 2
	}

	for i, n := range shape {
		b.grid[i] = (n + max(b.edge[i], 1) - 1) / max(b.edge[i], 1)
		b.count *= b.grid[i]
	}
	return b
}

// box returns a box.
func (b *boxes) box(k int64) (start, stop []int64) {
	start = make([]int64, len(b.shape))
	stop = make([]int64, len(b.shape))
	for i := len(b.shape) - 1; i >= 0; i-- {
		start[i] = k % b.grid[i] * b.edge[i]
		stop[i] = min(start[i]+b.edge[i], b.shape[i])
		k /= b.grid[i]
	}
	return start, stop
}

func product(shape []int64) int64 {
	n := int64(1)
	for _, extent := range shape {
		n *= extent
	}
	return n
}

// A counter counts the bits of neighbouring items.
type counter struct {
	item    govalue.Number
	format  floats
	missing []float64
	axes    []pairs
	bits    []uint64
	usable  []bool
}

// pairs are the counts of pairs of neighbours along an axis.
type pairs struct {
	count               uint64
	first, second, both [64]uint64 // how often a bit is set in the first, the second, in both items
}

// add counts the items of a box.
func (c *counter) add(items []byte, shape []int64) {
	c.bits = c.bits[:0]
	c.usable = c.usable[:0]
	for ; len(items) >= c.item.Size; items = items[c.item.Size:] {
		bits := c.item.Bits(items)
		v := c.format.value(bits)
		c.bits = append(c.bits, c.format.signed(bits))
		c.usable = append(c.usable, v-v == 0 && !slices.Contains(c.missing, v))
	}

	c.count(shape)
}

// signed returns the bits of an item with its exponent as a sign and a magnitude. Otherwise all
// bits of the exponent would change where items cross 1, and share that.
func (f floats) signed(bits uint64) uint64 {
	mask := uint64(1)<<f.exponent - 1
	e := int(bits>>f.mantissa&mask) - f.bias
	coded := uint64(e)
	if e < 0 {
		coded = uint64(-e) | 1<<(f.exponent-1)
	}
	return bits&^(mask<<f.mantissa) | coded&mask<<f.mantissa
}

// count counts the pairs of neighbours among the items of a box.
func (c *counter) count(shape []int64) {
	stride := 1
	for axis := len(shape) - 1; axis >= 0; axis-- {
		extent := int(shape[axis])
		p := &c.axes[axis]
		width := 8 * c.item.Size
		for at := range len(c.bits) {
			next := at + stride
			if at/stride%extent == extent-1 || !c.usable[at] || !c.usable[next] {
				continue
			}

			a := c.bits[at]
			b := c.bits[next]
			p.count++
			for k := range width {
				p.first[k] += a >> k & 1
				p.second[k] += b >> k & 1
				p.both[k] += a & b >> k & 1
			}
		}
		stride *= extent
	}
}

// information returns the mutual information of a bit in neighbours, in bits.
func (p *pairs) information(bit int) float64 {
	n := float64(p.count)
	a := float64(p.first[bit]) / n
	b := float64(p.second[bit]) / n
	both := float64(p.both[bit]) / n
	sum := 0.0
	for _, c := range [4][3]float64{{both, a, b}, {a - both, a, 1 - b}, {b - both, 1 - a, b},
		{1 - a - b + both, 1 - a, 1 - b}} {
		if c[0] > 0 && c[1] > 0 && c[2] > 0 {
			sum += c[0] * math.Log2(c[0]/(c[1]*c[2]))
		}
	}
	return max(sum, 0)
}

// keepBits returns how many bits of the mantissa have most of the information, 0 if no bit has more
// than the last ones, and whether any has some.
func (p *pairs) keepBits(f floats) (bits int, shares bool) {
	if p.count == 0 {
		return 0, false
	}
	width := f.mantissa + f.exponent + 1

	// What chance gives to bits without information.
	q := min(0.5+quantile/(2*math.Sqrt(float64(p.count))), 1)
	least := 1.0
	for _, part := range []float64{q, 1 - q} {
		if part > 0 {
			least += part * math.Log2(part)
		}
	}

	info := make([]float64, width)
	for k := range info {
		info[k] = p.information(k)
		if info[k] <= least {
			info[k] = 0
		}
	}
	shares = slices.Max(info) > 0
	least = noise * slices.Max(info[:lastBits])

	total := 0.0
	for k := range info {
		if info[k] <= least {
			info[k] = 0
		}
		total += info[k]
	}
	if total == 0 {
		return 0, shares
	}

	sum := 0.0
	for k := width - 1; k >= 0; k-- {
		sum += info[k]
		if sum > kept*total {
			return min(max(f.mantissa-k, 1), f.mantissa), true
		}
	}
	return f.mantissa, true
}
