package frame

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame/internal/locking"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/placing"
	"github.com/cairn-go/cairn/storage"
)

// A Frame is an open frame. Any number of goroutines may read and change it concurrently: changes
// wait for each other, and reads never wait. Every read sees the newest state, which includes
// changes that are not committed yet; use Snapshot for several reads of the same state.
type Frame struct {
	reads
	chunks insideFrame // see Inside

	closer   func() error // closes the file of a frame opened for reading; may be nil
	writable bool         // writer is not nil

	one       parallel.Mutex        // held by Atomically
	mu        parallel.Mutex        // held by changes; protects what follows
	writer    writer                // nil if the frame is read-only
	committed *state                // the state that Rollback restores
	dirty     bool                  // cur differs from the durable state
	atomic    bool                  // Atomically is running
	failure   error                 // the failure after which the durable state is unknown
	broken    atomic.Pointer[error] // see fail
	encoder   *chunk.Encoder
	blockSize int32          // for which encoder was made
	encoded   *buffer        // memory for encoder during a change; may be nil
	memory    storage.FS     // file system of a frame in memory, or nil
	lock      *locking.Lock  // nil without Locking
	pins      int            // calls of Lock without Unlock; they keep the lock
	location  *frameLocation // where to look for newer states; nil if there can be none
	tables    tables         // tables of python-blosc2 of which the frame may be a column

	flush func(ctx context.Context) error // see inside.Stage.FlushFirst; or nil
}

func newFrame(v *state, w writer, closer func() error) *Frame {
	f := &Frame{reads: reads{env: v.env}, writer: w, writable: w != nil, committed: v, closer: closer}
	f.chunks = insideFrame{(*insideChunks)(&f.reads), f}
	if _, ok := w.(sweeper); ok {
		f.liveStates = &liveStates{}
	}
	f.show(v)
	return f
}

// show makes v the newest state.
func (f *Frame) show(v *state) {
	v.shown = new(atomic.Pointer[Snapshot])
	f.cur.Store(v)
}

// Snapshot returns the newest state, staged changes included. Later changes and Rollback do not
// affect it. It is valid until f is closed.
func (f *Frame) Snapshot() *Snapshot { return f.keep().snapshot() }

// ReadOnly reports whether the frame was opened for reading only.
func (f *Frame) ReadOnly() bool { return !f.writable }

// checkWritable returns an error if the frame cannot be changed. The caller holds the mutex.
func (f *Frame) checkWritable(ctx context.Context) error {
	switch {
	case f.env.closed.Load():
		return fmt.Errorf("frame: %w", cairn.ErrClosed)
	case f.writer == nil:
		return fmt.Errorf("frame: %w", cairn.ErrReadOnly)
	case f.failure != nil:
		// What was committed then was another change.
		return fmt.Errorf("frame: unusable since an earlier failure; reopen it: %w",
			placing.Uncommitted(f.failure))
	}
	return ctx.Err()
}

// Commit makes all staged changes durable at once. It writes the whole index, some bytes for every
// chunk of the frame, although it encodes only what changed; so commit many changes together. After
// an error before the write that switches to the new state, the changes are still staged. After a
// later error, which matches ErrCommitted if readers see the new state, the frame may accept no
// more changes, because only opening it again tells what is durable.
func (f *Frame) Commit(ctx context.Context) error {
	return f.endTransaction(ctx, func() error {
		if !f.hasChanges() {
			return f.env.place(placing.Committed(f.releaseLock()))
		}
		if err := f.acquireLock(ctx); err != nil {
			return f.env.place(err)
		}
		return f.adoptAndCommit(ctx, maxAdoptBytes)
	})
}

// endTransaction calls run, which ends the transaction, with the mutex held. It fails inside of
// Atomically.
func (f *Frame) endTransaction(ctx context.Context, run func() error) error {
	if err := f.flushFirst(ctx); err != nil {
		return err
	}
	if err := f.mu.LockWithin(ctx); err != nil {
		return f.env.place(err)
	}
	defer f.mu.Unlock()
	if err := errors.Join(f.checkWritable(ctx), f.checkNotAtomic()); err != nil {
		return f.env.place(err)
	}
	return run()
}

// hasChanges reports whether there are changes to commit.
func (f *Frame) hasChanges() bool { return f.dirty || f.writer.fresh() }

