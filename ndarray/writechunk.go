package ndarray

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/slab"
)

// encodeFunc makes the chunk that a worker stores: the current one, with the plan's items in it
// replaced.
type encodeFunc func(w *worker, src []byte) error

// encode makes the current chunk, with the plan's items in it replaced.
func (w *worker) encode(src []byte) error {
	if !w.piece.Whole {
		return w.encodePartly(src)
	}

	p := w.core.part
	if w.enc.Layout(int(p.ChunkSize)).BlockSize == int(p.BlockSize) {
		w.source = gatherSource{piece: &w.piece, dense: src}
		return w.encodeBlocks(&w.source)
	}
	w.raw = slab.Resize(w.raw, p.ChunkSize)
	clear(w.raw)
	return w.overlay(src)
}

// encodeFilled makes the current chunk with the plan's items in it set to item. If the plan covers
// the chunk, that is a special chunk, padding included.
func (w *worker) encodeFilled(item []byte) error {
	if !w.piece.Whole {
		return w.encodePartly(item)
	}
	out, err := w.core.repeatedChunk(w.out.Buf[:0], item)
	w.whole(out)
	return err
}

// encodePartly makes the current chunk with the plan's items in it. If the stored chunk allows it,
// only the touched blocks are decoded and encoded; otherwise the whole chunk is.
func (w *worker) encodePartly(src []byte) error {
	stored, h, err := w.fetch()
	if err != nil {
		return err
	}
	if err := w.reserveRaw(); err != nil {
		return err
	}

	if h.Layout().BlockSize == int(w.core.part.BlockSize) {
		if ok, err := w.rewrite(&h, stored, src); ok || err != nil {
			return err
		}
	}
	if err := w.decodeRaw(&h, stored); err != nil {
		return err
	}
	return w.overlay(src)
}

// encodeMasked makes the current chunk with the masked bytes of the plan's items in it.
func (w *worker) encodeMasked(src []byte, mask []bool) error {
	stored, h, err := w.fetch()
	if err != nil {
		return err
	}
	if err := w.decodeRaw(&h, stored); err != nil {
		return err
	}

	for k := range w.piece.Blocks() {
		b := w.piece.Block(k)
		w.gatherMasked(w.block(b), b, src, mask)
	}
	return w.encodeRaw()
}

// gatherMasked writes the masked bytes of the plan's items in block b into the block.
func (w *worker) gatherMasked(block []byte, b int, src []byte, mask []bool) {
	w.item = append(w.item[:0], block...)
	w.piece.Gather(block, b, src)

	// Items that were not gathered are the same in both.
	old := w.item
	for len(old) >= len(mask) {
		for i, taken := range mask {
			if !taken {
				block[i] = old[i]
			}
		}
		old = old[len(mask):]
		block = block[len(mask):]
	}
}

// rewrite makes the current chunk with the touched blocks replaced, and reports whether that is
// possible. It decodes only those of these blocks that keep some of their items.
func (w *worker) rewrite(h *chunk.Header, stored, src []byte) (bool, error) {
	p := w.core.part
	met := w.piece.Blocks()
	blocks := int(p.ChunkSize / p.BlockSize)
	if met == blocks {
		return false, nil // a chunk that becomes constant is stored as a special chunk
	}

	w.want = slab.Resize(w.want, blocks)
	clear(w.want)
	for k := range met {
		b := w.piece.Block(k)
		w.want[b] = !w.piece.Covers(b)
	}
	w.blocks = wholeChunk{data: w.raw, blockSize: int(p.BlockSize)}
	if err := w.decodeBlocks(h, stored, w.want, &w.blocks); err != nil {
		return false, err
	}

	clear(w.want)
	grid.Mark(w.piece.Piece, w.want)
	w.gather(src)
	return w.recode(stored, w.want, &w.blocks)
}

// overlay puts the plan's items into the decoded chunk and encodes it.
func (w *worker) overlay(src []byte) error {
	w.gather(src)
	return w.encodeRaw()
}

// gather puts the plan's items into the decoded chunk.
func (w *worker) gather(src []byte) {
	for k := range w.piece.Blocks() {
		b := w.piece.Block(k)
		w.piece.Gather(w.block(b), b, src)
	}
}

