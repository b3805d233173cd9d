package frame

import (
	"sync"
	"sync/atomic"

	"github.com/cairn-go/cairn"
)

// errShared is about chunks whose bytes belong to others: no writer makes such frames, and a small
// one could otherwise become an endless one.
var errShared = cairn.Corruptf("chunk", -1, "its bytes are those of other chunks")

// A ration is the stored bytes that chunks may have together; see [inside.Ration]. By sharing bytes
// a file of a few kilobytes could keep somebody busy for years who decodes all of its chunks, and
// so whoever does takes them from a ration, each once. It is safe for concurrent use.
type ration struct {
	view *state
	left atomic.Int64 // of the data of a contiguous frame

	mu   sync.Mutex
	used map[int64]struct{} // numbers of the chunk files of a sparse frame
}

// ration returns the bytes that all chunks may have together.
func (v *state) ration() *ration {
	r := &ration{view: v}
	if v.apart() {
		r.used = map[int64]struct{}{}
	} else {
		r.left.Store(v.head.CBytes)
	}
	return r
}

// Take takes the bytes of chunk i, of which size are stored. It fails with [cairn.ErrCorrupt] if
// some of the chunks that were taken share theirs; chunks that are only an entry of the index have
// none.
func (r *ration) Take(i, size int) error {
	entry, err := r.view.entry(i)
	if err != nil || entry < 0 || r.take(entry, int64(size)) {
		return err
	}
	return r.view.inChunk(i, entry, errShared)
}

// take is Take for an entry of a stored chunk, and reports whether there was enough.
func (r *ration) take(entry, size int64) bool {
	if r.used == nil {
		return r.left.Add(-size) >= 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	_, again := r.used[entry]
	r.used[entry] = struct{}{}
	return !again
}
