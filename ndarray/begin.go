package ndarray

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/inside"
	"github.com/cairn-go/cairn/internal/parallel"
)

// An array is an open array: the state that reads and writes work on, and the writes that are
// pending.
//
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
type array struct {
	runner

	writeMu parallel.Mutex // held by one write from start to end
	stateMu sync.Mutex
	stable  *state                // what reads see while a write runs, otherwise nil
	last    atomic.Pointer[state] // the newest state that was looked up
	initial inside.Savepoint      // what Rollback returns to before the first commit
	sharing sharing
	buffer  writeBuffer

	frozen bool        // a snapshot, whose only state is last
	closed atomic.Bool // the snapshot is closed
	unkeep func()      // ends the snapshot's hold on its chunks; may be nil
}

// beginRead begins a read of one state, which may include pending writes. With Locking it shares
// the lock. The read ends with endRead.
func (a *array) beginRead(ctx context.Context) (at *state, release func() error, err error) {
	if err := a.noItems(); err != nil {
		return nil, nil, err
	}

	switch {
	case !a.locking:
	case a.sharing.beginRead():
		release = a.sharing.endRead
	default:
		release, err = a.frame.Share(ctx)
		if err != nil {
			return nil, nil, err
		}
	}
	release = a.hold(release)

	at, err = a.stateFor(true)
	if err != nil {
		endRead(release, &err)
		return nil, nil, err
	}
	return at, release, nil
}

