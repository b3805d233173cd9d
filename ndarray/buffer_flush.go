package ndarray

import (
	"context"

	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/meta"
)

// flushNow puts pending writes into the frame, where they are staged like all others; see
// [Options.WriteBehind]. After an error all of them are still pending.
func (a *array) flushNow(ctx context.Context) error {
	if a.frozen || a.buffer.budget == 0 || !a.anyPending() {
		return nil
	}
	if err := a.writeMu.LockWithin(ctx); err != nil {
		return a.inArray(err)
	}
	defer a.writeMu.Unlock()
	return a.flush(ctx)
}

// anyPending reports whether writes are pending. The caller need not hold writeMu.
func (a *array) anyPending() bool {
	a.stateMu.Lock()
	defer a.stateMu.Unlock()
	return a.buffer.pending != nil
}

// flush is flushNow for a caller that holds writeMu.
func (a *array) flush(ctx context.Context) error {
	if a.buffer.pending == nil {
		return nil
	}
	return a.flushChunks(ctx, a.buffer.pending.chunks)
}

// flushTouched flushes all pending writes if an unbuffered write touches one of their chunks. It
// returns the state that the write then starts from.
func (a *array) flushTouched(ctx context.Context, at *state, plan grid.Plan) (*state, error) {
	if at.pending == nil {
		return at, nil
	}

	w := a.pool.take()
	defer a.pool.release(w)
	for i := range plan.NumPieces() {
		w.take(plan, i)
		if at.pendingChunk(w.piece.Chunk) == nil {
			continue
		}
		if err := a.flush(ctx); err != nil {
			return nil, err
		}
		return a.stateInWrite()
	}
	return at, nil
}

// flushChunks puts pending chunks into the frame, in the order of their numbers, so that the file
// does not depend on the number of workers. If these are all pending chunks, it also puts the
// pending shape into the frame. The caller holds writeMu. Meanwhile readers get the same items,
// whether from the frame or from memory.
func (a *array) flushChunks(ctx context.Context, chunks []*pendingChunk) error {
	at, err := a.stateInWrite()
	if err != nil {
		return err
	}
	workers, err := a.takeWriters(ctx, at, len(chunks))
	if err != nil {
		return err
	}
	defer a.pool.put(workers)

	all := len(chunks) == len(at.pending.chunks)
	err = a.undoOnError(func() (staged bool, err error) {
		encode := func(i, k int) error { return workers[i].encodePending(chunks[k], &a.buffer) }
		stage := func(i, k int) error {
			if err := workers[i].stage(ctx, chunks[k].number); err != nil {
				return err
			}
			staged = true
			return nil
		}
		err = parallel.Ordered(ctx, len(workers), len(chunks), encode, stage)
		if err != nil || !all || at.pending.part == nil {
			return staged, err
		}

		layer := meta.Reshape(at.layer, a.vec(at.pending.part.Shape))
		return true, a.frame.SetMeta(at.layerName(), layer)
	}, meta.LayerB2ND, meta.LayerCaterva)
	if err != nil {
		return err
	}

	if len(workers) > 0 {
		workers[0].tally.Flushes++
	}

	// Readers get the chunks from the frame from here on. While stable is set they may still begin
	// with the state before, so the memory of its blocks is not used again before the write ends.
	a.stateMu.Lock()
	a.buffer.pending = at.pending.without(at.part, chunks)
	empty := a.buffer.pending == nil
	a.buffer.flushed = append(a.buffer.flushed, chunks...)
	if a.stable == nil {
		a.buffer.recycle()
	}
	a.stateMu.Unlock()

	if empty {
		return a.unlockFrame()
	}
	return nil
}

// beginFlushedRead begins a read of one state that is entirely in the frame: it flushes pending
// writes first. With Locking it shares the lock. The read ends with endRead.
func (a *array) beginFlushedRead(ctx context.Context) (at *state, release func() error, err error) {
	for {
		at, release, err = a.beginRead(ctx)
		if err != nil || at.pending == nil {
			return at, release, err
		}

		endRead(release, &err)
		if err != nil {
			return nil, nil, err
		}
		if err := a.flushNow(ctx); err != nil {
			return nil, nil, err
		}
	}
}

// setPending replaces the pending writes.
func (a *array) setPending(pending *pendingWrites) {
	a.buffer.dropEncoded(pending)

	a.stateMu.Lock()
	defer a.stateMu.Unlock()
	a.buffer.pending = pending
}

// unlockFrame undoes the call of frame.Lock that was kept for pending writes. The caller holds
// writeMu.
func (a *array) unlockFrame() error {
	if !a.buffer.frameLocked {
		return nil
	}

	a.buffer.frameLocked = false
	return a.frame.Unlock()
}

func (a *array) clearStable() {
	a.stateMu.Lock()
	defer a.stateMu.Unlock()
	a.stable = nil
}
