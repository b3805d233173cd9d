package grid

import (
	"fmt"

	"github.com/cairn-go/cairn"
)

// A Cut is what is read or written, cut into the parts that chunks hold of it: a [Plan], a [Mesh],
// [Points] or a [Mask]. Once it is set up it does not change, so that any number of goroutines may
// take of it, each into a Room of its own.
type Cut interface {
	// NumPieces returns how many chunks are met.
	NumPieces() int
	// Take returns what chunk number index of those has. It is valid until the next one is taken
	// into the same room.
	Take(index int, r *Room) Share
}

// A Share is what one chunk has of a cut.
type Share struct {
	Part
	Chunk int64 // number of the chunk in C order over the chunk grid
	Whole bool  // every item that the array has in this chunk is in it
}

// Room is memory for a share.
type Room struct {
	box    Piece
	mesh   MeshPiece
	points PointsPiece
	mask   MaskPiece
}

// Drop lets go of the cuts, so that they and what they refer to are kept alive by others alone.
func (r *Room) Drop() {
	r.box.plan, r.mesh.mesh, r.mask.box.plan = nil, nil, nil
	r.points.of, r.points.blocks, r.mask.of = nil, nil, nil
}

// pieces is what cuts have in common.
type pieces struct {
	swap int // bytes whose order is reversed on the way, 0 for none

	Pieces int // number of chunks that are met; 0 for nothing
}

// NumPieces returns the number of chunks that are met.
func (c *pieces) NumPieces() int { return c.Pieces }

// Swap makes copies reverse the order of every width bytes (2, 4 or 8, dividing the item size; 0
// for none).
func (c *pieces) Swap(width int) { c.swap = width }

// outside returns an error that matches [cairn.ErrBounds].
func outside(format string, args ...any) error {
	return fmt.Errorf(format+": %w", append(args, cairn.ErrBounds)...)
}

// A Part is what one chunk holds of what is read or written: of a box, a mesh, points or a mask.
// Its methods move items between the memory of the plan and single blocks of the chunk; they only
// read the Part, so different blocks may be moved at the same time.
type Part interface {
	// Blocks returns how many blocks of the chunk are met, and Block the number within the chunk of
	// the k-th of them.
	Blocks() int
	Block(k int) int
	// Scatter copies the items of a block that are selected from the block's bytes into memory,
	// Gather the other way.
	Scatter(memory []byte, block int, data []byte)
	Gather(data []byte, block int, memory []byte)
	// Span returns the range of the block's bytes within which lies what is selected of a block
	// that is met.
	Span(block int) (from, to int)
	// Direct returns the bytes of memory that are this block, item for item, or nil if there are
	// none.
	Direct(memory []byte, block int) []byte
	// Covers reports whether every item of the block is selected, padding included.
	Covers(block int) bool
	// Fill sets every selected item of the chunk in memory to item, which is one item long, or to
	// zero bytes if item is nil.
	Fill(memory, item []byte)
}

// Mark sets want[b] for every block b that a part meets. len(want) is the chunk's number of blocks.
func Mark(pc Part, want []bool) {
	for k := range pc.Blocks() {
		want[pc.Block(k)] = true
	}
}
