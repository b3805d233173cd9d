package ndarray

import (
	"context"
	"errors"
	"fmt"

	"github.com/cairn-go/cairn"
)

// dropPending drops the pending writes together with what rollback drops of the frame, unless
// rollback fails. The caller holds writeMu.
func (a *array) dropPending(rollback func() error) error {
	if a.buffer.pending == nil {
		return rollback()
	}

	_, _ = a.newestState(true) // readers must not see pending writes over an older frame
	pending := a.buffer.pending
	done := false
	a.setPending(nil) // or the frame would flush it
	defer func() {
		if !done {
			a.setPending(pending)
		}
		a.clearStable()
	}()

	if err := rollback(); err != nil {
		return err
	}
	done = true
	return a.unlockFrame()
}

// suspendBuffer flushes pending writes and makes all writes go to the frame until Atomically has
// begun or failed. Then the state that Atomically returns to after a failure is entirely in the
// frame.
func (a *array) suspendBuffer(ctx context.Context) error {
	if err := a.writeMu.LockWithin(ctx); err != nil {
		return a.inArray(err)
	}
	defer a.writeMu.Unlock()

	if err := a.flush(ctx); err != nil {
		return err
	}
	a.buffer.suspended.Add(1)
	return nil
}

// beginBuffered ends suspendBuffer when Atomically has begun.
func (a *array) beginBuffered() {
	a.writeMu.Lock()
	defer a.writeMu.Unlock()

	a.buffer.suspended.Add(-1)
	a.buffer.atomic = true
}

// flushOrDrop ends Atomically. It flushes pending writes; if that fails, or if the frame is going
// to drop the staged changes, it drops them. The caller holds writeMu, and calls clearStable after
// the frame has dropped its part.
func (a *array) flushOrDrop(ctx context.Context, keep bool) error {
	var err error
	if keep {
		err = a.flush(ctx)
	}
	if a.buffer.pending == nil {
		return err
	}

	_, _ = a.newestState(true) // after an error nothing can be read anyway
	a.setPending(nil)
	return errors.Join(err, a.unlockFrame())
}

// flushAndRun runs a commit after flushing pending writes, while no write is in progress.
func (a *array) flushAndRun(ctx context.Context, commit func() error) error {
	if err := a.changeable(); err != nil {
		return err
	}

	if err := a.writeMu.LockWithin(ctx); err != nil {
		return a.inArray(err)
	}
	defer a.writeMu.Unlock()
	defer a.dropOldStates()
	if err := a.flush(ctx); err != nil {
		return err
	}
	return commit()
}

// dropOldStates drops references to replaced states, which would keep files open: the last state,
// and the one from before the first commit once that has happened.
func (a *array) dropOldStates() {
	a.state() // stores the newest state as the last; later calls report its error
	if a.initial != nil && a.initial.Gone() {
		a.initial = nil
	}
}

// changeable fails for a snapshot. For other read-only arrays the frame reports the error.
func (a *array) changeable() error {
	if a.frozen {
		return a.inArray(fmt.Errorf("snapshot: %w", cairn.ErrReadOnly))
	}
	return nil
}

// snapshot is Snapshot.
func (a *array) snapshot(ctx context.Context) (now *array, err error) {
	at, release, err := a.beginFlushedRead(ctx)
	if err != nil {
		return nil, err
	}
	defer endRead(release, &err)
	return a.snapshotAt(at), nil
}

// snapshotAt returns a snapshot of a state of the array that is being read.
func (a *array) snapshotAt(at *state) *array {
	s := &array{runner: runner{core: a.core}, frozen: true}
	s.readOnly = true
	s.locking = false
	if a.unhold != nil {
		s.unkeep = a.frame.Inside().Keep(at.view)
	}
	s.last.Store(at)
	return s
}

// closeSnapshot ends a snapshot.
func (a *array) closeSnapshot() error {
	a.closed.Store(true)
	if a.unkeep != nil {
		a.unkeep()
	}
	a.pool.clear()
	return nil
}

// commit is Commit.
func (a *array) commit(ctx context.Context) error {
	return a.flushAndRun(ctx, func() error { return a.frame.Commit(ctx) })
}

// close is Close.
func (a *array) close() error {
	if a.frozen {
		return a.closeSnapshot()
	}

	defer a.keep.Drop()
	defer a.pool.clear()
	a.writeMu.Lock()
	defer a.writeMu.Unlock()

	err := a.flush(context.Background())
	a.buffer.budget = 0
	if err != nil {
		// Without the pending writes, a commit would contain only part of the changes.
		return errors.Join(err, a.frame.Abort())
	}
	return a.frame.Close()
}

// abort is Abort.
func (a *array) abort() error {
	if a.frozen {
		return a.closeSnapshot()
	}

	defer a.keep.Drop()
	defer a.pool.clear()
	a.writeMu.Lock()
	defer a.writeMu.Unlock()

	a.buffer.budget = 0
	a.stateMu.Lock()
	a.buffer.pending = nil
	a.stateMu.Unlock()
	return a.frame.Abort()
}
