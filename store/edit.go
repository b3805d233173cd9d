package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/inside"
	"github.com/cairn-go/cairn/internal/placing"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/storage"
)

// An Editor changes a store: a new one from [Create] or an existing one from [Edit]. Its reading
// methods see the changes made so far. Any number of goroutines may use an Editor. Changes run one
// at a time, but the write callbacks of Put and PutFunc run concurrently, before their changes.
// Callbacks must not change the store through the same editor.
//
// When a change is durable depends on the form:
//
//   - In an existing directory each call is a change of its own and durable when it returns. After
//     a crash the store is as it was before or after the call. It is as after the call if the call
//     fails with an error that matches [cairn.ErrCommitted].
//   - An archive is rewritten beside the old one, which Close replaces. An embed store is committed
//     by Close. In both, all changes are applied together, or none after an error, a crash or
//     Abort.
//   - A new store of any form appears on Close, complete and durable, or not at all.
//
// So if a change of the last three forms has failed, for whatever reason but a missing key or
// another editor, Close drops all of them and returns an error that wraps the first failure. The
// editor cannot know of errors and panics elsewhere: a program defers Abort, which does nothing
// after Close, and returns the result of Close.
//
// A second Editor of an existing store fails with [cairn.ErrConflict], at the latest on its first
// change. With OpenOptions.Locking, editors of directories and embed stores instead wait for each
// other and see each other's changes. A concurrent reader sees each leaf either before or after a
// change.
type Editor struct {
	*Store
	form      form
	newInfo   *newStoreInfo   // of a new store, or nil
	claim     storage.Claimer // the archive, or nil
	mu        sync.Mutex      // held by a change
	listMark  []byte          // the metalayers of the embed store when the leaves were last listed
	persisted bool            // the current change has done something that stays even if it fails
	visible   bool            // readers see the current change, whatever of it still fails
	private   bool            // the embed frame is a file in the staging directory
	dirty     bool            // an archive has changed
	applied   bool            // a change has succeeded
	// keys of leaves, and of groups with a trailing "/", whose members are dropped from the archive
	dropped []string
	// the embed store of an archive before it became private; readers may still use it
	old    *frame.Frame
	closed bool
	broken atomic.Pointer[error] // the first change that failed; see failed

	staging  sync.Mutex // protects stageDir and staged
	stageDir *staging   // the staging directory, or nil
	staged   int        // number of files created there
}

// form is one of the three forms of a store. A new store is an archive without members until it is
// closed.
type form uint8

const (
	directory form = iota
	archive
	embedForm
)

// Edit opens the store at path for changes. It fails like [Open]. The caller must call Close or
// Abort; Abort does nothing after Close, so defer it.
func Edit(path string, o *OpenOptions) (*Editor, error) {
	e := &Editor{Store: newStore(path, o)}
	leaves, err := e.open(path)
	if err := e.finishOpen(leaves, err); err != nil {
		return nil, err
	}
	e.listMark = e.mark()
	return e, nil
}

func (e *Editor) open(path string) ([]Leaf, error) {
	placing.Restore(e.fsys, path)
	if r, ok := e.fsys.(storage.Replacer); ok { // replace the target of a link, not the link
		resolved, err := r.Resolve(path)
		if err != nil {
			return nil, err
		}
		path = resolved
	}

	e.root = path
	leaves, err := e.openPath(path, e.changeOptions(), e.openClaimed)
	switch {
	case e.zip != nil:
		e.form = archive
	case err == nil && e.closer != nil:
		// An embed store is a frame, and frames do their own claiming and locking.
		e.form = embedForm
		e.claim = nil
		if err := e.Store.Close(); err != nil {
			return nil, err
		}
		return e.openEmbed(func() (*frame.Frame, error) { return frame.Open(path, e.changeOptions()) })
	}
	return leaves, err
}

// changeOptions returns the options for opening frames for changes.
func (s *Store) changeOptions() *frame.OpenOptions {
	o := s.frameOptions()
	o.Mode = frame.ReadWrite
	o.Locking = s.options.Locking
	o.LockTimeout = s.options.LockTimeout
	return o
}

