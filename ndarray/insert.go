package ndarray

import (
	"context"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/naming"
)

// insert is Insert, or Append if at is nil. swap is as in readBox.
func (a *array) insert(ctx context.Context, what string, axis int, at *int64, src []byte, swap int) error {
	if at == nil {
		done, err := a.appendPending(ctx, axis, src, swap)
		if done || err != nil {
			return err
		}
	}

	var s splice
	set := func(r *reshaping) (err error) {
		s, err = r.insertion(axis, at, len(src))
		return err
	}
	grow := func(r *reshaping) (bool, error) {
		if s.ins == 0 {
			return true, ctx.Err()
		}
		if s.at < r.at.part.Shape[s.axis] {
			return false, nil
		}
		return r.append(ctx, s, src, swap)
	}
	run := func(r *reshaping) error { return r.insert(ctx, s, src, swap) }
	return a.changeShape(ctx, what, set, grow, run)
}

// insertion returns the splice that inserts size bytes at a position along an axis, or at the end
// if at is nil.
func (r *reshaping) insertion(axis int, at *int64, size int) (s splice, err error) {
	defer func() { err = r.a.inArray(err) }()

	axis, err = r.axis(axis)
	if err != nil {
		return splice{}, err
	}
	p := r.at.part
	across := p.Shape
	across[axis] = p.ItemSize
	row, _ := grid.Product(across[:p.Dims]) // bytes of one step along the axis

	s = splice{axis: axis, at: p.Shape[axis]}
	if at != nil {
		s.at, err = position(*at, p.Shape[axis])
		if err != nil {
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
	if err := r.arrange(ctx, make([]byte, r.a.typeSize())); err != nil {
		return err
	}

	var plan grid.Box
	if err := r.planInserted(&plan, s, src, swap); err != nil {
		return err
	}
	from, to, err := r.shift(ctx, s, &plan, src)
	if err != nil {
		return err
	}

	p := r.part
	step, _ := grid.Product(p.ChunkGrid[s.axis+1 : p.Dims])
	encode := func(w *worker, src []byte) error {
		k := w.piece.Chunk / step % p.ChunkGrid[s.axis]
		if from <= k && k < to {
			return nil // shift has written it
		}
		return w.encode(src)
	}
	_, err = r.a.stagePlan(ctx, r.stateWith(r.store), &plan, src, encode)
	return err
}

// delete is Delete.
func (a *array) delete(ctx context.Context, axis int, from, to int64) error {
	var s splice
	set := func(r *reshaping) (err error) {
		s.axis, err = r.axis(axis)
		if err != nil {
			return err
		}
		extent := r.at.part.Shape[s.axis]
		s.at, err = position(from, extent)
		if err != nil {
			return err
		}
		end, err := position(to, extent)
		if err != nil {
			return err
		}

		s.del = end - s.at
		if s.del < 0 {
			return fmt.Errorf("items from %d to %d: %w", from, to, cairn.ErrBounds)
		}
		return nil
	}

	run := func(r *reshaping) error {
		if s.del == 0 {
			return ctx.Err()
		}
		if err := r.splice(s); err != nil {
			return err
		}
		if err := r.arrange(ctx, make([]byte, a.typeSize())); err != nil {
			return err
		}
		_, _, err := r.shift(ctx, s, &grid.Box{}, nil)
		return err
	}
	return a.changeShape(ctx, "delete", set, nil, run)
}

// resize is Resize.
func (a *array) resize(ctx context.Context, shape Shape, o *ResizeOptions) error {
	if o == nil {
		o = &ResizeOptions{}
	}
	item := make([]byte, a.typeSize())
	if o.Fill != nil {
		var err error
		item, err = a.item(o.Fill)
		if err != nil {
			return a.failed(naming.In("resize", err))
		}
	}

	set := func(r *reshaping) error { return r.resize(shape, o.Start) }
	grow := func(r *reshaping) (bool, error) { return r.extend(ctx, item) }
	run := func(r *reshaping) error {
		if err := r.arrange(ctx, item); err != nil {
			return err
		}
		return r.eachPadding(func(start, stop []int64) error {
			return r.fillBox(ctx, item, start, stop)
		})
	}
	return a.changeShape(ctx, "resize", set, grow, run)
}
