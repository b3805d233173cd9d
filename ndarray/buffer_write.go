package ndarray

import (
	"context"
	"slices"

	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/slab"
)

// bufferWrite puts a change into the write buffer if it is small, and reports whether it did. If
// not, it flushes the pending chunks that the change touches, and returns the state after that. It
// is the only way from a write into the buffer. The caller has begun the write.
func (u *Untyped) bufferWrite(ctx context.Context, at *state, c *change) (_ *state, buffered bool, err error) {
	if c.src != nil {
		if u.overwrite(ctx, at, c) {
			startProgress(ctx, 1).add(1)
			return at, true, nil
		}
		if d := u.demand(at, c.plan); d.fits && (!d.wholeChunks || c.mask != nil) {
			return at, true, u.bufferItems(ctx, at, c.plan, c.src, d, mergeOptions{mask: c.mask})
		}
	}
	at, err = u.flushTouched(ctx, at, c.plan)
	return at, false, err
}

const (
	// bytes to overwrite while new reads have to wait
	maxInPlace = 256 << 10
	maxTouched = 1 << 20 // bytes of the blocks that contain them
)

// overwrite applies a small change in place if all blocks that it touches are pending and no reader
// has them. It reports whether it did.
func (u *Untyped) overwrite(ctx context.Context, at *state, c *change) bool {
	if at.pending == nil || c.mask != nil || len(c.src) > maxInPlace || c.plan.NumPieces() != 1 || ctx.Err() != nil {
		return false
	}
	w := u.pool.take()
	defer u.pool.release(w)
	piece := &w.piece
	w.take(c.plan, 0)
	touched, limit := piece.Blocks(), int64(maxTouched)
	if c.fill {
		limit = maxInPlace
	}
	pending := at.pendingChunk(piece.Chunk)
	if pending == nil || int64(touched) > max(1, limit/at.part.BlockSize) {
		return false
	}
	u.stateMu.Lock()
	defer u.stateMu.Unlock()
	for k := range touched {
		if block := &pending.blocks[piece.Block(k)]; block.data == nil || block.stamp <= u.buffer.readStamp {
			return false
		}
	}
	for k := range touched {
		i := piece.Block(k)
		piece.Gather(pending.blocks[i].data, i, c.src)
	}
	u.buffer.ticks++
	pending.tick = u.buffer.ticks
	return true
}

// A demand is how much of the write buffer a write needs.
type demand struct {
	touched int64 // bytes of all blocks that the write touches
	added   int64 // bytes of those that are not pending yet
	// whether the write covers all chunks that it touches, so that buffering could save nothing
	wholeChunks bool
	fits        bool // whether touched is small enough for buffering
}

// demand returns how much of the write buffer a write needs. If fits is set, makeRoom can always
// make room for it.
func (u *Untyped) demand(at *state, plan grid.Plan) demand {
	p, limit, pieces := at.part, u.buffer.budget/2, plan.NumPieces()
	overhead := pendingOverhead(p)
	if u.buffer.suspended.Load() > 0 || int64(pieces) > limit/(overhead+p.BlockSize) ||
		p.ChunkSize > u.engine.Limits.MaxAlloc {
		return demand{}
	}
	w := u.pool.take()
	defer u.pool.release(w)
	d := demand{wholeChunks: true}
	for i := 0; i < pieces && d.touched <= limit; i++ {
		w.take(plan, i)
		piece := &w.piece
		d.wholeChunks = d.wholeChunks && piece.Whole
		d.touched += overhead + int64(piece.Blocks())*p.BlockSize
		c := at.pendingChunk(piece.Chunk)
		if c == nil {
			d.added += overhead + int64(piece.Blocks())*p.BlockSize
			continue
		}
		for k := range piece.Blocks() {
			if c.blocks[piece.Block(k)].data == nil {
				d.added += p.BlockSize
			}
		}
	}
	d.fits = d.touched <= limit
	return d
}

// makeRoom flushes the oldest pending chunks if a write does not fit beside them, and returns the
// state after that. The write may touch chunks that were flushed, and make them pending again.
func (u *Untyped) makeRoom(ctx context.Context, at *state, d demand) (*state, error) {
	b := &u.buffer
	if at.pending.size()+d.added <= b.budget {
		return at, nil
	}
	if err := u.flushChunks(ctx, at.pending.oldest(at.part, b.budget*3/4-d.touched)); err != nil {
		return nil, err
	}
	return u.stateInWrite()
}

// mergeOptions says how a write is put into pending blocks.
type mergeOptions struct {
	grow   bool   // no reader has seen these items: see buffer_grow.go
	fill   bool   // the source is one item, which the blocks may already repeat
	mask   []bool // which bytes of an item the source has; nil for all
	stamp  uint64
	buffer *writeBuffer // supplies memory for blocks
}

