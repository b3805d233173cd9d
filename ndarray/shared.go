package ndarray

import (
	"context"
	"errors"
	"sync"
)

// Other handles and processes may change an array, including its shape. A handle moves to the
// newest state in Refresh, and with Locking also in Lock, Share, and every read and write.
// Otherwise its state does not change.

// Lock takes the lock of an array that was opened with Locking, so that no other process changes
// it, and brings the handle up to date, including its shape. Every write does this itself; call
// Lock first if what you write depends on what you read, or on the shape. Commit, Rollback, Close
// and Abort release the lock, and so does Unlock if nothing was changed. Lock waits for other
// holders until ctx ends, and then fails with an error matching [cairn.ErrLocked]. Without Locking
// it does nothing.
func (u *Untyped) Lock(ctx context.Context) error {
	u = u.self()
	if !u.locking {
		return ctx.Err()
	}
	if err := u.frame.Lock(ctx); err != nil {
		return err
	}
	if err := u.catchUp(); err != nil {
		return errors.Join(err, u.frame.Unlock())
	}
	return nil
}

// Unlock undoes one call of Lock. While changes are staged the lock is kept until Commit, Rollback,
// Close or Abort; after one of those Unlock does nothing.
func (u *Untyped) Unlock() error {
	u = u.self()
	if u.locking {
		// Only staged changes keep the lock, so pending writes must be staged.
		if err := u.flushNow(context.Background()); err != nil {
			return errors.Join(err, u.frame.Unlock())
		}
	}
	return u.frame.Unlock()
}

// Share takes the lock of an array that was opened with Locking, together with other readers, and
// brings the handle up to date, including its shape. Until done is called, no other process changes
// the array, so that several reads see one state. The caller must call done exactly once, and must
// not write or call Share again before: a write would wait for done. Every read shares the lock
// itself. Share waits while a commit is published, or while C-Blosc2 writes, until ctx ends, and
// then fails with an error matching [cairn.ErrLocked]; it does not wait for changes that others
// have staged. Without Locking it does nothing.
func (u *Untyped) Share(ctx context.Context) (done func() error, err error) {
	u = u.self()
	if !u.locking {
		return func() error { return nil }, ctx.Err()
	}
	release, err := u.frame.Share(ctx)
	if err != nil {
		return nil, err
	}
	if err := u.catchUp(); err != nil {
		return nil, errors.Join(err, release())
	}
	u.sharing.begin()
	return func() error { return u.sharing.end(release) }, nil
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
	u = u.self()
	if u.frozen {
		return false, ctx.Err()
	}
	if !u.readOnly && !u.locking {
		if err := u.writeMu.LockWithin(ctx); err != nil {
			return false, u.inArray(err)
		}
		defer u.writeMu.Unlock()
		if u.buffer.pending != nil {
			return false, ctx.Err()
		}
	}
	before := u.geometry()
	if _, err := u.frame.Refresh(ctx); err != nil {
		return false, err
	}
	if err := u.catchUp(); err != nil {
		return false, err
	}
	return u.geometry().Shape != before.Shape, nil
}

// sharing counts the reads that rely on the lock taken by Share. Such a read must not take the lock
// itself: if a writer of the same handle waits for Share to end, the read would wait for that
// writer.
type sharing struct {
	mu      sync.Mutex
	shares  int            // calls of Share without done
	reads   int            // reads in progress that rely on them
	waiting []func() error // release the lock when those reads end
}

func (s *sharing) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shares++
}

func (s *sharing) end(release func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shares--
	if s.shares == 0 && s.reads > 0 {
		s.waiting = append(s.waiting, release)
		return nil
	}
	return release()
}

// beginRead reports whether a read can rely on Share.
func (s *sharing) beginRead() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shares == 0 {
		return false
	}
	s.reads++
	return true
}

func (s *sharing) endRead() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads--
	var errs []error
	for s.reads == 0 && len(s.waiting) > 0 {
		errs = append(errs, s.waiting[0]())
		s.waiting = s.waiting[1:]
	}
	return errors.Join(errs...)
}
