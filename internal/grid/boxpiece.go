package grid

// A BoxPiece is the part of a box in one chunk. Its methods move bytes between the dense buffer of
// the box and single blocks of the chunk. They do not change it, so different blocks may be moved
// at the same time.
type BoxPiece struct {
	box *Box

	Chunk int64 // number of the chunk in C order over the chunk grid
	Whole bool  // whether the box has all items of the chunk, apart from padding

	lo, hi     Vec // the box within the chunk
	dense      int64
	firstBlock Vec // block coordinates of the first block that the box touches
	blockCount Vec // blocks per dimension that the box touches
}

// Within returns the corners of the box within the chunk.
func (pc *BoxPiece) Within() (start, stop Vec) { return pc.lo, pc.hi }

// Blocks returns the number of blocks of the chunk that the box touches.
func (pc *BoxPiece) Blocks() int {
	n := int64(1)
	for i := range pc.box.part.Dims {
		n *= pc.blockCount[i]
	}
	return int(n)
}

// Block returns the number within the chunk of the k-th block that the box touches.
func (pc *BoxPiece) Block(k int) int {
	p := pc.box.part
	rest := int64(k)
	step := int64(1)
	number := int64(0)

	for i := p.Dims - 1; i >= 0; i-- {
		number += (pc.firstBlock[i] + rest%pc.blockCount[i]) * step
		rest /= pc.blockCount[i]
		step *= p.BlockGrid[i]
	}
	return int(number)
}

// Scatter copies the box's items in a block from the block into the dense buffer.
func (pc *BoxPiece) Scatter(dense []byte, block int, data []byte) {
	m := mover{stream: pc.box.stream}
	denseAt, blockAt, ok := pc.loops(&m, block)
	if ok {
		m.copy(dense, int(denseAt), data, int(blockAt), pc.box.swap)
	}
}

// Interleave is Scatter for a block given by its planes.
func (pc *BoxPiece) Interleave(dense []byte, block int, planes [][]byte) bool {
	m := mover{stream: pc.box.stream}
	denseAt, blockAt, ok := pc.loops(&m, block)
	return ok && pc.box.swap == 0 && m.interleave(dense, int(denseAt), planes, int(blockAt))
}

// Gather copies the box's items in a block from the dense buffer into the block; other bytes are
// unchanged.
func (pc *BoxPiece) Gather(data []byte, block int, dense []byte) {
	var m mover
	denseAt, blockAt, ok := pc.loops(&m, block)
	if ok {
		m.flip()
		if pc.box.stream {
			m.ahead = pc.ahead(block, denseAt)
		}
		if m.ahead == 0 && pc.box.stream && m.levels > 0 {
			m.ahead = rowsAhead * m.src[0]
		}
		m.copy(data, int(blockAt), dense, int(denseAt), pc.box.swap)
	}
}

// rowsAhead is how many rows are read ahead of a block that is the only one of its chunk.
const rowsAhead = 8

// ahead returns how far behind a block's items in the dense buffer those of the next block are.
// Rows that are shorter than a page are not foreseen by the processor.
func (pc *BoxPiece) ahead(block int, at int64) int {
	var m mover
	next, _, ok := pc.loops(&m, block+1)
	if !ok || int64(block+1) == pc.box.part.BlockCount {
		return 0
	}
	return int(next - at)
}

// Span returns the range of a block's bytes that contains the box's items. The box must touch the
// block.
func (pc *BoxPiece) Span(block int) (from, to int) {
	var m mover
	_, at, _ := pc.loops(&m, block)

	to = int(at) + m.run
	for k := range m.levels {
		to += (m.count[k] - 1) * m.src[k]
	}
	return int(at), to
}

// Direct returns the part of the dense buffer that has the same layout as this block. It returns
// nil if the box does not hold the whole block, holds it in scattered rows, or bytes are to be
// swapped.
func (pc *BoxPiece) Direct(dense []byte, block int) []byte {
	var m mover
	at, _, ok := pc.loops(&m, block)
	size := int(pc.box.part.BlockSize)

	if !ok || m.levels != 0 || m.run != size || pc.box.swap != 0 {
		return nil
	}
	return dense[at:][:size:size]
}

// Covers reports whether the box holds every item of the block, padding included.
func (pc *BoxPiece) Covers(block int) bool {
	p := pc.box.part
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

// Holds reports whether the box holds every item of the block, apart from padding.
func (pc *BoxPiece) Holds(block int) bool {
	p := pc.box.part
	rest := int64(block)
	for i := p.Dims - 1; i >= 0; i-- {
		origin := rest % p.BlockGrid[i] * p.Block[i]
		rest /= p.BlockGrid[i]
		atEnd := pc.box.stop[i] == p.Shape[i] // then in the last chunk the box ends there too
		if pc.lo[i] > origin || !atEnd && pc.hi[i] < min(origin+p.Block[i], p.Chunk[i]) {
			return false
		}
	}
	return true
}

// Fill sets every item of the piece in the dense buffer to item, which is one item long, or to zero
// bytes if item is nil.
func (pc *BoxPiece) Fill(dense, item []byte) {
	p := pc.box.part
	var m mover
	m.run = int(p.ItemSize)
	for i := p.Dims - 1; i >= 0; i-- {
		m.add(pc.hi[i]-pc.lo[i], pc.box.denseStep[i], pc.box.denseStep[i])
	}
	m.fill(dense, int(pc.dense), item, pc.box.swap)
}

// loops sets up m to go over the box's items in a block and returns their start
// offsets; ok is false if there are none.
func (pc *BoxPiece) loops(m *mover, block int) (denseAt, blockAt int64, ok bool) {
	p := pc.box.part
	m.run = int(p.ItemSize)
	denseAt = pc.dense
	rest := int64(block)

	for i := p.Dims - 1; i >= 0; i-- {
		origin := rest % p.BlockGrid[i] * p.Block[i]
		rest /= p.BlockGrid[i]

		lo := max(pc.lo[i], origin)
		hi := min(pc.hi[i], origin+p.Block[i])
		if lo >= hi {
			return 0, 0, false
		}

		denseAt += (lo - pc.lo[i]) * pc.box.denseStep[i]
		blockAt += (lo - origin) * p.blockStep[i]
		m.add(hi-lo, pc.box.denseStep[i], p.blockStep[i])
	}
	return denseAt, blockAt, true
}
