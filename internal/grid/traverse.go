package grid

import (
	"cmp"
	"math"
	"slices"
)

// A Traverse says how a rechunking copy goes through an array: box by box in C order.
type Traverse struct {
	Edge     Vec     // extents of a box in items
	BoxBytes int64   // bytes of a box
	Decodes  int64   // pairs of a box and a chunk that it touches
	Passes   float64 // how many boxes touch a block, on average
}

// parallelBytes is how many bytes of items a box should have for each worker, if that does not add
// to the cost.
const parallelBytes = 16 << 20

// PlanTraverse chooses the boxes for copying an array with the partition from into one with the
// partition to. A box is a multiple of to's chunks along each dimension, and has at most budget
// bytes if that is possible. The cost of a choice is the number of blocks that are decoded: the
// product over the dimensions of the number of block rows that the boxes touch, where a row shared
// by two boxes counts twice. Among choices of equal cost, the one that fetches fewer chunks is
// chosen.
func PlanTraverse(from, to *Partition, budget, workers int64) Traverse {
	var t Traverse
	if from.ItemCount == 0 {
		return t
	}

	budget = min(budget, math.MaxInt32)
	axes := make([]rechunkAxis, to.Dims)
	front := []candidate{{bytes: to.ItemSize, blocks: 1, visits: 1}}
	for i := range axes {
		axes[i] = newRechunkAxis(from, to, i)
		front = extend(front, &axes[i], i, budget)
	}

	best := front[0]
	for _, c := range front[1:] {
		if c.bytes <= budget && (c.blocks < best.blocks || c.blocks == best.blocks && c.visits < best.visits) {
			best = c
		}
	}

	best = enlarge(best, axes, min(budget, parallelBytes*workers), to.ItemSize)

	blocks := 1.0
	for i := range axes {
		t.Edge[i] = axes[i].side(best.sides[i])
		blocks *= float64(axes[i].blockRows)
	}

	t.BoxBytes = best.bytes
	t.Passes = best.blocks / blocks
	t.Decodes = int64(min(best.visits, math.MaxInt64/2))
	return t
}

// A candidate is a choice of sides for the first dimensions.
type candidate struct {
	sides  [MaxDims]int64 // in new chunks
	bytes  int64
	blocks float64 // product of the block rows that boxes touch
	visits float64 // product of the chunk rows that boxes touch
}

// A rechunkAxis has the properties of one dimension that matter for the choice.
type rechunkAxis struct {
	shape, unit  int64 // extents of the array and of a new chunk
	chunk, block int64 // extents of old chunks and blocks
	blockRows    int64
	sides        []int64 // sides to try, in new chunks, ascending
}

func newRechunkAxis(from, to *Partition, i int) rechunkAxis {
	a := rechunkAxis{shape: from.Shape[i], unit: to.Chunk[i], chunk: from.Chunk[i], block: from.Block[i]}
	perChunk := from.BlockGrid[i]
	a.blockRows = a.shape/a.chunk*perChunk + ceilDiv(a.shape%a.chunk, a.block)

	count := to.ChunkGrid[i]
	add := func(side int64) { a.sides = append(a.sides, max(1, min(side, count))) }
	for k := int64(1); k <= 16; k++ {
		add(k)
		add(ceilDiv(count, k))
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
func (a *rechunkAxis) side(chunks int64) int64 {
	if chunks >= ceilDiv(a.shape, a.unit) {
		return a.shape
	}
	return chunks * a.unit
}

// touched returns how many rows of blocks, and of chunks, boxes with a side touch. A row counts
// once for each box.
func (a *rechunkAxis) touched(side int64) (blocks, visits float64) {
	edge := a.side(side)
	cuts := (a.shape - 1) / edge // borders between boxes
	chunkRows := ceilDiv(a.shape, a.chunk)
	atChunk := (a.shape - 1) / lcm(edge, a.chunk)
	visits = float64(chunkRows) + float64(cuts-atChunk)
	if a.chunk%a.block == 0 {
		return float64(a.blockRows) + float64(cuts-(a.shape-1)/lcm(edge, a.block)), visits
	}

	// Blocks start again with each chunk, so a sample of the borders suffices.
	const sample = 1024
	sampled := min(cuts, sample)
	within := int64(0)
	for k := int64(1); k <= sampled; k++ {
		if k*edge%a.chunk%a.block != 0 {
			within++
		}
	}

	if sampled == 0 {
		return float64(a.blockRows), visits
	}
	return float64(a.blockRows) + float64(cuts)*float64(within)/float64(sampled), visits
}

// maxCandidates is the most choices that are kept from dimension to dimension.
const maxCandidates = 256

// extend adds dimension i to the candidates, and drops those that another one beats in size and in
// decoded blocks. The smallest one stays even if it exceeds the budget.
func extend(front []candidate, a *rechunkAxis, i int, budget int64) []candidate {
	var all []candidate
	for _, side := range a.sides {
		blocks, visits := a.touched(side)

		for _, c := range front {
			bytes, ok := Mul(c.bytes, a.side(side))
			if !ok || bytes > budget && len(all) > 0 {
				continue
			}
			c.sides[i] = side
			c.bytes = bytes
			c.blocks, c.visits = c.blocks*blocks, c.visits*visits
			all = append(all, c)
		}
	}

	slices.SortStableFunc(all, func(x, y candidate) int {
		return cmp.Or(cmp.Compare(x.bytes, y.bytes), cmp.Compare(x.blocks, y.blocks), cmp.Compare(x.visits, y.visits))
	})
	kept := all[:1]
	for _, c := range all[1:] {
		if last := &kept[len(kept)-1]; c.blocks < last.blocks || c.blocks == last.blocks && c.visits < last.visits {
			kept = append(kept, c)
		}
	}

	if len(kept) <= maxCandidates {
		return kept
	}

	thinned := make([]candidate, 0, maxCandidates)
	for k := range maxCandidates {
		thinned = append(thinned, kept[k*(len(kept)-1)/(maxCandidates-1)])
	}
	return thinned
}

// enlarge returns c with longer sides, the last ones first, as long as boxes have at most budget
// bytes and no more blocks are decoded.
func enlarge(c candidate, axes []rechunkAxis, budget, itemSize int64) candidate {
	for i := len(axes) - 1; i >= 0; i-- {
		for _, side := range axes[i].sides {
			if side <= c.sides[i] {
				continue
			}

			next := candidate{sides: c.sides, bytes: itemSize, blocks: 1, visits: 1}
			next.sides[i] = side
			ok := true
			for k := range axes {
				blocks, visits := axes[k].touched(next.sides[k])
				next.blocks, next.visits = next.blocks*blocks, next.visits*visits
				if next.bytes, ok = Mul(next.bytes, axes[k].side(next.sides[k])); !ok {
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

// lcm returns the least common multiple of positive numbers, or the largest number on overflow.
func lcm(a, b int64) int64 {
	x := a
	y := b
	for y != 0 {
		x, y = y, x%y
	}

	m, ok := Mul(a/x, b)
	if !ok {
		return math.MaxInt64
	}
	return m
}
