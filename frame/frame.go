package frame

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/storage"
)

// A Frame is an open frame. Any number of goroutines may read it, beside any number that change it: changes wait for each other, and
// reads wait for nothing. Every read sees one state, the newest; use View for several reads of the same state.
type Frame struct {
	env    *env
	cur    atomic.Pointer[View] // newest state, staged changes included
	closer func() error         // of a frame opened for reading; may be nil

	one       sync.Mutex // held by Atomically
	mu        sync.Mutex // held by changes; protects what follows
	writer    writer     // nil if the frame is read-only
	committed *View      // what Rollback goes back to
	dirty     bool       // whether cur differs from what is durable
	pending   int        // changes since the last commit
	atomic    bool       // whether Atomically is under way
	poison    error      // a failure after which nobody knows what is durable
	encoder   *chunk.Encoder
	blockSize int32           // that encoder was made for
	encoded   *buffer         // memory for it during a change, if it needed any
	memory    *storage.Memory // that is this frame's alone, or nil
	lock      *lockFile       // nil without Locking
	pins      int             // calls of Lock that keep the lock although nothing is staged
	home      *place          // where to look for other states; nil if there can be none
	fixed     bool            // it is in a reader that the caller gave a size
	retired   []*retiredFile  // of a frame that only reads
	tables    tables          // of python-blosc2 that the frame may be a column of

	flush func(ctx context.Context) error // of FlushFirst, or nil
}

// A writer puts chunks and states where they become durable. It is used by one change at a time.
type writer interface {
	// claim makes sure that nobody else is changing the frame, and that it is as it was committed last, or fails with ErrConflict. unclaim ends that.
	claim(committed *View) error
	unclaim() error
	// stage stores a chunk where nothing committed is, and returns its entry. extent is then the new length of the data section.
	stage(c []byte) (entry int64, err error)
	extent(v *View) int64
	// footer is how many bytes besides its own a staged chunk has of the data section.
	footer() int64
	// mark and undo forget what was staged since, which no state refers to.
	mark() any
	undo(mark any, committed *View)
	// commit makes next durable in the place of committed and returns it as it is then. It excludes
	// readers that lock from the moment when they could see next. fatal tells that nobody knows what
	// is durable now.
	commit(ctx context.Context, lock *lockFile, committed, next *View) (done *View, fatal bool, err error)
	// compact does the same, and leaves no dead bytes.
	compact(ctx context.Context, lock *lockFile, committed, next *View) (done *View, fatal bool, err error)
	// wasteful reports whether most of what a committed state takes is dead, so that compact is cheap.
	wasteful(v *View) bool
	// fresh reports whether there is nothing under the frame's name yet.
	fresh() bool
	// sweep removes what v, which is committed and the newest state, does not refer to; safe tells whether no read of an older one is under way.
	sweep(v *View, safe bool)
	// unsettled reports whether committing v again would improve it.
	unsettled(v *View) bool
	// seen is told that v was handed out.
	seen(v *View)
	// close closes what is open; sure tells that what was committed last is durable.
	close(sure bool) error
	// abandon removes everything of a fresh frame.
	abandon() error
}

func newFrame(v *View, w writer, closer func() error) *Frame {
	f := &Frame{env: v.env, writer: w, committed: v, closer: closer}
	f.cur.Store(v)
	return f
}

// View returns the newest state, staged changes included.
func (f *Frame) View() *View {
	f.env.readers.Add(1)
	defer f.env.readers.Add(-1)
	v := f.cur.Load()
	if f.writer != nil {
		f.writer.seen(v)
	}
	return v
}

// ReadOnly reports whether the frame refuses changes.
func (f *Frame) ReadOnly() bool { return f.writer == nil }

// reading runs a read of the newest state.
func reading[T any](f *Frame, read func(v *View) (T, error)) (T, error) {
	f.env.readers.Add(1)
	defer f.env.readers.Add(-1)
	return read(f.cur.Load())
}

// NumChunks returns the number of chunks.
func (f *Frame) NumChunks() int { return f.cur.Load().NumChunks() }

// NBytes returns the decoded size of all chunks together.
func (f *Frame) NBytes() int64 { return f.cur.Load().NBytes() }

// CBytes returns the size of the chunks as stored; see [View.CBytes].
func (f *Frame) CBytes() int64 { return f.cur.Load().CBytes() }

// TypeSize returns the bytes per item.
func (f *Frame) TypeSize() int { return f.cur.Load().TypeSize() }

