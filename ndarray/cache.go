package ndarray

import (
	"context"
	"errors"
	"sort"

	"github.com/cairn-go/cairn/internal/decoded"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/inside"
)

// SetCacheBytes sets how many bytes the process keeps of decoded chunks and blocks, of all arrays
// and files that are open, and returns how many it was: 64 MiB until it is set, or a sixteenth of
// the process's memory limit (GOMEMLIMIT) if that is less. 0 keeps nothing.
//
// What is kept are chunks of HDF5, NetCDF-4 and Zarr files, and blocks of Blosc2 arrays, of which
// reads took a part: reading plane by plane decodes each once, and so do goroutines that need one
// at the same time. Blocks that are read once, here and there, whole chunks and blocks, and reads
// that touch more than half of the bytes leave nothing. What is kept of a file ends when that is
// closed.
func SetCacheBytes(bytes int64) (was int64) { return decoded.Shared().SetBudget(bytes) }

// newOwner returns what keeps blocks of an array, or nil. Codecs and filters of the caller never
// see memory of other arrays.
func newOwner(c *core, none bool) *decoded.Owner {
	cache := decoded.Shared()
	if none || cache.NoBlocks.Load() || c.engine.Codecs != nil || c.engine.Filters != nil {
		return nil
	}
	return cache.Owner()
}

// keeping is what one read may leave in the cache.
type keeping struct {
	owner   *decoded.Owner // nil if the read does without the cache
	follows grid.Direction // of the loop that its box belongs to
	// how many blocks: the first of them, so that they are the same for all boxes of a loop
	most int
	each int // blocks in a chunk
}

// lookup is what a worker knows of the cache for its current piece.
type lookup struct {
	on      bool // need has the blocks to decode; otherwise these are all that the piece touches
	key     decoded.Key
	need    []int
	wish    []int // those of them that the cache should have
	taken   []takenBlock
	verdict error // of what is being decoded
}

// A takenBlock is a block that this worker decodes into the cache, or another one does.
type takenBlock struct {
	block int
	entry *decoded.Entry
	lead  bool
	made  bool
}

var errPanicked = errors.New("the decoder has panicked")

// keyOf returns the key of a block.
func keyOf(chunk inside.ChunkKey, block int) decoded.Key {
	return decoded.Key{Array: chunk.Source, Chunk: chunk.Entry, Version: chunk.Generation, Block: int32(block)}
}

// of returns a block if it was taken, or nil. It does not read what others may be setting: that the
// block has been made.
func (l *lookup) of(block int) *takenBlock {
	i := sort.Search(len(l.taken), func(i int) bool { return l.taken[i].block >= block })
	if i == len(l.taken) || l.taken[i].block != block {
		return nil
	}
	return &l.taken[i]
}

// memory returns where a block is to be decoded if this worker decodes it into the cache, or nil.
func (l *lookup) memory(block, size int) []byte {
	if len(l.taken) == 0 {
		return nil
	}
	t := l.of(block)
	if t == nil || !t.lead || len(t.entry.Data) != size {
		return nil
	}
	t.made = true
	return t.entry.Data
}

// finish ends the decoding of a block.
func (t *takenBlock) finish(ctx context.Context, err error) {
	if err == nil && !t.made {
		err = errPanicked
	}
	t.entry.Done(ctx, err)
}

// end gives up what is still taken.
func (l *lookup) end(ctx context.Context) {
	for _, t := range l.taken {
		if t.entry == nil {
			continue
		}
		if t.lead && l.verdict != nil {
			t.finish(ctx, l.verdict)
		}
		t.entry.Release()
	}
	l.reset()
}

// reset forgets the piece.
func (l *lookup) reset() {
	l.on = false
	l.need = l.need[:0]
	l.wish = l.wish[:0]
	clear(l.taken)
	l.taken = l.taken[:0]
}
