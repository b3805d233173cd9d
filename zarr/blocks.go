package zarr

import (
	"context"
	"io"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/internal/chunked"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/slab"
)

// Blosc divides a chunk into blocks of so many bytes, whatever its shape. Mostly a block is a box
// of the chunk all the same: some rows of items, or some planes. Then only those blocks are read
// and decoded that a box of the array touches, and their items go straight to their places.

// A blockReader reads such blocks for one goroutine.
type blockReader struct {
	decoder *chunk.Decoder
	size    int             // of the blocks that part has
	part    *grid.Partition // the array, its chunks and blocks; nil if blocks are no boxes
	box     grid.Box        // what is read

	scratch grid.Scratch
	piece   grid.ChunkPiece
	dst     []byte
	want    []bool
	head    [headSize]byte
	ranges  rangeReader
}

const (
	headSize = 4096 // bytes of a chunk that are read to learn about its blocks

	// most blocks of a chunk that are read on their own; a hostile chunk has billions
	mostBlocks = 1 << 16
)

// isBlosc reports whether the chain consists of the compressor blosc.
func (c *chain) isBlosc() bool {
	if len(c.stages) != 1 {
		return false
	}
	only, ok := c.stages[0].(*compressor)
	return ok && only.name == compressors[0].name
}

// blosc returns the decoder of a chain that consists of the compressor blosc.
func (w *worker) blosc() (blosc, bool) {
	if len(w.decoders) != 1 {
		return blosc{}, false
	}
	d, _ := w.decoders[0].(decompressor)
	b, ok := d.d.(blosc)
	return b, ok
}

// take makes the part of a box in a chunk of an array the current one. It reports false if the
// blocks of the chunk are no boxes.
func (b *blockReader) take(array *grid.Partition, j *chunked.Job, h *chunk.Header) bool {
	if size := h.Layout().BlockSize; size != b.size {
		b.size = size
		b.part = blockPartition(array, int64(size))
	}

	if b.part == nil {
		return false
	}

	start, stop := j.Box.Bounds()
	if b.box.Set(b.part, start[:b.part.Dims], stop[:b.part.Dims]) != nil {
		return false
	}

	var ok bool
	b.piece, ok = b.box.TakeIn(j.Piece.Chunk, &b.scratch)
	b.dst = j.Dst
	return ok
}

// blockPartition divides the chunks of a partition into blocks of size bytes. It returns nil if
// those are not boxes.
func blockPartition(p *grid.Partition, size int64) *grid.Partition {
	items := size / p.ItemSize
	if items == 0 || size%p.ItemSize != 0 {
		return nil
	}

	block := make([]int64, p.Dims)
	for d := p.Dims - 1; d >= 0; d-- {
		n := p.Chunk[d]
		block[d] = min(n, items)
		if outer, _ := grid.Product(p.Chunk[:d]); items%block[d] != 0 || items < n && n%items != 0 && outer > 1 {
			return nil
		}
		items /= block[d]
	}
	if items > 1 {
		return nil
	}

	made, err := grid.New(p.Shape[:p.Dims], p.Chunk[:p.Dims], block, p.ItemSize)
	if err != nil || made.BlockCount > mostBlocks {
		return nil
	}
	return made
}

// decode decodes the blocks of the current piece.
func (b *blockReader) decode(h *chunk.Header, raw []byte) error {
	err := b.decoder.DecodeBlocks(*h, raw, b.wanted(), b)
	b.dst = nil
	return err
}

// wanted returns the mask of the blocks that the current piece touches, or nil for all.
func (b *blockReader) wanted() []bool {
	if int64(b.piece.Blocks()) == b.part.BlockCount {
		return nil
	}
	b.want = slab.Resize(b.want, b.part.BlockCount)
	clear(b.want)
	grid.Mark(b.piece, b.want)
	return b.want
}

// fetch decodes the blocks of the current piece, and reads only those. It reports false, and has
// done nothing, if they are most of the chunk.
func (b *blockReader) fetch(ctx context.Context, h *chunk.Header, place *chunked.Place, head []byte) (bool, error) {
	if int64(b.piece.Blocks())*4 > b.part.BlockCount*3 || int64(h.CBytes) > place.Size {
		return false, nil
	}
	b.ranges = rangeReader{ctx, place, head}
	err := b.decoder.DecodeBlocksAt(*h, &b.ranges, 0, b.wanted(), b)
	b.dst = nil
	b.ranges = rangeReader{}
	return true, err
}

// Dst, Needs, Put and PutPlanes take decoded blocks: see [chunk.BlockSink].

func (b *blockReader) Dst(index, size int) []byte {
	if dst := b.piece.Direct(b.dst, index); len(dst) == size {
		return dst
	}
	return nil // the last block may be shorter
}

func (b *blockReader) Needs(index, _ int) (from, to int) { return b.piece.Span(index) }

func (b *blockReader) Put(index int, data []byte) { b.piece.Scatter(b.dst, index, data) }

func (b *blockReader) PutPlanes(index int, planes [][]byte) bool {
	return b.piece.Interleave(b.dst, index, planes)
}

// A rangeReader reads from a chunk, whose beginning it has already.
type rangeReader struct {
	ctx   context.Context
	place *chunked.Place
	head  []byte
}

// ReadAt implements [io.ReaderAt].
func (r *rangeReader) ReadAt(b []byte, off int64) (int, error) {
	end := off + int64(len(b))
	switch {
	case end > r.place.Size:
		return 0, io.ErrUnexpectedEOF
	case end <= int64(len(r.head)):
		return copy(b, r.head[off:]), nil
	}

	if err := r.place.Source.ReadAt(r.ctx, b, r.place.Off+off); err != nil {
		return 0, err
	}
	return len(b), nil
}
