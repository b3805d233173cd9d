package compute

import (
	"context"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/compute/internal/kernel"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/ndarray"
)

// CumSum creates an array, at path or in memory if path is "", of the sums of the items up to each
// item along an axis; a negative axis counts from the end. R is as for [Sum]. Floats are added one
// after another, as NumPy does, but in float64. If o is nil and src is an array, the result has its
// chunk and block shape. Memory for the items is limited as for [Map], to one chunk of the array
// and of the result per worker at least.
func CumSum[R Total](ctx context.Context, path string, src ndarray.Source, axis int,
	o *ndarray.Options) (ndarray.Array[R], error) {
	return cumulate(ctx, path, src, axis, o, func(total []R, row []R) {
		for i, v := range row {
			total[i] += v
			row[i] = total[i]
		}
	}, 0)
}

// CumProd is [CumSum] for products.
func CumProd[R Total](ctx context.Context, path string, src ndarray.Source, axis int,
	o *ndarray.Options) (ndarray.Array[R], error) {
	return cumulate(ctx, path, src, axis, o, func(total []R, row []R) {
		for i, v := range row {
			total[i] *= v
			row[i] = total[i]
		}
	}, 1)
}

// cumulate replaces rows of items by what add makes of them and of the totals before.
func cumulate[R Total](ctx context.Context, path string, src ndarray.Source, axis int, o *ndarray.Options,
	add func(total, row []R), first R) (none ndarray.Array[R], err error) {
	var options ndarray.Options
	if o != nil {
		options = *o
	} else {
		options.ChunkShape, options.BlockShape = src.Grid()
	}

	e, err := totalsOf[R](ctx, src, &options)
	if err != nil {
		return none, fmt.Errorf("cumulative sum: %w", err)
	}

	if axis < 0 {
		axis += len(e.shape)
	}
	if axis < 0 || axis >= len(e.shape) {
		return none, fmt.Errorf("cumulative sum over axis %d of %d: %w", axis, len(e.shape), cairn.ErrBounds)
	}

	from, err := ndarray.ViewAs[R](e)
	if err != nil {
		return none, err
	}

	out, err := createAs[R](&Options{Path: path}, "", e.shape, &options)
	if err != nil {
		return none, err
	}

	done := false
	defer func() {
		if !done {
			out.Abort()
		}
	}()

	if itemsOf(e.shape) > 0 {
		c := &cumulation[R]{e: e, axis: axis, from: from, out: out, add: add, first: first}
		err = c.run(ctx)
	}

	if done = err == nil; !done {
		return none, err
	}
	return out, nil
}

// totalsOf returns a source as items of type R.
func totalsOf[R Total](ctx context.Context, src ndarray.Source, o *ndarray.Options) (*Expression, error) {
	var r R
	d := src.DType()
	k, ok := kernel.KindOf(d.Kind(), d.Size())
	name := fmt.Sprintf("%T", r)

	switch any(r).(type) {
	case int64, uint64:
		ok = ok && k <= kernel.Uint64
	case float64:
		ok = ok && k <= kernel.Float64
	}

	if !ok {
		return nil, fmt.Errorf("items of dtype %v in %s: %w", d, name, cairn.ErrType)
	}
	return castTo(ctx, src, name, &CalcOptions{Workers: o.Workers, Memory: o.Memory})
}

// A cumulation is the state of a cumulate.
type cumulation[R Total] struct {
	e     *Expression
	axis  int
	from  ndarray.View[R]
	out   ndarray.Array[R]
	add   func(total, row []R)
	first R
}

// run goes along the axis, in columns of boxes that do not depend on each other.
func (c *cumulation[R]) run(ctx context.Context) error {
	across := append([]int64{}, c.e.shape...)
	across[c.axis] = 1
	columns := slab.GridOf(make([]int64, len(across)), across, c.e.edge)
	workers := min(c.e.workers, columns.Count)

	// The workers that have no column are used by reads.
	step := c.e.edge[c.axis] * int64(max(1, c.e.workers/workers))

	ctx = ndarray.WithProgress(ctx, nil)
	return parallel.For(ctx, workers, columns.Count, func(_, i int) error {
		return c.column(ctx, columns.At(i).Start, columns.At(i).Stop, step)
	})
}

// column goes along one column.
func (c *cumulation[R]) column(ctx context.Context, start, stop []int64, step int64) error {
	inner := int64(1)
	outer := int64(1)
	for i := range start {
		switch {
		case i < c.axis:
			outer *= stop[i] - start[i]
		case i > c.axis:
			inner *= stop[i] - start[i]
		}
	}

	total := make([]R, inner*outer)
	for i := range total {
		total[i] = c.first
	}

	var box []R
	for at := int64(0); at < c.e.shape[c.axis]; at += step {
		start[c.axis] = at
		stop[c.axis] = min(at+step, c.e.shape[c.axis])

		rows := stop[c.axis] - at
		box = slab.Resize(box, outer*rows*inner)
		if err := c.from.ReadBox(ctx, box, start, stop); err != nil {
			return err
		}

		for row := range outer * rows {
			c.add(total[row/rows*inner:][:inner], box[row*inner:][:inner])
		}

		if err := c.out.WriteBox(ctx, box, start, stop); err != nil {
			return err
		}
	}
	return nil
}
