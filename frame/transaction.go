package frame

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/placing"
)

// Every change is staged, and Commit makes all staged changes durable at once. The changes between
// two commits are a transaction, which Rollback drops. Atomically runs a transaction in one call.

// Atomically applies all changes of run or none. It calls run, which changes the frame, and
// commits, together with changes that were staged before. If run or the commit fails, the frame is
// as it was before the call, with the same staged changes, which Close then drops. While run is
// running, Commit, Compact, Adopt, Rollback and Close fail with ErrConflict, and changes by other
// goroutines become part of the transaction. Other calls of Atomically wait until their contexts
// end, so run must not call it.
//
// If another handle has committed meanwhile, the commit fails with ErrConflict. With the option
// Retry, Atomically then shows the newest state and calls run again, until a commit succeeds, run
// fails or ctx is done. It does not do so if changes were staged before the call.
func (f *Frame) Atomically(ctx context.Context, run func() error) (err error) {
	e := &f.edit
	defer func() { e.fail(err) }()
	if err := e.flushFirst(ctx); err != nil {
		return err
	}

	if err := e.one.LockWithin(ctx); err != nil {
		return e.env.place(err)
	}
	defer e.one.Unlock()
	for pause := retryPause; ; pause = min(2*pause, longestPause) {
		again, err := e.tryAtomically(ctx, run)
		if !again {
			return err
		}
		select {
		case <-time.After(pause/2 + rand.N(pause)): // so that two do not meet again
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		}
		if _, failed := f.Refresh(ctx); failed != nil {
			return errors.Join(err, failed)
		}
	}
}

// The pauses of Atomically before it calls run again.
const (
	retryPause   = 5 * time.Millisecond
	longestPause = time.Second
)

// tryAtomically is Atomically without repetition. again reports that it is worth repeating.
func (e *editor) tryAtomically(ctx context.Context, run func() error) (again bool, err error) {
	before, dirty, err := e.beginAtomic(ctx)
	if err != nil {
		return false, e.env.place(err)
	}
	err = parallel.Guard(run, func() {
		e.fail(errHalfDone)
		e.mu.Lock()
		defer e.mu.Unlock()
		e.atomic = false
		e.restore(before, dirty)
		_ = e.releaseUnusedLock() // the panic is what the caller must hear of
	})
	err = placing.Uncommitted(err) // what run may have committed elsewhere is another change

	e.mu.Lock()
	defer e.mu.Unlock()
	e.atomic = false
	if err == nil {
		err = e.env.place(e.checkWritable(ctx))
	}
	if err == nil && e.hasChanges() {
		err = e.adoptAndCommit(ctx, maxAdoptBytes)
	}
	if err == nil || errors.Is(err, cairn.ErrCommitted) {
		return false, errors.Join(err, placing.Committed(e.releaseUnusedLock()))
	}

	again = e.env.Retry && errors.Is(err, cairn.ErrConflict) && e.failure == nil && !dirty
	if e.failure == nil && !e.env.closed.Load() {
		e.restore(before, dirty)
	}
	return again, errors.Join(err, e.releaseUnusedLock())
}

// beginAtomic begins Atomically, and returns the state to restore after a failure.
func (e *editor) beginAtomic(ctx context.Context) (before *state, dirty bool, err error) {
	if err := e.mu.LockWithin(ctx); err != nil {
		return nil, false, err
	}
	defer e.mu.Unlock()
	err = e.waitForLock(ctx)
	e.atomic = err == nil
	return e.cur.Load(), e.dirty, err
}

// Compaction says what Compact did.
type Compaction struct {
	Before, After int64 // bytes of the frame, including chunk files of a sparse one
}

// Compact commits and rewrites the frame without dead bytes. It copies the chunks in order, without
// decoding them, and compares each with its checksum. If a chunk is damaged, it fails and leaves
// the frame as it was. Earlier snapshots stay readable. For a sparse frame, whose files have no
// dead bytes, Compact is the same as Commit, and removes the files of all replaced chunks.
func (f *Frame) Compact(ctx context.Context) (c Compaction, err error) {
	e := &f.edit
	err = e.endTransaction(ctx, func() error {
		if err := e.acquireLock(ctx); err != nil {
			return e.env.place(err)
		}
		c.Before = e.committed.size()
		err := e.commit(func(next *state) (*state, bool, error) {
			return e.compact(ctx, next)
		})
		if err == nil {
			e.sweep(afterAll)
		}
		c.After = e.committed.size()
		return err
	})
	return c, err
}

// size returns the length of the frame, including chunk files.
func (v *state) size() int64 {
	if v.apart() {
		return v.head.FrameLen + v.live
	}
	return v.head.FrameLen
}
