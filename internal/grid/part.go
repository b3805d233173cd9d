package grid

// A Part is what one chunk holds of what is read or written: of a box, a mesh, points or a mask.
// Its methods move items between the memory of the plan and single blocks of the chunk; they only
// read the Part, so different blocks may be moved at the same time.
type Part interface {
	// Blocks returns how many blocks of the chunk are met, and Block the number within the chunk of
	// the k-th of them.
	Blocks() int
	Block(k int) int
	// Mark sets want[b] for every block b that is met. len(want) is the chunk's number of blocks.
	Mark(want []bool)
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
