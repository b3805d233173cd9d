package ndarray

import (
	"context"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/inside"
)

// A worker is what one goroutine needs to read and write chunks. Its call refers to the array and
// the caller's data; the memory for chunks is lent for a call.
type worker struct {
	call
	*chunkMemory // nil while the worker idles
	engines      engines
	lease        inside.Lease // of the chunk that was fetched last
	item         []byte
	want         []bool
	scratch      grid.Scratch // of the current piece
	cached       cacheSink
	tally        Stats // since the call began
}

// A call is the task of a worker between get and put of the pool: which array, and what to do with
// which chunk.
type call struct {
	ctx     context.Context
	array   *handleCore
	at      *state // the state that is read
	dec     *chunk.Decoder
	enc     *chunk.Encoder
	piece   grid.ChunkPiece // the plan's part of the current chunk
	sink    scatterSink
	source  gatherSource
	blocks  wholeChunk
	pending pendingBlocks
	skip    *pendingChunk // its pending blocks need not be decoded; or nil
}

// take makes a piece of a plan the current one.
func (w *worker) take(plan grid.Plan, index int) { w.piece = plan.Take(index, &w.scratch) }

// scatterSink copies decoded blocks into the caller's memory.
type scatterSink struct {
	piece *grid.ChunkPiece
	dense []byte
}

// Dst returns the caller's memory for a block that has the same layout there.
func (s *scatterSink) Dst(index, _ int) []byte { return s.piece.Direct(s.dense, index) }

// Needs returns the range of the rows that Put copies.
func (s *scatterSink) Needs(index, _ int) (from, to int) { return s.piece.Span(index) }

// Put copies the rows of a block.
func (s *scatterSink) Put(index int, data []byte) { s.piece.Scatter(s.dense, index, data) }

// PutPlanes copies the rows of a block, unless the piece needs the block as it is.
func (s *scatterSink) PutPlanes(index int, planes [][]byte) bool {
	return s.piece.Interleave(s.dense, index, planes)
}

// wholeChunk is a decoded chunk in memory: a sink for decoding and a source for encoding blocks.
type wholeChunk struct {
	data      []byte
	blockSize int
}

func (c *wholeChunk) Dst(index, size int) []byte { return c.data[index*c.blockSize:][:size] }

// Put does nothing: Dst gives every block its place.
func (c *wholeChunk) Put(int, []byte) {}

func (c *wholeChunk) Block(scratch []byte, index int) []byte {
	return c.data[index*c.blockSize:][:len(scratch)]
}

// gatherSource gathers the blocks of a chunk that is written whole from the caller's memory.
// Padding becomes zero.
type gatherSource struct {
	piece *grid.ChunkPiece
	dense []byte
}

// Block returns the caller's memory for a block that has the same layout there, and gathers the
// others.
func (s *gatherSource) Block(scratch []byte, index int) []byte {
	if view := s.piece.Direct(s.dense, index); view != nil {
		return view
	}
	if !s.piece.Covers(index) {
		clear(scratch)
	}
	s.piece.Gather(scratch, index, s.dense)
	return scratch
}
