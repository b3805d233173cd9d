// Package diff compares arrays of any source, item by item, in parallel and in bounded memory.
package diff

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/ndarray"
)

// Options say when items count as equal: numbers a and b if |a − b| ≤ AbsTol + RelTol·|b|, as
// in NumPy's isclose. Infinities equal only themselves.
type Options struct {
	AbsTol, RelTol float64
	EqualNaN       bool // a NaN equals a NaN; a date without a value, NaT, likewise
	Workers        int
	Progress       func(items int64) // called with numbers of items; may be nil
}

// Counts say how the items of two arrays differ.
type Counts struct {
	Items  int64 // compared
	Differ int64
	NaN    int64 // of Differ: NaN in both arrays
	First  *Place
	// Of all numbers, those within the tolerances too. Nil if all are equal, or are no numbers.
	Largest  *Place // the largest |a − b|
	Relative *Place // the largest |a − b| / |b| where b is not zero
	sum      float64
	numbers  int64
}

// A Place is where two items differ, and by how much.
type Place struct {
	At   []int64
	By   float64 // 0 if they are no numbers
	A, B []byte  // the items
}

// Mean returns the mean of a − b over all pairs whose difference is finite, and false if there
// are none.
func (c *Counts) Mean() (mean float64, ok bool) { return c.sum / float64(c.numbers), c.numbers > 0 }

const (
	boxBytes = 4 << 20   // of each array that are compared at a time
	mostGrid = 64 << 20  // the largest chunks that are read at once
	memory   = 160 << 20 // for all workers
)

// Arrays compares two arrays of the same shape, whose dtypes [Comparable] accepts.
func Arrays(ctx context.Context, a, b ndarray.Source, o *Options) (*Counts, error) {
	shape := a.Shape()
	if !slices.Equal(shape, b.Shape()) {
		return nil, fmt.Errorf("the shapes %v and %v differ: %w", shape, b.Shape(), cairn.ErrBounds)
	}

	compare, err := comparerOf(a.DType(), b.DType(), o)
	if err != nil {
		return nil, err
	}

	sizes := [2]int64{int64(a.DType().Size()), int64(b.DType().Size())}
	edge := boxOf(shape, a, b)
	boxes := slab.GridOf(make([]int64, len(shape)), shape, edge)
	if boxes.Count == 0 {
		return &Counts{}, ctx.Err()
	}

	box := boxes.At(0)
	each := max(1, box.Items()) * (sizes[0] + sizes[1])
	workers := parallel.Within(memory, each, parallel.Workers(o.Workers))
	// Boxes are read in any order, but merged in theirs, so that each run finds the same places.
	buffers := make([][2][]byte, workers)
	parts := make([]Counts, workers)
	var all Counts

	work := func(worker, i int) error {
		box := boxes.At(i)
		for k, src := range []ndarray.Source{a, b} {
			size := int(box.Items() * sizes[k])
			buffers[worker][k] = slab.Resize(buffers[worker][k], size)
			if err := src.ReadBytes(ctx, buffers[worker][k], box.Start, box.Stop); err != nil {
				return err
			}
		}
		parts[worker] = compare(buffers[worker][0], buffers[worker][1])
		parts[worker].place(box)
		return nil
	}

	err = parallel.Ordered(ctx, workers, boxes.Count, work, func(worker, _ int) error {
		// Add the counts of the box.
		part := &parts[worker]
		all.Items += part.Items
		all.Differ += part.Differ
		all.NaN += part.NaN
		all.sum += part.sum
		all.numbers += part.numbers
		if all.First == nil || part.First != nil && slices.Compare(part.First.At, all.First.At) < 0 {
			all.First = part.First
		}
		all.Largest, all.Relative = larger(all.Largest, part.Largest), larger(all.Relative, part.Relative)

		if o.Progress != nil {
			o.Progress(parts[worker].Items)
		}
		return nil
	})
	return &all, err
}

// boxOf returns the edges of the boxes to read: whole chunks of both arrays if they are not too
// large, else of one, else blocks.
func boxOf(shape ndarray.Shape, a, b ndarray.Source) []int64 {
	size := int64(max(a.DType().Size(), b.DType().Size(), 1))
	one := make([]int64, len(shape))
	for d := range one {
		one[d] = 1
	}
	or := func(grid []int64) []int64 {
		if len(grid) != len(shape) {
			return one
		}
		return grid
	}

	chunksA, blocksA := a.Grid()
	chunksB, blocksB := b.Grid()
	both := slices.Clone(or(chunksA))
	for d, extent := range or(chunksB) {
		both[d] = max(both[d], extent)
	}

	unit := one
	for _, grid := range [][]int64{both, or(chunksA), or(chunksB), or(blocksA), or(blocksB)} {
		items := 1.0
		for d, extent := range grid {
			items *= float64(max(1, min(extent, shape[d])))
		}
		if items*float64(size) <= mostGrid {
			unit = grid
			break
		}
	}
	return slab.Chunked(shape, unit, size, boxBytes)
}

// place turns numbers of items in a box into coordinates.
func (c *Counts) place(box slab.Box) {
	done := map[*Place]bool{nil: true} // the same place may be all three
	for _, p := range []*Place{c.First, c.Largest, c.Relative} {
		if done[p] {
			continue
		}
		done[p] = true

		at := make([]int64, len(box.Start))
		i := p.At[0]
		for d := len(at) - 1; d >= 0; d-- {
			extent := box.Stop[d] - box.Start[d]
			at[d] = box.Start[d] + i%extent
			i /= extent
		}
		p.At = at
	}
}

// larger returns the place with the larger difference, the first of equal ones.
func larger(a, b *Place) *Place {
	if a == nil || b != nil && b.By > a.By {
		return b
	}
	return a
}
