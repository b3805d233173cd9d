package ndarray

import (
	"context"
	"errors"

	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/meta"
)

// If an array grows at the ends of its axes a little at a time, its last chunks stay in the write
// buffer: the new items are pending like other small writes, and while the grid of chunks stays the
// same, so is the new shape. Only when new chunks are needed are they added to the frame, as
// special chunks, which take no storage. So what is encoded and written does not depend on how many
// items each call appends.
//
// No reader has seen the items beyond the end of the old shape, so new items are written into
// pending blocks in place, even if readers have these blocks. New items are always written in full,
// so it does not matter what a failed call leaves there.

// grownBox is one box of new items, and their values.
type grownBox struct {
	plan grid.Box
	src  []byte
	fill bool // src is one item
}

// append puts an insertion after the last items into the write buffer. It reports whether it did.
func (r *reshaping) append(ctx context.Context, s splice, src []byte, swap int) (bool, error) {
	if err := r.splice(s); err != nil {
		return false, err
	}

	box := &grownBox{src: src}
	if err := r.planInserted(&box.plan, s, src, swap); err != nil {
		return false, err
	}
	if r.addsWholeChunks(s.axis) {
		return false, nil
	}
	return r.grow(ctx, make([]byte, r.a.typeSize()), []*grownBox{box})
}

// appendPending is Append if all new items belong to blocks that are pending already, as with most
// rows of a log. It makes next to no garbage. If it reports false, nothing has changed.
func (a *array) appendPending(ctx context.Context, axis int, src []byte, swap int) (done bool, err error) {
	if len(src) == 0 || len(src) > maxInPlace || a.readOnly || !a.anyPending() {
		return false, nil
	}

	at, err := a.beginWrite(ctx, nil)
	if err != nil {
		return false, err
	}
	defer func() {
		if failed := a.endWrite(); failed != nil {
			err = errors.Join(err, failed)
		}
	}()
	if ctx.Err() != nil || at.pending == nil || at.proxy != nil || a.buffer.suspended.Load() > 0 ||
		int64(at.view.NumChunks()) < at.part.ChunkCount {
		return false, nil
	}

	plan := a.pool.takePlan()
	defer a.pool.plans.Put(plan)
	next := &shapedWrites{}
	if !plan.appended(at.part, &next.shape, axis, len(src)) {
		return false, nil
	}
	plan.Swap(swap)

	// All blocks are looked up before the first of them changes.
	w := a.pool.take()
	defer a.pool.release(w)
	for i := range plan.NumPieces() {
		w.take(&plan.Box, i)
		if c := at.pendingChunk(w.piece.Chunk); c == nil || !w.allPending(c) {
			return false, nil
		}
	}

	a.buffer.ticks++
	for i := range plan.NumPieces() {
		w.take(&plan.Box, i)
		c := at.pendingChunk(w.piece.Chunk)
		c.tick = a.buffer.ticks
		for k := range w.piece.Blocks() {
			b := w.piece.Block(k)
			w.piece.Gather(c.blocks[b].data, b, src)
		}
	}
	startProgress(ctx, int64(plan.NumPieces())).add(int64(plan.NumPieces()))

	next.pendingWrites = *at.pending
	next.part = &next.shape
	a.setPending(&next.pendingWrites)
	return true, nil
}

// shapedWrites are pending writes with their shape, in one piece of memory.
type shapedWrites struct {
	pendingWrites
	shape grid.Partition
}

// appended sets the plan to the box that size bytes add at the end of an axis, and grown to the
// geometry with it. It reports false if they are not a whole number of rows, or need new chunks.
func (p *boxPlan) appended(part, grown *grid.Partition, axis, size int) bool {
	if axis < 0 {
		axis += part.Dims
	}
	if axis < 0 || axis >= part.Dims {
		return false
	}

	start, stop := p.corners(part)
	clear(start)
	copy(stop, part.Shape[:part.Dims])

	stop[axis] = part.ItemSize
	row, ok := grid.Product(stop) // bytes of one step along the axis
	if !ok || row <= 0 || int64(size)%row != 0 {
		return false
	}

	old := part.Shape[axis]
	if !part.Within(axis, old+int64(size)/row, grown) {
		return false
	}

	start[axis] = old
	stop[axis] = grown.Shape[axis]
	return planDense(&p.Box, grown, size, start, stop) == nil
}

