package ndarray

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/parallel"
)

// writeBox stages the items of src, a dense C-order buffer, as those from start up to, not including, stop. swap is as in readBox.
func (u *Untyped) writeBox(ctx context.Context, part *grid.Partition, src []byte, start, stop []int64, swap int) error {
	var plan boxPlan
	if err := planDense(&plan.Plan, part, len(src), start, stop); err != nil {
		return cmp.Or(u.noItems(), u.refuse("write", err))
	}
	plan.Swap(swap)
	return u.writePlan(ctx, part, &plan, src, (*worker).encode)
}

// writeSelected stages the items of src, a dense C-order buffer, as the selected ones.
func (u *Untyped) writeSelected(ctx context.Context, part *grid.Partition, src []byte, s selection, swap int) error {
	if s.box() {
		return u.writeBox(ctx, part, src, s.start, s.stop, swap)
	}
	m, err := denseMemory(s, part.ItemSize, len(src))
	if err != nil {
		return u.refuse("write", err)
	}
	return u.writeMesh(ctx, part, src, m, swap)
}

// writeMesh stages the items that the memory of a mesh holds.
func (u *Untyped) writeMesh(ctx context.Context, part *grid.Partition, src []byte, m mesh, swap int) error {
	var plan meshPlan
	if err := plan.set(part, m, true); err != nil {
		return u.refuse("write", err)
	}
	plan.Swap(swap)
	return u.writePlan(ctx, part, &plan, src, (*worker).encode)
}

// fillSelected stages item, one item in stored bytes, as every selected item.
func (u *Untyped) fillSelected(ctx context.Context, part *grid.Partition, item []byte, s selection) error {
	if s.box() {
		return u.fillBox(ctx, part, item, s.start, s.stop)
	}
	return u.fillMesh(ctx, part, item, oneItem(s, part.ItemSize))
}

// fillMesh stages item as every item of a mesh in memory of one item.
func (u *Untyped) fillMesh(ctx context.Context, part *grid.Partition, item []byte, m mesh) error {
	var plan meshPlan
	if err := plan.set(part, m, true); err != nil {
		return u.refuse("fill", err)
	}
	return u.writePlan(ctx, part, &plan, item, (*worker).encodeFilled)
}

// fillBox stages item, one item in stored bytes, as every item of a box.
func (u *Untyped) fillBox(ctx context.Context, part *grid.Partition, item []byte, start, stop []int64) error {
	var plan boxPlan
	if err := planBox(&plan.Plan, part, start, stop); err != nil {
		return u.refuse("fill", err)
	}
	plan.Broadcast()
	return u.writePlan(ctx, part, &plan, item, (*worker).encodeFilled)
}

// encodeFunc appends the chunk that a worker has at hand, with what a plan has of it replaced, to out.
type encodeFunc func(w *worker, u *Untyped, store *frame.Frame, out, src []byte) ([]byte, error)

// writePlan encodes the chunks that a plan meets, several at a time, and puts them into the frame
// in their order, so that the file does not depend on the number of workers. Without src, the items
// are made by encode, and cannot wait.
func (u *Untyped) writePlan(ctx context.Context, part *grid.Partition, plan plan, src []byte, encode encodeFunc) (err error) {
	if src != nil && u.overwrite(ctx, part, plan, src) {
		follow(ctx, 1).add(1)
		return nil
	}
	at, err := u.beginHeld(ctx, part)
	if err != nil {
		return err
	}
	defer func() {
		if failed := u.endWrite(); failed != nil {
			err = errors.Join(err, failed)
		}
	}()
	if plan.pieces() == 0 {
		return ctx.Err()
	}
	if src != nil {
		if d := u.demand(at, plan); d.few && !d.whole {
			return u.hold(ctx, at, plan, src, d, holding{})
		}
	}
	if at, err = u.flushMet(ctx, at, plan); err != nil {
		return err
	}
	return u.undoing(func() (bool, error) {
		done, err := u.stagePlan(ctx, at.view, plan, src, encode)
		return done > 0, err
	})
}

