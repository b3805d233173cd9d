package ndarray

import (
	"math"
	"slices"

	"github.com/cairn-go/cairn/internal/grid"
)

// traverse is how a rechunking copy goes through an array: box by box in C order.
type traverse struct {
	edge     grid.Vec // items per dimension of a box
	boxBytes int64
	decodes  int64   // visits of chunks by boxes
	passes   float64 // blocks that boxes meet, for each block that there is
}

// parallelBytes is how many bytes of items a box should have for each worker, where that makes nothing worse.
const parallelBytes = 16 << 20

// planTraverse chooses the box, a multiple of to's chunks in each dimension and of budget bytes at most if that is possible at all. The blocks that are decoded are
// counted as the product over the dimensions of how many block rows the boxes meet in each: boxes that end within a row meet it twice. What counts is that product, then how
// often chunks are fetched.
func planTraverse(from, to *grid.Partition, budget, workers int64) traverse {
	var t traverse
	if from.ItemCount == 0 {
		return t
	}
	budget = min(budget, math.MaxInt32)
	axes := make([]axis, to.Dims)
	front := []candidate{{bytes: to.ItemSize, blocks: 1, visits: 1}}
	for i := range axes {
		axes[i] = newAxis(from, to, i)
		front = extend(front, &axes[i], i, budget)
	}
	best := front[0]
	for _, c := range front[1:] {
		if c.bytes <= budget && (c.blocks < best.blocks || c.blocks == best.blocks && c.visits < best.visits) {
			best = c
		}
	}
	best = grown(best, axes, min(budget, parallelBytes*workers), to.ItemSize)
	blocks := 1.0
	for i := range axes {
		t.edge[i] = axes[i].side(best.sides[i])
		blocks *= float64(axes[i].blockRows)
	}
	t.boxBytes, t.passes = best.bytes, best.blocks/blocks
	t.decodes = int64(min(best.visits, math.MaxInt64/2))
	return t
}

// candidate is a choice of sides for the first dimensions.
type candidate struct {
	sides  [grid.MaxDims]int64 // in new chunks
	bytes  int64
	blocks float64 // block rows that boxes meet, multiplied
	visits float64 // the same of chunks
}

// axis is what counts of one dimension.
type axis struct {
	shape, unit  int64 // of the array and of a new chunk
	chunk, block int64 // of the old chunks
	blockRows    int64
	sides        []int64 // that are worth a try, in new chunks, ascending
}

func newAxis(from, to *grid.Partition, i int) axis {
	a := axis{shape: from.Shape[i], unit: to.Chunk[i], chunk: from.Chunk[i], block: from.Block[i]}
	perChunk := from.BlockGrid[i]
	a.blockRows = a.shape/a.chunk*perChunk + ceil(a.shape%a.chunk, a.block)
	count := to.ChunkGrid[i]
	add := func(side int64) { a.sides = append(a.sides, max(1, min(side, count))) }
	for k := int64(1); k <= 16; k++ {
		add(k)
		add(ceil(count, k))
		add(lcm(a.unit, a.chunk) / a.unit * k)
		add(lcm(a.unit, a.block) / a.unit * k)
	}
	for side := int64(32); side < count; side *= 2 {
		add(side)
		add(a.chunk * (side / 32) / a.unit)
	}
	slices.Sort(a.sides)
	a.sides = slices.Compact(a.sides)
	return a
}

// side returns a side in items.
func (a *axis) side(chunks int64) int64 {
	if chunks >= ceil(a.shape, a.unit) {
		return a.shape
	}
	return chunks * a.unit
}

// met returns how many rows of blocks, and of chunks, the boxes with a side meet, each counted as often as it is met.
func (a *axis) met(side int64) (blocks, visits float64) {
	edge := a.side(side)
	cuts := (a.shape - 1) / edge // between boxes
	chunkRows := ceil(a.shape, a.chunk)
	atChunk := (a.shape - 1) / lcm(edge, a.chunk)
	visits = float64(chunkRows) + float64(cuts-atChunk)
	if a.chunk%a.block == 0 {
		return float64(a.blockRows) + float64(cuts-(a.shape-1)/lcm(edge, a.block)), visits
	}
	// Blocks begin anew with each chunk: a sample of the cuts tells enough.
	const sample = 1024
	looked, within := min(cuts, sample), int64(0)
	for k := int64(1); k <= looked; k++ {
		if k*edge%a.chunk%a.block != 0 {
			within++
		}
	}
	if looked == 0 {
		return float64(a.blockRows), visits
	}
	return float64(a.blockRows) + float64(cuts)*float64(within)/float64(looked), visits
}

// mostCandidates is how many choices are followed up from dimension to dimension.
const mostCandidates = 256

// extend adds dimension i to the candidates, and drops those that others beat in size and in what they decode. The smallest one stays even if it is
// larger than the budget.
func extend(front []candidate, a *axis, i int, budget int64) []candidate {
	var all []candidate
	for _, side := range a.sides {
		blocks, visits := a.met(side)
		for _, c := range front {
			bytes, ok := grid.Mul(c.bytes, a.side(side))
			if !ok || bytes > budget && len(all) > 0 {
				continue
			}
			c.sides[i], c.bytes = side, bytes
			c.blocks, c.visits = c.blocks*blocks, c.visits*visits
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(x, y candidate) int {
		switch {
		case x.bytes != y.bytes:
			return int(min(1, max(-1, x.bytes-y.bytes)))
		case x.blocks != y.blocks:
			return less(x.blocks, y.blocks)
		}
		return less(x.visits, y.visits)
	})
	kept := all[:1]
	for _, c := range all[1:] {
		if last := &kept[len(kept)-1]; c.blocks < last.blocks || c.blocks == last.blocks && c.visits < last.visits {
			kept = append(kept, c)
		}
	}
	if len(kept) <= mostCandidates {
		return kept
	}
	thinned := make([]candidate, 0, mostCandidates)
	for k := range mostCandidates {
		thinned = append(thinned, kept[k*(len(kept)-1)/(mostCandidates-1)])
	}
	return thinned
}

func less(x, y float64) int {
	if x < y {
		return -1
	}
	return 1
}

// grown returns c with longer sides, the last ones first, as long as boxes have at most budget bytes and that does not make more blocks be decoded.
func grown(c candidate, axes []axis, budget, itemSize int64) candidate {
	for i := len(axes) - 1; i >= 0; i-- {
		for _, side := range axes[i].sides {
			if side <= c.sides[i] {
				continue
			}
			next := candidate{sides: c.sides, bytes: itemSize, blocks: 1, visits: 1}
			next.sides[i] = side
			ok := true
			for k := range axes {
				blocks, visits := axes[k].met(next.sides[k])
				next.blocks, next.visits = next.blocks*blocks, next.visits*visits
				if next.bytes, ok = grid.Mul(next.bytes, axes[k].side(next.sides[k])); !ok {
					return c
				}
			}
			if next.bytes <= budget && next.blocks <= c.blocks && next.visits <= c.visits {
				c = next
			}
		}
	}
	return c
}

func ceil(a, b int64) int64 { return (a + b - 1) / b }

// lcm returns the least common multiple of numbers above 0, or the largest number if it does not fit.
func lcm(a, b int64) int64 {
	x, y := a, b
	for y != 0 {
		x, y = y, x%y
	}
	m, ok := grid.Mul(a/x, b)
	if !ok {
		return math.MaxInt64
	}
	return m
}
