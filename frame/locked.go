package frame

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame/internal/locking"
	"github.com/cairn-go/cairn/storage"
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
	if err := f.mu.LockWithin(ctx); err != nil {
		return f.env.place(err)
	}
	defer f.mu.Unlock()
	if err := f.waitForLock(ctx); err != nil {
		return f.env.place(err)
	}
	f.pins++
	return nil
}

// Unlock undoes one call of Lock. If there are staged changes, the frame keeps the lock until
// Commit, Rollback, Close or Abort; after one of those Unlock does nothing.
func (f *Frame) Unlock() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pins = max(0, f.pins-1)
	return f.env.place(f.releaseUnusedLock())
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
	if err := f.mu.LockWithin(ctx); err != nil {
		return nil, f.env.place(err)
	}
	defer f.mu.Unlock()
	if err := f.env.open(); err != nil {
		return nil, err
	}
	if f.lock == nil || f.private() {
		return func() error { return nil }, ctx.Err()
	}
	if err := f.lock.Share(ctx); err != nil {
		return nil, f.env.place(err)
	}
	if err := f.catchUp(); err != nil {
		return nil, f.env.place(errors.Join(err, f.lock.Unshare()))
	}
	return f.lock.Unshare, nil
}

// acquireLock makes the frame ready for a change: it takes the lock, if there is one, updates the
// handle to the newest commit, and claims the file. The caller holds the mutex.
func (f *Frame) acquireLock(ctx context.Context) error {
	if f.needsLock() {
		if err := f.lock.Begin(ctx); err != nil {
			return err
		}
	}
	if f.lock != nil && f.lock.Holds() {
		if err := f.catchUp(); err != nil {
			return errors.Join(err, f.releaseUnusedLock())
		}
	}
	err := f.claim()
	if f.lock != nil && !f.dirty && errors.Is(err, cairn.ErrConflict) {
		// A writer without the lock changed the frame, so the counter did not: C-Blosc2 takes no
		// lock to change a fixed metalayer.
		f.lock.Stale.Store(true)
		if err = f.catchUp(); err == nil {
			err = f.claim()
		}
	}
	if err != nil {
		err = errors.Join(err, f.releaseUnusedLock())
	}
	return err
}

// claim claims the frame's files, if the writer claims any.
func (f *Frame) claim() error {
	if c, ok := f.writer.(claimant); ok {
		return c.claim(f.committed)
	}
	return nil
}

// waitForLock is acquireLock for callers that hold only the mutex and have read no state yet. It
// releases the mutex while it waits for the lock, so that other goroutines can use the handle.
func (f *Frame) waitForLock(ctx context.Context) error {
	for waited := false; ; waited = true {
		if err := f.checkWritable(ctx); err != nil {
			if waited && !f.env.closed.Load() {
				err = errors.Join(err, f.releaseUnusedLock())
			}
			return err
		}
		if !f.needsLock() {
			return f.acquireLock(ctx)
		}
		f.mu.Unlock()
		err := f.lock.Begin(ctx)
		f.mu.Lock()
		if err != nil {
			return err
		}
	}
}

// needsLock reports whether this handle must take the lock before a change.
func (f *Frame) needsLock() bool { return f.lock != nil && !f.lock.Holds() && !f.private() }

// private reports whether no other handle can know of the frame, not even by its lock. The lock of
// a frame in a file has its final name from the beginning.
func (f *Frame) private() bool {
	return f.writer != nil && f.writer.fresh() && f.cur.Load().apart()
}

// releaseLock releases the claim and the lock.
func (f *Frame) releaseLock() (err error) {
	f.pins = 0
	if c, ok := f.writer.(claimant); ok {
		err = c.unclaim()
	}
	if f.lock != nil {
		err = errors.Join(err, f.lock.End())
	}
	return err
}

// releaseUnusedLock releases the claim and the lock unless something still needs them.
func (f *Frame) releaseUnusedLock() error {
	if f.dirty || f.pins > 0 || f.atomic {
		return nil
	}
	return f.releaseLock()
}

// catchUp reads the frame again if another writer changed it. The caller holds the mutex and the
// lock.
func (f *Frame) catchUp() error {
	if !f.lock.Stale.Load() {
		return nil
	}
	if f.writer == nil || !f.writer.fresh() {
		if err := f.reload(contextOf(f.location.fs)); err != nil {
			return err
		}
	}
	f.lock.Stale.Store(false)
	return nil
}

// become makes f show the state of g, another handle of the same frame, and takes over its files.
func (f *Frame) become(g *Frame) error {
	old, now := f.cur.Load(), g.cur.Load()
	alike := now.head.TypeSize == old.head.TypeSize && now.head.Sparse() == old.head.Sparse()
	if !alike || !slices.Equal(g.env.shape, f.env.shape) || g.env.zarrBlocks != f.env.zarrBlocks {
		return fmt.Errorf("the frame was replaced by another one: %w", cairn.ErrConflict)
	}
	next := now.draft()
	next.env = f.env
	if c, ok := f.writer.(claimant); ok {
		_ = c.unclaim() // its file will be closed
	}
	if f.writer != nil || g.closer != nil { // otherwise the file is the same
		f.env.retire(f.committed.source)
		f.closer = g.closer
	}
	if w, ok := g.writer.(reuser); ok {
		w.inherit(f.writer)
	}
	f.writer = g.writer
	f.committed, f.dirty = &next.state, false
	f.show(&next.state)
	return nil
}

func (f *Frame) unlock() {
	if f.lock != nil {
		_ = f.lock.Close() // the handle no longer uses the frame
	}
}

// mayTidy reports whether unreferenced bytes and files may be removed. They must stay if the
// durable state is unknown or another process may be changing the frame.
func (f *Frame) mayTidy() bool {
	if f.failure != nil {
		return false
	}
	if w, ok := f.writer.(untidyWriter); !ok || !w.hasLeftovers(f.committed) {
		return false
	}

	brief, cancel := context.WithTimeout(context.Background(), locking.Briefly)
	defer cancel()
	return f.acquireLock(brief) == nil
}

// openLocked opens a frame under its lock.
func openLocked(fsys storage.FS, path string, o *OpenOptions) (*Frame, error) {
	info, err := fsys.Stat(path)
	if err != nil {
		return nil, err
	}
	lock, err := locking.New(fsys, path, info.Dir, o.LockTimeout)
	if err != nil {
		return nil, err
	}
	// A sweep must not remove the files of another writer that is active.
	take, release := lock.Share, lock.Unshare
	if o.Sweep {
		take, release = lock.Begin, lock.End
	}
	if err := take(context.Background()); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	f, err := openFiles(fsys, path, o)
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	lock.Stale.Store(false) // it was opened since
	if err := release(); err != nil {
		return nil, errors.Join(err, f.closeAll(), lock.Close())
	}
	f.lock = lock
	return f, nil
}
