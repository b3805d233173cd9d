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

// An editor changes a frame and commits the changes. Its methods are called with the mutex held,
// except where they say otherwise.
type editor struct {
	*reads // of the frame

	one parallel.Mutex // held by Atomically
	mu  parallel.Mutex // held by changes; protects what follows

	writer    writer                // nil if the frame is read-only
	closer    func() error          // closes the file of a frame opened for reading; may be nil
	location  *frameLocation        // where to look for newer states; nil if there can be none
	memory    storage.FS            // file system of a frame in memory, or nil
	committed *state                // the state that Rollback restores
	dirty     bool                  // cur differs from the durable state
	atomic    bool                  // Atomically is running
	failure   error                 // the failure after which the durable state is unknown
	broken    atomic.Pointer[error] // see fail
	lock      *locking.Lock         // nil without Locking
	pins      int                   // calls of Lock without Unlock; they keep the lock
	tables    tables                // tables of python-blosc2 of which the frame may be a column

	encoder   *chunk.Encoder
	blockSize int32   // for which encoder was made
	encoded   *buffer // memory for encoder during a change; may be nil

	flush func(ctx context.Context) error // see inside.Stage.FlushFirst; or nil
}

// show makes v the newest state.
func (e *editor) show(v *state) {
	v.shown = new(atomic.Pointer[Snapshot])
	e.cur.Store(v)
}

// checkWritable returns an error if the frame cannot be changed. The caller holds the mutex.
func (e *editor) checkWritable(ctx context.Context) error {
	switch {
	case e.env.closed.Load():
		return fmt.Errorf("frame: %w", cairn.ErrClosed)
	case e.writer == nil:
		return fmt.Errorf("frame: %w", cairn.ErrReadOnly)
	case e.failure != nil:
		// What was committed then was another change.
		return fmt.Errorf("frame: unusable since an earlier failure; reopen it: %w",
			placing.Uncommitted(e.failure))
	}
	return ctx.Err()
}

// endTransaction calls run, which ends the transaction, with the mutex held. It fails inside of
// Atomically.
func (e *editor) endTransaction(ctx context.Context, run func() error) error {
	if err := e.flushFirst(ctx); err != nil {
		return err
	}
	if err := e.mu.LockWithin(ctx); err != nil {
		return e.env.place(err)
	}
	defer e.mu.Unlock()
	if err := errors.Join(e.checkWritable(ctx), e.checkNotAtomic()); err != nil {
		return e.env.place(err)
	}
	return run()
}

// hasChanges reports whether there are changes to commit.
func (e *editor) hasChanges() bool { return e.dirty || e.writer.fresh() }

// adoptAndCommit adds checksums for the chunks of another writer, if they have at most most bytes,
// and commits.
func (e *editor) adoptAndCommit(ctx context.Context, most int64) error {
	return e.commit(func(next *state) (*state, bool, error) {
		next, err := next.adopt(ctx, most)
		if err != nil {
			return nil, false, err
		}
		return e.writer.commit(ctx, e.lock, e.committed, next)
	})
}

// errPanicked poisons a frame whose storage panicked in a commit.
var errPanicked = errors.New("a commit panicked")

func (e *editor) commit(run func(next *state) (*state, bool, error)) error {
	return parallel.Guard(func() error { return e.commitUntilSettled(run) }, func() {
		e.failure = errPanicked
		_ = e.releaseLock() // the panic matters more than this error
	})
}

func (e *editor) commitUntilSettled(run func(next *state) (*state, bool, error)) error {
	when := afterCommit
	for again := false; ; again = true {
		next, err := e.outdate(e.cur.Load())
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
			e.failure = err
		}
		switch {
		case err != nil && (fatal || again):
			return e.env.place(fmt.Errorf("commit: %w", errors.Join(err, e.releaseLock())))
		case err != nil:
			return e.env.place(fmt.Errorf("commit: %w", errors.Join(err, e.lock.AdmitReaders())))
		}

		e.committed = done
		e.dirty = false
		e.broken.Store(nil)
		e.show(done)
		e.sweep(when)

		when = afterSameness
		if again || !e.needsAnotherCommit() {
			return e.env.place(placing.Committed(e.releaseLock()))
		}
	}
}

