package ndarray

import (
	"context"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/slab"
)

// splice is a change along one axis: at item at, del items are removed and ins items are inserted.
type splice struct {
	axis         int
	at, del, ins int64
}

// A movedRange is a range of items along an axis that move: the items from lo up to hi were at old
// before.
type movedRange struct{ lo, hi, old int64 }

// movedRanges returns the old places of those items of [lo, hi) that are not new: the ones before
// the splice, and the ones after it. Either range can be empty.
func (s splice) movedRanges(lo, hi int64) [2]movedRange {
	return [2]movedRange{
		{lo, min(hi, s.at), lo},
		{max(lo, s.at+s.ins), hi, max(lo, s.at+s.ins) - s.ins + s.del},
	}
}

// empty reports whether there are no items.
func (t movedRange) empty() bool { return t.lo >= t.hi }

// spliceAxis sets up a change along one axis. If it inserts or removes whole chunks' worth of
// items, the chunks after the splice move unchanged. Otherwise chunks are added or removed at the
// end, and all items after the splice move to other places in the chunks.
func (r *reshaping) spliceAxis(s splice) {
	before := r.at.part.ChunkGrid[s.axis]
	after := r.part.ChunkGrid[s.axis]
	c := axisChange{cut: min(before, after), added: max(0, after-before), dropped: max(0, before-after)}

	side := r.part.Chunk[s.axis]
	if side > 0 && (s.ins+s.del)%side == 0 {
		c.cut = (s.at + side - 1) / side
	}
	r.axes[s.axis] = c
}

// shiftedChunks returns the range, in chunk coordinates along the axis, of the chunks that must be
// encoded again because items have another place in them.
func (r *reshaping) shiftedChunks(s splice) (from, to int64) {
	side := r.part.Chunk[s.axis]
	if side == 0 {
		return 0, 0
	}

	c := r.axes[s.axis]
	for k := s.at / side; k < r.part.ChunkGrid[s.axis]; k++ {
		base := k // the old chunk that arrange put here, -1 for a new one
		switch {
		case k >= c.cut+c.added:
			base = k - c.added + c.dropped
		case k >= c.cut:
			base = -1
		}

		origin := k * side
		for _, piece := range s.movedRanges(origin, min(origin+side, r.part.Shape[s.axis])) {
			if piece.empty() || base >= 0 && piece.old-piece.lo == (base-k)*side {
				continue
			}
			if to == 0 {
				from = k
			}
			to = k + 1
		}
	}
	return from, to
}

// shift encodes the chunks in which items have another place, from the old chunks and, for new
// items, from src, to which plan gives the places. It returns the range of these chunks along the
// axis.
func (r *reshaping) shift(ctx context.Context, s splice, plan *grid.Box, src []byte) (from, to int64, err error) {
	from, to = r.shiftedChunks(s)
	if from == to {
		return from, to, nil
	}

	p := r.part
	var start grid.Vec
	stop := p.Shape
	start[s.axis] = from * p.Chunk[s.axis]
	stop[s.axis] = min(to*p.Chunk[s.axis], p.Shape[s.axis])
	var all grid.Box // the chunks to encode
	if err := all.Set(p, start[:p.Dims], stop[:p.Dims]); err != nil {
		return from, to, err
	}
	if all.Pieces == 0 {
		return from, to, ctx.Err()
	}

	movers, err := r.movers(ctx, s, all.Pieces)
	if err != nil {
		return from, to, err
	}
	defer r.release(movers)
	progress := startProgress(ctx, int64(all.Pieces))

	return from, to, parallel.Ordered(ctx, len(movers), all.Pieces,
		func(i, piece int) error {
			m := movers[i]
			m.to.take(&all, piece)
			return m.make(m.to.piece.Chunk, plan, src)
		},
		func(i, _ int) error {
			if err := movers[i].to.stage(ctx, movers[i].number); err != nil {
				return err
			}
			progress.add(1)
			return nil
		})
}

// A chunkMover makes chunks out of items of other chunks: one worker reads the items, another one
// encodes the chunk.
type chunkMover struct {
	r        *reshaping
	s        splice
	from, to *worker
	number   int64  // of the new chunk
	dense    []byte // items of a moved range, dense
}

