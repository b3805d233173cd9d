package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/inside"
	"github.com/cairn-go/cairn/internal/placing"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/storage"
)

// An Editor changes a store, a new one of [Create] or one that exists of [Edit], and reads it as it
// is by then. Any number of goroutines may use it: changes take turns, and what Put and PutFunc
// write is written before, side by side. Functions that are passed to an editor must not change the
// store through it.
//
// When a change is durable depends on the form. In a directory that exists each call is a change of
// its own, durable when it returns: after a crash the store is as it was before the call or after
// it. An archive is written anew, beside the old one, and takes its place with Close; an embed
// store is committed by Close. So there all changes are applied together, and after an error, a
// crash or Abort none. A new store of any form appears with Close, complete and durable.
//
// A second Editor of a store that exists is refused with [cairn.ErrConflict], at the latest by its
// first change; with OpenOptions.Locking editors of directories and embed stores wait for each
// other instead, and see what the others changed. Programs that read a store meanwhile see a leaf
// before or after a change.
type Editor struct {
	*Store
	form    form
	made    *making         // of a store that is new, or nil
	claimed storage.Claimer // the archive, or nil
	mu      sync.Mutex      // held by a change
	seen    []byte          // what the embed store said of leaves when they were listed
	lasting bool            // the change at hand has begun to do what stays if it fails
	private bool            // the embed frame is a file in the staging directory
	dirty   bool            // an archive is no longer what it was
	// keys of leaves and groups, with "/" behind, of which an archive has members that go
	dropped []string
	// the embed store of an archive before it became private, which readers may have
	old    *frame.Frame
	closed bool

	staging sync.Mutex // for the next two
	beside  *staging   // a directory for new files, or nil if there is none yet
	staged  int        // files that were made there
}

// form is one of the three ways to keep leaves. Until it is closed, a new store is an archive
// without members.
type form uint8

const (
	directory form = iota
	archive
	embedForm
)

// Edit opens the store at path for changes. It fails as [Open] does. The caller closes the editor,
// or aborts it.
func Edit(path string, o *OpenOptions) (*Editor, error) {
	e := &Editor{Store: newStore(path, o)}
	leaves, err := e.open(path)
	if err := e.opened(leaves, err); err != nil {
		return nil, err
	}
	e.seen = e.mark()
	return e, nil
}

func (e *Editor) open(path string) ([]Leaf, error) {
	placing.Restore(e.fsys, path)
	if r, ok := e.fsys.(storage.Replacer); ok { // what a link points to is replaced, not the link
		resolved, err := r.Resolve(path)
		if err != nil {
			return nil, err
		}
		path = resolved
	}
	e.root = path
	leaves, err := e.openPath(path, e.changing(), e.openClaimed)
	switch {
	case e.zip != nil:
		e.form = archive
	case err == nil && e.closer != nil:
		// An embed store is a frame, which has claims and locks of its own.
		e.form, e.claimed = embedForm, nil
		if err := e.Store.Close(); err != nil {
			return nil, err
		}
		return e.openEmbed(func() (*frame.Frame, error) { return frame.Open(path, e.changing()) })
	}
	return leaves, err
}

// changing returns the options of frames that are to be changed.
func (s *Store) changing() *frame.OpenOptions {
	o := s.frameOptions()
	o.Mode, o.Locking, o.LockTimeout = frame.ReadWrite, s.options.Locking, s.options.LockTimeout
	return o
}

// openClaimed opens a file that no other editor has, and that has its name still.
func (e *Editor) openClaimed(path string) (storage.File, error) {
	f, err := e.fsys.OpenRW(path)
	if err != nil {
		return nil, err
	}
	alone, err := claimed(f, path)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return f, nil
	case err == nil && !alone:
		err = fmt.Errorf("another editor is changing the store, or another file has its name now: %w", cairn.ErrConflict)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	e.claimed = f.(storage.Claimer)
	return f, nil
}

// still fails if the archive that is open has lost its name to another.
func (e *Editor) still(path string) error {
	if e.claimed == nil {
		return nil
	}
	same, err := e.claimed.Is(path)
	if err == nil && !same {
		err = fmt.Errorf("another file has the store's name now: %w", cairn.ErrConflict)
	}
	return err
}

// tickName is the metalayer of variable length that python-blosc2 counts changes of files in, for
// others to notice.
const tickName = "dstore_tick"

// mark returns what tells whether somebody else changed the list of leaves. Errors show when the
// list is read.
func (e *Editor) mark() []byte {
	var all []byte
	for _, name := range []string{embedMap, tickName, registryName} {
		raw, _ := e.embed.Load().VL(name)
		all = append(append(all, raw...), 0)
	}
	return all
}

