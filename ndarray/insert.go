package ndarray

import (
	"context"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/grid"
)

// Append stages items after the last ones along an axis. The axis grows by the items of src, which
// are in C order and have the array's extents along all other axes; so len(src) must be a multiple
// of the bytes of one step along the axis. A negative axis counts from the last. Existing chunks do
// not change, except partly filled ones at the end. These stay in the write buffer, see
// Options.WriteBehind, and are encoded when full or at Commit, so that many small appends cost
// little more than one large one. If src has more bytes than half of the buffer, it is encoded at
// once.
//
// Items are added to the newest state, so several goroutines may append, and with Locking several
// processes. As with every change nothing is durable before Commit, and after an error nothing has
// changed. Errors match [cairn.ErrBounds] for an invalid axis or length, and [cairn.ErrLimit] for
// too many chunks.
func (u *Untyped) Append(ctx context.Context, axis int, src []byte) error {
	return u.asBytes().Append(ctx, axis, src)
}

// Insert stages items before position at of an axis, counted from the end if negative; the items
// from there on move back. src and errors are as for Append. If at and the number of new items
// along the axis are multiples of the chunk's extent, later chunks are moved unchanged.
// Otherwise all chunks from at on are decoded and encoded again, by all workers, in memory of a few
// chunks for each.
func (u *Untyped) Insert(ctx context.Context, axis int, at int64, src []byte) error {
	return u.asBytes().Insert(ctx, axis, at, src)
}

// insert is Insert, or Append if at is nil. swap is as in readBox.
func (u *Untyped) insert(ctx context.Context, what string, axis int, at *int64, src []byte, swap int) error {
	if at == nil {
		if done, err := u.appendPending(ctx, axis, src, swap); done || err != nil {
			return err
		}
	}
	var s splice
	return u.changeShape(ctx, what,
		func(r *reshaping) (err error) {
			s, err = r.insertion(axis, at, len(src))
			return err
		},
		func(r *reshaping) (bool, error) {
			if s.ins == 0 {
				return true, ctx.Err()
			}
			if s.at < r.at.part.Shape[s.axis] {
				return false, nil
			}
			return r.append(ctx, s, src, swap)
		},
		func(r *reshaping) error { return r.insert(ctx, s, src, swap) })
}

// insertion returns the splice that inserts size bytes at a position along an axis, or at the end
// if at is nil.
func (r *reshaping) insertion(axis int, at *int64, size int) (s splice, err error) {
	defer func() { err = r.u.inArray(err) }()
	p := r.at.part
	if axis, err = r.axis(axis); err != nil {
		return splice{}, err
	}
	across := p.Shape
	across[axis] = p.ItemSize
	row, _ := grid.Product(across[:p.Dims]) // bytes of one step along the axis
	s = splice{axis: axis, at: p.Shape[axis]}
	if at != nil {
		if s.at, err = position(*at, p.Shape[axis]); err != nil {
			return s, err
		}
	}
	if size == 0 {
		return s, nil
	}
	if row <= 0 || int64(size)%row != 0 {
		if int64(size)%p.ItemSize != 0 {
			return s, fmt.Errorf("%d bytes for items of %d: %w", size, p.ItemSize, cairn.ErrBounds)
		}
		return s, fmt.Errorf("%d items, one more along axis %d takes %d: %w",
			int64(size)/p.ItemSize, axis, row/p.ItemSize, cairn.ErrBounds)
	}
	s.ins = int64(size) / row
	return s, nil
}

// insert runs an insertion of src.
func (r *reshaping) insert(ctx context.Context, s splice, src []byte, swap int) error {
	if err := r.splice(s); err != nil {
		return err
	}
	if err := r.arrange(ctx, make([]byte, r.u.TypeSize())); err != nil {
		return err
	}
	p := r.part
	var plan grid.Box
	if err := r.planInserted(&plan, s, src, swap); err != nil {
		return err
	}
	from, to, err := r.shift(ctx, s, &plan, src)
	if err != nil {
		return err
	}
	step, _ := grid.Product(p.ChunkGrid[s.axis+1 : p.Dims])
	encode := func(w *worker, out, src []byte) ([]byte, error) {
		if k := w.piece.Chunk / step % p.ChunkGrid[s.axis]; from <= k && k < to {
			return out, nil // shift has written it
		}
		return w.encode(out, src)
	}
	_, err = r.u.stagePlan(ctx, r.stateWith(r.store), &plan, src, encode)
	return err
}

// planInserted sets up the plan of the inserted items.
func (r *reshaping) planInserted(plan *grid.Box, s splice, src []byte, swap int) error {
	p := r.part
	var start grid.Vec
	stop := p.Shape
	start[s.axis], stop[s.axis] = s.at, s.at+s.ins
	if err := planDense(plan, p, len(src), start[:p.Dims], stop[:p.Dims]); err != nil {
		return err
	}
	plan.Swap(swap)
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

// Delete stages the removal of the items from one position up to, not including, another along an
// axis; later items move up. Negative positions and axes count from the end. If the number of items
// is a multiple of the chunk's extent, later chunks are moved unchanged, and at most the chunks in
// which the deletion begins are encoded again; at the end of the axis none are. Otherwise all
// chunks from there on are decoded and encoded again, as in Insert. The bytes of removed chunks
// stay in a contiguous file until it is compacted.
//
// Positions refer to the newest state. Errors match [cairn.ErrBounds] for invalid positions, and
// then nothing has changed.
func (u *Untyped) Delete(ctx context.Context, axis int, from, to int64) error {
	u = u.self()
	var s splice
	return u.changeShape(ctx, "delete", func(r *reshaping) (err error) {
		if s.axis, err = r.axis(axis); err != nil {
			return err
		}
		extent := r.at.part.Shape[s.axis]
		if s.at, err = position(from, extent); err != nil {
			return err
		}
		end, err := position(to, extent)
		if s.del = end - s.at; err == nil && s.del < 0 {
			err = fmt.Errorf("items from %d to %d: %w", from, to, cairn.ErrBounds)
		}
		return err
	}, nil, func(r *reshaping) error {
		if s.del == 0 {
			return ctx.Err()
		}
		if err := r.splice(s); err != nil {
			return err
		}
		if err := r.arrange(ctx, make([]byte, u.TypeSize())); err != nil {
			return err
		}
		_, _, err := r.shift(ctx, s, &grid.Box{}, nil)
		return err
	})
}
