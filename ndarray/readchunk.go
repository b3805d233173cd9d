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
	if err := w.at.proxy.require(w.array, w.at.view, &w.piece); err != nil {
		return err
	}
	return w.readFrame(dst)
}

// pendingChunk returns the pending blocks of a chunk, or nil.
func (at *state) pendingChunk(number int64) *pendingChunk { return at.pending.chunk(number) }

// readPending is read for a chunk with pending blocks, which come from memory; the others come from
// the frame.
func (w *worker) readPending(c *pendingChunk, dst []byte) error {
	touched, missing := w.piece.Blocks(), false
	for k := 0; k < touched && !missing; k++ {
		missing = c.blocks[w.piece.Block(k)].data == nil
	}
	if missing {
		w.skip = c
		err := w.readFrame(dst)
		w.skip = nil
		if err != nil {
			return err
		}
	}
	for k := range touched {
		b := w.piece.Block(k)
		if data := c.blocks[b].data; data != nil {
			w.piece.Scatter(dst, b, data)
		}
	}
	return nil
}

// readFrame is read for a chunk without pending blocks.
func (w *worker) readFrame(dst []byte) error {
	if done, err := w.readCached(dst); done || err != nil {
		return err
	}
	return w.readStored(dst)
}

// readStored is readFrame without a cache. It decodes the blocks that the plan touches, straight
// into the caller's memory where the layout is the same.
func (w *worker) readStored(dst []byte) error {
	w.sink = scatterSink{piece: &w.piece, dense: dst}
	if info, ok := w.touchesFew(w.piece.Blocks()); ok {
		return w.decodeStored(&info, w.touchedBlocks(), &w.sink)
	}
	src, h, err := w.fetch()
	if err != nil {
		return err
	}
	var item []byte
	switch h.Special() {
	case chunk.SpecialNone:
		return w.decodeBlocks(&h, src, w.wantedBlocks(src), &w.sink)
	case chunk.SpecialZeros, chunk.SpecialUninit:
	default:
		if item, err = w.repeated(src); err != nil {
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

// wantedBlocks returns the mask of the blocks that the box touches, or nil for all. If a chunk is
// too short even to list its blocks, wanted makes no mask: the chunk will fail to decode.
func (w *worker) wantedBlocks(src []byte) []bool {
	if w.skip == nil && int64(w.piece.Blocks()) == w.array.part.BlockCount || w.array.part.BlockCount > int64(len(src)) {
		return nil
	}
	return w.touchedBlocks()
}

// touchedBlocks returns the mask of the blocks that the box touches.
func (w *worker) touchedBlocks() []bool {
	w.want = slab.Resize(w.want, w.array.part.BlockCount)
	clear(w.want)
	grid.Mark(w.piece.Piece, w.want)
	if w.skip != nil {
		w.skip.unmark(w.want)
	}
	return w.want
}

// unmark removes the pending blocks from those to decode.
func (c *pendingChunk) unmark(want []bool) {
	for b := range want {
		want[b] = want[b] && c.blocks[b].data == nil
	}
}
