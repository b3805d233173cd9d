package zarr

import (
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/internal/grid"
)

// The chunks of a view do not depend on the shape of the array if that is one of Blosc2: readers
// may keep the metadata while the array grows. They are one of:
//
//   - several blocks of a chunk whose items lie one behind the other, because they are put together
//     along the first dimension along which a block has more than one item, or one before it. Such
//     chunks can be copied, mostly.
//   - boxes of blocks, if the former would be small, or could not be copied.
const (
	viewMost  = 1 << 20   // bytes up to which chunks are made larger
	viewLeast = 32 << 10  // bytes of a chunk that is worth a request of its own
	viewLimit = 256 << 20 // bytes that no chunk exceeds
	// bytes of a box that is decoded and encoded in one piece
	viewRecoded = 4 << 20
)

// recodeLevel is the level at which chunks are encoded anew, with LZ4.
const recodeLevel = 5

// setChunks decides on the chunks.
func (v *View) setChunks() error {
	item := int64(v.dtype.Size())
	if s := v.stored; s != nil {
		v.chunks = s.stacked(item)
		if v.chunks == nil {
			v.chunks = boxed(s.chunk, s.block, item)
			v.stored = nil
		}
	} else {
		large, small := v.src.Grid()
		if large == nil {
			t := grid.Targets{Block: viewMost, Chunk: viewMost}
			large, small = grid.Auto(v.shape, item, t, nil, nil)
		}
		if small == nil {
			small = large
		}
		v.chunks = boxed(large, small, item)
	}

	v.size = item * volume(v.chunks)
	for d, n := range v.shape {
		v.count = append(v.count, ceil(n, v.chunks[d]))
	}

	if v.size > viewLimit {
		return unsupported("items of %d bytes in chunks of %d", item, v.size)
	}

	var err error
	if v.part, err = grid.New(v.shape, v.chunks, v.chunks, item); err != nil {
		return unsupported("an array of shape %v: %v", v.shape, err)
	}
	return nil
}

// stacked returns the shape of chunks that can be copied, or nil if that is in vain.
func (s *storedBlocks) stacked(item int64) []int64 {
	info := s.frame.Info()
	header := min(info.TypeSize, 255)
	if info.TypeSize > 255 {
		header = 1
	}

	if info.Dict || info.VLBlocks || !chunk.InBlosc1(info.Codec, info.Pipeline, header) {
		return nil
	}

	shape := slices.Clone(s.block)
	size := s.size
	first := slices.IndexFunc(shape, func(n int64) bool { return n > 1 })
	if first < 0 {
		first = len(shape) - 1
	}

	for d := first; d >= 0 && size <= viewMost; d-- {
		count := divisor(s.blocks[d], viewMost/size)
		shape[d] *= count
		size *= count
		if count < s.blocks[d] {
			break // what follows would not lie behind it
		}
	}

	whole := item
	for d, n := range s.blocks {
		whole *= n * s.block[d]
	}
	if size < min(viewLeast, whole) || size > viewLimit {
		return nil
	}
	return shape
}

// boxed returns the shape of chunks that consist of blocks in any way, or of parts of large blocks.
func boxed(large, small []int64, item int64) []int64 {
	shape := make([]int64, len(small))
	size := item
	for d, n := range small {
		shape[d] = max(1, n)
		size = satMul(size, shape[d])
	}

	for d := len(shape) - 1; d >= 0 && size < viewMost; d-- {
		blocks := ceil(max(1, large[d]), shape[d])
		count := divisor(blocks, viewMost/size)
		shape[d] *= count
		if count == blocks {
			shape[d] = max(shape[d]/count, large[d]) // whose last block may not be full
		}
		size = item * volume(shape)
	}

	for size > viewRecoded {
		// The dimension with the most items.
		d := 0
		for i, n := range shape {
			if n > shape[d] {
				d = i
			}
		}

		if shape[d] == 1 {
			break
		}
		size /= shape[d]
		shape[d] = (shape[d] + 1) / 2
		size = satMul(size, shape[d])
	}
	return shape
}

// satMul returns the product of two positive numbers, or a large one that is no overflow.
func satMul(a, b int64) int64 {
	if n, ok := grid.Product([]int64{a, b}); ok {
		return n
	}
	return cairn.Limits{}.WithDefaults().MaxAlloc << 20
}
