package ndarray

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/slab"
)

// encodeFunc appends to out the current chunk of a worker, with the plan's items in it replaced.
type encodeFunc func(w *worker, out, src []byte) ([]byte, error)

// encode appends the current chunk, with the plan's items in it replaced, to out.
func (w *worker) encode(out, src []byte) ([]byte, error) {
	p := w.array.part
	if !w.piece.Whole {
		return w.encodePartly(out, src)
	}
	if w.enc.Layout(int(p.ChunkSize)).BlockSize == int(p.BlockSize) {
		w.source = gatherSource{piece: &w.piece, dense: src}
		return w.encodeBlocks(out, &w.source)
	}
	w.raw = slab.Resize(w.raw, p.ChunkSize)
	clear(w.raw)
	return w.overlay(out, src)
}

// encodeFilled appends the current chunk with the plan's items in it set to item. If the plan
// covers the chunk, that is a special chunk, padding included.
func (w *worker) encodeFilled(out, item []byte) ([]byte, error) {
	if !w.piece.Whole {
		return w.encodePartly(out, item)
	}
	return w.array.repeatedChunk(out, item)
}

// encodePartly appends the current chunk with the plan's items in it. If the stored chunk allows
// it, only the touched blocks are decoded and encoded; otherwise the whole chunk is.
func (w *worker) encodePartly(out, src []byte) ([]byte, error) {
	stored, h, err := w.fetch()
	if err != nil {
		return out, err
	}
	if err := w.reserveRaw(); err != nil {
		return out, err
	}
	if h.Layout().BlockSize == int(w.array.part.BlockSize) {
		if out, ok, err := w.rewrite(&h, out, stored, src); ok || err != nil {
			return out, err
		}
	}
	if err := w.decodeRaw(&h, stored); err != nil {
		return out, err
	}
	return w.overlay(out, src)
}

// encodeMasked appends the current chunk with the masked bytes of the plan's items in it.
func (w *worker) encodeMasked(out, src []byte, mask []bool) ([]byte, error) {
	stored, h, err := w.fetch()
	if err != nil {
		return out, err
	}
	if err := w.decodeRaw(&h, stored); err != nil {
		return out, err
	}
	for k := range w.piece.Blocks() {
		b := w.piece.Block(k)
		w.gatherMasked(w.block(b), b, src, mask)
	}
	return w.encodeRaw(out)
}

// gatherMasked writes the masked bytes of the plan's items in block b into the block.
func (w *worker) gatherMasked(block []byte, b int, src []byte, mask []bool) {
	w.item = append(w.item[:0], block...)
	w.piece.Gather(block, b, src)
	// Items that were not gathered are the same in both.
	for item := w.item; len(item) >= len(mask); item, block = item[len(mask):], block[len(mask):] {
		for i, taken := range mask {
			if !taken {
				block[i] = item[i]
			}
		}
	}
}

// rewrite appends the current chunk with the touched blocks replaced, and reports whether that is
// possible. It decodes only those of these blocks that keep some of their items.
func (w *worker) rewrite(h *chunk.Header, out, stored, src []byte) ([]byte, bool, error) {
	p, met := w.array.part, w.piece.Blocks()
	blocks := int(p.ChunkSize / p.BlockSize)
	if met == blocks {
		return out, false, nil // a chunk that becomes constant is stored as a special chunk
	}
	w.want = slab.Resize(w.want, blocks)
	clear(w.want)
	for k := range met {
		b := w.piece.Block(k)
		w.want[b] = !w.piece.Covers(b)
	}
	w.blocks = wholeChunk{data: w.raw, blockSize: int(p.BlockSize)}
	if err := w.decodeBlocks(h, stored, w.want, &w.blocks); err != nil {
		return out, false, err
	}
	clear(w.want)
	grid.Mark(w.piece.Piece, w.want)
	w.gather(src)
	return w.recode(out, stored, w.want, &w.blocks)
}

// overlay puts the plan's items into the decoded chunk and encodes it.
func (w *worker) overlay(out, src []byte) ([]byte, error) {
	w.gather(src)
	return w.encodeRaw(out)
}

// gather puts the plan's items into the decoded chunk.
func (w *worker) gather(src []byte) {
	for k := range w.piece.Blocks() {
		b := w.piece.Block(k)
		w.piece.Gather(w.block(b), b, src)
	}
}

// repeatedChunk appends a special chunk in which every item is the given one.
func (u *handleCore) repeatedChunk(out, item []byte) ([]byte, error) {
	p := u.part
	kind := repeatedKind(item)
	if kind != chunk.SpecialValue {
		item = nil
	}
	out, err := chunk.AppendSpecial(out, kind, item, int(p.ChunkSize), int(p.ItemSize), int(p.BlockSize))
	if err != nil {
		return out, fmt.Errorf("fill: %w", err)
	}
	return out, nil
}