// sweep removes what the committed state no longer needs, if the writer leaves such files.
func (e *editor) sweep(when occasion) {
	if w, ok := e.writer.(sweeper); ok {
		w.sweep(e.committed, when, e.noOldReaders)
	}
}

// noOldReaders reports whether no state before the committed one is being read. The caller holds
// the mutex.
func (e *editor) noOldReaders() bool {
	if e.env.closed.Load() {
		return true
	}
	return e.env.readers.Load() == 0 && (e.liveStates == nil || !e.liveStates.others(e.committed))
}

// fail remembers the first change since the last commit that has failed: Close does not commit what
// went before it. To delete what does not exist is no failure, and what others were in the way of
// can be tried again.
func (e *editor) fail(err error) {
	if err == nil || e.broken.Load() != nil {
		return
	}
	for _, harmless := range []error{cairn.ErrNotFound, cairn.ErrLocked, cairn.ErrConflict, cairn.ErrCommitted} {
		if errors.Is(err, harmless) {
			return
		}
	}
	e.broken.CompareAndSwap(nil, &err)
}

// errHalfDone is the error of a change that panicked.
var errHalfDone = errors.New("a change panicked")

// discards reports whether Close must not commit the staged changes. The caller holds the mutex.
func (e *editor) discards() bool {
	return e.broken.Load() != nil && e.writer != nil && e.failure == nil && e.env.name != "" && e.hasChanges()
}

// closeAll closes all files and drops staged changes. The caller holds the mutex.
func (e *editor) closeAll() error {
	e.env.closed.Store(true)
	defer e.unlock()
	if e.memory != nil {
		defer e.memory.(interface{ Discard() }).Discard()
	}
	err := e.closeFiles()
	for _, r := range e.env.retired {
		err = errors.Join(err, r.close())
	}
	return e.env.place(err)
}

func (e *editor) closeFiles() error {
	switch {
	case e.writer == nil && e.closer == nil:
		return nil
	case e.writer == nil:
		return e.closer()
	case e.writer.fresh():
		return e.writer.close(false)
	}
	var err error
	tidy := e.mayTidy()
	if tidy {
		e.sweep(afterAll)
		err = e.renumberOnClose()
	}
	return errors.Join(err, e.writer.close(tidy && e.failure == nil))
}

// compactOnClose compacts a frame before it is closed, if this handle committed last and compaction
// is cheap. Its errors must not fail Close: the committed state is durable in the old file as in
// the new one.
func (e *editor) compactOnClose() {
	if e.memory != nil || !e.shouldCompact() {
		return
	}
	brief, cancel := context.WithTimeout(context.Background(), locking.Briefly)
	defer cancel()
	if e.acquireLock(brief) != nil || !e.shouldCompact() || e.lock.ExcludeReaders(brief) != nil {
		return
	}
	_ = e.commit(func(next *state) (*state, bool, error) {
		return e.compact(context.Background(), next)
	})
}

// needsAnotherCommit reports whether committing again would lower numbers of chunk files.
func (e *editor) needsAnotherCommit() bool {
	w, ok := e.writer.(renumberer)
	return ok && w.needsAnotherCommit(e.committed)
}

// renumberOnClose commits once more if that can lower the numbers of chunk files, now that older
// states are no longer read.
func (e *editor) renumberOnClose() error {
	if !e.needsAnotherCommit() {
		return nil
	}
	brief, cancel := context.WithTimeout(context.Background(), locking.Briefly)
	defer cancel()
	if e.lock.ExcludeReaders(brief) != nil {
		return nil // readers take precedence
	}
	done, fatal, err := e.writer.commit(context.Background(), e.lock, e.committed, e.committed)
	if err != nil {
		if fatal {
			e.failure = err
		}
		return fmt.Errorf("commit: %w", placing.Uncommitted(err)) // nothing has changed, see Abort
	}
	e.committed = done
	e.sweep(afterAll)
	return nil
}
