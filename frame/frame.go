package frame

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame/internal/locking"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/storage"
)

// A Frame is an open frame. Any number of goroutines may read it, beside any number that change it:
// changes wait for each other, and reads wait for nothing. Every read sees one state, the newest,
// which includes changes that are not committed yet; use Snapshot for several reads of the same
// state.
type Frame struct {
	env      *env
	cur      atomic.Pointer[state] // newest state, staged changes included
	closer   func() error          // of a frame opened for reading; may be nil
	snapshot bool                  // it stays at cur, and everything else is zero
	writable bool                  // it has a writer

	one       sync.Mutex // held by Atomically
	mu        sync.Mutex // held by changes; protects what follows
	writer    writer     // nil if the frame is read-only
	committed *state     // what Rollback goes back to
	dirty     bool       // whether cur differs from what is durable
	atomic    bool       // whether Atomically is under way
	poison    error      // a failure after which nobody knows what is durable
	encoder   *chunk.Encoder
	blockSize int32         // that encoder was made for
	encoded   *buffer       // memory for it during a change, if it needed any
	memory    storage.FS    // that is this frame's alone, or nil
	lock      *locking.Lock // nil without Locking
	pins      int           // calls of Lock that keep the lock although nothing is staged
	home      *place        // where to look for other states; nil if there can be none
	fixed     bool          // it is in a reader that the caller gave a size
	handed    *handed       // nil unless a commit removes what is unused
	tables    tables        // of python-blosc2 that the frame may be a column of

	flush func(ctx context.Context) error // see inside.Stage.FlushFirst; or nil
}

func newFrame(v *state, w writer, closer func() error) *Frame {
	f := &Frame{env: v.env, writer: w, writable: w != nil, committed: v, closer: closer}
	if w != nil && v.apart() {
		f.handed = &handed{}
	}
	f.show(v)
	return f
}

// show makes v the newest state.
func (f *Frame) show(v *state) {
	v.shown = new(atomic.Pointer[Frame])
	f.cur.Store(v)
}

// snapshot returns the one frame that shows v. It is made when somebody asks, since nobody reads
// most states of a frame that grows chunk by chunk.
func (v *state) snapshot() *Frame {
	if v.shown.Load() == nil {
		s := &Frame{env: v.env, snapshot: true}
		s.cur.Store(v)
		v.shown.CompareAndSwap(nil, s)
	}
	return v.shown.Load()
}

// Snapshot returns the newest state, staged changes included, as a frame to read from that neither
// later changes nor Rollback change. It is valid until f is closed, and need not be closed itself.
func (f *Frame) Snapshot() *Frame {
	defer f.leave()
	v := f.enter()
	if f.handed != nil {
		f.handed.add(v)
	}
	return v.snapshot()
}

// String returns what the frame is, in a line: its path, its chunks and what they are encoded with.
func (f *Frame) String() string {
	i, name := f.Info(), f.env.name
	if name == "" {
		name = "memory"
	}
	return fmt.Sprintf("%s: frame of %d chunks, %d bytes in %d, typesize %d, %v level %d",
		name, i.NumChunks, i.NBytes, i.CBytes, i.TypeSize, i.Codec, i.Level)
}

// ReadOnly reports whether the frame refuses changes.
func (f *Frame) ReadOnly() bool { return !f.writable }

// ready says why the frame cannot be changed. The caller holds the lock.
func (f *Frame) ready(ctx context.Context) error {
	switch {
	case f.env.closed.Load():
		return fmt.Errorf("frame: %w", cairn.ErrClosed)
	case f.writer == nil:
		return fmt.Errorf("frame: %w", cairn.ErrReadOnly)
	case f.poison != nil:
		return fmt.Errorf("frame: unusable since an earlier failure; reopen it: %w", f.poison)
	}
	return ctx.Err()
}

// Commit makes everything staged durable at once. It writes the index as a whole, some bytes for
// every chunk of the frame, although it encodes only what changed; so commit many changes together.
// After an error that came before the decisive write the changes are still staged; after one that
// came later the frame refuses further changes, because only opening it again tells what is
// durable.
func (f *Frame) Commit(ctx context.Context) error {
	return f.settle(ctx, func() error {
		if !f.unsaved() {
			return f.env.place(f.letGo())
		}
		if err := f.take(ctx); err != nil {
			return f.env.place(err)
		}
		return f.adoptAndCommit(ctx, adoptMost)
	})
}

// settle runs something that ends the transaction, outside of Atomically. run is called with the
// mutex held.
func (f *Frame) settle(ctx context.Context, run func() error) error {
	if err := f.flushFirst(ctx); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := errors.Join(f.ready(ctx), f.alone()); err != nil {
		return f.env.place(err)
	}
	return run()
}

// unsaved reports whether there is something to commit.
func (f *Frame) unsaved() bool { return f.dirty || f.writer.fresh() }

