// Package slab divides arrays into boxes that are moved one at a time, so that a transfer needs
// bounded memory.
package slab

import (
	"iter"
	"math"
	"slices"

	"github.com/cairn-go/cairn/internal/osfile/fresh"
)

// Box is the part [Start, Stop) of an array.
type Box struct{ Start, Stop []int64 }

// Items returns the number of items in the box.
func (b Box) Items() int64 {
	n := int64(1)
	for d := range b.Start {
		n *= b.Stop[d] - b.Start[d]
	}
	return n
}

// Chunked returns the edge lengths of boxes of at most budget bytes, or of one chunk if that is
// larger. An edge spans the array or is a whole number of chunks. Boxes grow along the last
// dimension first, so that they hold the longest runs of items in C order.
func Chunked(shape, chunk []int64, itemSize, budget int64) []int64 {
	edge := slices.Clone(chunk)
	items := int64(1) // in the box
	for d := range edge {
		edge[d] = max(1, min(edge[d], shape[d]))
		items = saturatingMul(items, edge[d])
	}

	// Grow from the innermost dimension out, as far as the budget goes: such boxes are contiguous.
	room := budget / max(itemSize, 1)
	for d := len(edge) - 1; d >= 0; d-- {
		others := items / edge[d]
		most := min(shape[d], room/others)
		if most < shape[d] {
			most = alignDown(most, edge[d])
		}
		edge[d] = max(edge[d], most)
		items = saturatingMul(others, edge[d])
		if edge[d] < shape[d] {
			break
		}
	}
	return edge
}

// Rows returns the edge lengths of boxes that span all dimensions but the first. Along the first
// they have as many whole chunks as fit into budget, at least one.
func Rows(shape, chunk []int64, itemSize, budget int64) []int64 {
	edge := slices.Clone(shape)
	if len(edge) == 0 {
		return edge
	}

	row := max(itemSize, 1)
	for d := 1; d < len(edge); d++ {
		row = saturatingMul(row, edge[d])
	}

	step := max(1, min(chunk[0], shape[0]))
	edge[0] = min(shape[0], step*max(1, budget/max(1, saturatingMul(row, step))))
	return edge
}

// Runs returns the edge lengths of boxes of at most budget bytes, but at least one item, whose
// items, box after box, are those of [start, stop) in C order. The boxes have one item in the
// leading dimensions and span the trailing ones. In the dimension between, the edge is a multiple
// of the chunk's extent if that fits, else of the block's, else as long as fits.
func Runs(start, stop, chunk, block []int64, itemSize, budget int64) []int64 {
	edge := slices.Clone(stop)
	room := max(1, budget/max(itemSize, 1))
	for d := len(edge) - 1; d >= 0; d-- {
		if extent := stop[d] - start[d]; extent <= room {
			room /= max(1, extent)
			continue
		}

		edge[d] = alignDown(alignDown(room, block[d]), chunk[d])
		for i := range d {
			edge[i] = 1
		}
		break
	}
	return edge
}

// Whole reports whether boxes with the given edges consist of whole chunks.
func Whole(shape, chunk, edge []int64) bool {
	for d, n := range edge {
		if n < shape[d] && n%max(1, chunk[d]) != 0 {
			return false
		}
	}
	return true
}

// alignDown returns the largest multiple of unit up to n, or n if there is none.
func alignDown(n, unit int64) int64 {
	if unit > 0 && n >= unit {
		return n - n%unit
	}
	return n
}

// Walk yields the boxes with the given edge lengths that cover [start, stop), in C order. The
// slices of a box are valid until the next iteration. The grid of boxes starts at zero, not at
// start. So if an edge is a multiple of the chunk's extent, borders between boxes are borders of
// chunks. An empty part has no boxes; one without dimensions has one.
func Walk(start, stop, edge []int64) iter.Seq[Box] {
	return func(yield func(Box) bool) {
		for d := range start {
			if start[d] >= stop[d] {
				return
			}
		}

		b := Box{slices.Clone(start), make([]int64, len(start))}

		for {
			for d := range b.Start {
				b.Stop[d] = stop[d]
				if step := edge[d] - b.Start[d]%edge[d]; step < stop[d]-b.Start[d] {
					b.Stop[d] = b.Start[d] + step
				}
			}

			if !yield(b) {
				return
			}

			d := len(start) - 1
			for ; d >= 0; d-- {
				if b.Start[d] = b.Stop[d]; b.Start[d] < stop[d] {
					break
				}
				b.Start[d] = start[d]
			}

			if d < 0 {
				return
			}
		}
	}
}

// A Grid has the boxes of a walk by their numbers.
type Grid struct {
	Count int // of boxes

	box         Box
	edge        []int64
	first, many []int64 // of the boxes along each dimension
}

// GridOf returns the boxes with the given edge lengths that cover [start, stop), as [Walk] does.
func GridOf(start, stop, edge []int64) Grid {
	g := Grid{box: Box{start, stop}, edge: edge}
	count := int64(1)
	for d, n := range edge {
		first := start[d] / n
		many := int64(0)
		if start[d] < stop[d] {
			many = (stop[d]-1)/n + 1 - first
		}
		g.first, g.many = append(g.first, first), append(g.many, many)

		count = saturatingMul(count, many)
	}

	g.Count = int(min(count, math.MaxInt))
	return g
}

// At returns the box of a number.
func (g *Grid) At(number int) Box {
	b := Box{make([]int64, len(g.edge)), make([]int64, len(g.edge))}
	rest := int64(number)
	for d := len(g.edge) - 1; d >= 0; d-- {
		k := g.first[d] + rest%g.many[d]
		rest /= g.many[d]
		b.Start[d] = max(g.box.Start[d], k*g.edge[d])
		b.Stop[d] = min(g.box.Stop[d], (k+1)*g.edge[d])
	}
	return b
}

// saturatingMul returns a*b, or a number too large for any budget.
func saturatingMul(a, b int64) int64 {
	const tooLarge = 1 << 62
	if b > 0 && a > tooLarge/b {
		return tooLarge
	}
	return a * b
}

// Resize returns n elements in the memory of b if that suffices, with any content.
func Resize[E any, N int | int64](b []E, n N) []E {
	if N(cap(b)) < n {
		return fresh.Make[E](n)
	}
	return b[:n]
}
