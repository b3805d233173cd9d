package ndarray

import (
	"context"

	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/ndarray/internal/selection"
)

// readBox fills dst, a dense C-order buffer, with the items from start up to, not including, stop.
// swap is the width of numbers whose byte order is reversed, 0 for none. at is the state to read;
// the caller has called beginRead.
func (u *Untyped) readBox(ctx context.Context, at *state, dst []byte, start, stop []int64, swap int) error {
	plan := u.pool.takePlan()
	defer u.pool.plans.Put(plan)
	if err := planDense(plan, at.part, len(dst), start, stop); err != nil {
		return u.refuse("read", err)
	}
	plan.Swap(swap)
	return u.readPlan(ctx, at, plan, dst)
}

// readSelected fills dst, a dense C-order buffer, with the selected items; otherwise it is like
// readBox.
func (u *Untyped) readSelected(ctx context.Context, at *state, dst []byte, s selection.Selection, swap int) error {
	if s.Box() {
		return u.readBox(ctx, at, dst, s.Start, s.Stop, swap)
	}
	m, err := selection.Dense(s, at.part.ItemSize, len(dst))
	if err != nil {
		return u.refuse("read", err)
	}
	return u.readMesh(ctx, at, dst, m, swap)
}

// readMesh reads the items of a mesh into the mesh's memory.
func (u *Untyped) readMesh(ctx context.Context, at *state, dst []byte, m selection.Mesh, swap int) error {
	var plan grid.Mesh
	if err := plan.Set(at.part, m.Axes, m.Memory, false); err != nil {
		return u.refuse("read", err)
	}
	plan.Swap(swap)
	return u.readPlan(ctx, at, &plan, dst)
}

// readPlan decodes the blocks that a plan touches, several chunks at a time, and copies the items
// into memory.
func (u *Untyped) readPlan(ctx context.Context, at *state, plan grid.Plan, memory []byte) error {
	pieces := plan.NumPieces()
	if pieces == 0 {
		return ctx.Err()
	}
	workers, err := u.takeWorkers(ctx, at, pieces, false)
	if err != nil {
		return err
	}
	defer u.pool.put(workers)
	progress := startProgress(ctx, int64(pieces))
	return parallel.For(ctx, len(workers), pieces, func(i, piece int) error {
		w := workers[i]
		w.take(plan, piece)
		err := w.read(memory)
		if err == nil {
			progress.add(1)
		}
		return err
	})
}
