package ndarray

import (
	"context"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/parallel"
)

// readBox fills dst, a dense C-order buffer, with the items from start up to, not including, stop. swap is the width of the numbers
// whose bytes change their order on the way, 0 for none. at is the state to read; the caller has entered.
func (u *Untyped) readBox(ctx context.Context, at *moment, dst []byte, start, stop []int64, swap int) error {
	plan := u.pool.takePlan()
	defer u.pool.plans.Put(plan)
	if err := planDense(&plan.Plan, at.part, len(dst), start, stop); err != nil {
		return u.refuse("read", err)
	}
	plan.Swap(swap)
	return u.readPlan(ctx, at, plan, dst)
}

// readSelected fills dst, a dense C-order buffer, with the selected items; otherwise it is like readBox.
func (u *Untyped) readSelected(ctx context.Context, at *moment, dst []byte, s selection, swap int) error {
	if s.box() {
		return u.readBox(ctx, at, dst, s.start, s.stop, swap)
	}
	m, err := denseMemory(s, at.part.ItemSize, len(dst))
	if err != nil {
		return u.refuse("read", err)
	}
	return u.readMesh(ctx, at, dst, m, swap)
}

// readMesh fills in the memory of a mesh.
func (u *Untyped) readMesh(ctx context.Context, at *moment, dst []byte, m mesh, swap int) error {
	var plan meshPlan
	if err := plan.set(at.part, m, false); err != nil {
		return u.refuse("read", err)
	}
	plan.Swap(swap)
	return u.readPlan(ctx, at, &plan, dst)
}

// readPlan decodes what a plan meets, several chunks at a time, and copies it into memory.
func (u *Untyped) readPlan(ctx context.Context, at *moment, plan plan, memory []byte) error {
	pieces := plan.pieces()
	if pieces == 0 {
		return ctx.Err()
	}
	workers, err := u.takeWorkers(ctx, pieces, false)
	if err != nil {
		return err
	}
	defer u.pool.give(workers)
	progress := follow(ctx, int64(pieces))
	return parallel.For(ctx, len(workers), pieces, func(i, piece int) error {
		w := workers[i]
		plan.take(w, piece)
		err := w.read(u, at, memory)
		if err == nil {
			progress.add(1)
		}
		return err
	})
}

// read copies what the plan has of the chunk at hand into memory.
func (w *worker) read(u *Untyped, at *moment, dst []byte) error {
	if c := at.waiting(w.piece.Chunk); c != nil {
		return w.readOver(u, at.view, c, dst)
	}
	if err := at.proxy.must(u, at.view, &w.piece); err != nil {
		return err
	}
	return w.readFrame(u, at.view, dst)
}

// readFrame is read for a chunk as the frame has it.
func (w *worker) readFrame(u *Untyped, view *frame.Frame, dst []byte) error {
	if done, err := w.readCached(u, view, dst); done || err != nil {
		return err
	}
	return w.readStored(u, view, dst)
}

// readStored is readFrame without a cache.
func (w *worker) readStored(u *Untyped, store *frame.Frame, dst []byte) error {
	if done, err := w.readFew(u, store, dst); done || err != nil {
		return err
	}
	src, h, err := w.fetch(u, store)
	if err != nil {
		return err
	}
	switch h.Special() {
	case chunk.SpecialNone:
	case chunk.SpecialZeros, chunk.SpecialUninit:
		w.tally.ChunksSpecial++
		w.piece.Fill(dst, nil)
		return nil
	default:
		item, err := w.repeated(u.part, src)
		if err != nil {
			return w.inChunk(u, store, err)
		}
		if item != nil {
			w.tally.ChunksSpecial++
			w.piece.Fill(dst, item)
			return nil
		}
	}
	return w.readBlocks(u, store, src, &h, dst)
}

// A box that meets at most one block in fewShare of a chunk with at least fewBytes is read block by block from storage.
const (
	fewShare = 4
	fewBytes = 32 << 10
)

// readFew does what read does where only few blocks of a large chunk are needed, by reading only those from storage. It reports
// false if the chunk is not of that kind.
func (w *worker) readFew(u *Untyped, store *frame.Frame, dst []byte) (bool, error) {
	info, ok := w.few(u, store, w.piece.Blocks())
	if !ok {
		return false, nil
	}
	w.sink = scatterSink{piece: &w.piece, dense: dst}
	return true, w.decodeStored(store, &info, w.mask(u.part), &w.sink)
}

// few reports whether only so few blocks of the chunk at hand are needed that they alone are to be read from storage.
func (w *worker) few(u *Untyped, store *frame.Frame, blocks int) (info frame.ChunkInfo, ok bool) {
	p := u.part
	if int64(blocks)*fewShare > p.BlockCount || store.Inside().Lends() || w.piece.Chunk >= int64(store.NumChunks()) {
		return info, false
	}
	info, err := store.Peek(int(w.piece.Chunk))
	if err != nil || info.Kind != chunk.SpecialNone || info.InIndex || info.CBytes < fewBytes ||
		checkChunk(p, info.Header) != nil || int64(info.Header.Layout().BlockSize) != p.BlockSize || p.BlockCount > int64(info.CBytes) {
		return info, false // reading all of it will show what is wrong, if something is
	}
	return info, true
}

// repeated returns the item that fills a special chunk, or nil if the chunk repeats something that items are no multiple of.
func (w *worker) repeated(p *grid.Partition, src []byte) ([]byte, error) {
	var err error
	if w.item, err = chunk.SpecialItem(w.item[:0], src); err != nil {
		return nil, err
	}
	width := len(w.item)
	if int64(width) > p.ItemSize || p.ItemSize%int64(width) != 0 {
		return nil, nil
	}
	for int64(len(w.item)) < p.ItemSize {
		w.item = append(w.item, w.item[:width]...)
	}
	return w.item, nil
}

// readBlocks decodes the blocks that the box meets, straight into the caller's memory where they lie in it as they are.
func (w *worker) readBlocks(u *Untyped, store *frame.Frame, src []byte, h *chunk.Header, dst []byte) error {
	p := u.part
	if int64(h.Layout().BlockSize) != p.BlockSize {
		// The chunk is cut otherwise than the metalayer says, which nothing forbids (format: b2nd geometry).
		if err := w.decodeRaw(u, store, h, src); err != nil {
			return err
		}
		for k := range w.piece.Blocks() {
			b := w.piece.Block(k)
			w.piece.Scatter(dst, b, w.raw[int64(b)*p.BlockSize:][:p.BlockSize])
		}
		return nil
	}
	w.sink = scatterSink{piece: &w.piece, dense: dst}
	return w.inChunk(u, store, w.decodeBlocks(h, src, w.wanted(p, src), &w.sink))
}

// wanted returns the mask of the blocks that the box meets, or nil for all. A chunk that is too short to even list its blocks gets no mask
// of their number: it will fail to decode.
func (w *worker) wanted(p *grid.Partition, src []byte) []bool {
	if w.over == nil && int64(w.piece.Blocks()) == p.BlockCount || p.BlockCount > int64(len(src)) {
		return nil
	}
	return w.mask(p)
}

// mask returns the mask of the blocks that the box meets.
func (w *worker) mask(p *grid.Partition) []bool {
	if int64(cap(w.want)) < p.BlockCount {
		w.want = make([]bool, p.BlockCount)
	}
	w.want = w.want[:p.BlockCount]
	clear(w.want)
	w.piece.Mark(w.want)
	if w.over != nil {
		w.over.leaveOut(w.want)
	}
	return w.want
}
