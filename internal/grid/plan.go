package grid

import "math"

// A Plan is one box of an array, cut into pieces by chunk. Set it up once per call; [Plan.Piece]
// may then be called from many goroutines, each with its own Piece. Nothing allocates.
type Plan struct {
	part        *Partition
	start, stop Vec
	firstChunk  Vec // chunk coordinates of the first piece
	chunkCount  Vec // pieces per dimension
	denseStep   Vec // bytes between neighbours in the dense buffer

	pieces
	Bytes int64 // size of the box as a dense C-order buffer
}

// Set sets the box from start up to, not including, stop. The dense buffer is in C order over the
// box. Set fails if the box is not within the array or is too large for the machine's memory.
func (pl *Plan) Set(p *Partition, start, stop []int64) error {
	if err := p.CheckBox(start, stop); err != nil {
		return err
	}
	*pl = Plan{part: p}
	copy(pl.start[:], start)
	copy(pl.stop[:], stop)
	for i := range start {
		if start[i] == stop[i] {
			return nil
		}
	}
	bytes, pieces := p.ItemSize, int64(1)
	for i := p.Dims - 1; i >= 0; i-- {
		pl.denseStep[i] = bytes
		var ok bool
		if bytes, ok = Mul(bytes, stop[i]-start[i]); !ok || bytes > math.MaxInt {
			return outside("box %v to %v is larger than the address space", start, stop)
		}
		pl.firstChunk[i] = start[i] / p.Chunk[i]
		pl.chunkCount[i] = (stop[i]-1)/p.Chunk[i] + 1 - pl.firstChunk[i]
		pieces *= pl.chunkCount[i] // at most ChunkCount
	}
	if pieces > math.MaxInt {
		return outside("box %v to %v meets %d chunks", start, stop, pieces)
	}
	pl.Pieces, pl.Bytes = int(pieces), bytes
	return nil
}

// Broadcast makes the dense side a single item that is repeated for every item of the box. It
// serves only [Piece.Gather].
func (pl *Plan) Broadcast() { pl.denseStep = Vec{} }

// Take returns the share of a chunk.
func (pl *Plan) Take(index int, r *Room) Share {
	pl.Piece(index, &r.box)
	return Share{&r.box, r.box.Chunk, r.box.Whole}
}

// TakeIn is Take for a chunk number of the array. It reports false if the box does not touch the
// chunk.
func (pl *Plan) TakeIn(chunk int64, r *Room) (Share, bool) {
	p := pl.part
	if pl.Pieces == 0 {
		return Share{}, false
	}
	index, step := int64(0), int64(1)
	for i := p.Dims - 1; i >= 0; i-- {
		c := chunk%p.ChunkGrid[i] - pl.firstChunk[i]
		chunk /= p.ChunkGrid[i]
		if c < 0 || c >= pl.chunkCount[i] {
			return Share{}, false
		}
		index += c * step
		step *= pl.chunkCount[i]
	}
	return pl.Take(int(index), r), true
}

// Piece sets pc to the share of chunk number index of the plan, counted in C order from 0.
func (pl *Plan) Piece(index int, pc *Piece) {
	p := pl.part
	*pc = Piece{plan: pl, Whole: true}
	rest, gridStep := int64(index), int64(1)
	for i := p.Dims - 1; i >= 0; i-- {
		c := pl.firstChunk[i] + rest%pl.chunkCount[i]
		rest /= pl.chunkCount[i]
		pc.Chunk += c * gridStep
		gridStep *= p.ChunkGrid[i]

		origin := c * p.Chunk[i]
		end := min(origin+p.Chunk[i], p.Shape[i])
		lo, hi := max(pl.start[i], origin), min(pl.stop[i], end)
		pc.Whole = pc.Whole && lo == origin && hi == end
		pc.dense += (lo - pl.start[i]) * pl.denseStep[i]
		pc.lo[i], pc.hi[i] = lo-origin, hi-origin
		pc.firstBlock[i] = pc.lo[i] / p.Block[i]
		pc.blockCount[i] = (pc.hi[i]-1)/p.Block[i] + 1 - pc.firstBlock[i]
	}
}
