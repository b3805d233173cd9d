package ndarray

import (
	"context"
	"errors"
	"sync"
)

// Other handles and processes may change an array, its shape included. A handle follows them at
// Refresh; with Locking at Lock and Share too, with every read, and with every write. In between it
// stays as it is.

// Lock takes the lock of an array that was opened with Locking, so that no other process changes
// it, and brings the handle up to date, its shape included. Every write does so by itself; whoever
// reads in order to know what to write, or looks at the shape, does it before. Commit, Rollback,
// Close and Abort give the lock back, and Unlock if nothing was changed. Lock waits for others
// until ctx ends, and then fails with an error matching [cairn.ErrLocked]. Without Locking it does
// nothing.
func (u *Untyped) Lock(ctx context.Context) error {
	u = u.own()
	if !u.locking {
		return ctx.Err()
	}
	if err := u.frame.Lock(ctx); err != nil {
		return err
	}
	if err := u.follow(); err != nil {
		return errors.Join(err, u.frame.Unlock())
	}
	return nil
}

// Unlock undoes one call of Lock. What is staged keeps the lock until Commit, Rollback, Close or
// Abort; after one of those Unlock does nothing.
func (u *Untyped) Unlock() error {
	u = u.own()
	if u.locking {
		// What is staged keeps the lock, so what waits must be that.
		if err := u.flushNow(context.Background()); err != nil {
			return errors.Join(err, u.frame.Unlock())
		}
	}
	return u.frame.Unlock()
}

// Share takes the lock of an array that was opened with Locking together with other readers, and
// brings the handle up to date, its shape included. Until done is called, which must happen once,
// no other process changes the array, so that several reads see one state. Every read does so by
// itself. The caller must not write or share again until then: a write would wait for done. Share
// waits while a commit is published, or C-Blosc2 writes, until ctx ends, and then fails with an
// error matching [cairn.ErrLocked]; it does not wait for changes that others have staged. Without
// Locking it does nothing.
func (u *Untyped) Share(ctx context.Context) (done func() error, err error) {
	u = u.own()
	if !u.locking {
		return func() error { return nil }, ctx.Err()
	}
	release, err := u.frame.Share(ctx)
	if err != nil {
		return nil, err
	}
	if err := u.follow(); err != nil {
		return nil, errors.Join(err, release())
	}
	u.sharing.begin()
	return func() error { return u.sharing.end(release) }, nil
}

// Refresh brings the array up to date with what other handles and processes committed, its shape
// included, and reports whether it has another shape now. It needs no lock, and costs some
// microseconds if there is nothing new; see [frame.Frame.Refresh]. Whoever follows an array that
// grows calls it now and then, and reads the rows that came.
//
// An array with changes that are staged, or that wait in memory, keeps its state until Commit or
// Rollback, and a snapshot keeps it for good. Reads that run see the state before. An error that
// matches [cairn.ErrConflict] says that another kind of array has the name now.
func (u *Untyped) Refresh(ctx context.Context) (bool, error) {
	u = u.own()
	if u.frozen {
		return false, ctx.Err()
	}
	if !u.readOnly && !u.locking {
		u.writeMu.Lock()
		defer u.writeMu.Unlock()
		if u.buffer.pending != nil {
			return false, ctx.Err()
		}
	}
	before := u.geometry()
	if _, err := u.frame.Refresh(ctx); err != nil {
		return false, err
	}
	if err := u.follow(); err != nil {
		return false, err
	}
	return u.geometry().Shape != before.Shape, nil
}

// sharing counts who relies on the lock that Share took. A read inside of Share must not take it
// itself: where a writer of the same handle waits for Share to end, it would wait for that writer.
type sharing struct {
	mu      sync.Mutex
	shared  int            // calls of Share that are not done
	inside  int            // reads that rely on them
	waiting []func() error // what gives the lock back, when those reads are over
}

func (s *sharing) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shared++
}

func (s *sharing) end(release func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shared--
	if s.shared == 0 && s.inside > 0 {
		s.waiting = append(s.waiting, release)
		return nil
	}
	return release()
}

// enter reports whether a read can rely on Share.
func (s *sharing) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shared == 0 {
		return false
	}
	s.inside++
	return true
}

func (s *sharing) leave() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inside--
	var errs []error
	for s.inside == 0 && len(s.waiting) > 0 {
		errs = append(errs, s.waiting[0]())
		s.waiting = s.waiting[1:]
	}
	return errors.Join(errs...)
}
