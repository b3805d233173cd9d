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

// encodeFunc appends to out the current chunk of a worker, with the plan's items in it replaced.
type encodeFunc func(w *worker, out, src []byte) ([]byte, error)

// encode appends the current chunk, with the plan's items in it replaced, to out.
func (w *worker) encode(out, src []byte) ([]byte, error) {
	if !w.piece.Whole {
		return w.encodePartly(out, src)
	}

	p := w.core.part
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
	return w.core.repeatedChunk(out, item)
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

	if h.Layout().BlockSize == int(w.core.part.BlockSize) {
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

// rewrite appends the current chunk with the touched blocks replaced, and reports whether that is
// possible. It decodes only those of these blocks that keep some of their items.
func (w *worker) rewrite(h *chunk.Header, out, stored, src []byte) ([]byte, bool, error) {
	p := w.core.part
	met := w.piece.Blocks()
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

// encodeBlocks appends a chunk of the blocks of src.
func (w *worker) encodeBlocks(out []byte, src chunk.BlockSource) ([]byte, error) {
	began := time.Now()
	out, err := w.enc.AppendBlocks(out, int(w.core.part.ChunkSize), src)
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
	if !ok {
		return out, false, err
	}

	w.tally.ChunksRecoded++
	for _, c := range changed {
		if c {
			w.tally.BytesEncoded += w.core.part.BlockSize
		}
	}
	return out, true, err
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
		return func(w *worker, out, src []byte) ([]byte, error) { return w.encodeMasked(out, src, mask) }
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
// and returns how many. If encode returns nothing, the chunk stays unchanged. The caller has begun
// a write.
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
		var err error
		w.out, err = encode(w, w.out[:0], src)
		return err
	}
	stagePiece := func(i, _ int) error {
		w := workers[i]
		if len(w.out) > 0 {
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
	err := w.core.frame.Inside().UpdateEncoded(ctx, int(number), w.out)
	w.tally.WriteTime += time.Since(began)
	if err != nil {
		return err
	}

	w.tally.ChunksWritten++
	w.tally.BytesWritten += int64(len(w.out))
	return nil
}
