package grid

import (
	"fmt"

	"github.com/cairn-go/cairn"
)

// A Cut is the set of items to read or write, cut into shares by chunk: a [Plan], a [Mesh],
// [Points] or a [Mask]. After its setup it is immutable: any number of goroutines may call Take,
// each with its own Room.
type Cut interface {
	// NumPieces returns the number of chunks that contain items of the cut.
	NumPieces() int
	// Take returns the share of chunk number index of those. It is valid until the next Take with
	// the same room.
	Take(index int, r *Room) Share
}

// A Share is the part of a cut in one chunk.
type Share struct {
	Part
	Chunk int64 // number of the chunk in C order over the chunk grid
	Whole bool  // whether it has all items of the chunk, apart from padding
}

// Room is memory for a share.
type Room struct {
	box    Piece
	mesh   MeshPiece
	points PointsPiece
	mask   MaskPiece
}

// Drop removes the references to cuts, so that the room does not keep them alive.
func (r *Room) Drop() {
	r.box.plan, r.mesh.mesh, r.mask.box.plan = nil, nil, nil
	r.points.of, r.points.blocks, r.mask.of = nil, nil, nil
}

// pieces are the fields that cuts have in common.
type pieces struct {
	swap int // width of numbers whose byte order is reversed, 0 for none

	Pieces int // number of chunks with items of the cut
}

// NumPieces returns the number of chunks that contain items of the cut.
func (c *pieces) NumPieces() int { return c.Pieces }

// Swap makes copies reverse the order of every width bytes (2, 4 or 8, dividing the item size; 0
// for none).
func (c *pieces) Swap(width int) { c.swap = width }

// outside returns an error that matches [cairn.ErrBounds].
func outside(format string, args ...any) error {
	return fmt.Errorf(format+": %w", append(args, cairn.ErrBounds)...)
}

// A Part is the part of a box, a mesh, points or a mask in one chunk. Its methods move items
// between the memory of the cut and single blocks of the chunk. They do not change the Part, so
// different blocks may be moved at the same time.
type Part interface {
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

// Mark sets want[b] for every block b that contains items of the part. len(want) is the chunk's
// number of blocks.
func Mark(pc Part, want []bool) {
	for k := range pc.Blocks() {
		want[pc.Block(k)] = true
	}
}
