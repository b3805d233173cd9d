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
	if u.requests > 0 {
		return u.readFar(ctx, at, plan, memory)
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

// readFar is readPlan for a file that is read by requests. Each goroutine fetches the chunks of a
// group by one request and decodes them. There are as many goroutines as requests, so that groups
// arrive while others are decoded.
func (u *Untyped) readFar(ctx context.Context, at *state, plan grid.Plan, memory []byte) error {
	groups := u.groupPieces(at, plan)
	workers, err := u.takeWorkers(ctx, at, len(groups), false)
	if err != nil {
		return err
	}
	defer u.pool.put(workers)
	progress := startProgress(ctx, int64(plan.NumPieces()))
	return parallel.For(ctx, len(workers), len(groups), func(i, group int) error {
		w, g := workers[i], groups[group]
		if g.end > g.off {
			release, err := at.view.Inside().Load(ctx, g.off, g.end-g.off)
			if err != nil {
				return u.inArray(err)
			}
			defer release()
		}
		for piece := g.first; piece < g.last; piece++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			w.take(plan, piece)
			if err := w.read(memory); err != nil {
				return err
			}
			progress.add(1)
		}
		return nil
	})
}

// A pieceGroup are the pieces [first, last) of a plan, whose chunks are in the bytes [off, end) of
// the file. It is empty for a piece that reads its own bytes.
type pieceGroup struct {
	first, last int
	off, end    int64
}

const (
	farGap  = 64 << 10 // bytes between chunks that are fetched together
	farMost = 8 << 20  // bytes that are fetched together
)

// groupPieces groups the pieces of a plan whose chunks are fetched as a whole, and lie near each
// other.
func (u *Untyped) groupPieces(at *state, plan grid.Plan) []pieceGroup {
	var groups []pieceGroup
	var scratch grid.Scratch
	open := false // whether the last group may grow
	for i := range plan.NumPieces() {
		off, n := u.wholeExtent(at, plan, i, &scratch)
		if n < 0 {
			groups, open = append(groups, pieceGroup{first: i, last: i + 1}), false
			continue
		}
		if open {
			g := &groups[len(groups)-1]
			switch {
			case n == 0:
				g.last = i + 1
				continue
			case g.end == g.off || off >= g.end && off-g.end <= farGap && off+n-g.off <= farMost:
				if g.end == g.off {
					g.off = off
				}
				g.last, g.end = i+1, off+n
				continue
			}
		}
		groups, open = append(groups, pieceGroup{i, i + 1, off, off + n}), true
	}
	return groups
}

// wholeExtent returns the extent of the chunk of a piece if it is fetched as a whole: because all
// of it is needed, or compared with its checksum, or because it is so small that a second request
// would cost more. Otherwise n is negative.
func (u *Untyped) wholeExtent(at *state, plan grid.Plan, i int, scratch *grid.Scratch) (off, n int64) {
	piece := plan.Take(i, scratch)
	chunks := at.view.Inside()
	if u.cache != nil || piece.Chunk >= int64(at.view.NumChunks()) {
		return 0, -1
	}
	off, n = chunks.Extent(int(piece.Chunk))
	if n > farMost || n > farGap && int64(piece.Blocks()) < at.part.BlockCount && !chunks.MustCheck(int(piece.Chunk)) {
		return 0, -1
	}
	return off, n
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

// takePlan returns memory for a plan.
func (p *pool) takePlan() *grid.Box {
	if plan, ok := p.plans.Get().(*grid.Box); ok {
		return plan
	}
	return &grid.Box{}
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