// openClaimed opens and claims an archive. It fails if another editor has claimed it, or if another
// file has taken its path.
func (e *Editor) openClaimed(path string) (storage.File, error) {
	f, err := e.fsys.OpenRW(path)
	if err != nil {
		return nil, err
	}

	ok, err := tryClaim(f, path)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return f, nil
	case err == nil && !ok:
		err = fmt.Errorf("another editor is changing the store, or another file has its name now: %w", cairn.ErrConflict)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}

	e.claim = f.(storage.Claimer)
	return f, nil
}

// checkPath fails if another file has taken the path of the open archive.
func (e *Editor) checkPath(path string) error {
	if e.claim == nil {
		return nil
	}
	same, err := e.claim.Is(path)
	if err == nil && !same {
		err = fmt.Errorf("another file has the store's name now: %w", cairn.ErrConflict)
	}
	return err
}

// tickName is the metalayer of variable length in which python-blosc2 counts the changes of a
// store, so that other processes notice them.
const tickName = "dstore_tick"

// mark returns the metalayers that change whenever another process changes the list of leaves.
// Errors are ignored here, because reading the list reports them.
func (e *Editor) mark() []byte {
	var all []byte
	for _, name := range []string{embedMap, tickName, registryName} {
		raw, _ := e.embed.Load().VL(name)
		all = append(append(all, raw...), 0)
	}
	return all
}

// change runs one change and rolls back what it staged if it fails.
func (e *Editor) change(ctx context.Context, op, key string, run func() error) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	err := e.fail(op, key, e.changeLocked(ctx, run))
	e.note(err)
	return err
}

func (e *Editor) changeLocked(ctx context.Context, run func() error) error {
	if e.closed {
		return cairn.ErrClosed
	}

	e.persisted = false
	e.visible = false
	e.leaves.begin()
	if err := e.begin(ctx); err != nil {
		e.undoChange(nil)
		return err
	}

	e.dirty = true
	dropped := len(e.dropped)
	sp := e.embed.Load().Inside().Savepoint()

	err := placing.Uncommitted(run())
	if err == nil && e.newInfo == nil && (e.form == directory || e.private) {
		e.persisted = true
		if err = e.embed.Load().Commit(ctx); e.form != directory {
			err = placing.Uncommitted(err)
		}
	}

	if e.visible && e.form == directory {
		err = placing.Committed(err)
	}
	if err != nil {
		e.dropped = e.dropped[:dropped]
		e.undoChange(sp)
		return err
	}

	e.listMark = e.mark()
	e.applied = true
	return nil
}

// decides notes that readers see the current change of a directory from a step on, unless the step
// failed.
func (e *Editor) decides(err error) error {
	if err == nil || errors.Is(err, cairn.ErrCommitted) {
		e.visible = true
	}
	return err
}

// failed is fail for what goes before a change, and remembers it.
func (e *Editor) failed(op, key string, err error) error {
	err = e.fail(op, key, placing.Uncommitted(err))
	e.note(err)
	return err
}

// note remembers the first change that failed, unless it asked for something that does not exist or
// others were in its way.
func (e *Editor) note(err error) {
	if err == nil || e.broken.Load() != nil {
		return
	}

	for _, harmless := range []error{cairn.ErrNotFound, cairn.ErrLocked, cairn.ErrConflict, cairn.ErrClosed,
		cairn.ErrCommitted} {
		if errors.Is(err, harmless) {
			return
		}
	}
	e.broken.CompareAndSwap(nil, &err)
}

// begin locks the store and lists the leaves again if another process has changed them.
func (e *Editor) begin(ctx context.Context) error {
	if e.form == archive {
		return ctx.Err()
	}
	if err := e.embed.Load().Lock(ctx); err != nil {
		return err
	}

	if !slices.Equal(e.listMark, e.mark()) {
		if err := e.list(); err != nil {
			return err
		}
	}
	return e.tick()
}

// tick increments the change counter of a directory for its readers. This also claims the embed
// store.
func (e *Editor) tick() error {
	if e.form != directory {
		return nil
	}

	var tick int64
	if raw, err := e.embed.Load().VL(tickName); err == nil {
		v, _ := meta.Unpack(raw)
		tick, _ = v.(int64)
	}

	raw, err := meta.Pack(tick + 1)
	if err != nil {
		return err
	}

	return e.embed.Load().SetVL(tickName, raw)
}

