// Package grid is the pure geometry of partitioned arrays: it cuts boxes of items by chunks and
// blocks, and copies between a dense C-order buffer and the block layout of a chunk. It knows
// nothing of files and compression.
//
// An array is divided into chunks of one shape, a chunk into blocks of one shape. Both grids are in
// C order. Within a chunk, blocks lie one after another, each a C-order box of its full shape:
// blocks at the far edge of a chunk are padded, and so are the chunks at the far edge of the array.
package grid

import (
	"fmt"
	"math"
)

// MaxDims is the most dimensions an array can have.
const MaxDims = 16

// MaxChunkBytes is the most bytes the format can store in one chunk.
const MaxChunkBytes = math.MaxInt32 - 32

// Vec has one number per dimension; entries beyond the number of dimensions are unused.
type Vec [MaxDims]int64

// A Partition is the geometry of one array. It is immutable after [New] and safe for concurrent
// use.
type Partition struct {
	Dims     int   // number of dimensions
	ItemSize int64 // bytes per item
	Shape    Vec   // items per dimension of the array
	Chunk    Vec   // items per dimension of a chunk
	Block    Vec   // items per dimension of a block

	ChunkGrid  Vec   // chunks per dimension
	BlockGrid  Vec   // blocks per dimension of a chunk
	ChunkCount int64 // chunks of the array; 0 if it has no items
	BlockCount int64 // blocks of a chunk
	BlockSize  int64 // bytes of a block
	ChunkSize  int64 // bytes of a chunk: whole blocks, padding included
	ItemCount  int64 // items of the array

	blockStep Vec // bytes between neighbours along each dimension within a block
}

// New checks the geometry of an array and computes the derived fields. The three shapes have the
// same length, at most [MaxDims]. A chunk or block may exceed the array. An extent of chunk may be
// zero only if that of shape is, and one of block only if that of chunk is. No product may
// overflow, and a chunk may not exceed [MaxChunkBytes].
func New(shape, chunk, block []int64, itemSize int64) (*Partition, error) {
	n := len(shape)
	if n > MaxDims {
		return nil, fmt.Errorf("%d dimensions, the most is %d", n, MaxDims)
	}
	if len(chunk) != n || len(block) != n {
		return nil, fmt.Errorf("shape has %d dimensions, chunk shape %d, block shape %d", n, len(chunk), len(block))
	}
	if itemSize < 1 || itemSize > MaxChunkBytes {
		return nil, fmt.Errorf("item size %d", itemSize)
	}

	p := &Partition{Dims: n, ItemSize: itemSize}
	for i := range n {
		if err := checkDim(i, shape[i], chunk[i], block[i]); err != nil {
			return nil, err
		}
		p.Shape[i] = shape[i]
		p.Chunk[i] = chunk[i]
		p.Block[i] = block[i]
		p.ChunkGrid[i] = ceilDiv(shape[i], chunk[i])
		p.BlockGrid[i] = ceilDiv(chunk[i], block[i])
	}
	return p, p.measure()
}

func checkDim(i int, shape, chunk, block int64) error {
	switch {
	case shape < 0 || chunk < 0 || block < 0:
		return fmt.Errorf("dimension %d: negative extent in shape %d, chunk %d, block %d", i, shape, chunk, block)
	case chunk == 0 && shape != 0:
		return fmt.Errorf("dimension %d: chunk extent 0 with %d items", i, shape)
	case block == 0 && chunk != 0:
		return fmt.Errorf("dimension %d: block extent 0 in a chunk of %d", i, chunk)
	case chunk > MaxChunkBytes || block > MaxChunkBytes:
		return fmt.Errorf("dimension %d: chunk extent %d or block extent %d exceeds %d", i, chunk, block, MaxChunkBytes)
	}
	return nil
}

