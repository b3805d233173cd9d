package ndarray

import (
	"context"
	"errors"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/grid"
)

// A handle runs any number of reads and one write at a time. Each works on one moment from
// beginning to end. These say which:
//
//	writing   held by the write under way, and by what flushes, commits or rolls back. It protects
//	          initial, and of behind all but now, seen and stamp
//	state     held while somebody looks for a moment. It protects stable, what behind has of
//	          now, seen and stamp, and the making of last. It comes after writing, and after the
//	          locks of the frame
//	last      the newest moment that was asked for, so that none is made twice
//
// What stable is decides what reads see, and when it changes they see something else at once:
//
//	nil       the newest moment: the frame's state, with behind.now over it
//	a moment  that one, however much is staged or waits since. beginHeld sets it to what the write
//	          begins with, and endWrite takes it away: what the write has made is visible then,
//	          and what failed has been undone. goBack and flushOrDrop set it to what is about to
//	          be dropped, until the frame has dropped its part
//
// What waits in memory never changes where a reader may have it: behind.stamp numbers what was held
// back, behind.seen is the number at which the last read began, and blocks of later numbers are in
// no reader's hands. So small writes change them in place (overwrite), holding state.
//
// With Locking, beginHeld takes the lock of the file, and reads share it; behind.pinned keeps it
// for what waits, as the frame keeps it for what is staged.

// enter begins a read of one state that the frame has as a whole, under the lock if there is one.
// What waits is flushed before. The read ends with leave.
func (u *Untyped) enter(ctx context.Context) (at *state, release func() error, err error) {
	for {
		if at, release, err = u.enterPending(ctx); err != nil || at.pending == nil {
			return at, release, err
		}
		if leave(release, &err); err == nil {
			err = u.flushNow(ctx)
		}
		if err != nil {
			return nil, nil, err
		}
	}
}

// enterHeld begins a read of one state, part of which may wait, under the lock if there is one. The
// read ends with leave.
func (u *Untyped) enterPending(ctx context.Context) (at *state, release func() error, err error) {
	if err := u.noItems(); err != nil {
		return nil, nil, err
	}
	switch {
	case !u.locking:
	case u.sharing.enter():
		release = u.sharing.leave
	default:
		if release, err = u.frame.Share(ctx); err != nil {
			return nil, nil, err
		}
	}
	if at, err = u.stateFor(true); err != nil {
		leave(release, &err)
		return nil, nil, err
	}
	return at, release, nil
}

// leave ends a read; an error of giving the lock back becomes the read's.
func leave(release func() error, err *error) {
	if release == nil {
		return
	}
	if failed := release(); failed != nil {
		*err = errors.Join(*err, failed)
	}
}

// follow takes over the frame's newest state, unless a write of this handle is under way. The
// caller has the lock.
func (u *Untyped) follow() error {
	_, err := u.state()
	return err
}

// beginHeld waits for other writes to end, takes the lock if there is one, and returns the state
// that this write starts from, with what waits in it, which reads see until endWrite. It fails if
// the array has not the geometry any more that the write was made for; part is nil if any will do.
func (u *Untyped) beginWrite(ctx context.Context, part *grid.Partition) (*state, error) {
	if u.readOnly {
		return nil, u.inArray(fmt.Errorf("write: %w", cairn.ErrReadOnly))
	}
	if err := u.noItems(); err != nil {
		return nil, err
	}
	// Chunks of another size would make memory of a number that nothing has proven, and a frame
	// that is no array any more.
	if size := int64(u.frame.ChunkSize()); size > 0 && size != u.part.ChunkSize {
		return nil, u.inArray(cairn.Corruptf("b2nd metalayer", -1,
			"chunks have %d bytes, the frame header says %d", u.part.ChunkSize, size))
	}
	u.writeMu.Lock()
	begun := false
	defer func() {
		if !begun { // by an error, or because storage panicked
			u.writeMu.Unlock()
		}
	}()
	if err := u.Lock(ctx); err != nil {
		return nil, err
	}
	begun = true
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

// endWrite ends a write. The lock stays if something is staged or waits.
func (u *Untyped) endWrite() error {
	u.stateMu.Lock()
	u.stable = nil
	hasPending := u.buffer.pending != nil
	u.stateMu.Unlock()
	defer u.writeMu.Unlock()
	switch {
	case !u.locking:
		return nil
	case hasPending && !u.buffer.pinned:
		u.buffer.pinned = true
		return nil
	}
	return u.frame.Unlock()
}

// undoing runs a change that puts chunks into the frame. If it fails, or ends by a panic of the
// caller's code, the chunks are as they were, and so are the fixed metalayers of the given names.
// staged tells whether there is something to undo.
func (u *Untyped) undoing(change func() (staged bool, err error), layers ...string) (err error) {
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
