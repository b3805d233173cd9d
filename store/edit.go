package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/storage"
)

// An Editor changes a store that exists, and reads it as it is by then. It serves one goroutine at a time.
//
// When a change becomes true depends on the form. In a directory each call is a change of its own, durable when it returns: after a crash the store is as it
// was before the call or after it. An archive is written anew, beside the old one, and takes its place with Close; an embed store is
// committed by Close. So there all changes become true together, and after an error, a crash or Abort none.
//
// A second Editor of the same store is refused with [cairn.ErrConflict], at the latest by its first change; with OpenOptions.Locking editors of directories
// and embed stores wait for each other instead, and see what the others changed. Programs that read a store meanwhile see a leaf before or after a change.
type Editor struct {
	*Store
	form    form
	claimed storage.Claimer // the archive, or nil
	seen    []byte          // what the embed store said of leaves when they were listed
	beside  *staging        // a directory for new files, or nil if there is none yet
	staged  int             // files that were made there
	private bool            // the embed frame is a copy in the staging directory
	dirty   bool            // an archive is no longer what it was
	dropped []string        // keys of leaves and groups, with "/" behind, of which an archive has members that go
	undo    []listed        // what the change under way did to the list of leaves
	closed  bool
}

// form is one of the three ways to keep leaves.
type form uint8

const (
	directory form = iota
	archive
	embedForm
)

// Edit opens the store at path for changes. It fails as [Open] does. The caller closes the editor, or aborts it.
func Edit(path string, o *OpenOptions) (*Editor, error) {
	s := newStore(path, o)
	e := &Editor{Store: s}
	err := e.open(path)
	if _, err = s.opened(err); err != nil {
		return nil, err
	}
	return e, nil
}

func (e *Editor) open(path string) error {
	if _, err := find(e.fsys, path); err != nil {
		return err
	}
	if r, ok := e.fsys.(storage.Resolver); ok { // what a link points to is replaced, not the link
		resolved, err := r.Resolve(path)
		if err != nil {
			return err
		}
		path = resolved
	}
	info, err := e.fsys.Stat(path)
	if err != nil {
		return err
	}
	e.root = path
	if info.Dir {
		if err := e.enter(path); err != nil {
			return err
		}
		if err := e.checkEmbed(); err != nil {
			return err
		}
		if err := e.openEmbed(func() (*frame.Frame, error) { return frame.Open(e.at(embedName), e.changing()) }); err != nil {
			return err
		}
		e.seen = e.mark()
		return e.walk("")
	}
	f, err := e.fsys.OpenRW(path)
	if err != nil {
		return err
	}
	e.closer = f
	if err := e.claim(f, path); err != nil {
		return err
	}
	if err := e.openFile(f, info.Size); err != nil || e.zip != nil {
		e.form = archive
		return err
	}
	// An embed store is a frame, which has claims and locks of its own.
	e.form = embedForm
	if err := e.Store.Close(); err != nil {
		return err
	}
	e.leaves, e.claimed = nil, nil
	if err := e.openEmbed(func() (*frame.Frame, error) { return frame.Open(path, e.changing()) }); err != nil {
		return err
	}
	e.seen = e.mark()
	return nil
}

// changing returns the options of frames that are to be changed.
func (s *Store) changing() *frame.OpenOptions {
	o := s.frameOptions()
	o.Mode, o.Locking, o.LockTimeout = frame.ReadWrite, s.options.Locking, s.options.LockTimeout
	return o
}

// claim makes sure that no other editor has the file, and that it still has its name.
func (e *Editor) claim(f storage.File, path string) error {
	c, ok := f.(storage.Claimer)
	if !ok {
		return nil
	}
	got, err := c.TryClaim()
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return nil
	case err != nil:
		return err
	case !got:
		return fmt.Errorf("another editor is changing the store: %w", cairn.ErrConflict)
	}
	e.claimed = c
	return e.still(path)
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

// tickName is the metalayer of variable length that python-blosc2 counts changes of files in, for others to notice.
const tickName = "dstore_tick"