// measure computes the products with overflow checks.
func (p *Partition) measure() error {
	var ok [5]bool
	p.ItemCount, ok[0] = Product(p.Shape[:p.Dims])
	p.ChunkCount, ok[1] = Product(p.ChunkGrid[:p.Dims])
	p.BlockCount, ok[2] = Product(p.BlockGrid[:p.Dims])
	p.BlockSize, ok[3] = Product(append([]int64{p.ItemSize}, p.Block[:p.Dims]...))
	if !ok[0] || !ok[1] {
		return fmt.Errorf("shape %v in chunks of %v has more items than 63 bits can count", p.Shape[:p.Dims], p.Chunk[:p.Dims])
	}

	p.ChunkSize, ok[4] = Mul(p.BlockSize, p.BlockCount)
	if !ok[2] || !ok[3] || !ok[4] || p.ChunkSize > MaxChunkBytes {
		return fmt.Errorf("a chunk of shape %v in blocks of %v with items of %d bytes exceeds %d bytes",
			p.Chunk[:p.Dims], p.Block[:p.Dims], p.ItemSize, MaxChunkBytes)
	}

	if _, fits := Mul(p.ChunkSize, p.ChunkCount); !fits {
		return fmt.Errorf("%d chunks of %d bytes exceed 63 bits", p.ChunkCount, p.ChunkSize)
	}

	step := p.ItemSize
	for i := p.Dims - 1; i >= 0; i-- {
		p.blockStep[i] = step
		step *= p.Block[i] // at most BlockSize, or zero
	}
	return nil
}

// Within sets q to the geometry with another extent along an axis. It reports false if that needs
// more or fewer chunks.
func (p *Partition) Within(axis int, extent int64, q *Partition) bool {
	if extent < 0 || p.Chunk[axis] == 0 || ceilDiv(extent, p.Chunk[axis]) != p.ChunkGrid[axis] {
		return false
	}

	*q = *p
	q.Shape[axis] = extent
	var ok bool
	q.ItemCount, ok = Product(q.Shape[:q.Dims])
	return ok
}

// ChunkAt returns the coordinates of chunk number in the grid of chunks. number is in [0,
// ChunkCount).
func (p *Partition) ChunkAt(number int64) (at Vec) {
	for i := p.Dims - 1; i >= 0; i-- {
		at[i] = number % p.ChunkGrid[i]
		number /= p.ChunkGrid[i]
	}
	return at
}

// ChunkBox returns the box of chunk number, clipped to the array. number is in [0, ChunkCount).
func (p *Partition) ChunkBox(number int64) (start, stop Vec) {
	at := p.ChunkAt(number)
	for i := range p.Dims {
		start[i] = at[i] * p.Chunk[i]
		stop[i] = min(start[i]+p.Chunk[i], p.Shape[i])
	}
	return start, stop
}

// ItemsBefore returns the total number of items in the chunks before number, which is in [0,
// ChunkCount].
func (p *Partition) ItemsBefore(number int64) int64 {
	if number >= p.ChunkCount {
		items, _ := Product(p.Shape[:p.Dims])
		return items
	}
	// Group the chunks before this one by the first dimension in which their coordinates differ:
	// along all later dimensions each group is complete.
	start, stop := p.ChunkBox(number)
	items := int64(0)
	outer := int64(1)
	for i := range p.Dims {
		inner, _ := Product(p.Shape[i+1 : p.Dims])
		items += outer * start[i] * inner
		outer *= stop[i] - start[i]
	}
	return items
}

// Product multiplies numbers ≥ 0 and reports whether the result fits; any zero gives zero.
func Product(numbers []int64) (int64, bool) {
	product := int64(1)
	ok := true
	for _, v := range numbers {
		if v == 0 {
			return 0, true
		}
		if ok {
			product, ok = Mul(product, v)
		}
	}
	return product, ok
}

// Mul multiplies two numbers ≥ 0 and reports whether the product fits.
func Mul(a, b int64) (int64, bool) {
	if a == 0 || b == 0 {
		return 0, true
	}
	if a > math.MaxInt64/b {
		return 0, false
	}
	return a * b, true
}

// ceilDiv is a / b rounded up, and 0 if b is 0.
func ceilDiv(a, b int64) int64 {
	if b == 0 || a == 0 {
		return 0
	}
	return (a-1)/b + 1
}
