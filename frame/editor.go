package frame

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame/internal/locking"
	"github.com/cairn-go/cairn/internal/derived"
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
	whole     [1][]byte

	flush func(ctx context.Context) error // see inside.Stage.FlushFirst; or nil
}

// show makes v the newest state.
func (e *editor) show(v *state) {
	v.shown = new(atomic.Pointer[Snapshot])
	e.cur.Store(v)
}

// tables are the tables of python-blosc2 to which a frame may belong, judging by its path.
type tables struct {
	known bool
	parts []derived.Part
}

// A frameLocation holds what is needed to open a frame again.
type frameLocation struct {
	fs      storage.FS
	path    string
	options OpenOptions
}

// A Frame is an open frame. Any number of goroutines may read and change it concurrently: changes
// wait for each other, and reads never wait. Every read sees the newest state, which includes
// changes that are not committed yet; use Snapshot for several reads of the same state.
type Frame struct {
	reads
	edit     editor
	chunks   insideFrame // see Inside
	writable bool
}

func newFrame(v *state, w writer, closer func() error) *Frame {
	f := &Frame{reads: reads{env: v.env}, writable: w != nil}
	f.edit.reads = &f.reads
	f.edit.writer = w
	f.edit.closer = closer
	f.edit.committed = v
	f.chunks = insideFrame{(*insideChunks)(&f.reads), &f.edit}

	if s, ok := w.(sweeper); ok && s.removes() {
		f.liveStates = &liveStates{}
	}
	f.edit.show(v)
	return f
}

// insideChunks implements [inside.Chunks], for the newest state of a frame or for a snapshot. Its
// other methods are next to the methods of reads that do the same.
type insideChunks reads

// insideFrame implements [inside.Frame]. Its other methods are next to the methods of Frame that do
// the same.
type insideFrame struct {
	*insideChunks
	edit *editor
}

// A change is a change under way: a draft of the state that it makes, and the editor whose writer
// stores its chunks.
type change struct {
	*draft
	edit *editor
}

// errHalfDone is the error of a change that panicked.
var errHalfDone = errors.New("a change panicked")

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

func (e *editor) unlock() {
	if e.lock != nil {
		_ = e.lock.Close() // the handle no longer uses the frame
	}
}

// closeUnchanged closes the files of a handle that has changed nothing. The caller holds the mutex,
// or is the only one that knows the handle.
func (e *editor) closeUnchanged() error {
	e.env.closed.Store(true)
	defer e.unlock()

	switch {
	case e.writer != nil:
		return e.env.place(e.writer.close(false))
	case e.closer != nil:
		return e.env.place(e.closer())
	}
	return nil
}

// releaseLock releases the claim and the lock.
func (e *editor) releaseLock() (err error) {
	e.pins = 0
	if c, ok := e.writer.(claimant); ok {
		err = c.unclaim()
	}
	if e.lock != nil {
		err = errors.Join(err, e.lock.End())
	}
	return err
}

// releaseUnusedLock releases the claim and the lock unless something still needs them.
func (e *editor) releaseUnusedLock() error {
	if e.dirty || e.pins > 0 || e.atomic {
		return nil
	}
	return e.releaseLock()
}

// private reports whether no other handle can know of the frame, not even by its lock. The lock of
// a frame in a file has its final name from the beginning.
func (e *editor) private() bool {
	return e.writer != nil && e.writer.fresh() && e.cur.Load().apart()
}

// needsLock reports whether this handle must take the lock before a change.
func (e *editor) needsLock() bool { return e.lock != nil && !e.lock.Holds() && !e.private() }
