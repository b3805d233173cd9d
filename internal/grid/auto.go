package grid

import "slices"

// assumedExtent is assumed for a dimension that has no items yet, because it will probably grow.
const assumedExtent = 1 << 20

// Chunk extents along a single dimension that has no items yet. Each commit writes the last chunks
// once more, and the index, which has eight bytes a chunk; so the chunks of a log should be neither
// large nor many. For one of 1 to 100 GB, emptyMinBytes makes both cost about the same. Chunks have
// as many items along this dimension as they take, and at least emptyItems, but fewer if they would
// exceed emptyMaxBytes.
const (
	emptyItems    = 512
	emptyMinBytes = 1 << 20
	emptyMaxBytes = 4 << 20
)

// lastWeight is how many times longer than the others the last dimension of a block becomes,
// because rows in memory run along it.
const lastWeight = 4

// Targets are the sizes in bytes that [Auto] aims at. It exceeds them only for a single item.
type Targets struct{ Block, Chunk int64 }

// Auto chooses the chunk and block shapes that are nil. Sides have similar numbers of items, the
// last one more, so that slices in any direction are reasonably cheap. A side that does not span
// the array divides it into even parts. The result depends only on the arguments, and integer
// arithmetic makes it the same on every machine.
func Auto(shape []int64, itemSize int64, t Targets, chunk, block []int64) (chunks, blocks []int64) {
	n := len(shape)
	extents := assumeExtents(shape, itemSize)

	if block == nil {
		limits := make([]int64, n)
		for i := range n {
			limits[i] = extents[i]
			if chunk != nil {
				limits[i] = chunk[i]
			}
		}
		block = growBox(limits, slices.Repeat([]int64{1}, n), t.Block/itemSize)
		for i := range n {
			block[i] = min(evenSide(limits[i], block[i]), limits[i])
		}
	}

	if chunk != nil {
		return slices.Clone(chunk), slices.Clone(block)
	}

	// A chunk consists of whole blocks, so it grows in units of them.
	limits := make([]int64, n)
	unit := make([]int64, n)
	blockItems := int64(1)
	for i := range n {
		unit[i] = max(block[i], 1)
		limits[i] = ceilDiv(extents[i], unit[i])
		blockItems = saturatingMul(blockItems, unit[i])
	}

	chunk = growBox(limits, unit, t.Chunk/max(1, saturatingMul(blockItems, itemSize)))

	// Even out the chunks, so that the last one of a dimension is not much smaller than the others.
	for i := range n {
		parts := ceilDiv(limits[i], chunk[i])
		chunk[i] = ceilDiv(limits[i], parts) * unit[i]
		if shape[i] > 0 {
			chunk[i] = max(min(chunk[i], shape[i]), block[i])
		}
	}
	return chunk, slices.Clone(block)
}

// growBox grows a box from one unit by doubling its shortest side, where the last side counts less,
// while it holds at most budget units and no side exceeds its limit.
func growBox(limits, unit []int64, budget int64) []int64 {
	n := len(limits)
	sides := slices.Repeat([]int64{1}, n)
	units := int64(1)
	for i := range n {
		sides[i] = min(1, limits[i])
	}

	for {
		best := -1
		bestLength := int64(0)
		for i := n - 1; i >= 0; i-- {
			if sides[i] >= limits[i] || saturatingMul(units/sides[i], min(2*sides[i], limits[i])) > budget {
				continue
			}
			length := saturatingMul(sides[i]*lastWeight, unit[i])
			if i == n-1 {
				length /= lastWeight
			}
			if best < 0 || length < bestLength {
				best = i
				bestLength = length
			}
		}

		if best < 0 {
			return sides
		}

		units /= sides[best]
		sides[best] = min(2*sides[best], limits[best])
		units *= sides[best]
	}
}

// evenSide shortens side so that it divides extent into the same number of parts, of equal length.
// Long sides stay multiples of 8 items, which suits bitshuffle and vector kernels.
func evenSide(extent, side int64) int64 {
	if side == 0 || side >= extent {
		return side
	}
	part := ceilDiv(extent, ceilDiv(extent, side))
	if part >= 64 {
		part = (part + 7) &^ 7
	}
	return part
}

// assumeExtents returns the extents for which chunks are chosen.
func assumeExtents(shape []int64, itemSize int64) []int64 {
	extents := slices.Clone(shape)
	empty := -1
	row := itemSize // bytes of one more item along dimension empty

	for i, extent := range shape {
		switch {
		case extent > 0:
			row = saturatingMul(row, extent)
		case empty < 0:
			empty = i
			extents[i] = assumedExtent
		default:
			empty = len(shape)
			extents[i] = assumedExtent
		}
	}

	if empty >= 0 && empty < len(shape) {
		extents[empty] = max(1, emptyMinBytes/row, min(emptyItems, emptyMaxBytes/row))
	}
	return extents
}

// saturatingMul multiplies numbers ≥ 0; on overflow it returns the largest number.
func saturatingMul(a, b int64) int64 {
	if p, ok := Mul(a, b); ok {
		return p
	}
	return 1<<63 - 1
}
