package frame

import (
	"sync"
	"sync/atomic"

	"github.com/cairn-go/cairn"
)

// errShared is the error for chunks that share stored bytes. No writer makes such frames, and a
// small one could take forever to decode.
var errShared = cairn.Corruptf("chunk", -1, "it shares its bytes with other chunks")

// A ration limits the stored bytes of all chunks together; see [inside.Ration]. If chunks shared
// bytes, a file of a few kilobytes could take years to decode. A reader of all chunks therefore
// takes each from a ration, once. A ration is safe for concurrent use.
type ration struct {
	view *state
	left atomic.Int64 // bytes of the data section of a contiguous frame not taken yet

	mu   sync.Mutex
	used map[int64]struct{} // numbers of the chunk files of a sparse frame
}

// ration returns a ration of all stored bytes of v.
func (v *state) ration() *ration {
	r := &ration{view: v}
	if v.apart() {
		r.used = map[int64]struct{}{}
	} else {
		r.left.Store(v.head.CBytes)
	}
	return r
}

// Take takes the size stored bytes of chunk i. It fails with [cairn.ErrCorrupt] if chunks that were
// taken share bytes. Chunks that are only an index entry take none.
func (r *ration) Take(i, size int) error {
	entry, err := r.view.entry(i)
	if err != nil || entry < 0 || r.take(entry, int64(size)) {
		return err
	}
	return r.view.inChunk(i, entry, errShared)
}

// take is Take for the entry of a stored chunk. It reports whether enough was left.
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
