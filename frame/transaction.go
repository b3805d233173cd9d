package frame

import (
	"context"
	"errors"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/parallel"
)

// Every change is staged, and Commit makes all of them durable at once: what is between two commits
// is a transaction, and Rollback drops it. Atomically does both in one call.

// Atomically runs changes that all come true or none: it calls run, which changes the frame, and
// commits, together with what was staged before. If run or the commit fails, the frame is as it was
// before, and what was staged then is staged still. In between Commit, Compact, Adopt, Rollback and
// Close fail with ErrConflict, and changes by other goroutines become part of it; other calls of
// Atomically wait, so run must not make one.
func (f *Frame) Atomically(ctx context.Context, run func() error) error {
	if err := f.flushFirst(ctx); err != nil {
		return err
	}
	f.one.Lock()
	defer f.one.Unlock()
	before, dirty, err := f.beginAtomic(ctx)
	if err != nil {
		return f.env.place(err)
	}
	err = parallel.Guard(run, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.atomic = false
		f.restore(before, dirty)
		_ = f.letGoUnused() // the panic is what the caller must hear of
	})
	f.mu.Lock()
	defer f.mu.Unlock()
	f.atomic = false
	if err == nil {
		err = f.env.place(f.ready(ctx))
	}
	if err == nil && f.unsaved() {
		err = f.adoptAndCommit(ctx, adoptMost)
	}
	if err != nil && f.poison == nil && !f.env.closed.Load() {
		f.restore(before, dirty)
	}
	return errors.Join(err, f.letGoUnused())
}

// beginAtomic begins Atomically, and returns what to go back to.
func (f *Frame) beginAtomic(ctx context.Context) (before *state, dirty bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	err = f.turn(ctx)
	f.atomic = err == nil
	return f.cur.Load(), f.dirty, err
}

// restore makes an earlier state the newest one. The caller holds the lock.
func (f *Frame) restore(to *state, dirty bool) {
	// Views of what is dropped may live on, so the next changes must not write into what these
	// share with the earlier state.
	back := to.draft()
	back.index = back.index.Seal()
	f.writer.moveBase(back)
	f.dirty = dirty
	f.show(&back.state)
}

// alone fails inside of Atomically. The caller holds the lock.
func (f *Frame) alone() error {
	if f.atomic {
		return fmt.Errorf("frame: inside of Atomically: %w", cairn.ErrConflict)
	}
	return nil
}

// Compaction says what Compact did.
type Compaction struct {
	Before, After int64 // bytes of the frame, chunk files of a sparse one included
}

// Compact commits, and rewrites the frame without dead bytes: chunks in order as they are, each
// compared with its checksum, index, trailer. Views of earlier states stay readable. For a sparse
// frame, whose files hold no dead bytes, it is Commit. It fails, and leaves the frame as it was, if
// a chunk is damaged.
func (f *Frame) Compact(ctx context.Context) (c Compaction, err error) {
	err = f.settle(ctx, func() error {
		if err := f.take(ctx); err != nil {
			return f.env.place(err)
		}
		c.Before = f.committed.size()
		err := f.commit(func(next *state) (*state, bool, error) {
			return f.writer.compact(ctx, f.lock, f.committed, next)
		})
		c.After = f.committed.size()
		return err
	})
	return c, err
}

// size returns the length of the frame with everything that belongs to it.
func (v *state) size() int64 {
	if v.head.Sparse() {
		return v.head.FrameLen + v.live
	}
	return v.head.FrameLen
}
