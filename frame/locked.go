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

// Several processes may change a frame that each of them opened with Locking. A change takes the
// lock, brings the handle up to date, and keeps the lock until Commit or Rollback: what is staged
// lies behind the committed frame, where two writers would be in each other's way. Readers wait
// only while a commit is published (internal/locking).

// Lock takes the lock of a frame that was opened with Locking, so that no other process changes it,
// and brings the handle up to date with what others committed. Every change does so by itself;
// whoever reads in order to know what to write does it before. Commit, Rollback, Close and Abort
// give the lock back, and Unlock if nothing was changed. Lock waits for others until ctx ends, and
// then fails with an error matching [cairn.ErrLocked]. Without Locking it does nothing.
func (f *Frame) Lock(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.turn(ctx); err != nil {
		return f.env.place(err)
	}
	f.pins++
	return nil
}

// Unlock undoes one call of Lock. What is staged keeps the lock until Commit, Rollback, Close or
// Abort; after one of those Unlock does nothing.
func (f *Frame) Unlock() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pins = max(0, f.pins-1)
	return f.env.place(f.letGoUnused())
}

// Share takes the lock of a frame that was opened with Locking together with other readers, and
// brings the handle up to date. Until done is called, which must happen once, no other process
// changes the frame. Writers of this package never change bytes that a reader may hold, so beside
// them Share is for seeing the newest state; C-Blosc2 writes in place, so beside it every read
// needs Share. It waits for writers until ctx ends, and then fails with an error matching
// [cairn.ErrLocked]. Of writers of this package it waits only for the moment when one publishes a
// commit, not while changes are staged. Without Locking it does nothing.
//
// done fails with an error matching [cairn.ErrConflict] if what was read may have been changed: if
// a writer of this package was killed, or rolled back, in the middle of the read, and C-Blosc2 came
// before its end. Read again then.
func (f *Frame) Share(ctx context.Context) (done func() error, err error) {
	f.mu.Lock()
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

// take makes sure that this handle holds the lock, if it has one, and shows what is on disk, and
// that nobody else is changing it. The caller holds the mutex.
func (f *Frame) take(ctx context.Context) error {
	if f.needsLock() {
		if err := f.lock.Begin(ctx); err != nil {
			return err
		}
	}
	if f.lock != nil && f.lock.Holds() {
		if err := f.catchUp(); err != nil {
			return errors.Join(err, f.letGoUnused())
		}
	}
	err := f.writer.claim(f.committed)
	if f.lock != nil && !f.dirty && errors.Is(err, cairn.ErrConflict) {
		// A writer was here that does not lock, or C-Blosc2 changed a fixed metalayer, for which it
		// takes no lock: the counter does not tell.
		f.lock.Stale.Store(true)
		if err = f.catchUp(); err == nil {
			err = f.writer.claim(f.committed)
		}
	}
	if err != nil {
		err = errors.Join(err, f.letGoUnused())
	}
	return err
}

// turn is take for a caller who holds nothing but the mutex, and looks at nothing before: it gives
// the mutex up while it waits for others, so that the reads of this handle go on.
func (f *Frame) turn(ctx context.Context) error {
	for waited := false; ; waited = true {
		if err := f.ready(ctx); err != nil {
			if waited && !f.env.closed.Load() {
				err = errors.Join(err, f.letGoUnused())
			}
			return err
		}
		if !f.needsLock() {
			return f.take(ctx)
		}
		f.mu.Unlock()
		err := f.lock.Begin(ctx)
		f.mu.Lock()
		if err != nil {
			return err
		}
	}
}

// needsLock reports whether this handle has to wait for the lock before it changes something.
func (f *Frame) needsLock() bool { return f.lock != nil && !f.lock.Holds() && !f.private() }

func (f *Frame) private() bool { return f.writer != nil && f.writer.private() }

// letGo gives the claim and the lock back.
func (f *Frame) letGo() (err error) {
	f.pins = 0
	if f.writer != nil {
		err = f.writer.unclaim()
	}
	if f.lock != nil {
		err = errors.Join(err, f.lock.End())
	}
	return err
}

// letGoUnused gives the lock back if a change that failed took it.
func (f *Frame) letGoUnused() error {
	if f.dirty || f.pins > 0 || f.atomic {
		return nil
	}
	return f.letGo()
}

// catchUp opens the frame again if somebody else changed it. The caller holds the mutex and the
// lock.
func (f *Frame) catchUp() error {
	if !f.lock.Stale.Load() {
		return nil
	}
	if f.writer == nil || !f.writer.fresh() {
		if err := f.reload(); err != nil {
			return err
		}
	}
	f.lock.Stale.Store(false)
	return nil
}

// become shows what g, another handle of the same frame, shows, and takes its files over.
func (f *Frame) become(g *Frame) error {
	old, now := f.cur.Load(), g.cur.Load()
	alike := now.head.TypeSize == old.head.TypeSize && now.head.Sparse() == old.head.Sparse()
	if !alike || !slices.Equal(g.env.shape, f.env.shape) {
		return fmt.Errorf("the frame was replaced by another one: %w", cairn.ErrConflict)
	}
	mine := now.draft()
	mine.env = f.env
	if f.writer != nil {
		_ = f.writer.unclaim() // its file will be closed
	}
	if f.writer != nil || g.closer != nil { // else the file is the same
		f.env.retire(f.committed.source)
		f.closer = g.closer
	}
	f.writer = g.writer
	f.committed, f.dirty = &mine.state, false
	f.show(&mine.state)
	return nil
}

// unlock closes the lock.
func (f *Frame) unlock() {
	if f.lock != nil {
		_ = f.lock.Close() // what it protected is done
	}
}

// mayTidy reports whether what no state refers to may be removed: not if nobody knows what is
// durable, or if another process may know better.
func (f *Frame) mayTidy() bool {
	if f.poison != nil || !f.writer.untidy(f.committed) {
		return false
	}
	brief, cancel := context.WithTimeout(context.Background(), locking.Briefly)
	defer cancel()
	return f.take(brief) == nil
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
	// What sweeping removes may be another writer's, that is at work.
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
		return nil, errors.Join(err, f.shut(), lock.Close())
	}
	f.lock = lock
	return f, nil
}