// hold makes commits of this handle leave the chunks of all states in place until the returned
// function is called, instead of release. It returns release, which may be nil, if they do anyway.
func (c *core) hold(release func() error) func() error {
	if c.unhold == nil {
		return release
	}

	c.frame.Inside().BeginRead()
	if release == nil {
		return c.unhold
	}
	return func() error { return errors.Join(c.unhold(), release()) }
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
func (a *array) catchUp() error {
	_, err := a.state()
	return err
}

// beginWrite waits for other writes to end, takes the lock with Locking, and returns the state that
// this write starts from, pending writes included. Reads see this state until endWrite. beginWrite
// fails if the geometry is no longer part, for which the write was planned; a nil part accepts any
// geometry.
func (a *array) beginWrite(ctx context.Context, part *grid.Partition) (*state, error) {
	if a.readOnly {
		return nil, a.inArray(fmt.Errorf("write: %w", cairn.ErrReadOnly))
	}
	if err := a.noItems(); err != nil {
		return nil, err
	}

	// With another chunk size, buffers would be sized by an unverified number, and the frame would
	// no longer be an array.
	if size := int64(a.frame.ChunkSize()); size > 0 && size != a.part.ChunkSize {
		return nil, a.inArray(cairn.Corruptf("b2nd metalayer", -1,
			"chunks have %d bytes, the frame header says %d", a.part.ChunkSize, size))
	}

	if err := a.writeMu.LockWithin(ctx); err != nil {
		return nil, a.inArray(err)
	}
	begun := false
	defer func() {
		if !begun { // after an error, or because storage panicked
			a.writeMu.Unlock()
		}
	}()
	if err := a.lock(ctx); err != nil {
		return nil, err
	}
	begun = true

	// From here on, endWrite releases what the write has taken.
	a.hold(nil)
	now, err := a.newestState(true)
	if err == nil && part != nil && now.part != part {
		err = a.inArray(fmt.Errorf("write: the shape was changed from %v to %v meanwhile: %w",
			a.vec(part.Shape), a.vec(now.part.Shape), cairn.ErrConflict))
	}
	if err != nil {
		return nil, errors.Join(err, a.endWrite())
	}
	return now, nil
}

// endWrite ends a write. It keeps the lock if something is staged or pending.
func (a *array) endWrite() error {
	a.stateMu.Lock()
	a.stable = nil
	a.buffer.recycle()
	hasPending := a.buffer.pending != nil
	a.stateMu.Unlock()

	defer a.writeMu.Unlock()
	if a.unhold != nil {
		_ = a.unhold() // cannot fail
	}

	switch {
	case !a.locking:
		return nil
	case hasPending && !a.buffer.frameLocked:
		a.buffer.frameLocked = true
		return nil
	}
	return a.frame.Unlock()
}

// undoOnError runs a change that puts chunks into the frame. If the change fails, or the caller's
// code panics, undoOnError restores the chunks and the fixed metalayers with the given names.
// staged reports whether there is something to undo.
func (c *core) undoOnError(change func() (staged bool, err error), layers ...string) (err error) {
	before := c.frame.Inside().Savepoint()
	staged := true // if change panics
	done := false
	defer func() {
		if !done && staged {
			err = errors.Join(err, c.frame.Inside().RollbackChunksTo(before, layers...))
		}
	}()

	staged, err = change()
	done = err == nil
	return err
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

// lock is Lock.
func (a *array) lock(ctx context.Context) error {
	if !a.locking {
		return ctx.Err()
	}
	if err := a.frame.Lock(ctx); err != nil {
		return err
	}
	if err := a.catchUp(); err != nil {
		return errors.Join(err, a.frame.Unlock())
	}
	return nil
}

// state returns the state for a read: the newest one, or during a write the one before it.
func (a *array) state() (*state, error) { return a.stateFor(false) }

// stateFor is state; reading says that items will be read, so that pending blocks in it must not
// change any more.
func (a *array) stateFor(reading bool) (*state, error) {
	if a.frozen {
		if a.closed.Load() {
			return nil, a.inArray(fmt.Errorf("snapshot: %w", cairn.ErrClosed))
		}
		return a.last.Load(), nil
	}

	a.stateMu.Lock()
	defer a.stateMu.Unlock()
	if reading {
		a.buffer.readStamp = a.buffer.stamp
	}
	if a.stable != nil {
		return a.stable, nil
	}
	return a.newest()
}

// geometry returns the current partition. Only the shape, and what follows from it, can differ from
// the partition at opening.
func (a *array) geometry() *grid.Partition {
	if at, err := a.state(); err == nil {
		return at.part
	}
	return a.last.Load().part
}

// shape returns the current shape.
func (a *array) shape() Shape { return a.vec(a.geometry().Shape) }

// newest returns the newest state, staged and pending changes included. The caller holds stateMu.
// It fails if the frame no longer holds the same array.
func (a *array) newest() (*state, error) {
	last := a.last.Load()
	view := a.frame.Inside().Newest()
	pending := a.buffer.pending
	if last.view == view && last.pending == pending {
		return last, nil
	}

	now := &state{base: last.base, layer: last.layer, view: view, pending: pending, proxy: last.proxy}
	if last.view != view {
		if err := a.updateState(now, last); err != nil {
			return nil, a.inArray(err)
		}
	}

	now.part = now.base
	if pending != nil && pending.part != nil {
		if pending.part.ChunkGrid != now.base.ChunkGrid {
			return nil, a.inArray(fmt.Errorf("the frame was changed while writes to the array were pending: %w",
				cairn.ErrConflict))
		}
		now.part = pending.part
	}

	a.last.Store(now)
	return now, nil
}

// newestState returns the newest state. With show, reads see this state until the caller clears
// stable.
func (a *array) newestState(show bool) (*state, error) {
	a.stateMu.Lock()
	defer a.stateMu.Unlock()

	now, err := a.newest()
	if show {
		a.stable = now
	}
	return now, err
}

// stateInWrite returns the newest state for the write in progress, which reads do not see yet.
func (a *array) stateInWrite() (*state, error) { return a.newestState(false) }

// info returns the properties of the frame in the current state.
func (a *array) info() frame.Info {
	if at, err := a.state(); err == nil {
		return at.view.Info()
	}
	return a.frame.Info()
}
