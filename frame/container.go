package frame

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/frame/internal/locking"
	"github.com/cairn-go/cairn/storage"
)

// A frame is stored in one of three containers: a file, a directory with a file per chunk, or a
// bucket with an object per chunk. The rest of the package uses them through two interfaces: a
// source is immutable and belongs to states; a writer belongs to a handle that may change the
// frame.

// A source gives access to the bytes of chunks. It is safe for concurrent use.
type source interface {
	// open returns the bytes from the beginning of the chunk of a non-negative entry on. extent is
	// the length of the data section.
	open(entry, extent int64) (span, error)
	// check validates a non-negative entry without reading the chunk.
	check(entry, extent int64) error
	// file returns the file that contains all chunks, or nil if each chunk has its own file.
	file() storage.File
	// name returns the name of the chunk file of an entry, or "" if chunks share one file.
	name(entry int64) string
	// offset returns the offset of the chunk of an entry in its file.
	offset(entry int64) int64
	// checked returns the set of entries whose chunks matched their checksums.
	checked() *checked
	// self returns the identity of the source.
	self() *identity
	// survey adds dead, overlapping and unreferenced bytes to the report of c.
	survey(c *chunkVerifier) error
}

// A writer stores chunks and commits states. It is used by one change at a time.
type writer interface {
	// fresh reports whether the frame was never committed and still has a temporary name.
	fresh() bool

	// claim excludes other handles from changing the frame and checks that it is as committed last.
	// It fails with ErrConflict if another handle has the claim or has changed the frame. unclaim
	// releases the claim.
	claim(committed *state) error
	unclaim() error

	// mark begins a change, which ends early when ctx is done. undo drops what was staged since
	// mark; no state may refer to it.
	mark(ctx context.Context)
	undo(committed *state)
	// stage writes a chunk without overwriting committed bytes, and returns its entry. extent
	// returns the length of the data section including staged chunks.
	stage(c []byte) (entry int64, err error)
	extent(v *state) int64

	// commit makes next durable in place of committed and returns the state as written. It locks
	// out readers that use locks before they could see next. fatal reports that the durable state
	// is unknown; if readers see next nevertheless, err matches cairn.ErrCommitted.
	commit(ctx context.Context, lock *locking.Lock, committed, next *state) (done *state, fatal bool, err error)

	// hasLeftovers reports whether there may be bytes or files that the committed state v does not
	// refer to.
	hasLeftovers(v *state) bool
	// sweep removes what the newest committed state v does not refer to, if noOldReaders reports
	// that no older state is read.
	sweep(v *state, when occasion, noOldReaders func() bool)

	// close closes open files; sure means that the last commit is known to be durable.
	close(sure bool) error
	// abandon removes the files of a fresh frame.
	abandon() error
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

// isSparse reports whether each chunk has a file of its own.
func (v *state) isSparse() bool { return v.source.file() == nil }

// footer returns how many bytes the data section has per chunk besides the chunk. Headers of sparse
// frames do not count footers.
func (v *state) footer() int64 {
	if v.isSparse() || v.env.Deterministic {
		return 0
	}
	return format.FooterSize
}

// apart is what the sources have in common whose chunks are not in one file.
type apart struct {
	verified checked
	id       identity
}

func (s *apart) checked() *checked  { return &s.verified }
func (s *apart) self() *identity    { return &s.id }
func (s *apart) file() storage.File { return nil }
func (s *apart) offset(int64) int64 { return 0 }

// retiredFile is a file that was replaced by another. It is closed when no state refers to it, or
// with the frame.
type retiredFile struct {
	file   storage.File
	once   sync.Once
	closed atomic.Bool
}

func (r *retiredFile) close() error {
	var err error
	r.once.Do(func() {
		err = r.file.Close()
		r.closed.Store(true)
	})
	return err
}

// retire arranges that the file of a source that was replaced is closed once no state refers to it,
// unless chunks have their own files. The caller holds the mutex of the frame.
// Memory is left to the garbage collector: a cleanup would keep it alive for one more collection.
func (e *env) retire(src source) {
	c, ok := src.(*contiguous)
	if !ok || e.private {
		return
	}
	r := c.retire()
	e.retired = append(slices.DeleteFunc(e.retired, func(r *retiredFile) bool { return r.closed.Load() }), r)
}

// liveStates holds weak references to the states that were handed out, so as to know which are
// still in use.
type liveStates struct {
	mu     sync.Mutex
	states []weak.Pointer[state]
	kept   []weak.Pointer[keeper]
}

// A keeper keeps a state until it is released, or is garbage.
type keeper struct{ of *state }

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