// adoptAndCommit commits, with checksums for what another writer left, unless that is more than so
// many bytes.
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
		f.poison = errPanicked
		_ = f.letGo() // the panic is what the caller must hear of
	})
}

func (f *Frame) commitUntilSettled(run func(next *state) (*state, bool, error)) error {
	for again := false; ; again = true {
		next, err := f.outdate(f.cur.Load())
		var done *state
		fatal := false
		if err == nil {
			done, fatal, err = run(next)
		}
		if err != nil {
			if fatal {
				f.poison = err
				err = errors.Join(err, f.letGo())
			} else {
				err = errors.Join(err, f.lock.AdmitReaders())
			}
			return f.env.place(fmt.Errorf("commit: %w", err))
		}
		f.committed, f.dirty = done, false
		f.show(done)
		f.writer.sweep(done, f.unwatched)
		if again || !f.writer.unsettled(done) {
			return f.env.place(f.letGo())
		}
	}
}

// unwatched reports whether nobody reads a state before the one that is committed. The caller holds
// the lock.
func (f *Frame) unwatched() bool {
	if f.env.closed.Load() {
		return true
	}
	return f.env.readers.Load() == 0 && (f.handed == nil || !f.handed.others(f.committed))
}

// Rollback drops everything staged since the last commit, or since the frame was created.
func (f *Frame) Rollback() error {
	return f.settle(context.Background(), func() error {
		if f.dirty {
			f.restore(f.committed, false)
			f.committed = f.cur.Load()
			f.writer.sweep(f.committed, f.unwatched)
		}
		return f.env.place(f.letGo())
	})
}

// Close commits what is staged and closes the frame. If the commit fails, nothing of what is staged
// survives. If an earlier one failed so that nobody knows what is durable, Close does not try
// again, and fails for the same reason.
//
// A frame that is mostly dead bytes is compacted, if this handle changed it and NoCompact does not
// forbid it.
func (f *Frame) Close() error {
	if f.snapshot {
		return nil
	}
	if err := f.flushFirst(context.Background()); err != nil {
		return errors.Join(err, f.Abort())
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := errors.Join(f.env.open(), f.env.place(f.alone())); err != nil {
		return err
	}
	var err error
	if f.writer != nil && f.poison == nil && f.unsaved() {
		if err = f.take(context.Background()); err == nil {
			err = f.adoptAndCommit(context.Background(), adoptMost)
		}
	}
	if f.poison != nil && err == nil {
		err = f.env.place(fmt.Errorf("frame: nobody knows whether the last commit is durable: %w", f.poison))
	}
	if err == nil {
		f.slim()
	}
	return errors.Join(err, f.shut())
}

// Abort closes the frame and drops everything that is not committed. A frame that was never
// committed leaves nothing behind.
func (f *Frame) Abort() error {
	if f.snapshot {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.env.open(); err != nil {
		return err
	}
	return f.shut()
}

// shut closes everything. What is staged and not committed goes. The caller holds the lock.
func (f *Frame) shut() error {
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
		return f.writer.abandon()
	}
	var err error
	tidy := f.mayTidy()
	if tidy {
		f.writer.sweep(f.committed, f.unwatched)
		err = f.resettle()
	}
	return errors.Join(err, f.writer.close(tidy && f.poison == nil))
}

// slim compacts a frame that is about to be closed, if this handle changed it last and that is
// cheap. Nothing that goes wrong is a reason for Close to fail: what is committed is durable in
// both files.
func (f *Frame) slim() {
	if f.memory != nil || !f.worthSlimming() {
		return
	}
	brief, cancel := context.WithTimeout(context.Background(), locking.Briefly)
	defer cancel()
	if f.take(brief) != nil || !f.worthSlimming() || f.lock.ExcludeReaders(brief) != nil {
		return
	}
	_ = f.commit(func(next *state) (*state, bool, error) {
		return f.writer.compact(context.Background(), f.lock, f.committed, next)
	})
}

func (f *Frame) worthSlimming() bool {
	return f.writer != nil && !f.writer.fresh() && f.committed.mark == nil && f.writer.wasteful(f.committed)
}

// resettle commits once more if that improves what is committed, which older states may have stood
// in the way of as long as somebody could see them.
func (f *Frame) resettle() error {
	if !f.writer.unsettled(f.committed) {
		return nil
	}
	brief, cancel := context.WithTimeout(context.Background(), locking.Briefly)
	defer cancel()
	if f.lock.ExcludeReaders(brief) != nil {
		return nil // they matter more
	}
	done, fatal, err := f.writer.commit(context.Background(), f.lock, f.committed, f.committed)
	if err != nil {
		if fatal {
			f.poison = err
		}
		return fmt.Errorf("commit: %w", err)
	}
	f.committed = done
	f.writer.sweep(done, f.unwatched)
	return nil
}
