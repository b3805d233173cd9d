package ndarray

import (
	"context"
	"fmt"
	"sync"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/inside"
)

// A worker is what one goroutine needs to read and write chunks. Its buffers grow to the size of a chunk and are reused.
type worker struct {
	engines engines
	dec     *chunk.Decoder
	enc     *chunk.Encoder
	encoded []byte       // of a chunk, as stored
	lease   inside.Lease // of the chunk that was fetched last
	out     []byte       // of a chunk, to be stored
	raw     []byte       // of a chunk, decoded
	item    []byte
	want    []bool
	piece   piece // what the plan has of the chunk at hand; it is one of the following
	box     grid.Piece
	mesh    grid.MeshPiece
	points  grid.PointsPiece
	masked  grid.MaskPiece
	sink    scatterSink
	source  gatherSource
	blocks  wholeChunk
	held    heldBlocks
	cached  cached
	over    *heldChunk // whose blocks need not be decoded, or nil
	tally   Stats      // since the call began
	total   *total     // where that belongs
}

// keepBytes is the most memory that a worker holds on to between calls.
const keepBytes = 64 << 20

// pool hands out workers. It belongs to one array, so nothing outlives that, and no two arrays contend.
type pool struct {
	mu    sync.Mutex
	idle  []*worker
	plans sync.Pool // of *boxPlan, which workers refer to and which are therefore not on the stack
}

// takePlan returns memory for a plan.
func (p *pool) takePlan() *boxPlan {
	if plan, ok := p.plans.Get().(*boxPlan); ok {
		return plan
	}
	return &boxPlan{}
}

// take returns n workers, idle ones first.
func (p *pool) take(n int) []*worker {
	workers := make([]*worker, n)
	p.mu.Lock()
	reused := copy(workers, p.idle[max(0, len(p.idle)-n):])
	p.idle = p.idle[:len(p.idle)-reused]
	p.mu.Unlock()
	for i := reused; i < n; i++ {
		workers[i] = &worker{}
	}
	return workers
}

// give takes workers back.
func (p *pool) give(workers []*worker) {
	for _, w := range workers {
		w.leave()
		w.total.settle(w)
		w.watch(context.Background())
		// Nothing of the caller's may be kept alive or written later.
		w.sink, w.source, w.blocks, w.held = scatterSink{}, gatherSource{}, wholeChunk{}, heldBlocks{}
		w.piece, w.over = piece{}, nil
		w.box.Drop()
		w.mesh.Drop()
		w.points.Drop()
		w.masked.Drop()
		if cap(w.encoded)+cap(w.out)+cap(w.raw) > keepBytes {
			w.encoded, w.out, w.raw = nil, nil, nil
		}
	}
	p.mu.Lock()
	p.idle = append(p.idle, workers...)
	p.mu.Unlock()
}

// drop lets go of the idle workers.
func (p *pool) drop() {
	p.mu.Lock()
	p.idle = nil
	p.mu.Unlock()
}

// scatterSink takes decoded blocks into the caller's memory.
type scatterSink struct {
	piece *piece
	dense []byte
}

// Dst offers the caller's memory for a block that lies in it as it is.
func (s *scatterSink) Dst(index, _ int) []byte { return s.piece.Direct(s.dense, index) }

// Needs returns where the rows are that Put copies.
func (s *scatterSink) Needs(index, _ int) (from, to int) { return s.piece.Span(index) }

// Put copies the rows of a block.
func (s *scatterSink) Put(index int, data []byte) { s.piece.Scatter(s.dense, index, data) }

// wholeChunk is a decoded chunk in memory, for blocks to be decoded into and to be encoded from.
type wholeChunk struct {
	data      []byte
	blockSize int
}

func (c *wholeChunk) Dst(index, size int) []byte { return c.data[index*c.blockSize:][:size] }

// Put has nothing to do: every block has a place.
func (c *wholeChunk) Put(int, []byte) {}

func (c *wholeChunk) Block(scratch []byte, index int) []byte {
	return c.data[index*c.blockSize:][:len(scratch)]
}

// gatherSource makes the blocks of a chunk that is written whole out of the caller's memory. Padding becomes zero.
type gatherSource struct {
	piece *piece
	dense []byte
}

// Block returns a view of the caller's memory for a block that lies in it as it is, and gathers the others.
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

// leave gives back the chunk that was fetched last.
func (w *worker) leave() {
	_ = w.lease.Release() // at most it closes a file that was only read
}

// fetch returns the stored bytes of the chunk at hand and its header, checked against the geometry. They can be used until the next fetch, or leave.
func (w *worker) fetch(u *Untyped, store *frame.Frame) ([]byte, chunk.Header, error) {
	number := w.piece.Chunk
	if have := int64(store.NumChunks()); number >= have {
		return nil, chunk.Header{}, u.lacksChunk(number, have)
	}
	w.leave()
	src, err := w.leaseChunk(store)
	if err != nil {
		return nil, chunk.Header{}, err // the frame has said where
	}
	if cap(w.encoded) < len(src) {
		// src may be the frame's own memory, so it is never kept as a buffer.
		w.encoded = make([]byte, len(src)+len(src)/8)
	}
	h, err := chunk.ParseHeader(src)
	if err == nil {
		err = checkChunk(u.part, h)
	}
	return src, h, w.inChunk(u, store, err)
}

// lacksChunk returns the error of a frame that has too few chunks.
func (u *Untyped) lacksChunk(number, have int64) error {
	return u.inArray(&cairn.CorruptError{Layer: "array", Chunk: number, Offset: -1,
		Reason: fmt.Sprintf("the frame has %d chunks, the shape needs %d", have, u.NumChunks())})
}

// inChunk adds the chunk at hand and its place in the file to an error about its bytes.
func (w *worker) inChunk(u *Untyped, store *frame.Frame, err error) error {
	if err == nil {
		return nil
	}
	base := int64(-1)
	if info, err := store.Peek(int(w.piece.Chunk)); err == nil {
		base = info.Offset
	}
	return u.inArray(cairn.InChunk(err, w.piece.Chunk, base))
}

// checkChunk reports a chunk that cannot be one of the array's: its size follows from the metalayer and the typesize.
func checkChunk(p *grid.Partition, h chunk.Header) error {
	if int64(h.NBytes) != p.ChunkSize {
		return cairn.Corruptf("chunk", 4, "it decodes to %d bytes, the geometry of the array wants %d", h.NBytes, p.ChunkSize)
	}
	if h.VLBlocks() {
		return cairn.Corruptf("chunk", 0x1e, "blocks of variable length cannot hold an array")
	}
	return nil
}

// reserveRaw makes room for a decoded chunk in the worker's memory.
func (w *worker) reserveRaw(u *Untyped) error {
	if size := u.part.ChunkSize; size > u.engine.Limits.MaxAlloc {
		return u.inArray(fmt.Errorf("chunk %d has %d bytes, MaxAlloc is %d: %w", w.piece.Chunk, size,
			u.engine.Limits.MaxAlloc, cairn.ErrLimit))
	}
	w.raw = resize(w.raw, int(u.part.ChunkSize))
	return nil
}

// decodeRaw decodes a chunk as a whole into the worker's memory.
func (w *worker) decodeRaw(u *Untyped, store *frame.Frame, h *chunk.Header, src []byte) error {
	if err := w.reserveRaw(u); err != nil {
		return err
	}
	return w.inChunk(u, store, w.decodeWhole(h, w.raw, src))
}

// resize returns b with n elements, in the same memory if that is enough.
func resize[E any](b []E, n int) []E {
	if cap(b) < n {
		return make([]E, n)
	}
	return b[:n]
}
