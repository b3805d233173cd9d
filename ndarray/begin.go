package ndarray

import (
	"context"
	"errors"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/grid"
)

// A handle runs any number of reads and one write at a time. Each works on one state from beginning
// to end. These fields decide which:
//
//	writeMu   held by the write in progress, and by flushes, commits and rollbacks. Protects
//	          initial, and all of buffer except pending, readStamp and stamp
//	stateMu   held while a state is looked up. Protects stable, these three fields of buffer, and
//	          stores to last. Locked after writeMu, and after the locks of the frame
//	last      the newest state that was looked up, so that none is built twice
//
// stable decides what reads see, and a change of it takes effect at once:
//
//	nil       the newest state: the frame's, with the pending writes over it
//	a state   that one, whatever is staged or buffered since. beginWrite sets it to the state that
//	          the write starts from, and endWrite clears it: by then a failed write has been
//	          undone, and a successful one becomes visible. dropPending and flushOrDrop set it to
//	          the state that is about to be dropped, until the frame has dropped its part
//
// Pending blocks never change while a reader may use them. buffer.stamp numbers the buffered
// writes, and buffer.readStamp is the stamp at which the last read began: no reader has blocks with
// a later stamp. Small writes change such blocks in place (overwrite), under stateMu.
//
// With Locking, beginWrite takes the lock of the file, and reads share it. buffer.frameLocked says
// that the handle keeps the lock for pending writes, as the frame keeps it for staged changes.

// beginFlushedRead begins a read of one state that is entirely in the frame: it flushes pending
// writes first. With Locking it shares the lock. The read ends with endRead.
func (u *Untyped) beginFlushedRead(ctx context.Context) (at *state, release func() error, err error) {
	for {
		if at, release, err = u.beginRead(ctx); err != nil || at.pending == nil {
			return at, release, err
		}
		if endRead(release, &err); err == nil {
			err = u.flushNow(ctx)
		}
		if err != nil {
			return nil, nil, err
		}
	}
}

// beginRead begins a read of one state, which may include pending writes. With Locking it shares
// the lock. The read ends with endRead.
func (u *Untyped) beginRead(ctx context.Context) (at *state, release func() error, err error) {
	if err := u.noItems(); err != nil {
		return nil, nil, err
	}
	switch {
	case !u.locking:
	case u.sharing.beginRead():
		release = u.sharing.endRead
	default:
		if release, err = u.frame.Share(ctx); err != nil {
			return nil, nil, err
		}
	}
	release = u.hold(release)
	if at, err = u.stateFor(true); err != nil {
		endRead(release, &err)
		return nil, nil, err
	}
	return at, release, nil
}

// hold makes commits of this handle leave the chunks of all states in place until the returned
// function is called, instead of release. It returns release, which may be nil, if they do anyway.
func (u *handleCore) hold(release func() error) func() error {
	if u.unhold == nil {
		return release
	}
	u.frame.Inside().BeginRead()
	if release == nil {
		return u.unhold
	}
	return func() error { return errors.Join(u.unhold(), release()) }
}

// endRead ends a read. If releasing the lock fails, the read fails.
func endRead(release func() error, err *error) {
	if release == nil {
		return
	}
	if releaseErr := release(); releaseErr != nil {
		*err = errors.Join(*err, releaseErr)
	}
}

// catchUp moves to the frame's newest state, unless a write of this handle is in progress. The
// caller holds the lock.
func (u *Untyped) catchUp() error {
	_, err := u.state()
	return err
}

// beginWrite waits for other writes to end, takes the lock with Locking, and returns the state that
// this write starts from, pending writes included. Reads see this state until endWrite. beginWrite
// fails if the geometry is no longer part, for which the write was planned; a nil part accepts any
// geometry.
func (u *Untyped) beginWrite(ctx context.Context, part *grid.Partition) (*state, error) {
	if u.readOnly {
		return nil, u.inArray(fmt.Errorf("write: %w", cairn.ErrReadOnly))
	}
	if err := u.noItems(); err != nil {
		return nil, err
	}
	// With another chunk size, buffers would be sized by an unverified number, and the frame would
	// no longer be an array.
	if size := int64(u.frame.ChunkSize()); size > 0 && size != u.part.ChunkSize {
		return nil, u.inArray(cairn.Corruptf("b2nd metalayer", -1,
			"chunks have %d bytes, the frame header says %d", u.part.ChunkSize, size))
	}
	if err := u.writeMu.LockWithin(ctx); err != nil {
		return nil, u.inArray(err)
	}
	begun := false
	defer func() {
		if !begun { // after an error, or because storage panicked
			u.writeMu.Unlock()
		}
	}()
	if err := u.Lock(ctx); err != nil {
		return nil, err
	}
	begun = true
	u.hold(nil)
	now, err := u.newestState(true)
	if err == nil && part != nil && now.part != part {
		err = u.inArray(fmt.Errorf("write: the shape was changed from %v to %v meanwhile: %w",
			u.vec(part.Shape), u.vec(now.part.Shape), cairn.ErrConflict))
	}
	if err != nil {
		return nil, errors.Join(err, u.endWrite())
	}
	return now, nil
}

// endWrite ends a write. It keeps the lock if something is staged or pending.
func (u *Untyped) endWrite() error {
	u.stateMu.Lock()
	u.stable = nil
	hasPending := u.buffer.pending != nil
	u.stateMu.Unlock()
	defer u.writeMu.Unlock()
	if u.unhold != nil {
		_ = u.unhold() // cannot fail
	}
	switch {
	case !u.locking:
		return nil
	case hasPending && !u.buffer.frameLocked:
		u.buffer.frameLocked = true
		return nil
	}
	return u.frame.Unlock()
}

// undoOnError runs a change that puts chunks into the frame. If the change fails, or the caller's
// code panics, undoOnError restores the chunks and the fixed metalayers with the given names.
// staged reports whether there is something to undo.
func (u *Untyped) undoOnError(change func() (staged bool, err error), layers ...string) (err error) {
	before, staged := u.frame.Inside().Savepoint(), true
	done := false
	defer func() {
		if !done && staged {
			err = errors.Join(err, u.frame.Inside().RollbackChunksTo(before, layers...))
		}
	}()
	staged, err = change()
	done = err == nil
	return err
}
