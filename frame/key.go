package frame

import (
	"sync"
	"sync/atomic"

	"github.com/cairn-go/cairn/internal/inside"
)

// Key returns the key of chunk i. It reports false if the chunk is only an index entry or does not
// exist.
func (d *insideChunks) Key(i int) (inside.ChunkKey, bool) {
	v := d.cur.Load()
	if i < 0 || i >= v.index.Len() || v.env.closed.Load() {
		return inside.ChunkKey{}, false
	}
	entry, err := v.entryAt(i)
	if err != nil || entry < 0 {
		return inside.ChunkKey{}, false
	}
	return v.key(entry), true
}

func (v *state) key(entry int64) inside.ChunkKey {
	id := &v.source.book().id
	return inside.ChunkKey{Source: id.number(&v.env.sources), Entry: entry, Generation: id.generation(entry)}
}

// identity gives a source a number that is unique in its handle, and counts how often each entry
// was reused. The zero value has no number yet.
type identity struct {
	own atomic.Uint64

	mu          sync.RWMutex
	generations map[int64]uint64 // how often the content of an entry was removed
}

// number returns the number of the source. If it has none yet, it gets the one after last.
func (d *identity) number(last *atomic.Uint64) uint64 {
	if n := d.own.Load(); n > 0 {
		return n
	}
	d.own.CompareAndSwap(0, last.Add(1))
	return d.own.Load()
}

func (d *identity) generation(entry int64) uint64 {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.generations[entry]
}

// changed records that the content of an entry was removed.
func (d *identity) changed(entry int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.generations == nil {
		d.generations = map[int64]uint64{}
	}
	d.generations[entry]++
}
