package frame

import (
	"context"
	"slices"
	"strings"
	"weak"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame/internal/bucket"
	"github.com/cairn-go/cairn/frame/internal/locking"
	"github.com/cairn-go/cairn/storage"
)

// A frame is stored in one of three containers: a file, a directory with a file per chunk, or a
// bucket with an object per chunk. The rest of the package uses them through two interfaces: a
// source, in state.go, is immutable and belongs to states; a writer belongs to a handle that may
// change the frame. What only some containers can do is in the small interfaces below.

// A writer stores chunks and commits states. It is used by one change at a time.
type writer interface {
	// fresh reports whether the frame was never committed and still has a temporary name.
	fresh() bool

	// begin begins a change, which ends early when ctx is done. undo drops what was staged since
	// begin; no state may refer to it.
	begin(ctx context.Context)
	undo(committed *state)
	// stage writes a chunk, in pieces, without overwriting committed bytes, and returns its entry.
	// extent returns the length of the data section including staged chunks.
	stage(c [][]byte) (entry int64, err error)
	extent(v *state) int64

	// commit makes next durable in place of committed and returns the state as written. It locks
	// out readers that use locks before they could see next. fatal reports that the durable state
	// is unknown; if readers see next nevertheless, err matches cairn.ErrCommitted.
	commit(ctx context.Context, lock *locking.Lock, committed, next *state) (done *state, fatal bool, err error)

	// close closes open files, and removes those of a fresh frame. sure means that the last commit
	// is known to be durable, and that no other handle is changing the frame.
	close(sure bool) error
}

// A claimant is a writer that excludes other handles while something is staged. Without it, a
// commit finds out whether the frame has changed.
type claimant interface {
	// claim excludes other handles from changing the frame and checks that it is as committed last.
	// It fails with ErrConflict if another handle has the claim or has changed the frame. unclaim
	// releases the claim.
	claim(committed *state) error
	unclaim() error
}

// An untidyWriter is a writer that may leave bytes or files to which the committed state does not
// refer.
type untidyWriter interface {
	hasLeftovers(committed *state) bool
}

// A sweeper is a writer whose commits leave files or bytes to which only older states refer.
type sweeper interface {
	// removes reports whether sweep ever removes anything.
	removes() bool
	// sweep removes what the newest committed state v does not refer to, if noOldReaders reports
	// that no older state is read.
	sweep(v *state, when occasion, noOldReaders func() bool)
}

// A renumberer is a writer that wants low numbers for chunks, and gets some only once files with
// these numbers are swept.
type renumberer interface {
	// needsAnotherCommit reports whether committing v again would lower numbers of chunk files.
	needsAnotherCommit(v *state) bool
}

// A compactor is a writer that leaves dead bytes between chunks.
type compactor interface {
	// shouldCompact reports whether the committed state v has so many that Close removes them.
	shouldCompact(v *state) bool
	// compact is commit, and leaves no dead bytes.
	compact(ctx context.Context, lock *locking.Lock, committed, next *state) (done *state, fatal bool, err error)
	// moveBase is called when the length of the header of next may have changed. It moves the
	// beginning of the data section of a new file behind it, unless it already contains chunks.
	moveBase(next *draft)
}

// A reuser is a writer that uses stored chunks again to which no commit refers.
type reuser interface {
	// spare keeps what was staged and rolled back.
	spare()
	// inherit takes over what another writer of the handle has stored.
	inherit(from writer)
}

// An occasion is what a sweep follows. After a commit, the files of the state before it stay until
// the next one, so that a reader in another process that has not looked since finds its chunks.
type occasion uint8

const (
	afterCommit   occasion = iota
	afterSameness          // another commit of the same contents
	afterRollback
	afterAll // compaction and close: nothing stays
)

// retire arranges that the file of a source that was replaced is closed once no state refers to it.
// The caller holds the mutex of the frame.
// Memory is left to the garbage collector: a cleanup would keep it alive for one more collection.
func (e *env) retire(src source) {
	replaced, ok := src.(retirer)
	if !ok || src.book().lends {
		return
	}

	r := replaced.retire()
	e.retired = append(slices.DeleteFunc(e.retired, func(r *retiredFile) bool { return r.closed.Load() }), r)
}

// contextOf returns the context of a file system that has one.
func contextOf(fsys storage.FS) context.Context {
	if b, ok := fsys.(bucketed); ok {
		ctx, _ := b.Bucket()
		return ctx
	}
	return context.Background()
}

// inBucket returns the objects of a frame if fsys is a bucket, or nil.
func inBucket(fsys storage.FS, path string, limits cairn.Limits) *bucket.Objects {
	b, ok := fsys.(bucketed)
	if !ok {
		return nil
	}
	r := &bucket.Objects{Path: strings.TrimSuffix(path, "/"), Limits: limits.WithDefaults()}
	r.Ctx, r.Bucket = b.Bucket()
	return r
}

func (h *liveStates) add(v *state) {
	h.mu.Lock()
	defer h.mu.Unlock()
	p := weak.Make(v)
	if n := len(h.states); n > 0 && h.states[n-1] == p {
		return
	}
	if len(h.states) == cap(h.states) {
		h.dropCollected()
	}
	h.states = append(h.states, p)
}

// keep keeps v until release is called, or is garbage.
func (h *liveStates) keep(v *state) (release func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	k := &keeper{v}
	if len(h.kept) == cap(h.kept) {
		h.dropCollected()
	}
	h.kept = append(h.kept, weak.Make(k))
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		k.of = nil
	}
}

// dropCollected drops the states that were collected or released.
func (h *liveStates) dropCollected() {
	h.states = slices.DeleteFunc(h.states, func(p weak.Pointer[state]) bool { return p.Value() == nil })
	h.kept = slices.DeleteFunc(h.kept, func(p weak.Pointer[keeper]) bool {
		k := p.Value()
		return k == nil || k.of == nil
	})
}

// others reports whether a state other than cur is still in use.
func (h *liveStates) others(cur *state) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.dropCollected()
	if slices.ContainsFunc(h.states, func(p weak.Pointer[state]) bool {
		v := p.Value()
		return v != nil && v != cur
	}) {
		return true
	}
	return slices.ContainsFunc(h.kept, func(p weak.Pointer[keeper]) bool {
		k := p.Value()
		return k != nil && k.of != nil && k.of != cur
	})
}
