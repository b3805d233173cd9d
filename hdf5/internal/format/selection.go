package format

import (
	"math/bits"
	"slices"

	"github.com/cairn-go/cairn/hdf5/internal/hyperslab"
)

// A selection of a dataspace is
//
//	none, all:   u32 kind, u32 version 1, u32 reserved, u32 0
//	hyperslab:   u32 kind, u32 version, and
//	version 1:   u32 reserved, u32 bytes, u32 rank, u32 blocks; for each block the u32 first
//	             and the u32 last index of each dimension
//	version 2:   u8 flags, u32 bytes, u32 rank; for each dimension u64 start, stride, count, block
//	version 3:   u8 flags, u8 size of numbers, u32 rank; if it is regular for each dimension
//	             start, stride, count, block; else blocks as in version 1
//
// A count or a block of all ones has no bound.

// A Selection is the items of a dataspace that are selected, in C order.
type Selection struct {
	All  bool
	Axes []hyperslab.Axis // one per dimension; nil if all or nothing is selected
}

// Kinds of selections, and the flag of regular ones.
const (
	selectNone, selectPoints, selectSlab, selectAll = 0, 1, 2, 3

	selectionRegular = 1 << 0
)

// selection reads a selection.
func (c *cursor) selection() Selection {
	switch kind, version := c.u32(), c.u32(); kind {
	case selectNone, selectAll:
		c.Skip(8)
		return Selection{All: kind == selectAll}
	case selectSlab:
		return c.slab(version)
	case selectPoints:
		c.fail(unsupported("a selection of points"))
	default:
		c.Failf(c.Pos(), "selection of kind %d", kind)
	}
	return Selection{}
}

// slab reads a hyperslab.
func (c *cursor) slab(version uint32) Selection {
	regular := false
	size := 4
	switch version {
	case 1:
		c.Skip(8)
	case 2:
		regular = c.Uint8()&selectionRegular != 0
		size = 8
		c.Skip(4)
	case 3:
		regular = c.Uint8()&selectionRegular != 0
		size = int(c.Uint8())
	default:
		c.fail(unsupported("a hyperslab of version %d", version))
		return Selection{}
	}

	rank := int(min(c.u32(), MaxRank+1))
	if rank > MaxRank || rank == 0 || size != 2 && size != 4 && size != 8 {
		c.Failf(c.Pos(), "hyperslab of %d dimensions in numbers of %d bytes", rank, size)
		return Selection{}
	}

	if !regular {
		return c.blocks(rank, size)
	}

	s := Selection{Axes: make([]hyperslab.Axis, rank)}
	for d := range s.Axes {
		at := c.Pos()
		span := hyperslab.Span{Start: c.bounded(size), Stride: c.bounded(size), Count: c.bounded(size), Block: c.bounded(size)}
		if !possible(span) {
			c.Failf(at, "hyperslab of %d blocks of %d, %d apart, from %d", span.Count, span.Block, span.Stride, span.Start)
			return s
		}
		s.Axes[d] = hyperslab.New(span)
	}
	return s
}

// bounded reads a number of size bytes, of which all ones mean no bound.
func (c *cursor) bounded(size int) int64 {
	v := c.uint(size)
	if v == ones(size) {
		return hyperslab.Unlimited
	}
	if int64(v) < 0 {
		c.Failf(c.Pos(), "index %d exceeds 63 bits", v)
	}
	return int64(v)
}

// mostIndex bounds the indices of selections, so that sums of them fit.
const mostIndex = 1 << 60

// possible reports whether a span has blocks that do not overlap, at indices that fit.
func possible(s hyperslab.Span) bool {
	if s.Start < 0 || s.Stride < 1 || s.Start > mostIndex || s.Stride > mostIndex || s.Block > mostIndex {
		return false
	}
	if s.Block == hyperslab.Unlimited {
		return s.Count == 1
	}
	if s.Block < 1 || s.Count == 0 || s.Count != 1 && s.Block > s.Stride {
		return false
	}

	high, low := bits.Mul64(uint64(max(s.Count, 1)), uint64(s.Stride))
	return high == 0 && low <= mostIndex
}

// blocks reads a hyperslab of blocks, which must be those of a grid.
func (c *cursor) blocks(rank, size int) Selection {
	count := c.positive(size, "blocks")
	if count < 1 || count > int64(c.Len())/int64(2*rank*size) {
		c.Failf(c.Pos(), "hyperslab of %d blocks", count)
		return Selection{}
	}

	// The blocks of a grid are all combinations of the runs along its dimensions.
	runs := make([][][2]int64, rank)
	first := make([]int64, rank)
	product := uint64(1)
	seen := make([]map[[2]int64]bool, rank)
	for range count {
		for d := range first {
			first[d] = c.positive(size, "index")
		}
		for d := range first {
			last := c.positive(size, "index")
			if last < first[d] || last > mostIndex {
				c.Failf(c.Pos(), "block from %d to %d", first[d], last)
				return Selection{}
			}

			run := [2]int64{first[d], last + 1}
			if seen[d] == nil {
				seen[d] = map[[2]int64]bool{}
			}
			if !seen[d][run] {
				seen[d][run] = true
				runs[d] = append(runs[d], run)
			}
		}
	}

	s := Selection{Axes: make([]hyperslab.Axis, rank)}
	for d, list := range runs {
		slices.SortFunc(list, func(a, b [2]int64) int { return int(min(max(a[0]-b[0], -1), 1)) })
		for i := 1; i < len(list); i++ {
			if list[i][0] < list[i-1][1] {
				product = 0 // they overlap
			}
		}

		s.Axes[d] = hyperslab.Joined(list)
		high, low := bits.Mul64(product, uint64(len(list)))
		product = low
		if high != 0 {
			product = 0
		}
	}
	if product != uint64(count) && c.Err() == nil {
		c.fail(unsupported("a hyperslab of %d blocks that are no grid", count))
	}
	return s
}