func (r *reshaping) movers(ctx context.Context, s splice, pieces int) ([]*chunkMover, error) {
	to, err := r.a.takeWriters(ctx, r.at, pieces)
	if err != nil {
		return nil, err
	}
	from, err := r.a.readyWorkers(ctx, r.at, len(to), 1, false)
	if err != nil {
		r.a.pool.put(to)
		return nil, err
	}

	movers := make([]*chunkMover, len(to))
	for i := range to {
		movers[i] = &chunkMover{r: r, s: s, from: from[i], to: to[i]}
	}
	return movers, nil
}

func (r *reshaping) release(movers []*chunkMover) {
	for _, m := range movers {
		r.a.pool.put([]*worker{m.from, m.to})
	}
}

// make encodes a chunk of the new grid.
func (m *chunkMover) make(number int64, plan *grid.Box, src []byte) error {
	m.number = number
	w := m.to
	if err := w.reserveRaw(); err != nil {
		return err
	}
	clear(w.raw)

	p := m.r.part
	start, stop := p.ChunkBox(number)
	for _, piece := range m.s.movedRanges(start[m.s.axis], stop[m.s.axis]) {
		if piece.empty() {
			continue
		}

		start[m.s.axis] = piece.lo
		stop[m.s.axis] = piece.hi
		var to grid.Box
		if err := to.Set(p, start[:p.Dims], stop[:p.Dims]); err != nil {
			return err
		}
		if err := m.read(start, stop, piece, int(to.Bytes)); err != nil {
			return err
		}
		w.take(&to, 0)
		w.gather(m.dense)
	}

	if share, ok := plan.TakeIn(number, &w.scratch); ok {
		w.piece = share
		w.gather(src)
	}

	return w.encodeRaw()
}

// read reads the items of a moved range in the box from start to stop from their old places; size
// is their number of bytes.
func (m *chunkMover) read(start, stop grid.Vec, piece movedRange, size int) error {
	p := m.r.at.part
	start[m.s.axis] = piece.old
	stop[m.s.axis] = piece.old + piece.hi - piece.lo
	var plan grid.Box
	if err := plan.Set(p, start[:p.Dims], stop[:p.Dims]); err != nil {
		return err
	}

	m.dense = slab.Resize(m.dense, size)
	for k := range plan.Pieces {
		m.from.take(&plan, k)
		if err := m.from.read(m.dense); err != nil {
			return err
		}
	}
	return nil
}

// splice sets up a change along one axis.
func (r *reshaping) splice(s splice) error {
	shape := r.at.part.Shape
	grown := shape[s.axis] - s.del + s.ins
	if grown < 0 {
		return fmt.Errorf("%d more items than %d: %w", s.ins, shape[s.axis], cairn.ErrBounds)
	}

	shape[s.axis] = grown
	if err := r.to(shape[:r.at.part.Dims]); err != nil {
		return err
	}
	r.spliceAxis(s)
	return nil
}

// planInserted sets up the plan of the inserted items.
func (r *reshaping) planInserted(plan *grid.Box, s splice, src []byte, swap int) error {
	p := r.part
	var start grid.Vec
	stop := p.Shape
	start[s.axis] = s.at
	stop[s.axis] = s.at + s.ins
	if err := planDense(plan, p, len(src), start[:p.Dims], stop[:p.Dims]); err != nil {
		return err
	}
	plan.Swap(swap)
	return nil
}

// axis returns the number of an axis that may be counted from the last.
func (r *reshaping) axis(axis int) (int, error) {
	dims := r.at.part.Dims
	if axis < -dims || axis >= dims {
		return 0, fmt.Errorf("axis %d of %d: %w", axis, dims, cairn.ErrBounds)
	}
	if axis < 0 {
		axis += dims
	}
	return axis, nil
}

// position returns the number of a position that may be counted from the end, from 0 to n.
func position(at, n int64) (int64, error) {
	if at < -n || at > n {
		return 0, fmt.Errorf("position %d of %d: %w", at, n, cairn.ErrBounds)
	}
	if at < 0 {
		at += n
	}
	return at, nil
}