// mark returns what tells whether somebody else changed the list of leaves. Errors show when the list is read.
func (e *Editor) mark() []byte {
	var all []byte
	for _, name := range []string{embedMap, tickName, registryName} {
		raw, _ := e.embed.VL(name)
		all = append(append(all, raw...), 0)
	}
	return all
}

// change runs a change, and takes back what it staged if it fails.
func (e *Editor) change(ctx context.Context, run func() error) error {
	if e.closed {
		return fmt.Errorf("%s: %w", e.name, cairn.ErrClosed)
	}
	if err := e.begin(ctx); err != nil {
		return e.failed(err, nil)
	}
	e.dirty = true
	e.undo = e.undo[:0]
	dropped := len(e.dropped)
	sp := e.embed.Savepoint()
	err := run()
	if err == nil && (e.form == directory || e.private) {
		err = e.embed.Commit(ctx)
	}
	if err == nil {
		e.seen = e.mark()
		return nil
	}
	if e.form == archive {
		e.relist()
		e.dropped = e.dropped[:dropped]
		if e.private {
			err = errors.Join(err, e.embed.Rollback())
		}
		return e.failed(err, nil)
	}
	return e.failed(err, &sp)
}

// begin makes sure that nobody else changes the store meanwhile.
func (e *Editor) begin(ctx context.Context) error {
	if e.form == archive {
		return ctx.Err()
	}
	if err := e.embed.Lock(ctx); err != nil {
		return err
	}
	if !slices.Equal(e.seen, e.mark()) {
		if err := e.list(); err != nil {
			return errors.Join(err, e.embed.Unlock())
		}
	}
	if e.form == embedForm {
		return nil
	}
	var tick int64
	if raw, err := e.embed.VL(tickName); err == nil {
		v, _ := meta.Unpack(raw)
		tick, _ = v.(int64)
	}
	raw, err := meta.Pack(tick + 1)
	if err == nil {
		err = e.embed.SetVL(tickName, raw) // which claims the frame
	}
	return err
}

// list lists the leaves again.
func (e *Editor) list() (err error) {
	if e.leaves, err = embeddedLeaves(e.embed); err == nil && e.form == directory {
		err = e.walk("")
	}
	e.sort()
	e.seen = e.mark()
	return err
}

// failed ends a change that failed: what it staged is dropped, and the leaves are listed as they are now.
func (e *Editor) failed(err error, sp *frame.Savepoint) error {
	switch e.form {
	case directory:
		_ = errors.Join(e.embed.Rollback(), e.embed.Unlock(), e.list()) // the first error says why
	case embedForm:
		if sp != nil && !sp.Gone() {
			_ = e.embed.RollbackTo(*sp)
		}
		_ = errors.Join(e.embed.Unlock(), e.list())
	}
	return fmt.Errorf("%s: %w", e.name, err)
}

// newFile returns a path for a new file, beside the store.
func (e *Editor) newFile() (string, error) {
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

// Close makes what was changed true, as far as it is not, and closes the store. If it fails, an archive or an embed store is as it was. Arrays that are open must
// be closed before.
func (e *Editor) Close() error {
	if e.closed {
		return fmt.Errorf("%s: %w", e.name, cairn.ErrClosed)
	}
	var err error
	if e.form == archive && e.dirty {
		err = e.replace()
	}
	return e.end(err, (*frame.Frame).Close)
}

// Abort closes the store and drops what is not true yet. After Close it does nothing.
func (e *Editor) Abort() error {
	if e.closed {
		return nil
	}
	return e.end(nil, (*frame.Frame).Abort)
}

func (e *Editor) end(err error, closeFrame func(*frame.Frame) error) error {
	e.closed = true
	if e.embed != nil {
		err = errors.Join(err, closeFrame(e.embed))
		e.embed = nil
	}
	err = errors.Join(err, e.Store.Close())
	if e.beside != nil {
		err = errors.Join(err, e.beside.remove())
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", e.name, err)
	}
	return err
}
