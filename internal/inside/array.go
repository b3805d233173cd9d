package inside

import (
	"context"
	"iter"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/meta"
)

// An Array is the inside of an ndarray.UntypedView: its blocks are gone over, those of one state,
// in an order and in pieces that depend on the geometry alone, with special chunks that nobody
// decodes. A view is one box after another. Any number of goroutines may use it.
type Array interface {
	// Freeze returns the array as it is now, whatever is written afterwards, for calls that use up
	// to a number of goroutines, its own if that is 0, as far as memory has room for what they
	// visit. It is closed with the array.
	Freeze(ctx context.Context, workers int, memory int64) (Array, error)
	Shape() []int64
	DType() (meta.DType, error) // an error says why it is opaque
	// ChunkShape returns the shape of the chunks that visits number: an array's own.
	ChunkShape() []int64
	// Workers returns how many goroutines a visit uses at most.
	Workers() int
	// Box returns the box of an array's coordinates that this is, if it is one, as it is.
	Box() (start, stop []int64, ok bool)
	// Source returns the array as what users read from, an ndarray.Source.
	Source() any
	// EqualChunks returns how many chunks from number i on are known to hold one and the same
	// value, without a look at each of them, and how many items these have.
	EqualChunks(i int64) (chunks, items int64, err error)
	// ReadHost reads a box, with numbers in the byte order of the machine.
	ReadHost(ctx context.Context, dst []byte, start, stop []int64) error
	// Visit shows every block that the array has items in, each decoded once. An error of the
	// visitor, or the end of ctx, ends it soon; the error of the lowest run is returned.
	Visit(ctx context.Context, v *Visitor) error
}

// A Visitor is shown the blocks of an array: different ones at the same time, as their workers
// tell.
type Visitor struct {
	Workers int  // at most; 0 means as many as there are
	Host    bool // whether numbers have the byte order of the machine, or that of the file

	// Runs says in which pieces the array is visited: run i has the chunks that Chunks(i) yields,
	// in that order, and what no run has is not visited. A nil Chunks means groups of neighbouring
	// blocks, all of them. Which blocks make up a run never depends on the workers.
	Runs   int
	Chunks func(run int) iter.Seq[int64]

	Block func(b *Block) error
	// RunDone is called when all blocks of a run were shown, one after another in their order and
	// by one worker. There is a call for every run. It may be nil.
	RunDone func(worker, run int) error
}

// Most returns how many of some workers visit.
func (v *Visitor) Most(workers int) int {
	if v.Workers > 0 {
		return min(v.Workers, workers)
	}
	return workers
}

// A Block is a decoded block, or all of a special chunk. What it refers to is valid until the
// visitor returns.
type Block struct {
	Worker      int           // in [0, workers): no two calls with the same worker overlap
	Run         int           // numbered from 0
	Chunk       int64         // number of the chunk, in C order over the grid of chunks
	Block       int           // number of the block in its chunk; 0 for a special chunk as a whole
	Start, Stop []int64       // the box of items, cut at the array's edge
	Kind        chunk.Special // SpecialNone for a block
	// the items in C order, the visitor's to change; nil if all of them are Item
	Data []byte
	Item []byte
}

// Items returns the number of items in the box.
func (b *Block) Items() int64 {
	n := int64(1)
	for i := range b.Start {
		n *= b.Stop[i] - b.Start[i]
	}
	return n
}