// adoptAndCommit adds checksums for the chunks of another writer, if they have at most most bytes,
// and commits.
func (f *Frame) adoptAndCommit(ctx context.Context, most int64) error {
	return f.commit(func(next *state) (*state, bool, error) {
		next, err := next.adopt(ctx, most)
		if err != nil {
			return nil, false, err
		}
		return f.writer.commit(ctx, f.lock, f.committed, next)
	})
}

// errPanicked poisons a frame whose storage panicked in a commit.
var errPanicked = errors.New("a commit panicked")

func (f *Frame) commit(run func(next *state) (*state, bool, error)) error {
	return parallel.Guard(func() error { return f.commitUntilSettled(run) }, func() {
		f.failure = errPanicked
		_ = f.releaseLock() // the panic matters more than this error
	})
}

func (f *Frame) commitUntilSettled(run func(next *state) (*state, bool, error)) error {
	when := afterCommit
	for again := false; ; again = true {
		next, err := f.outdate(f.cur.Load())
		var done *state
		fatal := false
		if err == nil {
			done, fatal, err = run(next)
		}

		if again { // the contents are those of the commit before
			err = placing.Committed(err)
		}
		// After a fatal failure nobody knows which state is durable, and the frame commits no more.
		if fatal {
			f.failure = err
		}
		switch {
		case err != nil && (fatal || again):
			return f.env.place(fmt.Errorf("commit: %w", errors.Join(err, f.releaseLock())))
		case err != nil:
			return f.env.place(fmt.Errorf("commit: %w", errors.Join(err, f.lock.AdmitReaders())))
		}

		f.committed, f.dirty = done, false
		f.broken.Store(nil)
		f.show(done)
		f.sweep(when)

		when = afterSameness
		if again || !f.needsAnotherCommit() {
			return f.env.place(placing.Committed(f.releaseLock()))
		}
	}
}

// sweep removes what the committed state no longer needs, if the writer leaves such files.
func (f *Frame) sweep(when occasion) {
	if w, ok := f.writer.(sweeper); ok {
		w.sweep(f.committed, when, f.noOldReaders)
	}
}

// noOldReaders reports whether no state before the committed one is being read. The caller holds
// the mutex.
func (f *Frame) noOldReaders() bool {
	if f.env.closed.Load() {
		return true
	}
	return f.env.readers.Load() == 0 && (f.liveStates == nil || !f.liveStates.others(f.committed))
}

// Rollback drops all changes since the last commit, or since the frame was created.
func (f *Frame) Rollback() error {
	return f.endTransaction(context.Background(), func() error {
		if f.dirty {
			f.restore(f.committed, false)
			f.committed = f.cur.Load()
			f.sweep(afterRollback)
			if w, ok := f.writer.(reuser); ok {
				w.spare()
			}
		}
		f.broken.Store(nil)
		return f.env.place(f.releaseLock())
	})
}

// fail remembers the first change since the last commit that has failed: Close does not commit what
// went before it. To delete what does not exist is no failure, and what others were in the way of
// can be tried again.
func (f *Frame) fail(err error) {
	if err == nil || f.broken.Load() != nil {
		return
	}
	for _, harmless := range []error{cairn.ErrNotFound, cairn.ErrLocked, cairn.ErrConflict, cairn.ErrCommitted} {
		if errors.Is(err, harmless) {
			return
		}
	}
	f.broken.CompareAndSwap(nil, &err)
}

// errHalfDone is the error of a change that panicked.
var errHalfDone = errors.New("a change panicked")