// repeatedKind returns the special kind for the bytes of an item. NaN chunks exist for 4 and 8
// bytes, and for one bit pattern of each.
func repeatedKind(item []byte) chunk.Special {
	switch {
	case len(item) == 4 && binary.LittleEndian.Uint32(item) == govalue.QuietNaN32,
		len(item) == 8 && binary.LittleEndian.Uint64(item) == govalue.QuietNaN64:
		return chunk.SpecialNaN
	case slices.ContainsFunc(item, func(b byte) bool { return b != 0 }):
		return chunk.SpecialValue
	}
	return chunk.SpecialZeros
}

// encodeRevealed appends the current chunk with the items of the box set to item, or nothing if
// they already have that value.
func (w *worker) encodeRevealed(out, item []byte) ([]byte, error) {
	same, err := w.alreadyFilled(item)
	if same || err != nil {
		return out, err
	}
	return w.encodePartly(out, item)
}

// alreadyFilled reports whether all items of the box in the current chunk have the given value.
func (w *worker) alreadyFilled(item []byte) (bool, error) {
	src, h, err := w.fetch()
	if err != nil {
		return false, err
	}
	if h.Special() != chunk.SpecialNone {
		repeated, err := w.repeated(src)
		return bytes.Equal(repeated, item), err
	}
	if err := w.reserveRaw(); err != nil {
		return false, err
	}
	w.blocks = wholeChunk{data: w.raw, blockSize: int(w.array.part.BlockSize)}
	if err := w.decodeBlocks(&h, src, w.wantedBlocks(src), &w.blocks); err != nil {
		return false, err
	}
	var probe []byte
	for k := range w.piece.Blocks() {
		b := w.piece.Block(k)
		probe = append(probe[:0], w.block(b)...)
		if w.piece.Gather(probe, b, item); !bytes.Equal(probe, w.block(b)) {
			return false, nil
		}
	}
	return true, nil
}

// encodeBlocks appends a chunk of the blocks of src.
func (w *worker) encodeBlocks(out []byte, src chunk.BlockSource) ([]byte, error) {
	began := time.Now()
	out, err := w.enc.AppendBlocks(out, int(w.array.part.ChunkSize), src)
	w.encodedOne(began)
	return out, err
}

// encodeRaw encodes the worker's decoded chunk and appends it.
func (w *worker) encodeRaw(out []byte) ([]byte, error) {
	began := time.Now()
	out, err := w.enc.Append(out, w.raw)
	w.encodedOne(began)
	return out, err
}

// recode appends the chunk old with new blocks where changed is true. It reports false if that is
// not possible.
func (w *worker) recode(out, old []byte, changed []bool, src chunk.BlockSource) ([]byte, bool, error) {
	began := time.Now()
	out, ok, err := w.enc.Rewrite(out, old, changed, src)
	w.tally.EncodeTime += time.Since(began)
	if ok {
		w.tally.ChunksRecoded++
		for _, c := range changed {
			if c {
				w.tally.BytesEncoded += w.array.part.BlockSize
			}
		}
	}
	return out, ok, err
}

func (w *worker) encodedOne(began time.Time) {
	w.tally.EncodeTime += time.Since(began)
	w.tally.ChunksEncoded++
	w.tally.BytesEncoded += w.array.part.ChunkSize
}

// encodePending appends a chunk with its pending blocks. The other blocks are taken over as they
// are encoded if possible.
func (w *worker) encodePending(out []byte, c *pendingChunk) ([]byte, error) {
	p := w.array.part
	w.piece = grid.ChunkPiece{Chunk: c.number}
	w.pending = pendingBlocks{c}
	cut := w.enc.Layout(int(p.ChunkSize)).BlockSize == int(p.BlockSize)
	if c.count == len(c.blocks) && cut {
		return w.encodeBlocks(out, &w.pending)
	}
	stored, h, err := w.fetchPending(c)
	if err != nil {
		return out, err
	}
	if h.Layout().BlockSize == int(p.BlockSize) && c.count < len(c.blocks) {
		w.want = slab.Resize(w.want, len(c.blocks))
		for b := range w.want {
			w.want[b] = c.blocks[b].data != nil
		}
		if out, ok, err := w.recode(out, stored, w.want, &w.pending); ok || err != nil {
			return out, err
		}
	}
	if err := w.decodeRaw(&h, stored); err != nil {
		return out, err
	}
	for b := range c.blocks {
		copy(w.raw[int64(b)*p.BlockSize:], c.blocks[b].data)
	}
	return w.encodeRaw(out)
}
