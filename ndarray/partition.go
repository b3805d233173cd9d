package ndarray

import (
	"fmt"
	"math"
	"slices"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/internal/errkind"
	"github.com/cairn-go/cairn/internal/grid"
)

// Targets of the automatic partition. A block should fit into a core's L2 cache together with its
// filtered and compressed forms, yet be large enough for the codec to find matches; slow codecs
// profit from larger blocks. A chunk should be worth one read from a disk and one job for a worker.
const (
	fastBlockBytes  = 64 << 10
	denseBlockBytes = 128 << 10
	chunkBytes      = 4 << 20
)

// autoPartition returns the geometry that Create chooses for an array whose items have typeSize
// bytes. o may be nil. ChunkShape and BlockShape of o are kept if given; Codec and Level determine
// the sizes. The same arguments give the same shapes on every machine. The result respects the
// limits of the format, or else an error is returned.
//
// An extent of 0 means that the array will grow along this axis. Along a single such axis, chunks
// have 512 items, or more if 1 MiB holds more, but at most as many as 4 MiB hold: each commit
// writes the last chunks once more, and eight bytes for every chunk.
func autoPartition(shape Shape, typeSize int, o *Options) (*grid.Partition, error) {
	p, err := choosePartition(shape, typeSize, o)
	return p, errkind.Invalid(err)
}

func choosePartition(shape Shape, typeSize int, o *Options) (*grid.Partition, error) {
	if o == nil {
		o = &Options{}
	}
	if typeSize < 1 {
		return nil, fmt.Errorf("items of %d bytes", typeSize)
	}

	for _, given := range []struct {
		name  string
		shape Shape
	}{{"chunk shape", o.ChunkShape}, {"block shape", o.BlockShape}} {
		if given.shape != nil && len(given.shape) != len(shape) {
			err := fmt.Errorf("%s %v for an array of shape %v: the numbers of dimensions differ",
				given.name, given.shape, shape)
			return nil, errkind.Mark(err, errkind.ErrRank)
		}
	}

	extents := slices.Concat(shape, o.ChunkShape, o.BlockShape)
	if slices.ContainsFunc(extents, func(n int64) bool { return n < 0 }) {
		return nil, fmt.Errorf("negative extent in shape %v, chunk shape %v or block shape %v",
			shape, o.ChunkShape, o.BlockShape)
	}

	chunks, blocks := grid.Auto(shape, int64(typeSize), o.targets(), o.ChunkShape, o.BlockShape)
	if o.ZarrBlocks {
		if err := o.tile(chunks, blocks); err != nil {
			return nil, err
		}
	}
	return newPartition(shape, chunks, blocks, typeSize)
}

// tile makes chunks a whole number of blocks along each axis, as [Options.ZarrBlocks] needs. It
// changes what was not given: the chunk, or else the block.
func (o *Options) tile(chunks, blocks Shape) error {
	for i, n := range chunks {
		block := blocks[i]
		switch {
		case block == 0 || n%block == 0:
		case o.ChunkShape == nil:
			chunks[i] = (n + block - 1) / block * block
		case o.BlockShape == nil:
			for n%blocks[i] != 0 {
				blocks[i]--
			}
		default:
			return fmt.Errorf("ZarrBlocks with chunks of %v and blocks of %v: "+
				"each extent of a chunk must be a multiple of the block's", chunks, blocks)
		}
	}
	return nil
}

// tiles reports whether chunks are a whole number of blocks along each axis.
func tiles(chunks, blocks Shape) bool {
	for i, n := range chunks {
		if blocks[i] != 0 && n%blocks[i] != 0 {
			return false
		}
	}
	return true
}

// shapeOf returns numbers per dimension as a shape, in new memory.
func shapeOf(p *grid.Partition, v grid.Vec) Shape { return slices.Clone(Shape(v[:p.Dims])) }

// targets returns the target sizes for the codec and level of o.
func (o *Options) targets() grid.Targets {
	t := grid.Targets{Block: denseBlockBytes, Chunk: chunkBytes}
	if row, err := o.Codecs.Lookup(o.Codec.ID()); err == nil && !row.HighRatio && !row.Shaped {
		t.Block = fastBlockBytes
	}

	switch {
	case o.Level >= 7:
		t.Block *= 2
		t.Chunk *= 2
	case o.Level == chunk.Stored || o.Level == 1:
		t.Block /= 2
		t.Chunk /= 2
	}
	return t
}

// newPartition checks a geometry against the limits of the format.
func newPartition(shape, chunks, blocks Shape, typeSize int) (*grid.Partition, error) {
	p, err := grid.New(shape, chunks, blocks, int64(typeSize))
	if err != nil {
		return nil, err
	}

	if p.BlockSize > chunk.MaxBlockSize {
		return nil, fmt.Errorf("blocks of %v items of %d bytes: %d bytes, the most is %d", blocks,
			typeSize, p.BlockSize, chunk.MaxBlockSize)
	}
	if p.ChunkCount > maxChunks {
		return nil, fmt.Errorf("shape %v in chunks of %v: %d chunks, the most is %d", shape,
			chunks, p.ChunkCount, maxChunks)
	}
	return p, nil
}

// maxChunks is the most chunks that the index of a frame can list.
const maxChunks = math.MaxInt32 / 8
