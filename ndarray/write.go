package ndarray

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/ndarray/internal/selection"
)

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

// writeSelected applies a change to the selected items.
func (u *Untyped) writeSelected(ctx context.Context, c change, selectors []Selector) error {
	part := u.geometry()
	s, err := selectIn(part, selectors)
	if err != nil {
		return u.refuse(c.call(), err)
	}
	if s.Box() {
		return u.writeBoxIn(ctx, part, c, s.Start, s.Stop)
	}
	m := selection.OneItem(s, part.ItemSize)
	if !c.fill {
		if m, err = selection.Dense(s, part.ItemSize, len(c.src)); err != nil {
			return u.refuse(c.call(), err)
		}
	}
	return u.writeMesh(ctx, part, c, m)
}

// writeBox applies a change to the items from start up to, not including, stop.
func (u *Untyped) writeBox(ctx context.Context, c change, start, stop []int64) error {
	return u.writeBoxIn(ctx, u.geometry(), c, start, stop)
}

func (u *Untyped) writeBoxIn(ctx context.Context, part *grid.Partition, c change, start, stop []int64) (err error) {
	var plan grid.Box
	if c.fill {
		err = plan.Set(part, start, stop)
		plan.Broadcast()
	} else {
		err = planDense(&plan, part, len(c.src), start, stop)
		plan.Swap(c.swap)
	}
	if err != nil {
		return cmp.Or(u.noItems(), u.refuse(c.call(), err))
	}
	c.plan = &plan
	return u.change(ctx, part, c)
}

// writeMesh applies a change to the items of a mesh.
func (u *Untyped) writeMesh(ctx context.Context, part *grid.Partition, c change, m selection.Mesh) error {
	var plan grid.Mesh
	if err := plan.Set(part, m.Axes, m.Memory, true); err != nil {
		return u.refuse(c.call(), err)
	}
	plan.Swap(c.swap)
	c.plan = &plan
	return u.change(ctx, part, c)
}

// change applies a change. A small one goes into the write buffer; otherwise the chunks that it
// touches are encoded and put into the frame. It fails if the geometry of the array is no longer
// part.
func (u *Untyped) change(ctx context.Context, part *grid.Partition, c change) (err error) {
	at, err := u.beginWrite(ctx, part)
	if err != nil {
		return err
	}
	defer func() {
		if failed := u.endWrite(); failed != nil {
			err = errors.Join(err, failed)
		}
	}()
	if c.plan.NumPieces() == 0 {
		return ctx.Err()
	}
	at, buffered, err := u.bufferWrite(ctx, at, &c)
	if buffered || err != nil {
		return err
	}
	return u.undoOnError(func() (bool, error) {
		done, err := u.stagePlan(ctx, at, c.plan, c.src, c.encoder())
		return done > 0, err
	})
}

// stagePlan encodes the chunks that a plan touches, based on those of a state, several at a time.
// It puts them into the frame in order, so that the file does not depend on the number of workers,
// and returns how many. If encode returns nothing, the chunk stays unchanged. The caller has begun
// a write.
func (u *Untyped) stagePlan(
	ctx context.Context, at *state, plan grid.Plan, src []byte, encode encodeFunc,
) (done int, err error) {
	pieces := plan.NumPieces()
	if pieces == 0 {
		return 0, ctx.Err()
	}
	workers, err := u.takeWorkers(ctx, at, pieces, true)
	if err != nil {
		return 0, err
	}
	defer u.pool.put(workers)
	progress := startProgress(ctx, int64(pieces))
	err = parallel.Ordered(ctx, len(workers), pieces,
		func(i, piece int) (err error) {
			w := workers[i]
			w.take(plan, piece)
			w.out, err = encode(w, w.out[:0], src)
			return err
		},
		func(i, _ int) error {
			w := workers[i]
			if len(w.out) > 0 {
				if err := w.stage(ctx, w.piece.Chunk); err != nil {
					return err
				}
				done++
			}
			progress.add(1)
			return nil
		})
	return done, err
}

// stage puts the chunk that the worker has encoded into the frame.
func (w *worker) stage(ctx context.Context, number int64) error {
	began := time.Now()
	err := w.array.frame.Inside().UpdateEncoded(ctx, int(number), w.out)
	w.tally.WriteTime += time.Since(began)
	if err == nil {
		w.tally.ChunksWritten++
		w.tally.BytesWritten += int64(len(w.out))
	}
	return err
}
