package frame

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/cairn-go/cairn/frame/internal/locking"
	"github.com/cairn-go/cairn/storage"
)

// A frame lies in one of two containers: a file, or a directory in which each chunk has a file of
// its own. Two interfaces are all that the rest of the package knows of them: the source, which
// states refer to and nothing changes, and the writer, which a handle has that may change the
// frame.

// A source is where the bytes of chunks are. It is safe for concurrent use.
type source interface {
	// open returns the bytes that begin with the chunk of a non-negative entry. extent is the
	// length of the data section.
	open(entry, extent int64) (span, error)
	// check judges a non-negative entry without looking at what it points to.
	check(entry, extent int64) error
	// file returns the one file that all chunks are in, nil if each has a file of its own.
	file() storage.File
	// name returns the name of the file that the chunk of an entry has to itself, or "".
	name(entry int64) string
	// offset returns where in its file the chunk of an entry begins.
	offset(entry int64) int64
	// checked returns the set of entries whose chunks have been compared with their checksums.
	checked() *checked
	// self returns what tells the source from others.
	self() *identity
	// survey reports what lies between and beside the chunks that were verified.
	survey(c *chunkVerifier) error
	// retire gives up the file, which states may still be read from. It returns nil if there is
	// none.
	retire() *retiredFile
}

// A writer puts chunks and states where they become durable. It is used by one change at a time.
type writer interface {
	// fresh reports whether there is nothing under the frame's name yet.
	fresh() bool
	// private reports whether nobody else can know of the frame, not even by its lock.
	private() bool

	// claim makes sure that nobody else is changing the frame, and that it is as it was committed
	// last, or fails with ErrConflict. unclaim ends that.
	claim(committed *state) error
	unclaim() error

	// mark begins a change. undo forgets what was staged since, which no state refers to.
	mark()
	undo(committed *state)
	// stage stores a chunk where nothing committed is, and returns its entry. extent is then the
	// new length of the data section, of which the chunk has footer bytes besides its own.
	stage(c []byte) (entry int64, err error)
	extent(v *state) int64
	footer() int64
	// exact reports whether what chunks have together must be known to the byte.
	exact() bool
	// moveBase is told that the header of next may have another length than before.
	moveBase(next *draft)

	// commit makes next durable in the place of committed and returns it as it is then. It excludes
	// readers that lock from the moment when they could see next. fatal tells that nobody knows
	// what is durable now. compact does the same, and leaves no dead bytes.
	commit(ctx context.Context, lock *locking.Lock, committed, next *state) (done *state, fatal bool, err error)
	compact(ctx context.Context, lock *locking.Lock, committed, next *state) (done *state, fatal bool, err error)

	// wasteful reports whether most of what a committed state takes is dead, so that compact is
	// cheap.
	wasteful(v *state) bool
	// unsettled reports whether committing v again would improve it.
	unsettled(v *state) bool
	// untidy reports whether there may be something that v, which is committed, does not refer to.
	untidy(v *state) bool
	// sweep removes what v, which is committed and the newest state, does not refer to, if
	// unwatched says that nobody reads older ones.
	sweep(v *state, unwatched func() bool)

	// close closes what is open; sure tells that what was committed last is durable.
	close(sure bool) error
	// abandon removes everything of a fresh frame.
	abandon() error
}

// apart reports whether each chunk has a file of its own.
func (v *state) apart() bool { return v.source.file() == nil }

// retiredFile is a file that another one has replaced. It is closed when no state refers to it any
// more, or with the frame.
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

// retire gives up the file of a source. The caller holds the mutex of the frame. Memory is left to
// the collector: a cleanup would keep it alive for one collection more, and the heap would grow
// with each of them.
func (e *env) retire(src source) {
	if e.private {
		return
	}
	r := src.retire()
	if r == nil {
		return
	}
	e.retired = append(slices.DeleteFunc(e.retired, func(r *retiredFile) bool { return r.closed.Load() }), r)
}

// handed is the states that somebody outside may have, as long as they do.
type handed struct {
	mu     sync.Mutex
	states []weak.Pointer[state]
}

func (h *handed) add(v *state) {
	h.mu.Lock()
	defer h.mu.Unlock()
	p := weak.Make(v)
	if n := len(h.states); n > 0 && h.states[n-1] == p {
		return
	}
	if len(h.states) == cap(h.states) {
		h.forget()
	}
	h.states = append(h.states, p)
}

// forget drops the states that nobody has any more.
func (h *handed) forget() {
	h.states = slices.DeleteFunc(h.states, func(p weak.Pointer[state]) bool { return p.Value() == nil })
}

// others reports whether somebody has another state than cur.
func (h *handed) others(cur *state) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.forget()
	return slices.ContainsFunc(h.states, func(p weak.Pointer[state]) bool {
		v := p.Value()
		return v != nil && v != cur
	})
}
