package ndarray

import (
	"context"
	"errors"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
)

// Bytes returns the frame as one piece of memory, with what is staged, wherever the array is: it
// can be sent, or embedded in something else. The caller owns it. For large arrays in files that is
// much memory.
func (u *Untyped) Bytes() ([]byte, error) {
	u = u.own()
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
	u = u.own()
	return u.settled(ctx, func() error { return u.frame.Commit(ctx) })
}

// settled runs a commit when no write is under way and nothing waits.
func (u *Untyped) settled(ctx context.Context, commit func() error) error {
	if err := u.changeable(); err != nil {
		return err
	}
	u.writeMu.Lock()
	defer u.writeMu.Unlock()
	defer u.forget()
	if err := u.flush(ctx); err != nil {
		return err
	}
	return commit()
}

// Compact commits what was staged, and rewrites the file without dead bytes; see
// [frame.Frame.Compact]. It waits for writes that run.
func (u *Untyped) Compact(ctx context.Context) (c frame.Compaction, err error) {
	u = u.own()
	err = u.settled(ctx, func() (err error) {
		c, err = u.frame.Compact(ctx)
		return err
	})
	return c, err
}

// forget lets go of states that were replaced and would keep files open: of that before the first
// commit when there was one, and the last one.
func (u *Untyped) forget() {
	// remembers the newest state instead of the last; what is wrong with it is said to those who
	// ask for it
	u.state()
	if u.initial != nil && u.initial.Gone() {
		u.initial = nil
	}
}

// Rollback drops everything that was staged since the last commit; before the first one, since the
// array was created, whose items have the fill value again. It waits for writes that run. Inside of
// Atomically it fails with [cairn.ErrConflict].
func (u *Untyped) Rollback() error {
	u = u.own()
	if err := u.changeable(); err != nil {
		return err
	}
	u.writeMu.Lock()
	defer u.writeMu.Unlock()
	if u.buffer.atomic {
		return u.inArray(fmt.Errorf("inside of Atomically: %w", cairn.ErrConflict))
	}
	return u.dropPending(func() error {
		if u.initial == nil || u.initial.Gone() {
			return u.frame.Rollback()
		}
		return u.frame.Inside().RollbackTo(u.initial)
	})
}

// Atomically runs changes that all come true or none: it calls run, which writes, fills, and
// changes metalayers through [Untyped.Frame], and commits, together with what was staged before. If
// run or the commit fails, or run panics, the array is as it was before, and what was staged then
// is staged still. In between Commit and Rollback fail with [cairn.ErrConflict], reads see what is
// staged, and writes of other goroutines become part of it; other calls of Atomically wait, so run
// must not make one. With Locking the lock is held from begin to end, and the array is up to date
// when run is called.
func (u *Untyped) Atomically(ctx context.Context, run func() error) error {
	u = u.own()
	if u.readOnly {
		return u.inArray(fmt.Errorf("write: %w", cairn.ErrReadOnly))
	}
	if err := u.suspendBuffer(ctx); err != nil {
		return err
	}
	begun, held := false, false
	defer func() {
		if !begun {
			u.resumeBuffer(false)
		}
		if held {
			u.endDrop()
			u.forget()
			u.writeMu.Unlock()
		}
	}()
	return u.frame.Atomically(ctx, func() (err error) {
		begun = true
		u.resumeBuffer(true)
		done := false
		// Writes of others that still run must end before their chunks are committed or dropped.
		defer func() {
			u.writeMu.Lock()
			held = true
			err = errors.Join(err, u.flushOrDrop(ctx, done && err == nil))
			u.buffer.atomic = false
		}()
		if u.locking {
			if err := u.follow(); err != nil {
				return err
			}
		}
		err = run()
		done = true // it did not panic
		return err
	})
}

// Close commits what was staged and releases the array. No other call may be running, and none may
// follow.
func (u *Untyped) Close() error {
	u = u.own()
	if u.frozen {
		u.closed.Store(true)
		return nil
	}
	u.writeMu.Lock()
	defer u.writeMu.Unlock()
	err := u.flush(context.Background())
	u.buffer.budget = 0
	if err != nil {
		// What can be committed without the writes that waited is a part of what was staged.
		return errors.Join(err, u.frame.Abort())
	}
	return u.frame.Close()
}

// Abort drops what was staged since the last commit and releases the array. An array that was never
// committed leaves nothing.
func (u *Untyped) Abort() error {
	u = u.own()
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

// changeable fails for a snapshot. What other arrays may not change, their frames know.
func (u *Untyped) changeable() error {
	if u.frozen {
		return u.inArray(fmt.Errorf("snapshot: %w", cairn.ErrReadOnly))
	}
	return nil
}
