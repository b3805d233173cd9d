package ndarray

import (
	"context"
	"errors"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
)

// Bytes returns the frame, staged changes included, as one slice, wherever the array is stored. The
// caller owns it.
func (u *Untyped) Bytes() ([]byte, error) {
	u = u.self()
	if u.frozen {
		at, err := u.state()
		if err != nil {
			return nil, err
		}
		return at.view.Bytes()
	}
	u.writeMu.Lock()
	defer u.writeMu.Unlock()
	if err := u.flush(context.Background()); err != nil {
		return nil, err
	}
	return u.frame.Bytes()
}

// Commit makes everything that was staged durable, all or nothing.
func (u *Untyped) Commit(ctx context.Context) error {
	u = u.self()
	return u.flushAndRun(ctx, func() error { return u.frame.Commit(ctx) })
}

// flushAndRun runs a commit after flushing pending writes, while no write is in progress.
func (u *Untyped) flushAndRun(ctx context.Context, commit func() error) error {
	if err := u.changeable(); err != nil {
		return err
	}
	if err := u.writeMu.LockWithin(ctx); err != nil {
		return u.inArray(err)
	}
	defer u.writeMu.Unlock()
	defer u.dropOldStates()
	if err := u.flush(ctx); err != nil {
		return err
	}
	return commit()
}

// Compact commits staged changes and rewrites the file without dead bytes; see
// [frame.Frame.Compact]. It waits for writes in progress.
func (u *Untyped) Compact(ctx context.Context) (c frame.Compaction, err error) {
	u = u.self()
	err = u.flushAndRun(ctx, func() (err error) {
		c, err = u.frame.Compact(ctx)
		return err
	})
	return c, err
}

// dropOldStates drops references to replaced states, which would keep files open: the last state,
// and the one from before the first commit once that has happened.
func (u *Untyped) dropOldStates() {
	// store the newest state as the last; later calls report its error
	u.state()
	if u.initial != nil && u.initial.Gone() {
		u.initial = nil
	}
}

// Rollback drops everything staged since the last commit. Before the first commit the array returns
// to its initial state, with the fill value in every item. Rollback waits for writes in progress.
// Inside Atomically it fails with [cairn.ErrConflict].
func (u *Untyped) Rollback() error {
	u = u.self()
	if err := u.changeable(); err != nil {
		return err
	}
	u.writeMu.Lock()
	defer u.writeMu.Unlock()
	defer u.dropOldStates()
	if u.buffer.atomic {
		return u.inArray(fmt.Errorf("inside Atomically: %w", cairn.ErrConflict))
	}
	return u.dropPending(func() error {
		if u.initial == nil || u.initial.Gone() {
			return u.frame.Rollback()
		}
		return u.frame.Inside().RollbackTo(u.initial)
	})
}

// Atomically applies all changes of run or none. It calls run, which may write, fill, and change
// metalayers through [Untyped.Frame], and then commits these changes together with those staged
// before. If run or the commit fails, or run panics, the array is as it was before the call, with
// the earlier changes still staged. While run executes, Commit and Rollback fail with
// [cairn.ErrConflict], reads see staged changes, and writes of other goroutines become part of the
// transaction. Other calls of Atomically wait until their contexts end, so run must not make one.
// With Locking the lock is held throughout, and the array is up to date when run is called.
//
// If another handle has committed meanwhile, the commit fails with [cairn.ErrConflict]. With the
// option Retry, the array is then brought up to date, and run is called again: see
// [frame.Frame.Atomically].
func (u *Untyped) Atomically(ctx context.Context, run func() error) (err error) {
	u = u.self()
	defer u.noteFailure(&err)
	if u.readOnly {
		return u.inArray(fmt.Errorf("write: %w", cairn.ErrReadOnly))
	}
	if err := u.suspendBuffer(ctx); err != nil {
		return err
	}
	begun, held := false, false
	defer func() {
		if !begun {
			u.buffer.suspended.Add(-1)
		}
		if held {
			u.clearStable()
			u.dropOldStates()
			u.writeMu.Unlock()
		}
	}()
	return u.frame.Atomically(ctx, func() (err error) {
		again := held
		if again { // since the commit failed
			u.clearStable()
			u.dropOldStates()
			u.buffer.atomic, held = true, false
			u.writeMu.Unlock()
		} else {
			begun = true
			u.beginBuffered()
		}
		done := false
		// Writes of other goroutines must end before their chunks are committed or dropped.
		defer func() {
			u.writeMu.Lock()
			held = true
			err = errors.Join(err, u.flushOrDrop(ctx, done && err == nil))
			u.buffer.atomic = false
		}()
		if u.locking || again {
			if err := u.catchUp(); err != nil {
				return err
			}
		}
		err = run()
		done = true // it did not panic
		return err
	})
}

// Close commits staged changes and releases the array. No other call may be running, and none but
// Abort may follow.
//
// If a write or another change has failed since the last commit or rollback, Close publishes no
// half of the changes: like Abort it drops what was not committed, and returns an error that wraps
// the first failure. This holds for every failure but those that match [cairn.ErrNotFound],
// [cairn.ErrLocked] or [cairn.ErrConflict]. A program that goes on after a failure, with the writes
// that did succeed, calls Commit.
//
// The array cannot know of errors and panics elsewhere, between two writes. So a program that
// changes an array defers Abort and returns the result of Close:
//
//	defer a.Abort()
//	if err := a.Write(ctx, values); err != nil {
//		return err
//	}
//	return a.Close()
func (u *Untyped) Close() error {
	u = u.self()
	defer u.pool.clear()
	if u.frozen {
		if u.closed.Store(true); u.unkeep != nil {
			u.unkeep()
		}
		return nil
	}
	u.writeMu.Lock()
	defer u.writeMu.Unlock()
	err := u.flush(context.Background())
	u.buffer.budget = 0
	if err != nil {
		// Without the pending writes, a commit would contain only part of the changes.
		return errors.Join(err, u.frame.Abort())
	}
	return u.frame.Close()
}

// Abort drops everything staged since the last commit and releases the array. An array that was
// never committed leaves no file. After Close it does nothing.
func (u *Untyped) Abort() error {
	u = u.self()
	defer u.pool.clear()
	if u.frozen {
		return u.Close()
	}
	u.writeMu.Lock()
	defer u.writeMu.Unlock()
	u.buffer.budget = 0
	u.stateMu.Lock()
	u.buffer.pending = nil
	u.stateMu.Unlock()
	return u.frame.Abort()
}

// noteFailure remembers a change that has failed: see [Untyped.Close].
func (u *Untyped) noteFailure(err *error) {
	if *err != nil {
		_ = u.failed(*err)
	}
}

// failed is noteFailure, and returns the error.
func (u *Untyped) failed(err error) error {
	if u = u.self(); !u.readOnly {
		u.frame.Inside().Fail(err)
	}
	return err
}

// changeable fails for a snapshot. For other read-only arrays the frame reports the error.
func (u *Untyped) changeable() error {
	if u.frozen {
		return u.inArray(fmt.Errorf("snapshot: %w", cairn.ErrReadOnly))
	}
	return nil
}
