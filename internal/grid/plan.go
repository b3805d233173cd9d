package grid

import (
	"fmt"

	"github.com/cairn-go/cairn"
)

// A Plan is the set of items to read or write, cut into pieces by chunk: a [Box], a [Mesh],
// [Points] or a [Mask]. After its setup it is immutable: any number of goroutines may call Take,
// each with its own Scratch.
type Plan interface {
	// NumPieces returns the number of chunks that contain items of the plan.
	NumPieces() int
	// Take returns the piece of the index-th of those. It is valid until the next Take with
	// the same scratch.
	Take(index int, s *Scratch) ChunkPiece
}

// A ChunkPiece is the part of a plan in one chunk.
type ChunkPiece struct {
	Piece
	Chunk int64 // number of the chunk in C order over the chunk grid
	Whole bool  // whether it has all items of the chunk, apart from padding
}

// Interleave is Scatter for a block whose byte j of every item is in plane j. It reports false, and
// has done nothing, if Scatter must be used.
func (pc *ChunkPiece) Interleave(memory []byte, block int, planes [][]byte) bool {
	switch piece := pc.Piece.(type) {
	case *BoxPiece:
		return piece.Interleave(memory, block, planes)
	case *MeshPiece:
		return piece.Interleave(memory, block, planes)
	}
	return false
}

// Scratch is memory for a piece.
type Scratch struct {
	box    BoxPiece
	mesh   MeshPiece
	points PointsPiece
	mask   MaskPiece
}

// Reset removes the references to plans, so that the scratch does not keep them alive.
func (s *Scratch) Reset() {
	s.box.box = nil
	s.mesh.mesh = nil
	s.mask.box.box = nil
	s.points.points = nil
	s.points.blocks = nil
	s.mask.mask = nil
}

// planBase are the fields that plans have in common.
type planBase struct {
	swap int // width of numbers whose byte order is reversed, 0 for none

	Pieces int // number of chunks with items of the plan
}

// streamBytes is the size of a destination that is written around the cache.
const streamBytes = 8 << 20

// NumPieces returns the number of chunks that contain items of the plan.
func (c *planBase) NumPieces() int { return c.Pieces }

// Swap makes copies reverse the order of every width bytes (2, 4 or 8, dividing the item size; 0
// for none).
func (c *planBase) Swap(width int) { c.swap = width }

// outside returns an error that matches [cairn.ErrBounds].
func outside(format string, args ...any) error {
	return fmt.Errorf(format+": %w", append(args, cairn.ErrBounds)...)
}

// A Piece is the part of a box, a mesh, points or a mask in one chunk. Its methods move items
// between the memory of the plan and single blocks of the chunk. They do not change the Piece, so
// different blocks may be moved at the same time.
type Piece interface {
	// Blocks returns the number of blocks of the chunk that contain selected items. Block returns
	// the number within the chunk of the k-th of them.
	Blocks() int
	Block(k int) int
	// Scatter copies the selected items of a block from the block into memory; Gather copies them
	// from memory into the block.
	Scatter(memory []byte, block int, data []byte)
	Gather(data []byte, block int, memory []byte)
	// Span returns the range of a block's bytes that contains the selected items. The block must
	// have some.
	Span(block int) (from, to int)
	// Direct returns the part of memory that has the same layout as this block, or nil if there is
	// none.
	Direct(memory []byte, block int) []byte
	// Covers reports whether every item of the block is selected, padding included.
	Covers(block int) bool
	// Fill sets every selected item of the chunk in memory to item, which is one item long, or to
	// zero bytes if item is nil.
	Fill(memory, item []byte)
}

// Mark sets want[b] for every block b that contains items of the piece. len(want) is the chunk's
// number of blocks.
func Mark(pc Piece, want []bool) {
	for k := range pc.Blocks() {
		want[pc.Block(k)] = true
	}
}
