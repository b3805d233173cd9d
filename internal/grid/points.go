package grid

import (
	"math"
	"math/bits"
	"slices"
)

// Points is a list of single items, cut into pieces by chunk. In memory they are dense, in the
// order of the list. Set it up once per call; [Points.Piece] may then be called from many
// goroutines. It takes 24 bytes per point.
type Points struct {
	part   *Partition
	points []point // by chunk and block; within a block in the order of the list
	blocks []int   // starts of blocks in points, and the end
	chunks []int   // starts of chunks in blocks, and the end
	planBase
}

// A point is one item: the number of its block, counted through all chunks, its offset in the
// block, and its number in memory.
type point struct {
	block, place int64
	at           int32
}

// Set sets the items by their coordinates, p.Dims numbers for each; negative ones count from the
// end of their dimension. count is the number of items. Set fails for coordinates outside the
// array.
func (m *Points) Set(p *Partition, coordinates []int64, count int64) error {
	if int64(len(coordinates)) != count*int64(p.Dims) || count > math.MaxInt/p.ItemSize {
		return outside("%d coordinates for %d points of %d dimensions", len(coordinates), count, p.Dims)
	}
	*m = Points{part: p, points: make([]point, count)}

	last := int64(0)
	for k := range m.points {
		chunk := int64(0)
		block := int64(0)
		at := int64(0)
		for i, c := range coordinates[k*p.Dims:][:p.Dims] {
			if c < 0 {
				c += p.Shape[i]
			}
			if c < 0 || c >= p.Shape[i] {
				return outside("point %d, dimension %d: index %d in an extent of %d", k, i,
					coordinates[k*p.Dims+i], p.Shape[i])
			}

			n := c / p.Chunk[i]
			r := c - n*p.Chunk[i]
			b := r / p.Block[i]
			chunk = chunk*p.ChunkGrid[i] + n
			block = block*p.BlockGrid[i] + b
			at += (r - b*p.Block[i]) * p.blockStep[i]
		}

		number := chunk*p.BlockCount + block
		m.points[k] = point{number, int64(k), int32(at)}
		last = max(last, number)
	}

	m.points = sortPoints(m.points, last)

	// Find the starts of chunks and blocks in the sorted points.
	for k, pt := range m.points {
		if k > 0 && m.points[k-1].block == pt.block {
			continue
		}

		if k == 0 || m.points[k-1].block/m.part.BlockCount != pt.block/m.part.BlockCount {
			m.chunks = append(m.chunks, len(m.blocks))
		}
		m.blocks = append(m.blocks, k)
	}
	m.Pieces = len(m.chunks)
	m.chunks = append(m.chunks, len(m.blocks))
	m.blocks = append(m.blocks, len(m.points))

	return nil
}

// sortPoints sorts points by block with a stable radix sort of 11-bit digits. last is the highest
// block number.
func sortPoints(points []point, last int64) []point {
	if slices.IsSortedFunc(points, func(a, b point) int { return int(min(max(a.block-b.block, -1), 1)) }) {
		return points
	}

	const digit = 11
	other := make([]point, len(points))

	for shift := 0; shift < bits.Len64(uint64(last)); shift += digit {
		var begin [1<<digit + 1]int
		for i := range points {
			begin[points[i].block>>shift&(1<<digit-1)+1]++
		}
		for d := range 1 << digit {
			begin[d+1] += begin[d]
		}

		for i := range points {
			d := points[i].block >> shift & (1<<digit - 1)
			other[begin[d]] = points[i]
			begin[d]++
		}
		points, other = other, points
	}
	return points
}

// A PointsPiece is the points that lie in one chunk.
type PointsPiece struct {
	points *Points
	blocks []int // starts of its blocks in the points, and the end

	Chunk int64 // number of the chunk in C order over the chunk grid
}

var _ Piece = (*PointsPiece)(nil)

// Take returns the piece of a chunk.
func (m *Points) Take(index int, s *Scratch) ChunkPiece {
	m.Piece(index, &s.points)
	return ChunkPiece{&s.points, s.points.Chunk, false}
}

// Piece sets pc to the points in the index-th chunk that has some, counted in C order from 0.
func (m *Points) Piece(index int, pc *PointsPiece) {
	pc.points = m
	pc.blocks = m.blocks[m.chunks[index] : m.chunks[index+1]+1]
	pc.Chunk = m.points[pc.blocks[0]].block / m.part.BlockCount
}

// Blocks returns how many blocks of the chunk hold points.
func (pc *PointsPiece) Blocks() int { return len(pc.blocks) - 1 }

// Block returns the number within the chunk of the k-th block that holds points.
func (pc *PointsPiece) Block(k int) int {
	return int(pc.points.points[pc.blocks[k]].block % pc.points.part.BlockCount)
}

// within returns the points in a block.
func (pc *PointsPiece) within(block int) []point {
	number := pc.Chunk*pc.points.part.BlockCount + int64(block)
	k, ok := slices.BinarySearchFunc(pc.blocks[:pc.Blocks()], number, func(k int, number int64) int {
		return int(min(max(pc.points.points[k].block-number, -1), 1))
	})
	if !ok {
		return nil
	}
	return pc.points.points[pc.blocks[k]:pc.blocks[k+1]]
}

// Scatter copies the points in a block from the block into memory.
func (pc *PointsPiece) Scatter(memory []byte, block int, data []byte) {
	size := int(pc.points.part.ItemSize)
	for _, p := range pc.within(block) {
		moveItem(memory[int(p.place)*size:], data[p.at:], size, pc.points.swap)
	}
}

// Gather copies the points in a block from memory into the block, in the order of the list; other
// bytes are unchanged.
func (pc *PointsPiece) Gather(data []byte, block int, memory []byte) {
	size := int(pc.points.part.ItemSize)
	for _, p := range pc.within(block) {
		moveItem(data[p.at:], memory[int(p.place)*size:], size, pc.points.swap)
	}
}

// Span returns the range of the block's bytes that contains its points.
func (pc *PointsPiece) Span(block int) (from, to int) {
	points := pc.within(block)
	from = int(points[0].at)
	to = int(points[0].at)

	for _, p := range points {
		from, to = min(from, int(p.at)), max(to, int(p.at))
	}
	return from, to + int(pc.points.part.ItemSize)
}

// Direct returns nil: points are copied one by one.
func (pc *PointsPiece) Direct([]byte, int) []byte { return nil }

// Covers returns false: a list of all items of a block is too unlikely to check for.
func (pc *PointsPiece) Covers(int) bool { return false }

// Fill sets every point of the chunk in memory to item, or to zero bytes if item is nil.
func (pc *PointsPiece) Fill(memory, item []byte) {
	size := int(pc.points.part.ItemSize)
	for _, p := range pc.points.points[pc.blocks[0]:pc.blocks[pc.Blocks()]] {
		to := memory[int(p.place)*size:][:size]
		if item == nil {
			clear(to)
		} else {
			moveItem(to, item, size, pc.points.swap)
		}
	}
}
