package ndarray

import (
	"context"
	"slices"

	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/parallel"
)

// bufferWrite puts a change into the write buffer if it is small, and reports whether it did. If
// not, it flushes the pending chunks that the change touches, and returns the state after that. It
// is the only way from a write into the buffer. The caller has begun the write.
func (a *array) bufferWrite(ctx context.Context, at *state, c *change) (_ *state, buffered bool, err error) {
	if c.src != nil {
		if a.overwrite(ctx, at, c) {
			startProgress(ctx, 1).add(1)
			return at, true, nil
		}
		if d := a.demand(at, c.plan); d.fits && (!d.wholeChunks || c.mask != nil) {
			return at, true, a.bufferItems(ctx, at, c.plan, c.src, d, mergeOptions{mask: c.mask, added: d.added})
		}
	}

	at, err = a.flushTouched(ctx, at, c.plan)
	return at, false, err
}

const (
	// bytes to overwrite while new reads have to wait
	maxInPlace = 256 << 10
	maxTouched = 1 << 20 // bytes of the blocks that contain them
)

// overwrite applies a small change in place if all blocks that it touches are pending and no reader
// has them. It reports whether it did.
func (a *array) overwrite(ctx context.Context, at *state, c *change) bool {
	if at.pending == nil || c.mask != nil || len(c.src) > maxInPlace || c.plan.NumPieces() != 1 || ctx.Err() != nil {
		return false
	}

	w := a.pool.take()
	defer a.pool.release(w)
	w.take(c.plan, 0)
	piece := &w.piece
	touched := piece.Blocks()
	limit := int64(maxTouched)
	if c.fill {
		limit = maxInPlace
	}
	pending := at.pendingChunk(piece.Chunk)
	if pending == nil || int64(touched) > max(1, limit/at.part.BlockSize) {
		return false
	}

	// No read begins while the blocks change.
	a.stateMu.Lock()
	defer a.stateMu.Unlock()
	for k := range touched {
		if block := &pending.blocks[piece.Block(k)]; block.data == nil || block.stamp <= a.buffer.readStamp {
			return false
		}
	}
	for k := range touched {
		i := piece.Block(k)
		piece.Gather(pending.blocks[i].data, i, c.src)
	}

	a.buffer.ticks++
	pending.tick = a.buffer.ticks
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
func (a *array) demand(at *state, plan grid.Plan) demand {
	p := at.part
	limit := a.buffer.budget / 2
	pieces := plan.NumPieces()
	overhead := pendingOverhead(p)
	if a.buffer.suspended.Load() > 0 || int64(pieces) > limit/(overhead+p.BlockSize) ||
		p.ChunkSize > a.engine.Limits.MaxAlloc {
		return demand{}
	}

	w := a.pool.take()
	defer a.pool.release(w)
	d := demand{wholeChunks: true}
	for i := 0; i < pieces && d.touched <= limit; i++ {
		w.take(plan, i)
		piece := &w.piece
		d.wholeChunks = d.wholeChunks && piece.Whole
		size := overhead + int64(piece.Blocks())*p.BlockSize
		d.touched += size

		c := at.pendingChunk(piece.Chunk)
		if c == nil {
			d.added += size
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
func (a *array) makeRoom(ctx context.Context, at *state, d demand) (*state, error) {
	b := &a.buffer
	if at.pending.size()+d.added <= b.budget {
		return at, nil
	}

	oldest := at.pending.oldest(at.part, b.budget*3/4-d.touched)
	if err := a.flushChunks(ctx, oldest); err != nil {
		return nil, err
	}
	return a.stateInWrite()
}

// bufferItems puts a write with the demand d into the write buffer.
func (a *array) bufferItems(ctx context.Context, at *state, plan grid.Plan, src []byte, d demand,
	how mergeOptions) error {
	at, err := a.makeRoom(ctx, at, d)
	if err != nil {
		return err
	}
	chunks, err := a.mergePieces(ctx, at, plan, src, how)
	if err != nil {
		return err
	}

	a.setPending(at.pending.with(at.part, chunks))
	return nil
}

// mergePieces returns the pending chunks with the data of a plan in them. The caller holds writeMu.
func (a *array) mergePieces(ctx context.Context, at *state, plan grid.Plan, src []byte,
	how mergeOptions) ([]*pendingChunk, error) {
	pieces := plan.NumPieces()
	workers, err := a.takeReaders(ctx, at, pieces, a.goroutines(ctx, plan))
	if err != nil {
		return nil, err
	}
	defer a.pool.put(workers)

	a.stateMu.Lock()
	a.buffer.stamp++
	how.stamp = a.buffer.stamp
	a.stateMu.Unlock()
	how.buffer = &a.buffer
	a.buffer.setRoom(at.pending, how.added)
	a.buffer.ticks++

	chunks := make([]*pendingChunk, pieces)
	progress := startProgress(ctx, int64(pieces))
	err = parallel.For(ctx, len(workers), pieces, func(i, piece int) error {
		w := workers[i]
		w.take(plan, piece)
		c, err := w.mergePiece(src, &how)
		if err != nil {
			return err
		}
		chunks[piece] = c
		progress.add(1)
		return nil
	})

	chunks = slices.DeleteFunc(chunks, func(c *pendingChunk) bool { return c == nil })
	for _, c := range chunks {
		c.tick = a.buffer.ticks
		a.buffer.keeps = a.buffer.keeps || c.encoded != nil
	}
	return chunks, err
}
