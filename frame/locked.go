package frame

import (
	"context"
	"errors"

	"github.com/cairn-go/cairn"
)

// Several processes may change a frame if each of them opened it with Locking. A change takes the
// lock, updates the handle to the newest commit, and keeps the lock until Commit or Rollback,
// because two writers would stage their chunks at the same place behind the committed frame.
// Readers wait only while a commit is published (internal/locking).

// Lock takes the lock of a frame that was opened with Locking, so that no other process changes it,
// and updates the handle to the newest commit. Every change takes the lock by itself; call Lock
// first if what you write depends on what you read. Commit, Rollback, Close and Abort release the
// lock, and so does Unlock if nothing was changed. Lock waits for others until ctx ends, and then
// fails with an error matching [cairn.ErrLocked]. Without Locking it does nothing.
func (f *Frame) Lock(ctx context.Context) error {
	e := &f.edit
	if err := e.mu.LockWithin(ctx); err != nil {
		return e.env.place(err)
	}
	defer e.mu.Unlock()
	if err := e.waitForLock(ctx); err != nil {
		return e.env.place(err)
	}
	e.pins++
	return nil
}

// Unlock undoes one call of Lock. If there are staged changes, the frame keeps the lock until
// Commit, Rollback, Close or Abort; after one of those Unlock does nothing.
func (f *Frame) Unlock() error {
	e := &f.edit
	e.mu.Lock()
	defer e.mu.Unlock()
	e.pins = max(0, e.pins-1)
	return e.env.place(e.releaseUnusedLock())
}

// Share takes a shared lock of a frame that was opened with Locking, and updates the handle to the
// newest commit. No other process changes the frame until done is called; the caller must call it
// once. Writers of this package never change bytes that a reader may use, so with them Share is
// only needed to see the newest state. C-Blosc2 writes in place, so with it every read needs Share.
// Share waits for writers until ctx ends, and then fails with an error matching [cairn.ErrLocked].
// It waits for a writer of this package only while that publishes a commit, not while changes are
// staged. Without Locking it does nothing.
//
// done fails with an error matching [cairn.ErrConflict] if the data may have changed during the
// read; read again in that case. This happens if a writer of this package is killed or rolls back
// during the read, and C-Blosc2 then changes the frame before the read ends.
func (f *Frame) Share(ctx context.Context) (done func() error, err error) {
	e := &f.edit
	if err := e.mu.LockWithin(ctx); err != nil {
		return nil, e.env.place(err)
	}
	defer e.mu.Unlock()
	if err := e.env.open(); err != nil {
		return nil, err
	}
	if e.lock == nil || e.private() {
		return func() error { return nil }, ctx.Err()
	}
	if err := e.lock.Share(ctx); err != nil {
		return nil, e.env.place(err)
	}
	if err := e.catchUp(); err != nil {
		return nil, e.env.place(errors.Join(err, e.lock.Unshare()))
	}
	return e.lock.Unshare, nil
}

// acquireLock makes the frame ready for a change: it takes the lock, if there is one, updates the
// handle to the newest commit, and claims the file. The caller holds the mutex.
func (e *editor) acquireLock(ctx context.Context) error {
	if e.needsLock() {
		if err := e.lock.Begin(ctx); err != nil {
			return err
		}
	}

	if e.lock != nil && e.lock.Holds() {
		if err := e.catchUp(); err != nil {
			return errors.Join(err, e.releaseUnusedLock())
		}
	}

	err := e.claim()
	if e.lock != nil && !e.dirty && errors.Is(err, cairn.ErrConflict) {
		// A writer without the lock changed the frame, so the counter did not: C-Blosc2 takes no
		// lock to change a fixed metalayer.
		e.lock.Stale.Store(true)
		if err = e.catchUp(); err == nil {
			err = e.claim()
		}
	}
	if err != nil {
		err = errors.Join(err, e.releaseUnusedLock())
	}
	return err
}

// claim claims the frame's files, if the writer claims any.
func (e *editor) claim() error {
	if c, ok := e.writer.(claimant); ok {
		return c.claim(e.committed)
	}
	return nil
}

// waitForLock is acquireLock for callers that hold only the mutex and have read no state yet. It
// releases the mutex while it waits for the lock, so that other goroutines can use the handle.
func (e *editor) waitForLock(ctx context.Context) error {
	for waited := false; ; waited = true {
		if err := e.checkWritable(ctx); err != nil {
			if waited && !e.env.closed.Load() {
				err = errors.Join(err, e.releaseUnusedLock())
			}
			return err
		}
		if !e.needsLock() {
			return e.acquireLock(ctx)
		}
		e.mu.Unlock()
		err := e.lock.Begin(ctx)
		e.mu.Lock()
		if err != nil {
			return err
		}
	}
}

// catchUp reads the frame again if another writer changed it. The caller holds the mutex and the
// lock.
func (e *editor) catchUp() error {
	if !e.lock.Stale.Load() {
		return nil
	}
	if e.writer == nil || !e.writer.fresh() {
		if err := e.reload(contextOf(e.location.fs)); err != nil {
			return err
		}
	}
	e.lock.Stale.Store(false)
	return nil
}