// repeatedChunk appends a special chunk in which every item is the given one.
func (c *core) repeatedChunk(out, item []byte) ([]byte, error) {
	p := c.part
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

// encodeRevealed makes the current chunk with the items of the box set to item, or none if they
// already have that value.
func (w *worker) encodeRevealed(item []byte) error {
	same, err := w.alreadyFilled(item)
	if same || err != nil {
		return err
	}
	return w.encodePartly(item)
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
	w.blocks = wholeChunk{data: w.raw, blockSize: int(w.core.part.BlockSize)}
	if err := w.decodeBlocks(&h, src, w.wantedBlocks(src), &w.blocks); err != nil {
		return false, err
	}

	// A block whose items have the value does not change when they are set to it.
	var probe []byte
	for k := range w.piece.Blocks() {
		b := w.piece.Block(k)
		block := w.block(b)
		probe = append(probe[:0], block...)
		w.piece.Gather(probe, b, item)
		if !bytes.Equal(probe, block) {
			return false, nil
		}
	}
	return true, nil
}

// encodeBlocks makes a chunk of the blocks of src.
func (w *worker) encodeBlocks(src chunk.BlockSource) error {
	began := time.Now()
	out, err := w.enc.AppendBlocks(w.out.Buf[:0], int(w.core.part.ChunkSize), src)
	w.whole(out)
	w.encodedOne(began)
	return err
}

// encodeRaw encodes the worker's decoded chunk.
func (w *worker) encodeRaw() error {
	began := time.Now()
	out, err := w.enc.Append(w.out.Buf[:0], w.raw)
	w.whole(out)
	w.encodedOne(began)
	return err
}

// recode makes the chunk old with new blocks where changed is true. Until it is stored, old must
// stay as it is. recode reports false if that is not possible.
func (w *worker) recode(old []byte, changed []bool, src chunk.BlockSource) (bool, error) {
	began := time.Now()
	ok, err := w.enc.Rewrite(&w.out, old, changed, src)
	w.tally.EncodeTime += time.Since(began)
	if !ok {
		return false, err
	}

	w.tally.ChunksRecoded++
	for _, c := range changed {
		if c {
			w.tally.BytesEncoded += w.core.part.BlockSize
		}
	}
	return true, err
}

func (w *worker) encodedOne(began time.Time) {
	w.tally.EncodeTime += time.Since(began)
	w.tally.ChunksEncoded++
	w.tally.BytesEncoded += w.core.part.ChunkSize
}

// A change is a write: the items of a plan are replaced by those of a source.
type change struct {
	plan grid.Plan
	src  []byte // the items, in C order; nil if encode makes them, which cannot be buffered
	fill bool   // src is one item, the new value of all items
	swap int    // width of numbers whose byte order is reversed, 0 for none
	mask []bool // which bytes of each item are written; nil means all

	encode encodeFunc // nil means the one that suits the other fields
}

// encoder returns the function that makes the chunks that the change touches.
func (c *change) encoder() encodeFunc {
	switch {
	case c.encode != nil:
		return c.encode
	case c.mask != nil:
		mask := c.mask // so that c stays on the stack
		return func(w *worker, src []byte) error { return w.encodeMasked(src, mask) }
	case c.fill:
		return (*worker).encodeFilled
	}
	return (*worker).encode
}

// call returns the name of the change for errors.
func (c *change) call() string {
	if c.fill {
		return "fill"
	}
	return "write"
}

// stagePlan encodes the chunks that a plan touches, based on those of a state, several at a time.
// It puts them into the frame in order, so that the file does not depend on the number of workers,
// and returns how many. If encode makes no chunk, the old one stays. The caller has begun a write.
func (r *runner) stagePlan(
	ctx context.Context, at *state, plan grid.Plan, src []byte, encode encodeFunc,
) (done int, err error) {
	pieces := plan.NumPieces()
	if pieces == 0 {
		return 0, ctx.Err()
	}

	workers, err := r.takeWriters(ctx, at, pieces)
	if err != nil {
		return 0, err
	}
	defer r.pool.put(workers)

	progress := startProgress(ctx, int64(pieces))
	encodePiece := func(i, piece int) error {
		w := workers[i]
		w.take(plan, piece)
		w.noChunk()
		return encode(w, src)
	}
	stagePiece := func(i, _ int) error {
		w := workers[i]
		if len(w.out.Parts) > 0 {
			if err := w.stage(ctx, w.piece.Chunk); err != nil {
				return err
			}
			done++
		}
		progress.add(1)
		return nil
	}
	err = parallel.Ordered(ctx, len(workers), pieces, encodePiece, stagePiece)
	return done, err
}

// stage puts the chunk that the worker has encoded into the frame.
func (w *worker) stage(ctx context.Context, number int64) error {
	began := time.Now()
	err := w.core.frame.Inside().UpdateEncoded(ctx, int(number), w.out.Parts...)
	w.tally.WriteTime += time.Since(began)
	if err != nil {
		return err
	}

	w.tally.ChunksWritten++
	for _, part := range w.out.Parts {
		w.tally.BytesWritten += int64(len(part))
	}
	return nil
}
