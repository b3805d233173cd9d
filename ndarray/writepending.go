package ndarray

import (
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/slab"
)

// A write that covers blocks in part decodes them from the frame. If that reads the whole chunk,
// because a checksum has to be compared or because many blocks are needed, the pending chunk keeps
// the encoded bytes for further writes and for the flush, as long as there is room in the buffer.
// What is flushed when does not depend on these bytes, so neither does the file.

// encodePending makes a chunk with its pending blocks. The other blocks are taken over as they are
// encoded if possible. b may have memory for the encoded chunk.
func (w *worker) encodePending(c *pendingChunk, b *writeBuffer) error {
	p := w.core.part
	w.piece = grid.ChunkPiece{Chunk: c.number}
	w.pending = pendingBlocks{c}
	whole := c.count == len(c.blocks)
	if whole && w.enc.Layout(int(p.ChunkSize)).BlockSize == int(p.BlockSize) {
		return w.encodeBlocks(&w.pending)
	}

	stored, h, err := w.fetchPending(c, b)
	if err != nil {
		return err
	}

	if !whole && h.Layout().BlockSize == int(p.BlockSize) {
		w.want = slab.Resize(w.want, len(c.blocks))
		for i := range w.want {
			w.want[i] = c.blocks[i].data != nil
		}
		if ok, err := w.recode(stored, w.want, &w.pending); ok || err != nil {
			return err
		}
	}

	if err := w.decodeRaw(&h, stored); err != nil {
		return err
	}
	for i := range c.blocks {
		copy(w.raw[int64(i)*p.BlockSize:], c.blocks[i].data)
	}
	return w.encodeRaw()
}

// mergePiece returns the pending blocks of the current chunk with the data of the box in them, or
// nil if there is none. Blocks that the box covers only in part are copied or decoded first.
func (w *worker) mergePiece(src []byte, how *mergeOptions) (*pendingChunk, error) {
	c := w.at.pendingChunk(w.piece.Chunk)
	if c == nil && how.fill {
		same, err := w.alreadyFilled(src)
		if same || err != nil {
			return nil, err
		}
	}

	if c == nil || !how.grow || !w.allPending(c) {
		var missing int
		c, missing = w.preparePending(c, how)
		if missing > 0 {
			if err := w.decodePending(c, missing, how.buffer); err != nil {
				return nil, err
			}
		}
	}

	for k := range w.piece.Blocks() {
		b := w.piece.Block(k)
		if how.mask == nil {
			w.piece.Gather(c.blocks[b].data, b, src)
		} else {
			w.gatherMasked(c.blocks[b].data, b, src, how.mask)
		}
	}
	return c, nil
}

// preparePending returns a chunk like old, which may be nil, with memory for the blocks that the
// box touches. It marks the blocks that must be decoded as wanted, and returns their number.
func (w *worker) preparePending(old *pendingChunk, how *mergeOptions) (c *pendingChunk, missing int) {
	p := w.core.part
	c = &pendingChunk{number: w.piece.Chunk, blocks: make([]pendingBlock, p.BlockCount)}
	if old != nil {
		copy(c.blocks, old.blocks)
		c.count = old.count
		c.encoded = old.encoded
		c.key = old.key
	}

	w.want = slab.Resize(w.want, p.BlockCount)
	clear(w.want)
	for k := range w.piece.Blocks() {
		b := w.piece.Block(k)
		before := c.blocks[b].data
		if before == nil {
			c.count++
		} else if how.grow {
			continue
		}

		data := how.buffer.memory(p.BlockSize)
		switch {
		case how.mask == nil && w.piece.Covers(b):
		case before != nil:
			copy(data, before)
		default:
			w.want[b] = true
			missing++
		}
		c.blocks[b] = pendingBlock{data, how.stamp}
	}
	return c, missing
}

// decodePending decodes the wanted blocks of the current chunk into those of c; missing is their
// number. b may have memory for the encoded chunk.
func (w *worker) decodePending(c *pendingChunk, missing int, b *writeBuffer) error {
	w.pending = pendingBlocks{c}
	if !w.keeps(c) && !w.at.view.Inside().MustCheck(int(c.number)) {
		info, few := w.touchesFew(missing)
		if !few && b.room.Load() < w.at.likelyStored() {
			info, few = w.readsBlocks()
		}
		if few {
			return w.decodeStored(&info, w.want, &w.pending)
		}
	}

	src, h, err := w.fetchPending(c, b)
	if err != nil {
		return err
	}
	if err := w.decodeBlocks(&h, src, w.want, &w.pending); err != nil {
		return err
	}
	w.keep(c, src, b)
	return nil
}

// keeps reports whether c keeps the encoded bytes that the frame has.
func (w *worker) keeps(c *pendingChunk) bool {
	if c.encoded == nil {
		return false
	}
	key, ok := w.at.view.Inside().Key(int(c.number))
	return ok && key == c.key
}

// fetchPending is fetch for a chunk that may keep its encoded bytes. keep may have given the
// worker's memory away, so that another chunk's is taken from b.
func (w *worker) fetchPending(c *pendingChunk, b *writeBuffer) ([]byte, chunk.Header, error) {
	if !w.keeps(c) {
		if cap(w.encoded) == 0 {
			if spare, ok := b.spareEncoded.Get().(*[]byte); ok {
				w.encoded = *spare
			}
		}
		return w.fetch()
	}

	h, err := chunk.ParseHeader(c.encoded)
	return c.encoded, h, err
}

// keep makes c keep src, the current chunk, if there is room in b, unless it is memory of the
// frame, which is not written to: neither that of its file nor that of a chunk's own. Later
// versions of c share the bytes, and so does the version that a rollback returns to, so they are
// not reused before a flush.
func (w *worker) keep(c *pendingChunk, src []byte, b *writeBuffer) {
	view := w.at.view.Inside()
	key, ok := view.Key(int(c.number))
	if !ok || w.keeps(c) || view.Lends() || w.lease.Count > 0 || len(src) == 0 || !b.takes(src) {
		return
	}

	c.encoded = src
	c.key = key
	if cap(w.encoded) > 0 && &w.encoded[:1][0] == &src[0] {
		w.encoded = nil
	}
}

// mergeOptions says how a write is put into pending blocks.
type mergeOptions struct {
	grow   bool   // no reader has seen these items: see buffer_grow.go
	fill   bool   // the source is one item, which the blocks may already repeat
	mask   []bool // which bytes of an item the source has; nil for all
	added  int64  // bytes of blocks that become pending, at most
	stamp  uint64
	buffer *writeBuffer // supplies memory for blocks
}