// Close commits staged changes and closes the frame. If that commit fails, all staged changes are
// lost. If an earlier commit failed so that the durable state is unknown, Close does not try again,
// and returns the same error. An error matches ErrCommitted if all changes of the handle have
// succeeded and are committed, by Close or before.
//
// If a change, or Atomically, has failed since the last commit or rollback, Close publishes nothing
// of what was staged: like Abort it drops it, and returns an error that wraps the first failure.
// Errors that match ErrNotFound, ErrLocked or ErrConflict do not count. A program that goes on
// after a failure, with the changes that did succeed, calls Commit. No handle can know of what
// fails between changes, so a program that changes a frame defers Abort and returns the result of
// Close.
//
// Close compacts a frame that consists mostly of dead bytes, if this handle changed it and
// NoCompact is not set.
func (f *Frame) Close() error {
	if err := f.flushFirst(context.Background()); err != nil {
		return errors.Join(err, f.Abort())
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := errors.Join(f.env.open(), f.env.place(f.checkNotAtomic())); err != nil {
		return err
	}
	var err error
	if f.discards() {
		err = fmt.Errorf("close: what was not committed is discarded, because a change failed: %w",
			*f.broken.Load())
		return errors.Join(f.env.place(err), f.closeAll())
	}
	if f.writer != nil && f.failure == nil && f.hasChanges() {
		if err = f.acquireLock(context.Background()); err == nil {
			err = f.adoptAndCommit(context.Background(), maxAdoptBytes)
		}
	}
	if f.failure != nil && err == nil {
		err = f.env.place(fmt.Errorf("frame: it is unknown whether the last commit is durable: %w", f.failure))
	}
	if err == nil {
		f.compactOnClose()
	}
	closed := f.closeAll()
	if f.writer != nil && f.broken.Load() == nil && (err == nil || errors.Is(err, cairn.ErrCommitted)) {
		closed = placing.Committed(closed)
	}
	return errors.Join(err, closed)
}

// discards reports whether Close must not commit the staged changes. The caller holds the mutex.
func (f *Frame) discards() bool {
	return f.broken.Load() != nil && f.writer != nil && f.failure == nil && f.env.name != "" && f.hasChanges()
}

// Abort closes the frame and drops all changes since the last commit. A frame that was never
// committed leaves no files behind. After Close it does nothing, so a program can defer it and
// return the result of Close.
func (f *Frame) Abort() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.env.closed.Load() {
		return nil
	}
	return f.closeAll()
}

// closeAll closes all files and drops staged changes. The caller holds the mutex.
func (f *Frame) closeAll() error {
	f.env.closed.Store(true)
	defer f.unlock()
	if f.memory != nil {
		defer f.memory.(interface{ Discard() }).Discard()
	}
	err := f.closeFiles()
	for _, r := range f.env.retired {
		err = errors.Join(err, r.close())
	}
	return f.env.place(err)
}

func (f *Frame) closeFiles() error {
	switch {
	case f.writer == nil && f.closer == nil:
		return nil
	case f.writer == nil:
		return f.closer()
	case f.writer.fresh():
		return f.writer.close(false)
	}
	var err error
	tidy := f.mayTidy()
	if tidy {
		f.sweep(afterAll)
		err = f.renumberOnClose()
	}
	return errors.Join(err, f.writer.close(tidy && f.failure == nil))
}

// compactOnClose compacts a frame before it is closed, if this handle committed last and compaction
// is cheap. Its errors must not fail Close: the committed state is durable in the old file as in
// the new one.
func (f *Frame) compactOnClose() {
	if f.memory != nil || !f.shouldCompact() {
		return
	}
	brief, cancel := context.WithTimeout(context.Background(), locking.Briefly)
	defer cancel()
	if f.acquireLock(brief) != nil || !f.shouldCompact() || f.lock.ExcludeReaders(brief) != nil {
		return
	}
	_ = f.commit(func(next *state) (*state, bool, error) {
		return f.compact(context.Background(), next)
	})
}

// needsAnotherCommit reports whether committing again would lower numbers of chunk files.
func (f *Frame) needsAnotherCommit() bool {
	w, ok := f.writer.(renumberer)
	return ok && w.needsAnotherCommit(f.committed)
}

// renumberOnClose commits once more if that can lower the numbers of chunk files, now that older
// states are no longer read.
func (f *Frame) renumberOnClose() error {
	if !f.needsAnotherCommit() {
		return nil
	}
	brief, cancel := context.WithTimeout(context.Background(), locking.Briefly)
	defer cancel()
	if f.lock.ExcludeReaders(brief) != nil {
		return nil // readers take precedence
	}
	done, fatal, err := f.writer.commit(context.Background(), f.lock, f.committed, f.committed)
	if err != nil {
		if fatal {
			f.failure = err
		}
		return fmt.Errorf("commit: %w", placing.Uncommitted(err)) // nothing has changed, see Abort
	}
	f.committed = done
	f.sweep(afterAll)
	return nil
}