// stagePlan encodes the chunks that a plan meets, out of those that store has, and returns how many it put into the frame. One of which encode
// makes nothing stays as it is. The caller has begun a write.
func (u *Untyped) stagePlan(
	ctx context.Context, store *frame.Frame, plan plan, src []byte, encode encodeFunc,
) (done int, err error) {
	pieces := plan.pieces()
	if pieces == 0 {
		return 0, ctx.Err()
	}
	workers, err := u.takeWorkers(ctx, pieces, true)
	if err != nil {
		return 0, err
	}
	defer u.pool.give(workers)
	progress := follow(ctx, int64(pieces))
	err = parallel.Ordered(ctx, len(workers), pieces,
		func(i, piece int) (err error) {
			w := workers[i]
			plan.take(w, piece)
			w.out, err = encode(w, u, store, w.out[:0], src)
			return err
		},
		func(i, _ int) error {
			w := workers[i]
			if len(w.out) > 0 {
				if err := w.stage(ctx, u, w.piece.Chunk); err != nil {
					return err
				}
				done++
			}
			progress.add(1)
			return nil
		})
	return done, err
}

// encode appends the chunk at hand, with what the plan has of it replaced, to out.
func (w *worker) encode(u *Untyped, store *frame.Frame, out, src []byte) ([]byte, error) {
	p := u.part
	if !w.piece.Whole {
		return w.encodePartly(u, store, out, src)
	}
	if w.enc.Layout(int(p.ChunkSize)).BlockSize == int(p.BlockSize) {
		w.source = gatherSource{piece: &w.piece, dense: src}
		return w.encodeBlocks(u, out, &w.source)
	}
	w.raw = resize(w.raw, int(p.ChunkSize))
	clear(w.raw)
	return w.overlay(u, out, src)
}

// encodePartly appends the chunk at hand with the items of the plan in it. Only the blocks that the plan meets are decoded and encoded, where the
// stored chunk allows that; else all of it is.
func (w *worker) encodePartly(u *Untyped, store *frame.Frame, out, src []byte) ([]byte, error) {
	stored, h, err := w.fetch(u, store)
	if err != nil {
		return out, err
	}
	if err := w.reserveRaw(u); err != nil {
		return out, err
	}
	if h.Layout().BlockSize == int(u.part.BlockSize) {
		if out, ok, err := w.rewrite(u, store, &h, out, stored, src); ok || err != nil {
			return out, err
		}
	}
	if err := w.decodeRaw(u, store, &h, stored); err != nil {
		return out, err
	}
	return w.overlay(u, out, src)
}

// rewrite appends the chunk at hand, with the blocks replaced that the plan meets, and reports whether that is possible. Of those blocks only
// the ones that keep some of their items are decoded.
func (w *worker) rewrite(
	u *Untyped, store *frame.Frame, h *chunk.Header, out, stored, src []byte,
) ([]byte, bool, error) {
	p, met := u.part, w.piece.Blocks()
	blocks := int(p.ChunkSize / p.BlockSize)
	if met == blocks {
		return out, false, nil // a chunk that becomes constant is stored as such
	}
	w.want = resize(w.want, blocks)
	clear(w.want)
	for k := range met {
		b := w.piece.Block(k)
		w.want[b] = !w.piece.Covers(b)
	}
	w.blocks = wholeChunk{data: w.raw, blockSize: int(p.BlockSize)}
	if err := w.decodeBlocks(h, stored, w.want, &w.blocks); err != nil {
		return out, false, w.inChunk(u, store, err)
	}
	clear(w.want)
	for k := range met {
		b := w.piece.Block(k)
		w.want[b] = true
		w.piece.Gather(w.raw[int64(b)*p.BlockSize:][:p.BlockSize], b, src)
	}
	return w.recode(u, out, stored, w.want, &w.blocks)
}

// overlay puts the items of the plan into the decoded chunk and encodes that.
func (w *worker) overlay(u *Untyped, out, src []byte) ([]byte, error) {
	p := u.part
	for k := range w.piece.Blocks() {
		b := w.piece.Block(k)
		w.piece.Gather(w.raw[int64(b)*p.BlockSize:][:p.BlockSize], b, src)
	}
	return w.encodeRaw(u, out)
}

// encodeFilled appends a chunk that repeats item: a special chunk, padding and all, if the plan has all of it.
func (w *worker) encodeFilled(u *Untyped, store *frame.Frame, out, item []byte) ([]byte, error) {
	if !w.piece.Whole {
		return w.encodePartly(u, store, out, item)
	}
	return u.repeatedChunk(out, item)
}

// repeatedChunk appends a special chunk in which every item is the given one.
func (u *Untyped) repeatedChunk(out, item []byte) ([]byte, error) {
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

// repeatedKind returns the special chunk for the bytes of an item. NaN chunks exist for 4 and 8 bytes, and for one NaN of each.
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