// list lists the leaves again. If it fails, the next change tries again.
func (e *Editor) list() error {
	e.listMark = nil
	leaves, err := embeddedLeaves(e.embed.Load())
	if err == nil && e.form == directory {
		leaves, err = e.walk("", leaves)
	}
	if err != nil {
		return err
	}

	if err = e.leaves.reset(leaves); err != nil {
		return err
	}

	e.listMark = e.mark()
	return nil
}

// undoChange ends a failed change. It rolls back what was staged since sp and restores the list of
// leaves. It walks the directory again only if its files may have changed. Errors are ignored: the
// caller reports the error that made the change fail.
func (e *Editor) undoChange(sp inside.Savepoint) {
	embed := e.embed.Load()
	switch {
	case e.form == directory || e.form == archive && e.newInfo == nil && e.private:
		_ = embed.Rollback()
	case e.form == archive && e.newInfo == nil:
	case sp != nil && !sp.Gone():
		_ = embed.Inside().RollbackTo(sp)
	}

	e.leaves.relist()
	if e.form != archive {
		_ = embed.Unlock()
	}
	if e.form == embedForm || e.form == directory && e.persisted {
		_ = e.list()
	}
}

// newFile returns the path of a new file in the staging directory.
func (e *Editor) newFile() (string, error) {
	e.staging.Lock()
	defer e.staging.Unlock()
	if e.closed {
		return "", cairn.ErrClosed
	}

	if e.stageDir == nil {
		beside, err := stage(e.fsys, e.root)
		if err != nil {
			return "", err
		}
		e.stageDir = beside
	}

	e.staged++
	return e.stageDir.dir + "/" + strconv.Itoa(e.staged), nil
}

// Close commits pending changes and closes the store. If it fails, an archive or embed store is
// unchanged, and a new store does not exist, unless the error matches [cairn.ErrCommitted]; so it
// is after a change that failed, see [Editor]. Open arrays must be closed first.
func (e *Editor) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()

	var err error
	switch {
	case e.closed:
		err = cairn.ErrClosed
	case e.discards():
		err = fmt.Errorf("all changes are discarded, because one failed: %w", *e.broken.Load())
		err = errors.Join(err, placing.Uncommitted(e.end((*frame.Frame).Abort)))
	case e.newInfo != nil:
		err = e.settle(e.publish(), (*frame.Frame).Abort)
	case e.form == archive && e.dirty:
		err = e.settle(e.replace(), (*frame.Frame).Close)
	default:
		if embed := e.embed.Swap(nil); embed != nil {
			err = embed.Close()
		}
		err = e.settle(err, (*frame.Frame).Close)
	}

	return e.fail("close", "", err)
}

// settle ends an editor that has committed, or failed to do so with err.
func (e *Editor) settle(err error, closeFrame func(*frame.Frame) error) error {
	left := e.end(closeFrame)
	if err == nil || errors.Is(err, cairn.ErrCommitted) {
		return errors.Join(err, placing.Committed(left))
	}
	return errors.Join(err, placing.Uncommitted(left))
}

// discards reports whether Close must not commit what is pending.
func (e *Editor) discards() bool {
	return e.broken.Load() != nil && (e.newInfo != nil || e.form != directory && e.applied)
}

// Abort closes the store and discards what is not durable yet; a new store is discarded entirely.
// After Close it does nothing.
func (e *Editor) Abort() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil
	}
	return e.fail("abort", "", placing.Uncommitted(e.end((*frame.Frame).Abort)))
}

// end closes what is open and removes what was staged.
func (e *Editor) end(closeFrame func(*frame.Frame) error) error {
	e.staging.Lock()
	defer e.staging.Unlock()
	e.closed = true

	var err error
	if embed := e.embed.Swap(nil); embed != nil {
		err = closeFrame(embed)
	}
	if e.old != nil {
		err = errors.Join(err, e.old.Close())
	}

	err = errors.Join(err, e.Store.Close())
	if e.stageDir != nil {
		err = errors.Join(err, e.stageDir.remove())
	}
	return err
}
