package frame

import (
	"context"
	"errors"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame/internal/locking"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/placing"
)

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

// discards reports whether Close must not commit the staged changes. The caller holds the mutex.
func (e *editor) discards() bool {
	return e.broken.Load() != nil && e.writer != nil && e.failure == nil && e.env.name != "" && e.hasChanges()
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

// flushFirst calls the function given to [inside.Stage.FlushFirst]. The caller must not hold a
// lock.
func (e *editor) flushFirst(ctx context.Context) error {
	if e.flush == nil || e.env.closed.Load() {
		return nil
	}
	return e.flush(ctx)
}

// checkNotAtomic fails inside of Atomically. The caller holds the mutex.
func (e *editor) checkNotAtomic() error {
	if e.atomic {
		return fmt.Errorf("frame: inside of Atomically: %w", cairn.ErrConflict)
	}
	return nil
}

// restore makes an earlier state the newest one. The caller holds the mutex.
func (e *editor) restore(to *state, dirty bool) {
	// Snapshots of the dropped state may still be in use, so later changes must not write to memory
	// of the index that they share with the earlier state.
	back := to.draft()
	back.index = back.index.Seal()
	e.moveBase(back)
	e.dirty = dirty
	e.show(&back.state)
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

// mayTidy reports whether unreferenced bytes and files may be removed. They must stay if the
// durable state is unknown or another process may be changing the frame.
func (e *editor) mayTidy() bool {
	if e.failure != nil {
		return false
	}
	if w, ok := e.writer.(untidyWriter); !ok || !w.hasLeftovers(e.committed) {
		return false
	}

	brief, cancel := context.WithTimeout(context.Background(), locking.Briefly)
	defer cancel()
	return e.acquireLock(brief) == nil
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

// needsAnotherCommit reports whether committing again would lower numbers of chunk files.
func (e *editor) needsAnotherCommit() bool {
	w, ok := e.writer.(renumberer)
	return ok && w.needsAnotherCommit(e.committed)
}
