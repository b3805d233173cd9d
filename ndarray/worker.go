package ndarray

import (
	"context"
	"sync"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/inside"
)

// A worker is what one goroutine needs to read and write chunks. Its task refers to the array and
// the caller's data; the memory for chunks is lent for a call.
type worker struct {
	task
	*chunkMemory // nil while the worker idles
	engines      engines
	lease        inside.Lease // of the chunk that was fetched last
	item         []byte
	want         []bool
	scratch      grid.Scratch // of the current piece
	lookup       lookup       // of the current piece
	tally        Stats        // since the call began
}

// A task is what a worker does between get and put of the pool: which array, and what to do with
// which chunk.
type task struct {
	ctx     context.Context
	core    *core
	at      *state // the state that is read
	dec     *chunk.Decoder
	enc     *chunk.Encoder
	cache   keeping         // what the call may leave in the cache
	piece   grid.ChunkPiece // the plan's part of the current chunk
	number  int             // of the piece among those of the plan
	sink    scatterSink
	source  gatherSource
	blocks  wholeChunk
	pending pendingBlocks
	skip    *pendingChunk // its pending blocks need not be decoded; or nil
}

// take makes a piece of a plan the current one.
func (w *worker) take(plan grid.Plan, index int) {
	w.piece = plan.Take(index, &w.scratch)
	w.number = index
}

// scatterSink copies decoded blocks into the caller's memory, but those for the cache.
type scatterSink struct {
	piece  *grid.ChunkPiece
	dense  []byte
	lookup *lookup
}

// Dst returns the memory for a block that goes to the cache, or the caller's memory if the block
// has the same layout there.
func (s *scatterSink) Dst(index, size int) []byte {
	if data := s.lookup.memory(index, size); data != nil {
		return data
	}
	return s.piece.Direct(s.dense, index)
}

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

// chunkMemory is memory of about the size of a chunk each.
type chunkMemory struct {
	encoded []byte       // of a chunk, as stored
	out     chunk.Pieces // of a chunk, to be stored; without parts there is none
	raw     []byte       // of a chunk, decoded, or of a box that is copied
}

func takeMemory(from *sync.Pool) *chunkMemory {
	if m, _ := from.Get().(*chunkMemory); m != nil {
		return m
	}
	return &chunkMemory{}
}

// noChunk forgets the chunk to be stored, but not the memory for it.
func (m *chunkMemory) noChunk() {
	clear(m.out.Parts) // which may be memory of others
	m.out.Parts = m.out.Parts[:0]
}

// whole makes c, which is in memory for it, the chunk to be stored.
func (m *chunkMemory) whole(c []byte) {
	m.noChunk()
	m.out.Buf = c
	if len(c) > 0 {
		m.out.Parts = append(m.out.Parts, c)
	}
}

// release lends the memory to others, unless it is too much to idle.
func (m *chunkMemory) release(to *sync.Pool) {
	m.noChunk()
	if cap(m.encoded)+cap(m.out.Buf)+cap(m.raw) <= keepBytes {
		to.Put(m)
	}
}

// engines are a worker's decoders and encoders, created when first needed. The index is the number
// of goroutines that may work on the blocks of one chunk, less one. That number is 1 if other
// workers have the other CPUs, and more if there are fewer chunks than CPUs.
type engines struct {
	dec []*chunk.Decoder
	enc []*chunk.Encoder
}

// prepare selects the engines for a call. blocks is how many blocks of a chunk may be worked on at
// a time.
func (w *worker) prepare(ctx context.Context, blocks int, write bool) error {
	for len(w.engines.dec) < blocks {
		w.engines.dec = append(w.engines.dec, nil)
		w.engines.enc = append(w.engines.enc, nil)
	}

	dec := &w.engines.dec[blocks-1]
	if *dec == nil {
		o := w.core.decode
		o.Workers = blocks
		*dec = chunk.NewDecoder(&o)
	}

	enc := &w.engines.enc[blocks-1]
	if write && *enc == nil {
		o := w.core.encode
		o.Workers = blocks
		if w.core.lossy() {
			exact, err := w.core.missing()
			if err != nil {
				return err
			}
			o.Exact = exact
		}
		round, err := w.core.rounder.round(w.core)
		if err != nil {
			return err
		}
		o.Round = round
		encoder, err := chunk.NewEncoder(&o)
		if err != nil {
			return err
		}
		*enc = encoder
	}

	w.ctx = ctx
	w.dec = *dec
	w.enc = *enc
	w.watch(ctx)
	return nil
}

// watch makes the selected engines stop when ctx ends; nil means never.
func (w *worker) watch(ctx context.Context) {
	if w.dec != nil {
		w.dec.Watch(ctx)
	}
	if w.enc != nil {
		w.enc.Watch(ctx)
	}
}

// keepBytes is the most memory for chunks that idles in one piece.
const keepBytes = 64 << 20
