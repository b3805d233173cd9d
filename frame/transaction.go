package frame

import (
	"context"
	"errors"
	"fmt"
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
	defer func() { f.fail(err) }()
	if err := f.flushFirst(ctx); err != nil {
		return err
	}
	if err := f.one.LockWithin(ctx); err != nil {
		return f.env.place(err)
	}
	defer f.one.Unlock()
	for pause := retryPause; ; pause = min(2*pause, longestPause) {
		again, err := f.tryAtomically(ctx, run)
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
func (f *Frame) tryAtomically(ctx context.Context, run func() error) (again bool, err error) {
	before, dirty, err := f.beginAtomic(ctx)
	if err != nil {
		return false, f.env.place(err)
	}
	err = parallel.Guard(run, func() {
		f.fail(errHalfDone)
		f.mu.Lock()
		defer f.mu.Unlock()
		f.atomic = false
		f.restore(before, dirty)
		_ = f.releaseUnusedLock() // the panic is what the caller must hear of
	})
	err = placing.Uncommitted(err) // what run may have committed elsewhere is another change
	f.mu.Lock()
	defer f.mu.Unlock()
	f.atomic = false
	if err == nil {
		err = f.env.place(f.checkWritable(ctx))
	}
	if err == nil && f.hasChanges() {
		err = f.adoptAndCommit(ctx, maxAdoptBytes)
	}
	if err == nil || errors.Is(err, cairn.ErrCommitted) {
		return false, errors.Join(err, placing.Committed(f.releaseUnusedLock()))
	}
	again = f.env.Retry && errors.Is(err, cairn.ErrConflict) && f.failure == nil && !dirty
	if f.failure == nil && !f.env.closed.Load() {
		f.restore(before, dirty)
	}
	return again, errors.Join(err, f.releaseUnusedLock())
}

// beginAtomic begins Atomically, and returns the state to restore after a failure.
func (f *Frame) beginAtomic(ctx context.Context) (before *state, dirty bool, err error) {
	if err := f.mu.LockWithin(ctx); err != nil {
		return nil, false, err
	}
	defer f.mu.Unlock()
	err = f.waitForLock(ctx)
	f.atomic = err == nil
	return f.cur.Load(), f.dirty, err
}

// restore makes an earlier state the newest one. The caller holds the mutex.
func (f *Frame) restore(to *state, dirty bool) {
	// Snapshots of the dropped state may still be in use, so later changes must not write to memory
	// of the index that they share with the earlier state.
	back := to.draft()
	back.index = back.index.Seal()
	f.moveBase(back)
	f.dirty = dirty
	f.show(&back.state)
}

// checkNotAtomic fails inside of Atomically. The caller holds the mutex.
func (f *Frame) checkNotAtomic() error {
	if f.atomic {
		return fmt.Errorf("frame: inside of Atomically: %w", cairn.ErrConflict)
	}
	return nil
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
	err = f.endTransaction(ctx, func() error {
		if err := f.acquireLock(ctx); err != nil {
			return f.env.place(err)
		}
		c.Before = f.committed.size()
		err := f.commit(func(next *state) (*state, bool, error) {
			return f.compact(ctx, next)
		})
		if err == nil {
			f.sweep(afterAll)
		}
		c.After = f.committed.size()
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
