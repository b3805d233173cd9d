package ndarray

import (
	"context"
	"errors"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
)

// Other handles and processes may change an array, including its shape. A handle moves to the
// newest state in Refresh, and with Locking also in Lock, Share, and every read and write.
// Otherwise its state does not change.

// Bytes returns the frame, staged changes included, as one slice, wherever the array is stored. The
// caller owns it.
func (u *Untyped) Bytes() ([]byte, error) {
	a := u.self()
	if a.frozen {
		at, err := a.state()
		if err != nil {
			return nil, err
		}
		return at.view.Bytes()
	}

	a.writeMu.Lock()
	defer a.writeMu.Unlock()
	if err := a.flush(context.Background()); err != nil {
		return nil, err
	}
	return a.frame.Bytes()
}

// Commit makes everything that was staged durable, all or nothing.
func (u *Untyped) Commit(ctx context.Context) error {
	return u.self().commit(ctx)
}

// Compact commits staged changes and rewrites the file without dead bytes; see
// [frame.Frame.Compact]. It waits for writes in progress.
func (u *Untyped) Compact(ctx context.Context) (c frame.Compaction, err error) {
	a := u.self()
	err = a.flushAndRun(ctx, func() (err error) {
		c, err = a.frame.Compact(ctx)
		return err
	})
	return c, err
}

// Rollback drops everything staged since the last commit. Before the first commit the array returns
// to its initial state, with the fill value in every item. Rollback waits for writes in progress.
// Inside Atomically it fails with [cairn.ErrConflict].
func (u *Untyped) Rollback() error {
	a := u.self()
	if err := a.changeable(); err != nil {
		return err
	}

	a.writeMu.Lock()
	defer a.writeMu.Unlock()
	defer a.dropOldStates()
	if a.buffer.atomic {
		return a.inArray(fmt.Errorf("inside Atomically: %w", cairn.ErrConflict))
	}
	return a.dropPending(func() error {
		if a.initial == nil || a.initial.Gone() {
			return a.frame.Rollback()
		}
		return a.frame.Inside().RollbackTo(a.initial)
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
	a := u.self()
	defer a.noteFailure(&err)
	if a.readOnly {
		return a.inArray(fmt.Errorf("write: %w", cairn.ErrReadOnly))
	}

	if err := a.suspendBuffer(ctx); err != nil {
		return err
	}
	begun := false // whether writes are buffered again
	held := false  // whether this call holds writeMu
	defer func() {
		if !begun {
			a.buffer.suspended.Add(-1)
		}
		if held {
			a.clearStable()
			a.dropOldStates()
			a.writeMu.Unlock()
		}
	}()

	return a.frame.Atomically(ctx, func() (err error) {
		again := held
		if again { // since the commit failed
			a.clearStable()
			a.dropOldStates()
			a.buffer.atomic = true
			held = false
			a.writeMu.Unlock()
		} else {
			begun = true
			a.beginBuffered()
		}

		// Writes of other goroutines must end before their chunks are committed or dropped.
		done := false
		defer func() {
			a.writeMu.Lock()
			held = true
			err = errors.Join(err, a.flushOrDrop(ctx, done && err == nil))
			a.buffer.atomic = false
		}()

		if a.locking || again {
			if err := a.catchUp(); err != nil {
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
	return u.self().close()
}

// Abort drops everything staged since the last commit and releases the array. An array that was
// never committed leaves no file. After Close it does nothing.
func (u *Untyped) Abort() error {
	return u.self().abort()
}

// Lock takes the lock of an array that was opened with Locking, so that no other process changes
// it, and brings the handle up to date, including its shape. Every write does this itself; call
// Lock first if what you write depends on what you read, or on the shape. Commit, Rollback, Close
// and Abort release the lock, and so does Unlock if nothing was changed. Lock waits for other
// holders until ctx ends, and then fails with an error matching [cairn.ErrLocked]. Without Locking
// it does nothing.
func (u *Untyped) Lock(ctx context.Context) error { return u.self().lock(ctx) }

// Unlock undoes one call of Lock. While changes are staged the lock is kept until Commit, Rollback,
// Close or Abort; after one of those Unlock does nothing.
func (u *Untyped) Unlock() error {
	a := u.self()
	if a.locking {
		// Only staged changes keep the lock, so pending writes must be staged.
		if err := a.flushNow(context.Background()); err != nil {
			return errors.Join(err, a.frame.Unlock())
		}
	}
	return a.frame.Unlock()
}

// Share takes the lock of an array that was opened with Locking, together with other readers, and
// brings the handle up to date, including its shape. Until done is called, no other process changes
// the array, so that several reads see one state. The caller must call done exactly once, and must
// not write or call Share again before: a write would wait for done. Every read shares the lock
// itself. Share waits while a commit is published, or while C-Blosc2 writes, until ctx ends, and
// then fails with an error matching [cairn.ErrLocked]; it does not wait for changes that others
// have staged. Without Locking it does nothing.
func (u *Untyped) Share(ctx context.Context) (done func() error, err error) {
	a := u.self()
	if !a.locking {
		return func() error { return nil }, ctx.Err()
	}

	release, err := a.frame.Share(ctx)
	if err != nil {
		return nil, err
	}
	if err := a.catchUp(); err != nil {
		return nil, errors.Join(err, release())
	}

	a.sharing.begin()
	return func() error { return a.sharing.end(release) }, nil
}

// Refresh brings the array up to date with the commits of other handles and processes, including
// its shape, and reports whether the shape changed. It needs no lock, and takes some microseconds
// if there is nothing new; see [frame.Frame.Refresh]. To follow a growing array, call Refresh from
// time to time and read the new rows.
//
// An array with staged or pending changes keeps its state until Commit or Rollback. A snapshot
// never changes. Reads in progress see the state before. An error that matches [cairn.ErrConflict]
// means that a different kind of array now has the name.
func (u *Untyped) Refresh(ctx context.Context) (bool, error) {
	a := u.self()
	if a.frozen {
		return false, ctx.Err()
	}

	if !a.readOnly && !a.locking {
		if err := a.writeMu.LockWithin(ctx); err != nil {
			return false, a.inArray(err)
		}
		defer a.writeMu.Unlock()
		if a.buffer.pending != nil {
			return false, ctx.Err()
		}
	}

	before := a.geometry()
	if _, err := a.frame.Refresh(ctx); err != nil {
		return false, err
	}
	if err := a.catchUp(); err != nil {
		return false, err
	}
	return a.geometry().Shape != before.Shape, nil
}

// Snapshot returns a read-only array with the current state, staged changes included. Later changes
// of u do not affect it. Making one costs only the flush of pending writes. Any number of
// goroutines may read it. The caller closes it before u: after Close of u its reads fail with
// [cairn.ErrClosed]. If a compaction replaces the file, the old one stays on disk while a snapshot
// uses it. With Locking, Snapshot starts from the newest state that other processes committed. A
// snapshot does not hold the lock, and C-Blosc2, which overwrites bytes in place, can destroy its
// data.
func (u *Untyped) Snapshot(ctx context.Context) (s *Untyped, err error) {
	now, err := u.self().snapshot(ctx)
	if err != nil {
		return nil, err
	}
	return &Untyped{now}, nil
}
