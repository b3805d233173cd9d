package meta

import (
	"fmt"
	"math"

	"github.com/cairn-go/cairn/internal/wire"
)

// maxChunkBytes is the maximum size of an uncompressed chunk.
const maxChunkBytes = math.MaxInt32 - 32

// Validate returns an error, with field and dimension, if no array can have this geometry. The
// shapes must have one length of at most [MaxDims], and no extent may be negative. An extent of a
// chunk may be 0 only if that of the array is, and one of a block only if that of the chunk is. The
// items of the array, with and without padding, must be countable in 64 bits, and those of a chunk
// or a block in 32. A chunk may be larger than the array and a block larger than its chunk.
func (m *B2ND) Validate() error {
	dims := len(m.Shape)
	if dims > MaxDims {
		return fmt.Errorf("%d dimensions, at most %d are possible", dims, MaxDims)
	}
	if len(m.ChunkShape) != dims || len(m.BlockShape) != dims {
		return fmt.Errorf("shape has %d dimensions, chunk shape %d, block shape %d", dims, len(m.ChunkShape), len(m.BlockShape))
	}

	for i := range dims {
		shape := m.Shape[i]
		chunk := m.ChunkShape[i]
		block := m.BlockShape[i]
		switch {
		case shape < 0 || chunk < 0 || block < 0:
			return fmt.Errorf("negative extent in dimension %d: shape %d, chunk %d, block %d", i, shape, chunk, block)
		case block == 0 && chunk != 0:
			return fmt.Errorf("block extent 0 within chunk extent %d in dimension %d", chunk, i)
		case shape > 0 && (chunk == 0 || block == 0):
			return fmt.Errorf("shape %d in dimension %d with chunk extent %d and block extent %d", shape, i, chunk, block)
		}
	}
	return m.validateProducts()
}

func (m *B2ND) validateProducts() error {
	if _, ok := wire.Product(m.Shape...); !ok {
		return fmt.Errorf("number of items of shape %v overflows", m.Shape)
	}

	ext, err := m.extShape()
	if err != nil {
		return err
	}
	if _, ok := wire.Product(ext...); !ok {
		return fmt.Errorf("number of items of shape %v, padded to %v, overflows", m.Shape, ext)
	}
	if _, ok := wire.Product(m.extChunkShape()...); !ok {
		return fmt.Errorf("number of items of chunk shape %v, padded to %v, overflows", m.ChunkShape,
			m.extChunkShape())
	}

	for _, s := range []struct {
		name  string
		shape []int32
	}{{"chunk", m.ChunkShape}, {"block", m.BlockShape}} {
		if !productFitsInt32(s.shape) {
			return fmt.Errorf("number of items of %s shape %v overflows", s.name, s.shape)
		}
	}
	return nil
}

func productFitsInt32(shape []int32) bool {
	product := int64(1)
	for _, n := range shape {
		// Both factors are below 2^31, so the product fits in 64 bits.
		product *= int64(n)
		if product > math.MaxInt32 {
			return false
		}
	}
	return true
}

// extShape returns the shape rounded up to whole chunks, or 0 where the chunk extent is 0.
func (m *B2ND) extShape() ([]int64, error) {
	ext := make([]int64, len(m.Shape))
	for i, n := range m.Shape {
		if m.ChunkShape[i] == 0 {
			continue
		}
		var ok bool
		if ext[i], ok = wire.RoundUp(n, int64(m.ChunkShape[i])); !ok {
			return nil, fmt.Errorf("shape %d in dimension %d cannot be rounded up to chunks of %d", n, i, m.ChunkShape[i])
		}
	}
	return ext, nil
}

// extChunkShape returns the chunk shape rounded up to whole blocks, which is the stored shape of a
// chunk.
func (m *B2ND) extChunkShape() []int64 {
	ext := make([]int64, len(m.ChunkShape))
	for i, n := range m.ChunkShape {
		// Two int32 cannot overflow; a block extent of 0 goes with a chunk extent of 0.
		ext[i], _ = wire.RoundUp(int64(n), int64(m.BlockShape[i]))
	}
	return ext
}

// Grid returns the number of chunks along each dimension, or 0 where the shape is 0.
func (m *B2ND) Grid() []int64 {
	grid := make([]int64, len(m.Shape))
	for i, n := range m.Shape {
		grid[i], _ = wire.CeilDiv(n, int64(m.ChunkShape[i]))
	}
	return grid
}

// NumChunks returns the number of chunks of the array, 1 for a scalar. A frame may contain more
// chunks, which readers ignore.
func (m *B2ND) NumChunks() int64 {
	// This cannot overflow after Validate: no extent of the grid exceeds that of the shape.
	n, _ := wire.Product(m.Grid()...)
	return n
}

// ChunkBytes returns the uncompressed size of each chunk, including padding, for items of typeSize
// bytes. It fails if no chunk can have that size. The caller decides whether the error is
// ErrCorrupt.
func (m *B2ND) ChunkBytes(typeSize int) (int64, error) {
	shape := m.extChunkShape()
	if typeSize < 1 {
		return 0, fmt.Errorf("type size is %d, must be positive", typeSize)
	}

	items, ok := wire.Product(shape...)
	if ok {
		items, ok = wire.MulInt64(items, int64(typeSize))
	}
	if !ok || items > maxChunkBytes {
		return 0, fmt.Errorf("chunk of shape %v with items of %d bytes is larger than the possible %d bytes",
			shape, typeSize, int64(maxChunkBytes))
	}
	return items, nil
}