// change runs a change of a key, and takes back what it staged if it fails.
func (e *Editor) change(ctx context.Context, op, key string, run func() error) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.fail(op, key, e.changeLocked(ctx, run))
}

func (e *Editor) changeLocked(ctx context.Context, run func() error) error {
	if e.closed {
		return cairn.ErrClosed
	}
	e.lasting = false
	e.leaves.begin()
	if err := e.begin(ctx); err != nil {
		e.takeBack(nil)
		return err
	}
	e.dirty = true
	dropped := len(e.dropped)
	sp := e.embed.Load().Inside().Savepoint()
	err := run()
	if err == nil && e.made == nil && (e.form == directory || e.private) {
		e.lasting = true
		err = e.embed.Load().Commit(ctx)
	}
	if err != nil {
		e.dropped = e.dropped[:dropped]
		e.takeBack(sp)
		return err
	}
	e.seen = e.mark()
	return nil
}

// begin makes sure that nobody else changes the store meanwhile, and lists leaves again if somebody
// has.
func (e *Editor) begin(ctx context.Context) error {
	if e.form == archive {
		return ctx.Err()
	}
	if err := e.embed.Load().Lock(ctx); err != nil {
		return err
	}
	if !slices.Equal(e.seen, e.mark()) {
		if err := e.list(); err != nil {
			return err
		}
	}
	return e.tick()
}

// tick tells programs that read a directory that something changes, and claims the embed store.
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
	if err == nil {
		err = e.embed.Load().SetVL(tickName, raw)
	}
	return err
}

// list lists the leaves again. If that fails, the next change tries it once more.
func (e *Editor) list() error {
	e.seen = nil
	leaves, err := embeddedLeaves(e.embed.Load())
	if err == nil && e.form == directory {
		leaves, err = e.walk("", leaves)
	}
	if err == nil {
		err = e.leaves.reset(leaves)
	}
	if err == nil {
		e.seen = e.mark()
	}
	return err
}

// takeBack ends a change that failed: what it staged since sp is dropped, and the leaves are listed
// as they are now, which goes over a directory only if files of it may have changed. The error that
// made it fail says why, so that others are passed over.
func (e *Editor) takeBack(sp inside.Savepoint) {
	embed := e.embed.Load()
	switch {
	case e.form == directory || e.form == archive && e.made == nil && e.private:
		_ = embed.Rollback()
	case e.form == archive && e.made == nil:
	case sp != nil && !sp.Gone():
		_ = embed.Inside().RollbackTo(sp)
	}
	e.leaves.relist()
	if e.form != archive {
		_ = embed.Unlock()
	}
	if e.form == embedForm || e.form == directory && e.lasting {
		_ = e.list()
	}
}

// newFile returns a path for a new file, beside the store.
func (e *Editor) newFile() (string, error) {
	e.staging.Lock()
	defer e.staging.Unlock()
	if e.closed {
		return "", cairn.ErrClosed
	}
	if e.beside == nil {
		beside, err := stage(e.fsys, e.root)
		if err != nil {
			return "", err
		}
		e.beside = beside
	}
	e.staged++
	return e.beside.dir + "/" + strconv.Itoa(e.staged), nil
}

// Close commits pending changes and closes the store. If it fails, an archive or an embed store is
// as it was, and of a new store there is nothing. Arrays that are open must be closed before.
func (e *Editor) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	var err error
	switch {
	case e.closed:
		err = cairn.ErrClosed
	case e.made != nil:
		err = e.end(e.publish(), (*frame.Frame).Abort)
	case e.form == archive && e.dirty:
		err = e.end(e.replace(), (*frame.Frame).Close)
	default:
		err = e.end(nil, (*frame.Frame).Close)
	}
	return e.fail("close", "", err)
}

// Abort closes the store and drops what is not durable yet: all of a new store. After Close it does
// nothing.
func (e *Editor) Abort() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil
	}
	return e.fail("abort", "", e.end(nil, (*frame.Frame).Abort))
}

func (e *Editor) end(err error, closeFrame func(*frame.Frame) error) error {
	e.staging.Lock()
	defer e.staging.Unlock()
	e.closed = true
	if embed := e.embed.Swap(nil); embed != nil {
		err = errors.Join(err, closeFrame(embed))
	}
	if e.old != nil {
		err = errors.Join(err, e.old.Close())
	}
	err = errors.Join(err, e.Store.Close())
	if e.beside != nil {
		err = errors.Join(err, e.beside.remove())
	}
	return err
}
