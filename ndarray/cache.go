package ndarray

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/cairn-go/cairn/chunk"
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
	if none || c.engine.Codecs != nil || c.engine.Filters != nil {
		return nil
	}
	return decoded.Shared().Owner()
}

// keeping is what one read may leave in the cache.
type keeping struct {
	owner   *decoded.Owner // nil if the read does without the cache
	follows grid.Direction // of the loop that its box belongs to
	most    int            // blocks: the first of them, so that they are the same for all boxes of a loop
	each    int            // blocks in a chunk
}

// keeping returns what a read may leave in the cache. One that touches more blocks than fit leaves
// nothing, for they would drive out each other. But the next box of a loop finds those that fit.
func (r *runner) keeping(plan grid.Plan) (k keeping) {
	cache := r.keep.Cache()
	if cache == nil || r.part.BlockSize > r.engine.Limits.MaxAlloc {
		return k
	}

	k.owner = r.keep
	k.each = int(r.part.BlockCount)
	fit := min(cache.Most()/(r.part.BlockSize+decoded.EntryBytes), 1<<30)
	box, ok := plan.(*grid.Box)
	if !ok {
		k.most = int(r.blocksWithin(plan, fit))
		return k
	}

	start, stop := box.Bounds()
	k.follows = r.loop.Next(start[:r.part.Dims], stop[:r.part.Dims])
	blocks := box.Blocks()
	k.each = int((blocks-1)/int64(box.Pieces) + 1)
	if blocks <= fit || k.follows.Goes() {
		k.most = int(min(blocks, fit))
	}
	return k
}

// blocksWithin returns how many blocks a plan touches, or 0 if these are more than most.
func (r *runner) blocksWithin(plan grid.Plan, most int64) int64 {
	w := r.pool.take()
	defer r.pool.release(w)

	blocks := int64(0)
	for i := range plan.NumPieces() {
		w.take(plan, i)
		blocks += int64(w.piece.Blocks())
		if blocks > most {
			return 0
		}
	}
	return blocks
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

// lookUp copies the blocks of the current piece that the cache has, and chooses those that it
// should have from now on. It returns how many blocks are missing.
func (w *worker) lookUp(dst []byte) (missing int) {
	all := w.piece.Blocks()
	owner := w.cache.owner
	empty := owner.Empty()
	if empty && (w.piece.Whole || w.cache.most == 0) {
		return all
	}
	key, ok := w.at.view.Inside().Key(int(w.piece.Chunk))
	if !ok {
		return all
	}

	l := &w.lookup
	l.on = true
	l.key = keyOf(key, 0)
	for k := range all {
		b := w.piece.Block(k)
		if w.skip != nil && w.skip.blocks[b].data != nil {
			continue
		}

		l.key.Block = int32(b)
		if e := w.found(empty); e != nil {
			w.piece.Scatter(dst, b, e.Data)
			e.Release()
			w.tally.CacheHits++
			continue
		}
		l.need = append(l.need, b)
		if w.number*w.cache.each+k < w.cache.most && w.worth(b) {
			l.wish = append(l.wish, b)
		}
	}

	w.tally.CacheMisses += int64(len(l.need))
	return len(l.need)
}

// keyOf returns the key of a block.
func keyOf(chunk inside.ChunkKey, block int) decoded.Key {
	return decoded.Key{Array: chunk.Source, Chunk: chunk.Entry, Version: chunk.Generation, Block: int32(block)}
}

// found returns the entry of the key that is looked up, or nil.
func (w *worker) found(empty bool) *decoded.Entry {
	if empty {
		return nil
	}
	return w.cache.owner.Get(w.lookup.key)
}

// worth reports whether a block should be kept: if only a part of it is read, and the next box of a
// loop needs it too, or another read has lately needed it.
func (w *worker) worth(block int) bool {
	if box, ok := w.piece.Piece.(*grid.BoxPiece); ok {
		if box.Holds(block) {
			return false
		}
		if w.cache.follows.MoreOf(box, block) {
			return true
		}
	} else if w.piece.Covers(block) {
		return false
	}
	return w.cache.owner.Worth(w.lookup.key, w.core.part.BlockSize, 1)
}

// readKept is readStored for blocks that the cache should have. Special chunks need no cache, and
// for those that cannot be decoded readStored says why.
func (w *worker) readKept(dst []byte) error {
	l := &w.lookup
	info, err := w.at.view.Peek(int(w.piece.Chunk))
	if err != nil || info.Kind != chunk.SpecialNone || w.core.part.BlockCount > int64(info.CBytes) {
		return w.readStored(dst, len(l.need))
	}

	defer l.end(w.ctx)
	for len(l.need) > 0 {
		l.verdict = errPanicked
		w.begin()
		if len(l.need) > 0 {
			err = w.readStored(dst, len(l.need))
		}
		l.verdict = err
		if err == nil {
			err = w.settle(dst)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// begin asks the cache for memory for the blocks that it should have. Those that others are
// decoding need not be decoded. The caller decodes the others at once.
func (w *worker) begin() {
	l := &w.lookup
	for _, b := range l.wish {
		l.key.Block = int32(b)
		e, lead := w.cache.owner.Begin(l.key, w.core.part.BlockSize)
		if e != nil {
			l.taken = append(l.taken, takenBlock{block: b, entry: e, lead: lead})
		}
	}
	slices.SortFunc(l.taken, func(a, b takenBlock) int { return cmp.Compare(a.block, b.block) })
	l.wish = l.wish[:0]
	l.need = slices.DeleteFunc(l.need, func(b int) bool {
		t := l.of(b)
		return t != nil && !t.lead
	})
}

// of returns a block if it was taken, or nil.
func (l *lookup) of(block int) *takenBlock {
	i, ok := slices.BinarySearchFunc(l.taken, block, func(t takenBlock, b int) int { return cmp.Compare(t.block, b) })
	if !ok {
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

// settle copies the blocks that were taken, also those that others decode: it waits for them. What
// they could not decode, this worker needs to.
func (w *worker) settle(dst []byte) error {
	l := &w.lookup
	l.need = l.need[:0]
	for _, t := range l.taken {
		if t.lead {
			t.finish(w.ctx, nil)
		}
	}

	for i := range l.taken {
		t := &l.taken[i]
		ok := t.made
		if !t.lead {
			var again bool
			var err error
			ok, again, err = t.entry.Wait(w.ctx)
			if err != nil {
				return err
			}
			if !ok {
				l.need = append(l.need, t.block)
			}
			if again {
				l.wish = append(l.wish, t.block)
			}
		}
		if ok {
			w.piece.Scatter(dst, t.block, t.entry.Data)
		}
		t.entry.Release()
		t.entry = nil
	}
	l.taken = l.taken[:0]
	return nil
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