// ChunkSize returns the decoded size of chunks; see [View.ChunkSize].
func (f *Frame) ChunkSize() int { return f.cur.Load().ChunkSize() }

// BlockSize returns the decoded size of blocks; see [View.BlockSize].
func (f *Frame) BlockSize() int { return f.cur.Load().BlockSize() }

// Info describes the frame.
func (f *Frame) Info() Info { return f.cur.Load().Info() }

// Layers returns the fixed metalayers; see [View.Layers].
func (f *Frame) Layers() []meta.Layer { return f.cur.Load().Layers() }

// Layer returns the content of a fixed metalayer; see [View.Layer].
func (f *Frame) Layer(name string) ([]byte, error) { return f.cur.Load().Layer(name) }

// VLNames returns the names of the metalayers of variable length.
func (f *Frame) VLNames() []string { return f.cur.Load().VLNames() }

// VL returns the value of a metalayer of variable length; see [View.VL].
func (f *Frame) VL(name string) ([]byte, error) { return f.cur.Load().VL(name) }

// VLLayers returns all metalayers of variable length, decoded; see [View.VLLayers].
func (f *Frame) VLLayers() ([]meta.Layer, error) { return f.cur.Load().VLLayers() }

// Chunk returns what chunk i is.
func (f *Frame) Chunk(i int) (ChunkInfo, error) {
	return reading(f, func(v *View) (ChunkInfo, error) { return v.Chunk(i) })
}

// EncodedChunk returns the bytes of chunk i; see [View.EncodedChunk].
func (f *Frame) EncodedChunk(buf []byte, i int) ([]byte, error) {
	return reading(f, func(v *View) ([]byte, error) { return v.EncodedChunk(buf, i) })
}

// ReadChunk decodes chunk i into dst; see [View.ReadChunk].
func (f *Frame) ReadChunk(ctx context.Context, dst []byte, i int) (int, error) {
	f.env.readers.Add(1)
	defer f.env.readers.Add(-1)
	return f.cur.Load().ReadChunk(ctx, dst, i)
}

// ReadItems decodes items [from, to) of chunk i into dst; see [View.ReadItems].
func (f *Frame) ReadItems(ctx context.Context, dst []byte, i, from, to int) (int, error) {
	f.env.readers.Add(1)
	defer f.env.readers.Add(-1)
	return f.cur.Load().ReadItems(ctx, dst, i, from, to)
}

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

// Commit makes everything staged durable at once. It writes the index as a whole, some bytes for every chunk of the frame, although it encodes only what
// changed; so commit many changes together. After an error that came before the decisive write the changes are still staged; after one
// that came later the frame refuses further changes, because only opening it again tells what is durable.
func (f *Frame) Commit(ctx context.Context) error {
	if err := f.flushFirst(ctx); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := errors.Join(f.ready(ctx), f.alone()); err != nil {
		return f.env.place(err)
	}
	if !f.dirty && !f.writer.fresh() {
		return f.env.place(f.letGo())
	}
	if err := f.take(ctx); err != nil {
		return f.env.place(err)
	}
	return f.commit(func(next *View) (*View, bool, error) { return f.adoptAndCommit(ctx, next) })
}

// adoptAndCommit commits next, with checksums for what another writer left, unless that is much.
func (f *Frame) adoptAndCommit(ctx context.Context, next *View) (*View, bool, error) {
	next, err := next.adopt(ctx, adoptMost)
	if err != nil {
		return nil, false, err
	}
	return f.writer.commit(ctx, f.lock, f.committed, next)
}

// errPanicked poisons a frame whose storage panicked in a commit.
var errPanicked = errors.New("a commit panicked")

func (f *Frame) commit(run func(next *View) (*View, bool, error)) error {
	returned := false
	defer func() {
		if !returned {
			f.poison = errPanicked
			_ = f.letGo() // the panic is what the caller must hear of
		}
	}()
	err := f.commitUntilSettled(run)
	returned = true
	return err
}

func (f *Frame) commitUntilSettled(run func(next *View) (*View, bool, error)) error {
	for again := false; ; again = true {
		next, err := f.outdate(f.cur.Load())
		var done *View
		fatal := false
		if err == nil {
			done, fatal, err = run(next)
		}
		if err != nil {
			if fatal {
				f.poison = err
				err = errors.Join(err, f.letGo())
			} else {
				err = errors.Join(err, f.lock.admitReaders())
			}
			return f.env.place(fmt.Errorf("commit: %w", err))
		}
		done.mark, done.touched = nil, false
		f.committed, f.dirty, f.pending = done, false, 0
		f.cur.Store(done)
		f.writer.sweep(done, f.env.readers.Load() == 0)
		if again || !f.writer.unsettled(done) {
			return f.env.place(f.letGo())
		}
	}
}

