package hdf5

import (
	"github.com/cairn-go/cairn/hdf5/internal/format"
	"github.com/cairn-go/cairn/internal/grid"
)

// The next rows belong to the chunks that the last ones have not filled. These are kept, so that
// nothing is read for them, and of chunks without filters only the new rows are written.

// A keptChunk is a chunk as it is in the file, with what is not committed.
type keptChunk struct {
	place format.Place
	items []byte
}

// keptChunks are chunks of at most so many bytes.
type keptChunks struct {
	most, bytes int64
	chunks      map[grid.Vec]*keptChunk
}

// take returns a chunk, which is not kept any more, or nil.
func (k *keptChunks) take(at grid.Vec) *keptChunk {
	c := k.chunks[at]
	if c != nil {
		delete(k.chunks, at)
		k.bytes -= int64(len(c.items))
	}
	return c
}

// keep keeps a chunk, and reports whether there is room for it.
func (k *keptChunks) keep(at grid.Vec, c *keptChunk) bool {
	if k.bytes+int64(len(c.items)) > k.most {
		return false
	}
	if k.chunks == nil {
		k.chunks = map[grid.Vec]*keptChunk{}
	}
	k.chunks[at] = c
	k.bytes += int64(len(c.items))
	return true
}
