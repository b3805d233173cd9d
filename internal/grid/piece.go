package grid

// A Piece is the part of a box in one chunk. Its methods move bytes between the dense buffer of the
// plan and single blocks of the chunk. They do not change the Piece, so different blocks may be
// moved at the same time.
type Piece struct {
	plan *Plan

	Chunk int64 // number of the chunk in C order over the chunk grid
	Whole bool  // whether the box has all items of the chunk, apart from padding

	lo, hi     Vec // the box within the chunk
	dense      int64
	firstBlock Vec // block coordinates of the first block that the box touches
	blockCount Vec // blocks per dimension that the box touches
}

// Blocks returns the number of blocks of the chunk that the box touches.
func (pc *Piece) Blocks() int {
	n := int64(1)
	for i := range pc.plan.part.Dims {
		n *= pc.blockCount[i]
	}
	return int(n)
}

// Block returns the number within the chunk of the k-th block that the box touches.
func (pc *Piece) Block(k int) int {
	p := pc.plan.part
	rest, step, number := int64(k), int64(1), int64(0)
	for i := p.Dims - 1; i >= 0; i-- {
		number += (pc.firstBlock[i] + rest%pc.blockCount[i]) * step
		rest /= pc.blockCount[i]
		step *= p.BlockGrid[i]
	}
	return int(number)
}

// Scatter copies the box's items in a block from the block into the dense buffer.
func (pc *Piece) Scatter(dense []byte, block int, data []byte) {
	var m mover
	denseAt, blockAt, ok := pc.meet(&m, block)
	if ok {
		m.copy(dense, int(denseAt), data, int(blockAt), pc.plan.swap)
	}
}

// Gather copies the box's items in a block from the dense buffer into the block; other bytes are
// unchanged.
func (pc *Piece) Gather(data []byte, block int, dense []byte) {
	var m mover
	denseAt, blockAt, ok := pc.meet(&m, block)
	if ok {
		m.flip()
		m.copy(data, int(blockAt), dense, int(denseAt), pc.plan.swap)
	}
}

// Span returns the range of a block's bytes that contains the box's items. The box must touch the
// block.
func (pc *Piece) Span(block int) (from, to int) {
	var m mover
	_, at, _ := pc.meet(&m, block)
	to = int(at) + m.run
	for k := range m.levels {
		to += (m.count[k] - 1) * m.src[k]
	}
	return int(at), to
}

// Direct returns the part of the dense buffer that has the same layout as this block. It returns
// nil if the box does not hold the whole block, holds it in scattered rows, or bytes are to be
// swapped.
func (pc *Piece) Direct(dense []byte, block int) []byte {
	var m mover
	at, _, ok := pc.meet(&m, block)
	size := int(pc.plan.part.BlockSize)
	if !ok || m.levels != 0 || m.run != size || pc.plan.swap != 0 {
		return nil
	}
	return dense[at:][:size:size]
}

// Covers reports whether the box holds every item of the block, padding included.
func (pc *Piece) Covers(block int) bool {
	p := pc.plan.part
	rest := int64(block)
	for i := p.Dims - 1; i >= 0; i-- {
		origin := rest % p.BlockGrid[i] * p.Block[i]
		rest /= p.BlockGrid[i]
		if pc.lo[i] > origin || pc.hi[i] < origin+p.Block[i] {
			return false
		}
	}
	return true
}

// Fill sets every item of the piece in the dense buffer to item, which is one item long, or to zero
// bytes if item is nil.
func (pc *Piece) Fill(dense, item []byte) {
	p := pc.plan.part
	var m mover
	m.run = int(p.ItemSize)
	for i := p.Dims - 1; i >= 0; i-- {
		m.add(pc.hi[i]-pc.lo[i], pc.plan.denseStep[i], pc.plan.denseStep[i])
	}
	m.fill(dense, int(pc.dense), item, pc.plan.swap)
}

// meet sets up the loops dense ← block over the box's items in a block and returns their start
// offsets; ok is false if there are none.
func (pc *Piece) meet(m *mover, block int) (denseAt, blockAt int64, ok bool) {
	p := pc.plan.part
	m.run = int(p.ItemSize)
	denseAt = pc.dense
	rest := int64(block)
	for i := p.Dims - 1; i >= 0; i-- {
		origin := rest % p.BlockGrid[i] * p.Block[i]
		rest /= p.BlockGrid[i]
		lo, hi := max(pc.lo[i], origin), min(pc.hi[i], origin+p.Block[i])
		if lo >= hi {
			return 0, 0, false
		}
		denseAt += (lo - pc.lo[i]) * pc.plan.denseStep[i]
		blockAt += (lo - origin) * p.blockStep[i]
		m.add(hi-lo, pc.plan.denseStep[i], p.blockStep[i])
	}
	return denseAt, blockAt, true
}
