package ndarray

import (
	"context"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/ndarray/internal/selection"
)

// readBox fills dst, a dense C-order buffer, with the items from start up to, not including, stop.
// swap is the width of numbers whose byte order is reversed, 0 for none. at is the state to read;
// the caller has called beginRead.
func (r *runner) readBox(ctx context.Context, at *state, dst []byte, start, stop []int64, swap int) error {
	plan := r.pool.takePlan()
	defer r.pool.plans.Put(plan)
	return r.readPlanned(ctx, at, plan, dst, start, stop, swap)
}

// readPlanned is readBox with memory for the plan.
func (r *runner) readPlanned(
	ctx context.Context, at *state, plan *boxPlan, dst []byte, start, stop []int64, swap int,
) error {
	if err := planDense(&plan.Box, at.part, len(dst), start, stop); err != nil {
		return r.refuse("read", err)
	}
	plan.Swap(swap)
	return r.readPlan(ctx, at, &plan.Box, dst)
}

// readSelected fills dst, a dense C-order buffer, with the selected items; otherwise it is like
// readBox.
func (r *runner) readSelected(ctx context.Context, at *state, dst []byte, s selection.Selection, swap int) error {
	if s.Box() {
		return r.readBox(ctx, at, dst, s.Start, s.Stop, swap)
	}

	m, err := selection.Dense(s, at.part.ItemSize, len(dst))
	if err != nil {
		return r.refuse("read", err)
	}
	return r.readMesh(ctx, at, dst, m, swap)
}

// readMesh reads the items of a mesh into the mesh's memory.
func (r *runner) readMesh(ctx context.Context, at *state, dst []byte, m selection.Mesh, swap int) error {
	var plan grid.Mesh
	if err := plan.Set(at.part, m.Axes, m.Memory, false); err != nil {
		return r.refuse("read", err)
	}
	plan.Swap(swap)
	return r.readPlan(ctx, at, &plan, dst)
}

// readPlan decodes the blocks that a plan touches, several at a time if that is worth it, and
// copies the items into memory.
func (r *runner) readPlan(ctx context.Context, at *state, plan grid.Plan, memory []byte) error {
	pieces := plan.NumPieces()
	switch {
	case pieces == 0:
		return ctx.Err()
	case r.requests > 0:
		return r.readFar(ctx, at, plan, memory)
	}

	keep := r.keeping(plan)
	budget := r.goroutines(ctx, plan)
	if pieces == 1 || budget == 1 {
		return r.readAlone(ctx, at, plan, memory, budget, keep)
	}

	workers, err := r.takeReaders(ctx, at, pieces, budget)
	if err != nil {
		return err
	}
	defer r.pool.put(workers)

	progress := startProgress(ctx, int64(pieces))
	return parallel.For(ctx, len(workers), pieces, func(i, piece int) error {
		w := workers[i]
		w.cache = keep
		w.take(plan, piece)
		if err := w.read(memory); err != nil {
			return err
		}
		progress.add(1)
		return nil
	})
}

// readAlone is readPlan with one worker, on the calling goroutine. blocks is how many blocks of a
// chunk may be decoded at a time. With 1 it makes no garbage.
func (r *runner) readAlone(
	ctx context.Context, at *state, plan grid.Plan, memory []byte, blocks int, keep keeping,
) error {
	if err := ctx.Err(); err != nil {
		return err
	}

	w := r.pool.take()
	defer r.pool.release(w)
	if err := r.ready(ctx, at, w, blocks, false); err != nil {
		return err
	}

	w.cache = keep
	pieces := plan.NumPieces()
	progress := startProgress(ctx, int64(pieces))
	for i := range pieces {
		if err := ctx.Err(); err != nil {
			return err
		}
		w.take(plan, i)
		if err := w.read(memory); err != nil {
			return err
		}
		progress.add(1)
	}
	return nil
}

// planDense sets up a plan for a box and checks the size of its dense buffer.
func planDense(plan *grid.Box, part *grid.Partition, bytes int, start, stop []int64) error {
	if err := plan.Set(part, start, stop); err != nil {
		return err
	}
	if int64(bytes) != plan.Bytes {
		return selection.WrongLength(int64(bytes), plan.Bytes/part.ItemSize, part.ItemSize)
	}
	return nil
}

// planPoints sets up a plan for points and checks the size of their buffer.
func planPoints(plan *grid.Points, part *grid.Partition, bytes int, coordinates []int64) error {
	if int64(bytes)%part.ItemSize != 0 {
		return fmt.Errorf("buffer of %d bytes for items of %d: %w", bytes, part.ItemSize, cairn.ErrBounds)
	}
	return plan.Set(part, coordinates, int64(bytes)/part.ItemSize)
}

// A boxPlan is the plan of a box, with memory for its corners and for one item.
type boxPlan struct {
	grid.Box
	start, stop grid.Vec
	item        []byte
}

// corners returns memory for the corners of a box.
func (p *boxPlan) corners(part *grid.Partition) (start, stop []int64) {
	return p.start[:part.Dims], p.stop[:part.Dims]
}

// takePlan returns memory for a plan.
func (p *pool) takePlan() *boxPlan {
	if plan, ok := p.plans.Get().(*boxPlan); ok {
		return plan
	}
	return &boxPlan{}
}

// wholeChunks is a plan of all chunks of an array, for calls that do not look at items.
type wholeChunks struct{ part *grid.Partition }

// NumPieces returns the number of chunks, which fits because the index of a frame has room for no
// more.
func (p wholeChunks) NumPieces() int { return int(p.part.ChunkCount) }

// Take returns the piece of a chunk, without its items.
func (p wholeChunks) Take(index int, _ *grid.Scratch) grid.ChunkPiece {
	return grid.ChunkPiece{Chunk: int64(index), Whole: true}
}