// bufferItems puts a write with the demand d into the write buffer.
func (u *Untyped) bufferItems(ctx context.Context, at *state, plan grid.Plan, src []byte, d demand,
	how mergeOptions) error {
	at, err := u.makeRoom(ctx, at, d)
	if err != nil {
		return err
	}
	chunks, err := u.mergePieces(ctx, at, plan, src, how)
	if err != nil {
		return err
	}
	u.setPending(at.pending.with(at.part, chunks))
	return nil
}

// mergePieces returns the pending chunks with the data of a plan in them. The caller holds writeMu.
func (u *Untyped) mergePieces(ctx context.Context, at *state, plan grid.Plan, src []byte,
	how mergeOptions) ([]*pendingChunk, error) {
	workers, err := u.takeWorkers(ctx, at, plan.NumPieces(), false)
	if err != nil {
		return nil, err
	}
	defer u.pool.put(workers)
	u.stateMu.Lock()
	u.buffer.stamp++
	how.stamp, how.buffer = u.buffer.stamp, &u.buffer
	u.stateMu.Unlock()
	u.buffer.ticks++
	chunks, progress := make([]*pendingChunk, plan.NumPieces()), startProgress(ctx, int64(plan.NumPieces()))
	err = parallel.For(ctx, len(workers), plan.NumPieces(), func(i, piece int) (err error) {
		w := workers[i]
		w.take(plan, piece)
		if chunks[piece], err = w.mergePiece(src, &how); err == nil {
			progress.add(1)
		}
		return err
	})
	chunks = slices.DeleteFunc(chunks, func(c *pendingChunk) bool { return c == nil })
	for _, c := range chunks {
		c.tick = u.buffer.ticks
		u.buffer.keeps = u.buffer.keeps || c.encoded != nil
	}
	return chunks, err
}

// mergePiece returns the pending blocks of the current chunk with the data of the box in them, or
// nil if there is none. Blocks that the box covers only in part are copied or decoded first.
func (w *worker) mergePiece(src []byte, how *mergeOptions) (*pendingChunk, error) {
	c := w.at.pendingChunk(w.piece.Chunk)
	if c == nil && how.fill {
		if same, err := w.alreadyFilled(src); same || err != nil {
			return nil, err
		}
	}
	if c == nil || !how.grow || !w.allPending(c) {
		var missing int
		if c, missing = w.preparePending(c, how); missing > 0 {
			if err := w.decodePending(c, missing, how.buffer); err != nil {
				return nil, err
			}
		}
	}
	for k := range w.piece.Blocks() {
		b := w.piece.Block(k)
		if how.mask == nil {
			w.piece.Gather(c.blocks[b].data, b, src)
		} else {
			w.gatherMasked(c.blocks[b].data, b, src, how.mask)
		}
	}
	return c, nil
}

// allPending reports whether all blocks that the box touches are pending.
func (w *worker) allPending(c *pendingChunk) bool {
	for k := range w.piece.Blocks() {
		if c.blocks[w.piece.Block(k)].data == nil {
			return false
		}
	}
	return true
}

// preparePending returns a chunk like old, which may be nil, with memory for the blocks that the
// box touches. It marks the blocks that must be decoded as wanted, and returns their number.
func (w *worker) preparePending(old *pendingChunk, how *mergeOptions) (c *pendingChunk, missing int) {
	p := w.array.part
	c = &pendingChunk{number: w.piece.Chunk, blocks: make([]pendingBlock, p.BlockCount)}
	if old != nil {
		copy(c.blocks, old.blocks)
		c.count, c.encoded, c.key = old.count, old.encoded, old.key
	}
	w.want = slab.Resize(w.want, p.BlockCount)
	clear(w.want)
	for k := range w.piece.Blocks() {
		b := w.piece.Block(k)
		before := c.blocks[b].data
		if before == nil {
			c.count++
		} else if how.grow {
			continue
		}
		data := how.buffer.memory(p.BlockSize)
		switch {
		case how.mask == nil && w.piece.Covers(b):
		case before != nil:
			copy(data, before)
		default:
			clear(data)
			w.want[b] = true
			missing++
		}
		c.blocks[b] = pendingBlock{data, how.stamp}
	}
	return c, missing
}

// pendingBlocks are the pending blocks of a chunk: a sink that decodes others into them, and a
// source for encoding.
type pendingBlocks struct{ chunk *pendingChunk }

// Dst returns where a block is to be decoded.
func (s *pendingBlocks) Dst(index, size int) []byte { return s.chunk.blocks[index].data[:size] }

// Put does nothing: Dst gives every block its place.
func (s *pendingBlocks) Put(int, []byte) {}

// Block returns a pending block.
func (s *pendingBlocks) Block(scratch []byte, index int) []byte {
	return s.chunk.blocks[index].data[:len(scratch)]
}
