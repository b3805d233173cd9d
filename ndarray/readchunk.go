package ndarray

import (
	"github.com/cairn-go/cairn/chunk"
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
