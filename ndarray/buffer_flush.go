package ndarray

import (
	"context"

	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/meta"
)

// flushNow puts pending writes into the frame, where they are staged like all others; see
// [Options.WriteBehind]. After an error all of them are still pending.
func (u *Untyped) flushNow(ctx context.Context) error {
	u = u.self()
	if u.frozen || u.buffer.budget == 0 || !u.anyPending() {
		return nil
	}
	if err := u.writeMu.LockWithin(ctx); err != nil {
		return u.inArray(err)
	}
	defer u.writeMu.Unlock()
	return u.flush(ctx)
}

// anyPending reports whether writes are pending. The caller need not hold writeMu.
func (u *Untyped) anyPending() bool {
	u.stateMu.Lock()
	defer u.stateMu.Unlock()
	return u.buffer.pending != nil
}

// flush is flushNow for a caller that holds writeMu.
func (u *Untyped) flush(ctx context.Context) error {
	if u.buffer.pending == nil {
		return nil
	}
	return u.flushChunks(ctx, u.buffer.pending.chunks)
}

// flushTouched flushes all pending writes if an unbuffered write touches one of their chunks. It
// returns the state that the write then starts from.
func (u *Untyped) flushTouched(ctx context.Context, at *state, plan grid.Plan) (*state, error) {
	if at.pending == nil {
		return at, nil
	}
	w := u.pool.take()
	defer u.pool.release(w)
	for i := range plan.NumPieces() {
		w.take(plan, i)
		if at.pendingChunk(w.piece.Chunk) == nil {
			continue
		}
		if err := u.flush(ctx); err != nil {
			return nil, err
		}
		return u.stateInWrite()
	}
	return at, nil
}

// flushChunks puts pending chunks into the frame, in the order of their numbers, so that the file
// does not depend on the number of workers. If these are all pending chunks, it also puts the
// pending shape into the frame. The caller holds writeMu. Meanwhile readers get the same items,
// whether from the frame or from memory.
func (u *Untyped) flushChunks(ctx context.Context, chunks []*pendingChunk) error {
	at, err := u.stateInWrite()
	if err != nil {
		return err
	}
	workers, err := u.takeWorkers(ctx, at, len(chunks), true)
	if err != nil {
		return err
	}
	defer u.pool.put(workers)
	all := len(chunks) == len(at.pending.chunks)
	err = u.undoOnError(func() (staged bool, err error) {
		err = parallel.Ordered(ctx, len(workers), len(chunks),
			func(i, k int) (err error) {
				w := workers[i]
				w.out, err = w.encodePending(w.out[:0], chunks[k])
				return err
			},
			func(i, k int) error {
				err := workers[i].stage(ctx, chunks[k].number)
				staged = staged || err == nil
				return err
			})
		if err == nil && all && at.pending.part != nil {
			layer := meta.Reshape(at.layer, u.vec(at.pending.part.Shape))
			return true, u.frame.SetMeta(at.layerName(), layer)
		}
		return staged, err
	}, meta.LayerB2ND, meta.LayerCaterva)
	if err != nil {
		return err
	}
	if len(workers) > 0 {
		workers[0].tally.Flushes++
	}
	u.stateMu.Lock()
	u.buffer.pending = at.pending.without(at.part, chunks)
	empty := u.buffer.pending == nil
	if u.stable == nil {
		u.buffer.recycle(chunks)
	}
	u.stateMu.Unlock()
	if empty {
		return u.unlockFrame()
	}
	return nil
}

// recycle keeps the memory of flushed chunks for later writes, except blocks that a reader may
// have. The caller holds stateMu, and nothing else can reach the chunks any more.
func (b *writeBuffer) recycle(chunks []*pendingChunk) {
	for _, c := range chunks {
		b.recycleEncoded(c)
		for i := range c.blocks {
			if block := c.blocks[i]; block.data != nil && block.stamp > b.readStamp {
				b.spare.Put(&block.data)
			}
		}
	}
}

// memory returns memory for a block, with undefined contents.
func (b *writeBuffer) memory(size int64) []byte {
	if spare, ok := b.spare.Get().(*[]byte); ok {
		return *spare
	}
	return make([]byte, size)
}