// addsWholeChunks reports whether the new items along an axis are whole chunks, so that buffering
// could save nothing.
func (r *reshaping) addsWholeChunks(axis int) bool {
	side := r.part.Chunk[axis]
	return r.at.part.Shape[axis]%side == 0 && r.part.Shape[axis]%side == 0
}

// extend puts a resize that only adds items at the ends of axes into the write buffer. It reports
// whether it did.
func (r *reshaping) extend(ctx context.Context, item []byte) (bool, error) {
	for i := range r.part.Dims {
		if r.part.Shape[i] < r.at.part.Shape[i] || !r.atEnd(i) {
			return false, nil
		}
	}

	var boxes []*grownBox
	err := r.eachPadding(func(start, stop []int64) error {
		box := &grownBox{src: item, fill: true}
		if err := box.plan.Set(r.part, start, stop); err != nil {
			return err
		}
		box.plan.Broadcast()
		boxes = append(boxes, box)
		return nil
	})
	if err != nil {
		return false, err
	}
	return r.grow(ctx, item, boxes)
}

// grow puts boxes into the write buffer, and the new shape too if the grid of chunks stays the
// same. New chunks repeat item. If the boxes do not fit, grow reports false and has changed nothing
// visible.
func (r *reshaping) grow(ctx context.Context, item []byte, boxes []*grownBox) (bool, error) {
	a := r.a
	d := r.demand(boxes)
	if !d.fits {
		return false, nil
	}

	at, err := a.makeRoom(ctx, r.at, d)
	if err != nil {
		return false, err
	}
	r.at = at

	if r.at.part.ChunkGrid == r.part.ChunkGrid {
		next, err := r.bufferBoxes(ctx, r.grownState(), boxes)
		if err != nil {
			return false, err
		}
		next.part = r.part
		a.setGrown(next)
		return true, nil
	}

	err = a.undoOnError(func() (bool, error) {
		after := r.grownState()
		if err := r.arrange(ctx, item); err != nil {
			return r.store != nil, err
		}

		after.view = r.store
		next, err := r.bufferBoxes(ctx, after, boxes)
		if err != nil {
			return true, err
		}
		next.part = nil // the frame has the shape
		a.setGrown(next)
		return true, nil
	}, meta.LayerB2ND, meta.LayerCaterva)
	return err == nil, err
}

// setGrown makes next the pending writes; next may be empty.
func (a *array) setGrown(next *pendingWrites) {
	if next.part == nil && len(next.chunks) == 0 {
		next = nil
	}
	a.setPending(next)
}

// grownState returns the state with the new shape and the pending writes, but the old frame.
func (r *reshaping) grownState() *state {
	return &state{part: r.part, view: r.at.view, pending: r.at.pending.regrid(r.at.part, r.part)}
}

// demand returns how much of the write buffer the boxes need.
func (r *reshaping) demand(boxes []*grownBox) demand {
	if r.at.proxy != nil {
		return demand{}
	}

	after := r.grownState()
	all := demand{fits: true}
	for _, box := range boxes {
		d := r.a.demand(after, &box.plan)
		all.touched += d.touched
		all.added += d.added
		all.fits = all.fits && d.fits
	}
	all.fits = all.fits && all.touched <= r.a.buffer.budget/2
	return all
}

// bufferBoxes returns the pending writes of a state with the boxes added.
func (r *reshaping) bufferBoxes(ctx context.Context, after *state, boxes []*grownBox) (*pendingWrites, error) {
	for _, box := range boxes {
		how := mergeOptions{grow: true, fill: box.fill, added: box.plan.Bytes}
		chunks, err := r.a.mergePieces(ctx, after, &box.plan, box.src, how)
		if err != nil {
			return nil, err
		}
		after.pending = after.pending.with(after.part, chunks)
	}

	if after.pending == nil {
		return &pendingWrites{}, nil
	}
	next := *after.pending
	return &next, nil
}
