package ndarray

import (
	"cmp"
	"slices"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/internal/decoded"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/slab"
)

// read copies the plan's items of the current chunk into memory.
func (w *worker) read(dst []byte) error {
	if c := w.at.pendingChunk(w.piece.Chunk); c != nil {
		return w.readPending(c, dst)
	}
	if err := w.at.proxy.require(w.core, w.at.view, &w.piece); err != nil {
		return err
	}
	return w.readFrame(dst)
}

// readPending is read for a chunk with pending blocks, which come from memory; the others come from
// the frame.
func (w *worker) readPending(c *pendingChunk, dst []byte) error {
	if !w.allPending(c) {
		w.skip = c
		err := w.readFrame(dst)
		w.skip = nil
		if err != nil {
			return err
		}
	}

	for k := range w.piece.Blocks() {
		b := w.piece.Block(k)
		if data := c.blocks[b].data; data != nil {
			w.piece.Scatter(dst, b, data)
		}
	}
	return nil
}

// readFrame is read for a chunk without pending blocks. It takes from the cache what is there.
func (w *worker) readFrame(dst []byte) error {
	missing := w.piece.Blocks()
	if w.cache.owner == nil {
		return w.readStored(dst, missing)
	}

	defer w.lookup.reset()
	missing = w.lookUp(dst)
	switch {
	case missing == 0:
		return nil
	case len(w.lookup.wish) > 0:
		return w.readKept(dst)
	}
	return w.readStored(dst, missing)
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

// readStored decodes blocks of the current chunk, as many as are missing, straight into the
// caller's memory where the layout is the same.
func (w *worker) readStored(dst []byte, missing int) error {
	w.sink = scatterSink{piece: &w.piece, dense: dst, lookup: &w.lookup}
	if info, ok := w.touchesFew(missing); ok {
		return w.decodeStored(&info, w.touchedBlocks(), &w.sink)
	}

	src, h, err := w.fetch()
	if err != nil {
		return err
	}

	var item []byte // nil for zeros
	switch h.Special() {
	case chunk.SpecialNone:
		return w.decodeBlocks(&h, src, w.wantedBlocks(src), &w.sink)
	case chunk.SpecialZeros, chunk.SpecialUninit:
	default:
		item, err = w.repeated(src)
		if err != nil {
			return err
		}
		if item == nil {
			return w.decodeBlocks(&h, src, w.wantedBlocks(src), &w.sink)
		}
	}

	w.tally.ChunksSpecial++
	w.piece.Fill(dst, item)
	return nil
}

// wantedBlocks returns the mask of the blocks that are needed, or nil for all. If a chunk is too
// short even to list its blocks, wantedBlocks makes no mask: the chunk will fail to decode.
func (w *worker) wantedBlocks(src []byte) []bool {
	n := int64(w.piece.Blocks())
	switch {
	case w.lookup.on:
		n = int64(len(w.lookup.need))
	case w.skip != nil:
		n = -1
	}
	if n == w.core.part.BlockCount || w.core.part.BlockCount > int64(len(src)) {
		return nil
	}
	return w.touchedBlocks()
}

// touchedBlocks returns the mask of the blocks that are needed: those that the box touches, without
// those that are pending, and those that the cache has.
func (w *worker) touchedBlocks() []bool {
	w.want = slab.Resize(w.want, w.core.part.BlockCount)
	clear(w.want)
	if w.lookup.on {
		for _, b := range w.lookup.need {
			w.want[b] = true
		}
		return w.want
	}

	grid.Mark(w.piece.Piece, w.want)
	if w.skip != nil {
		w.skip.unmark(w.want)
	}
	return w.want
}

// allPending reports whether all blocks that the box touches are pending.
func (w *worker) allPending(c *pendingChunk) bool {
	for k := range w.piece.Blocks() {
		if c.blocks[w.piece.Block(k)].data == nil {
			return false
		}
	}
	return true
}
