package frame

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/placing"
)

// Snapshot returns the newest state, staged changes included. Later changes and Rollback do not
// affect it. It is valid until f is closed.
func (f *Frame) Snapshot() *Snapshot { return f.keep().snapshot() }

// ReadOnly reports whether the frame was opened for reading only.
func (f *Frame) ReadOnly() bool { return !f.writable }

// Commit makes all staged changes durable at once. It writes the whole index, some bytes for every
// chunk of the frame, although it encodes only what changed; so commit many changes together. After
// an error before the write that switches to the new state, the changes are still staged. After a
// later error, which matches ErrCommitted if readers see the new state, the frame may accept no
// more changes, because only opening it again tells what is durable.
func (f *Frame) Commit(ctx context.Context) error {
	e := &f.edit
	return e.endTransaction(ctx, func() error {
		if !e.hasChanges() {
			return e.env.place(placing.Committed(e.releaseLock()))
		}
		if err := e.acquireLock(ctx); err != nil {
			return e.env.place(err)
		}
		return e.adoptAndCommit(ctx, maxAdoptBytes)
	})
}

// Rollback drops all changes since the last commit, or since the frame was created.
func (f *Frame) Rollback() error {
	e := &f.edit
	return e.endTransaction(context.Background(), func() error {
		if e.dirty {
			e.restore(e.committed, false)
			e.committed = e.cur.Load()
			e.sweep(afterRollback)
			if w, ok := e.writer.(reuser); ok {
				w.spare()
			}
		}
		e.broken.Store(nil)
		return e.env.place(e.releaseLock())
	})
}

// Close commits staged changes and closes the frame. If that commit fails, all staged changes are
// lost. If an earlier commit failed so that the durable state is unknown, Close does not try again,
// and returns the same error. An error matches ErrCommitted if all changes of the handle have
// succeeded and are committed, by Close or before.
//
// If a change, or Atomically, has failed since the last commit or rollback, Close publishes nothing
// of what was staged: like Abort it drops it, and returns an error that wraps the first failure.
// Errors that match ErrNotFound, ErrLocked or ErrConflict do not count. A program that goes on
// after a failure, with the changes that did succeed, calls Commit. No handle can know of what
// fails between changes, so a program that changes a frame defers Abort and returns the result of
// Close.
//
// Close compacts a frame that consists mostly of dead bytes, if this handle changed it and
// NoCompact is not set.
func (f *Frame) Close() error {
	e := &f.edit
	if err := e.flushFirst(context.Background()); err != nil {
		return errors.Join(err, f.Abort())
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := errors.Join(e.env.open(), e.env.place(e.checkNotAtomic())); err != nil {
		return err
	}

	var err error
	if e.discards() {
		err = fmt.Errorf("close: what was not committed is discarded, because a change failed: %w",
			*e.broken.Load())
		return errors.Join(e.env.place(err), e.closeAll())
	}

	if e.writer != nil && e.failure == nil && e.hasChanges() {
		if err = e.acquireLock(context.Background()); err == nil {
			err = e.adoptAndCommit(context.Background(), maxAdoptBytes)
		}
	}

	if e.failure != nil && err == nil {
		err = e.env.place(fmt.Errorf("frame: it is unknown whether the last commit is durable: %w", e.failure))
	}
	if err == nil {
		e.compactOnClose()
	}

	closed := e.closeAll()
	if e.writer != nil && e.broken.Load() == nil && (err == nil || errors.Is(err, cairn.ErrCommitted)) {
		closed = placing.Committed(closed)
	}
	return errors.Join(err, closed)
}

// Abort closes the frame and drops all changes since the last commit. A frame that was never
// committed leaves no files behind. After Close it does nothing, so a program can defer it and
// return the result of Close.
func (f *Frame) Abort() error {
	e := &f.edit
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.env.closed.Load() {
		return nil
	}
	return e.closeAll()
}

// Bytes returns the newest state, staged changes included, as a contiguous frame without dead
// bytes. The caller owns the result. Bytes works for all frames, also for sparse ones and those on
// disk.
func (f *Frame) Bytes() ([]byte, error) {
	if err := f.edit.flushFirst(context.Background()); err != nil {
		return nil, err
	}
	return f.Snapshot().Bytes()
}

// Adopt reads the whole frame, adds a checksum for every chunk that another writer left without
// one, and commits, staged changes included. [Frame.Commit] does the same for frames of up to 64
// MiB. Adopt does not check that chunks can be decoded: call Verify first.
func (f *Frame) Adopt(ctx context.Context) error {
	e := &f.edit
	return e.endTransaction(ctx, func() error {
		if err := e.acquireLock(ctx); err != nil {
			return e.env.place(err)
		}
		return e.adoptAndCommit(ctx, math.MaxInt64)
	})
}

// Refresh updates the handle to the newest commit of other handles and processes, also those of
// C-Blosc2, and reports whether the state changed. It needs no lock. It reads the header and the
// end of the trailer, which takes some microseconds, and the rest only if those changed. It also
// notices when another file has replaced the frame's, as after a compaction. Earlier snapshots stay
// as they are.
//
// With staged changes, or for a frame in memory, Refresh does nothing. After an error the handle
// shows the same state as before. An error matching [cairn.ErrConflict] means that the path now has
// a frame of another kind. Refresh of a frame opened by [OpenReader] fails with
// [cairn.ErrUnsupported].
//
// With Locking, Refresh waits while a commit is published, or C-Blosc2 writes, until ctx ends, and
// then fails with an error matching [cairn.ErrLocked]. It does not wait for staged changes.
func (f *Frame) Refresh(ctx context.Context) (changed bool, err error) {
	e := &f.edit
	if err := e.mu.LockWithin(ctx); err != nil {
		return false, e.env.place(err)
	}
	defer e.mu.Unlock()
	switch {
	case e.env.closed.Load():
		err = fmt.Errorf("frame: %w", cairn.ErrClosed)
	case e.env.fixed:
		err = fmt.Errorf("frame: refresh of a reader of a fixed size: %w: open it again", cairn.ErrUnsupported)
	case e.failure != nil:
		err = e.checkWritable(ctx)
	default:
		err = ctx.Err()
	}
	if err != nil {
		return false, e.env.place(err)
	}

	// A frame in memory, an old version and a fresh frame have no newer state, and what is staged
	// belongs to the state that the handle shows.
	if e.location == nil || e.dirty || e.atomic || e.writer != nil && e.writer.fresh() {
		return false, nil
	}
	before := e.cur.Load()
	if e.lock != nil {
		if err := e.lock.Share(ctx); err != nil {
			return false, e.env.place(err)
		}
		defer func() { err = errors.Join(err, e.env.place(e.lock.Unshare())) }()
		if err := e.catchUp(); err != nil {
			return false, e.env.place(err)
		}
	}

	// catchUp goes by the counter of the lock, which not every writer increments.
	if now := e.cur.Load(); now == before {
		same, err := e.location.has(ctx, now)
		if err == nil && !same {
			err = e.reload(ctx)
		}
		if err != nil {
			return false, e.env.place(err)
		}
	}

	return e.cur.Load() != before, nil
}
