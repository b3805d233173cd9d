package compute

import (
	"context"
	"math"
	"slices"

	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/ndarray"
)

// narrowEach computes results of more items than fit into memory, one after another.
func (s *quantiles) narrowEach(ctx context.Context, kept []int64) error {
	cells := slab.GridOf(make([]int64, len(kept)), kept, slices.Repeat([]int64{1}, len(kept)))
	for i := range cells.Count {
		t := s.tile(cells.At(i))
		n := narrowing{e: s.e, from: s.from, start: t.start, stop: t.stop, most: s.memory / perCollected, workers: s.workers}

		v, err := n.quantile(ctx, s.q, s.skip)
		if err != nil {
			return err
		}

		values := s.out.tileMemory(&t)
		values[0] = v
		if err := s.out.put(ctx, &t, values); err != nil {
			return err
		}
	}
	return nil
}

// perCollected is how many bytes of memory an item takes while some are collected: in a slice that
// grows, in the one that it grew from, and in all of them together, with as much again until the
// garbage is collected.
const perCollected = 64

// narrowBits is how many bits of a result a pass over the items finds.
const narrowBits = 16

// A narrowing finds items by their rank, a few bits per pass, from the highest ones on. Items are
// compared by keys that have the order of the items.
type narrowing struct {
	e           *Expression
	from        ndarray.View[float64]
	start, stop []int64
	most        int64 // items that may be collected
	workers     int

	targets []target
	known   int // bits
}

// A target is an item that is looked for.
type target struct {
	rank  int64  // among the items whose known bits are high
	high  uint64 // the known bits
	count int64  // items that have them
}

// key returns a number for v, which is not NaN, with the order of the floats.
func key(v float64) uint64 {
	bits := math.Float64bits(v)
	if bits>>63 != 0 {
		return ^bits
	}
	return bits | 1<<63
}

func fromKey(k uint64) float64 {
	if k>>63 != 0 {
		return math.Float64frombits(k &^ (1 << 63))
	}
	return math.Float64frombits(^k)
}

func (n *narrowing) quantile(ctx context.Context, q float64, skip bool) (float64, error) {
	n.targets = []target{{}}
	counts, nan, err := n.count(ctx)
	if err != nil {
		return 0, err
	}

	items := int64(0)
	for _, c := range counts[0] {
		items += c
	}

	if items == 0 || nan > 0 && !skip {
		return math.NaN(), nil
	}

	low, part := rankOf(q, items)
	n.targets[0].rank = low
	if part > 0 {
		n.targets = append(n.targets, target{rank: low + 1})
		counts = append(counts, counts[0])
	}

	for n.narrow(counts); n.known < 64; n.narrow(counts) {
		total := int64(0)
		for _, t := range n.targets {
			total += t.count
		}

		if total <= n.most {
			return n.collect(ctx, part)
		}
		if counts, _, err = n.count(ctx); err != nil {
			return 0, err
		}
	}

	a := fromKey(n.targets[0].high)
	b := fromKey(n.targets[len(n.targets)-1].high)
	return between(a, b, part), nil
}

// narrow adds the next bits of the targets.
func (n *narrowing) narrow(counts [][]int64) {
	for i := range n.targets {
		t := &n.targets[i]
		for bin, c := range counts[i] {
			if t.rank < c {
				t.high = t.high<<narrowBits | uint64(bin)
				t.count = c
				break
			}
			t.rank -= c
		}
	}
	n.known += narrowBits
}

// count counts, for each target, the items that have its known bits by their next bits.
func (n *narrowing) count(ctx context.Context) (counts [][]int64, nan int64, err error) {
	own := make([][][]int64, n.workers)
	ownNaN := make([]int64, n.workers)
	err = n.each(ctx, func(w int, values []float64) {
		if own[w] == nil {
			own[w] = make([][]int64, len(n.targets))
			for i := range own[w] {
				own[w][i] = make([]int64, 1<<narrowBits)
			}
		}

		for _, v := range values {
			if v != v {
				ownNaN[w]++
				continue
			}

			k := key(v)
			next := k >> (64 - narrowBits - n.known) & (1<<narrowBits - 1)
			for i := range n.targets {
				if n.known == 0 || k>>(64-n.known) == n.targets[i].high {
					own[w][i][next]++
				}
			}
		}
	})

	counts = make([][]int64, len(n.targets))
	for i := range counts {
		counts[i] = make([]int64, 1<<narrowBits)
		for _, o := range own {
			if o == nil {
				continue
			}
			for bin, c := range o[i] {
				counts[i][bin] += c
			}
		}
	}

	for _, c := range ownNaN {
		nan += c
	}
	return counts, nan, err
}

// collect returns the result from the items that have the known bits of the targets.
func (n *narrowing) collect(ctx context.Context, part float64) (float64, error) {
	own := make([][][]float64, n.workers)
	err := n.each(ctx, func(w int, values []float64) {
		if own[w] == nil {
			own[w] = make([][]float64, len(n.targets))
		}

		for _, v := range values {
			for i := range n.targets {
				if v == v && key(v)>>(64-n.known) == n.targets[i].high {
					own[w][i] = append(own[w][i], v)
				}
			}
		}
	})
	if err != nil {
		return 0, err
	}

	found := make([]float64, len(n.targets))
	for i, t := range n.targets {
		var all []float64
		for _, o := range own {
			if o != nil {
				all = append(all, o[i]...)
			}
		}
		found[i] = nthNumber(all, int(t.rank))
	}
	return between(found[0], found[len(found)-1], part), nil
}

// each calls do with all items, in boxes, by several workers.
func (n *narrowing) each(ctx context.Context, do func(w int, values []float64)) error {
	cells := slab.GridOf(n.start, n.stop, n.e.edge)
	boxes := make([][]float64, n.workers)

	return parallel.For(ctx, n.workers, cells.Count, func(w, i int) error {
		b := cells.At(i)
		boxes[w] = slab.Resize(boxes[w], b.Items())
		if err := n.from.ReadBox(ctx, boxes[w], b.Start, b.Stop); err != nil {
			return err
		}
		do(w, boxes[w])
		return nil
	})
}
