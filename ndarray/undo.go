package ndarray

import "errors"

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

// orAbort fills a new array or frame. If that fails, or ends by a panic of the caller's code, it
// leaves nothing of it.
func orAbort(made interface{ Abort() error }, fill func() error) (err error) {
	done := false
	defer func() {
		if done {
			return
		}
		if failed := made.Abort(); failed != nil {
			err = errors.Join(err, failed)
		}
	}()
	err = fill()
	done = err == nil
	return err
}

// lookAtNewest returns the newest state. With show, it is what reads see from now on, until the
// caller ends that.
func (u *Untyped) lookAtNewest(show bool) (*moment, error) {
	u.state.Lock()
	defer u.state.Unlock()
	now, err := u.newest()
	if show {
		u.stable = now
	}
	return now, err
}