// Rollback drops everything staged since the last commit, or since the frame was created.
func (f *Frame) Rollback() error {
	if err := f.flushFirst(context.Background()); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := errors.Join(f.ready(context.Background()), f.alone()); err != nil {
		return f.env.place(err)
	}
	if !f.dirty {
		return f.env.place(f.letGo())
	}
	f.restore(f.committed, false)
	f.committed = f.cur.Load()
	f.writer.sweep(f.committed, f.env.readers.Load() == 0)
	return f.env.place(f.letGo())
}

// Close commits what is staged and closes the frame. If the commit fails, nothing of what is staged survives. If an earlier one failed so that nobody
// knows what is durable, Close does not try again, and fails for the same reason.
//
// A frame that is mostly dead bytes is compacted, if this handle changed it and NoCompact does not
// forbid it.
func (f *Frame) Close() error {
	if err := f.flushFirst(context.Background()); err != nil {
		return errors.Join(err, f.Abort())
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.env.closed.Load() {
		return f.env.place(fmt.Errorf("frame: %w", cairn.ErrClosed))
	}
	if err := f.alone(); err != nil {
		return f.env.place(err)
	}
	var err error
	if f.writer != nil && f.poison == nil && (f.dirty || f.writer.fresh()) {
		err = f.take(context.Background())
	}
	if f.writer != nil && f.poison == nil && err == nil && (f.dirty || f.writer.fresh()) {
		err = f.commit(func(next *View) (*View, bool, error) { return f.adoptAndCommit(context.Background(), next) })
	}
	if f.poison != nil && err == nil {
		err = f.env.place(fmt.Errorf("frame: nobody knows whether the last commit is durable: %w", f.poison))
	}
	if err == nil {
		f.slim()
	}
	return errors.Join(err, f.shut())
}

// Abort closes the frame and drops everything that is not committed. A frame that was never committed leaves nothing behind.
func (f *Frame) Abort() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.env.closed.Load() {
		return f.env.place(fmt.Errorf("frame: %w", cairn.ErrClosed))
	}
	return f.shut()
}

// shut closes everything. What is staged and not committed goes. The caller holds the lock.
func (f *Frame) shut() error {
	f.env.closed.Store(true)
	defer f.unlock()
	if f.memory != nil {
		defer f.memory.Discard()
	}
	if f.writer == nil {
		if f.closer == nil {
			return nil
		}
		return f.env.place(f.closer())
	}
	if f.writer.fresh() {
		return f.env.place(f.writer.abandon())
	}
	var err error
	tidy := f.mayTidy()
	if tidy {
		f.writer.sweep(f.committed, true)
		err = f.resettle()
	}
	return f.env.place(errors.Join(err, f.writer.close(tidy && f.poison == nil)))
}

// slim compacts a frame that is about to be closed, if this handle changed it last and that is cheap.
// Nothing that goes wrong is a reason for Close to fail: what is committed is durable in both files.
func (f *Frame) slim() {
	if f.memory != nil || !f.worthSlimming() {
		return
	}
	brief, cancel := context.WithTimeout(context.Background(), briefly)
	defer cancel()
	if f.take(brief) != nil || !f.worthSlimming() || f.lock.excludeReaders(brief) != nil {
		return
	}
	_ = f.commit(func(next *View) (*View, bool, error) {
		return f.writer.compact(context.Background(), f.lock, f.committed, next)
	})
}

func (f *Frame) worthSlimming() bool {
	return f.writer != nil && !f.writer.fresh() && f.committed.mark == nil && f.writer.wasteful(f.committed)
}

// resettle commits once more if that improves what is committed, which older states may have stood in the way of as long as somebody could see them.
func (f *Frame) resettle() error {
	if !f.writer.unsettled(f.committed) {
		return nil
	}
	brief, cancel := context.WithTimeout(context.Background(), briefly)
	defer cancel()
	if f.lock.excludeReaders(brief) != nil {
		return nil // they matter more
	}
	done, fatal, err := f.writer.commit(context.Background(), f.lock, f.committed, f.committed)
	if err != nil {
		if fatal {
			f.poison = err
		}
		return fmt.Errorf("commit: %w", err)
	}
	done.mark = nil
	f.committed = done
	f.writer.sweep(done, true)
	return nil
}
