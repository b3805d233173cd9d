package grid

import "math"

// A Box is one box of an array, cut into pieces by chunk. Set it up once per call; [Box.Piece]
// may then be called from many goroutines, each with its own BoxPiece. Nothing allocates.
type Box struct {
	part        *Partition
	start, stop Vec
	firstChunk  Vec // chunk coordinates of the first piece
	chunkCount  Vec // pieces per dimension
	denseStep   Vec // bytes between neighbours in the dense buffer

	planBase
	stream bool  // the dense buffer is written around the cache
	Bytes  int64 // size of the box as a dense C-order buffer
}

// Set sets the box from start up to, not including, stop. The dense buffer is in C order over the
// box. Set fails if the box is not within the array or is too large for the machine's memory.
func (b *Box) Set(p *Partition, start, stop []int64) error {
	if err := CheckBox(p.Shape[:p.Dims], start, stop); err != nil {
		return err
	}
	*b = Box{part: p}
	copy(b.start[:], start)
	copy(b.stop[:], stop)
	for i := range start {
		if start[i] == stop[i] {
			return nil
		}
	}

	bytes := p.ItemSize
	pieces := int64(1)
	for i := p.Dims - 1; i >= 0; i-- {
		b.denseStep[i] = bytes
		var ok bool
		if bytes, ok = Mul(bytes, stop[i]-start[i]); !ok || bytes > math.MaxInt {
			return outside("box %v to %v is larger than the address space", start, stop)
		}
		b.firstChunk[i] = start[i] / p.Chunk[i]
		b.chunkCount[i] = (stop[i]-1)/p.Chunk[i] + 1 - b.firstChunk[i]
		pieces *= b.chunkCount[i] // at most ChunkCount
	}

	if pieces > math.MaxInt {
		return outside("box %v to %v meets %d chunks", start, stop, pieces)
	}

	b.Pieces = int(pieces)
	b.Bytes = bytes
	b.stream = bytes >= streamBytes
	return nil
}

// Bounds returns the corners of the box.
func (b *Box) Bounds() (start, stop Vec) { return b.start, b.stop }

// Dims returns the number of dimensions.
func (b *Box) Dims() int { return b.part.Dims }

// Broadcast makes the dense side a single item that is repeated for every item of the box. It
// serves only [BoxPiece.Gather].
func (b *Box) Broadcast() { b.denseStep = Vec{} }

// Take returns the piece of a chunk.
func (b *Box) Take(index int, s *Scratch) ChunkPiece {
	b.Piece(index, &s.box)
	return ChunkPiece{&s.box, s.box.Chunk, s.box.Whole}
}

// TakeIn is Take for a chunk number of the array. It reports false if the box does not touch the
// chunk.
func (b *Box) TakeIn(chunk int64, s *Scratch) (ChunkPiece, bool) {
	p := b.part
	if b.Pieces == 0 {
		return ChunkPiece{}, false
	}

	index := int64(0)
	step := int64(1)
	for i := p.Dims - 1; i >= 0; i-- {
		c := chunk%p.ChunkGrid[i] - b.firstChunk[i]
		chunk /= p.ChunkGrid[i]
		if c < 0 || c >= b.chunkCount[i] {
			return ChunkPiece{}, false
		}

		index += c * step
		step *= b.chunkCount[i]
	}
	return b.Take(int(index), s), true
}

// Piece sets pc to the part in the index-th chunk that the box touches, counted in C order from 0.
func (b *Box) Piece(index int, pc *BoxPiece) {
	p := b.part
	*pc = BoxPiece{box: b, Whole: true}
	rest := int64(index)
	gridStep := int64(1)

	for i := p.Dims - 1; i >= 0; i-- {
		c := b.firstChunk[i] + rest%b.chunkCount[i]
		rest /= b.chunkCount[i]
		pc.Chunk += c * gridStep
		gridStep *= p.ChunkGrid[i]

		origin := c * p.Chunk[i]
		end := min(origin+p.Chunk[i], p.Shape[i])
		lo := max(b.start[i], origin)
		hi := min(b.stop[i], end)
		pc.Whole = pc.Whole && lo == origin && hi == end
		pc.dense += (lo - b.start[i]) * b.denseStep[i]
		pc.lo[i] = lo - origin
		pc.hi[i] = hi - origin
		pc.firstBlock[i] = pc.lo[i] / p.Block[i]
		pc.blockCount[i] = (pc.hi[i]-1)/p.Block[i] + 1 - pc.firstBlock[i]
	}
}

// Blocks returns how many blocks the box touches.
func (b *Box) Blocks() int64 {
	p := b.part
	blocks := int64(1)
	for i := range p.Dims {
		first := b.start[i]/p.Chunk[i]*p.BlockGrid[i] + b.start[i]%p.Chunk[i]/p.Block[i]
		last := (b.stop[i]-1)/p.Chunk[i]*p.BlockGrid[i] + (b.stop[i]-1)%p.Chunk[i]/p.Block[i]
		blocks *= last - first + 1 // at most ChunkCount * BlockCount
	}
	return blocks
}
