package compute

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/compute/internal/kernel"
	"github.com/cairn-go/cairn/internal/inside"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/ndarray"
)

// A pair is an item with what a companion of the array has in its place: a weight, the item of
// another array, or a coordinate.
type pair struct{ v, w float64 }

// A companion has an item for each of an array, which may be repeated along some dimensions.
type companion struct {
	from ndarray.View[float64]
	// extents are those of the array, or 1 along dimensions that the companion does not have.
	extents []int64
	own     []int     // dimensions of the array that the companion has, in its order
	all     []float64 // all items, or nil if they are read box by box
	fit     func(values []float64) error
}

// companionBytes is the maximum size of a companion that is held in memory.
const companionBytes = 64 << 20

// companionOf returns src as a companion of an array of the given shape. axes are the dimensions of
// the array that the companion has; nil stands for the last ones, as in broadcasting. fit, which
// may be nil, refuses items.
func companionOf(ctx context.Context, what string, src ndarray.Source, axes []int, shape ndarray.Shape,
	fit func(values []float64) error) (*companion, error) {
	own := src.Shape()
	if axes == nil {
		for i := range own {
			axes = append(axes, i-len(own))
		}
	}
	if len(axes) != len(own) {
		return nil, fmt.Errorf("%s of shape %v along %d axes: %w", what, own, len(axes), cairn.ErrBounds)
	}

	c := &companion{extents: slices.Repeat([]int64{1}, len(shape)), fit: fit}
	for k, axis := range axes {
		i, err := axisNumber(axis, len(shape))
		if err != nil {
			return nil, fmt.Errorf("%s of shape %v for an array of shape %v: %w", what, own, shape, err)
		}
		if slices.Contains(c.own, i) || own[k] != shape[i] && own[k] != 1 {
			return nil, fmt.Errorf("%s of shape %v do not fit an array of shape %v: %w", what, own, shape, cairn.ErrBounds)
		}
		c.own = append(c.own, i)
		c.extents[i] = own[k]
	}
	return c, c.open(ctx, what, src)
}

// open opens the items, and reads them if they are few.
func (c *companion) open(ctx context.Context, what string, src ndarray.Source) error {
	f, err := familyOf(src, what)
	if err != nil {
		return err
	}
	if f.mean == nil {
		return typeError(what, src.DType())
	}
	e, err := castTo(ctx, src, "float64", &CalcOptions{})
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if c.from, err = ndarray.ViewAs[float64](e); err != nil {
		return err
	}

	if itemsOf(e.shape) <= companionBytes/8 {
		if c.all, err = c.from.Read(ndarray.WithProgress(ctx, nil)); err == nil && c.fit != nil {
			err = c.fit(c.all)
		}
	}
	return err
}

// A companionBox has the items of a companion for a box.
type companionBox struct {
	values []float64
	base   int   // where the first one is
	stride []int // by dimension of the array: 0 along those that the companion does not have
	read   []float64
}

// box sets b to the items for a box of the array.
func (c *companion) box(ctx context.Context, b *companionBox, start, stop []int64) error {
	b.stride = slab.Resize(b.stride, len(start))
	b.base = 0
	clear(b.stride)

	held := c.all != nil
	from := make([]int64, len(c.own))
	to := make([]int64, len(c.own))
	step := int64(1)

	for k := len(c.own) - 1; k >= 0; k-- {
		i := c.own[k]
		extent := c.extents[i]
		to[k] = 1
		if extent > 1 {
			from[k] = start[i]
			to[k] = stop[i]
			b.stride[i] = int(step)
		}
		if held {
			b.base += int(from[k] * step)
		} else {
			extent = to[k] - from[k]
		}
		step *= extent
	}

	b.values = c.all
	if held {
		return nil
	}
	b.read = slab.Resize(b.read, step)
	b.values = b.read
	if err := c.from.ReadBox(ctx, b.read, from, to); err != nil {
		return err
	}
	if c.fit != nil {
		return c.fit(b.read)
	}
	return nil
}

// pairItems is the number of pairs that are made at a time where rows are reduced, and pairMost
// that where they are not.
const (
	pairItems = 16 << 10
	pairMost  = 1 << 20
)

// pairInput returns the openInput of the pairs of items of type S.
func pairInput[S ndarray.Real](c *companion) openInput[pair] {
	return func(ctx context.Context, src ndarray.Source, memory int64) (*input[pair], error) {
		from, err := plainInput[S](ctx, src, memory)
		if err != nil {
			return nil, err
		}

		in := &input[pair]{Array: from.Array, shape: from.shape}
		states := make([]pairState[S], from.Workers())
		in.paired = func(ctx context.Context, raw *inside.Block, rows bool, do func(b *blockValues[pair]) error) error {
			s := &states[raw.Worker]
			var err error
			if raw.Data == nil {
				s.value, err = from.value(raw.Item)
			} else {
				s.items, err = from.values(s.items, raw.Data)
			}
			if err != nil {
				return err
			}
			return s.each(ctx, c, raw, rows, do)
		}
		return in, nil
	}
}

// A pairState is what a worker needs to make pairs.
type pairState[S ndarray.Real] struct {
	items []S
	value S // of all items, if the block has no others
	one   [1]S
	with  companionBox
	pairs []pair
	at    []int64
}

// each passes the pairs of a block on, part by part.
func (s *pairState[S]) each(ctx context.Context, c *companion, raw *inside.Block, rows bool,
	do func(b *blockValues[pair]) error) error {
	most := int64(pairMost)
	if rows {
		most = pairItems
	}

	extents := make([]int64, len(raw.Start))
	for i, x := range raw.Start {
		extents[i] = raw.Stop[i] - x
	}
	parts := slab.GridOf(make([]int64, len(extents)), extents, successive(extents, most))
	values := s.items
	for i := range parts.Count {
		box := parts.At(i)
		for k, x := range raw.Start {
			box.Start[k] += x
			box.Stop[k] += x
		}
		if err := c.box(ctx, &s.with, box.Start, box.Stop); err != nil {
			return err
		}

		n := int(box.Items())
		s.pairs = slab.Resize(s.pairs, n)
		var own []S
		if raw.Data != nil {
			own = values[:n]
			values = values[n:]
		}
		s.pair(own, box.Start, box.Stop)

		part := *raw
		part.Start = box.Start
		part.Stop = box.Stop
		if err := do(&blockValues[pair]{Block: &part, values: s.pairs}); err != nil {
			return err
		}
	}
	return nil
}

// successive returns the shape of parts of a box of some extents that have at most so many items,
// which are successive.
func successive(extents []int64, most int64) []int64 {
	edge := slices.Clone(extents)
	for i := len(edge) - 1; i >= 0; i-- {
		edge[i] = max(1, min(extents[i], most))
		if most /= edge[i]; edge[i] < extents[i] {
			most = 1
		}
	}
	return edge
}

// pair makes the pairs of a box. own has its items, or is nil if all are the same.
func (s *pairState[S]) pair(own []S, start, stop []int64) {
	last := len(start) - 1
	if last < 0 {
		v := s.value
		if own != nil {
			v = own[0]
		}
		s.pairs[0] = pair{float64(v), s.with.values[s.with.base]}
		return
	}

	run := int(stop[last] - start[last])
	s.at = append(s.at[:0], start...)
	for pairs := s.pairs; len(pairs) > 0; pairs = pairs[run:] {
		from := s.with.base
		for i, x := range s.at[:last] {
			from += int(x-start[i]) * s.with.stride[i]
		}

		if own == nil {
			s.one[0] = s.value
			pairRow(pairs[:run], s.one[:], 0, s.with.values[from:], s.with.stride[last])
		} else {
			pairRow(pairs[:run], own, 1, s.with.values[from:], s.with.stride[last])
			own = own[run:]
		}
		advance(s.at[:last], start, stop)
	}
}

// pairRow makes the pairs of every step-th item and every stride-th value of a companion.
func pairRow[S ndarray.Real](row []pair, items []S, step int, with []float64, stride int) {
	switch {
	case step == 1 && stride == 0:
		w := with[0]
		for k, v := range items[:len(row)] {
			row[k] = pair{float64(v), w}
		}
	case step == 1 && stride == 1:
		with = with[:len(row)]
		for k, v := range items[:len(row)] {
			row[k] = pair{float64(v), with[k]}
		}
	default:
		for k := range row {
			row[k] = pair{float64(items[k*step]), with[k*stride]}
		}
	}
}

// pairsOf opens the pairs of a source of real numbers and a companion. Those that are no floats are
// converted by an expression before.
func pairsOf(ctx context.Context, src ndarray.Source, c *companion, memory int64) (ndarray.Source, openInput[pair], error) {
	d := src.DType()
	switch k, _ := kernel.KindOf(d.Kind(), d.Size()); k {
	case kernel.Float32:
		return src, pairInput[float32](c), nil
	case kernel.Float64:
		return src, pairInput[float64](c), nil
	}
	e, err := castTo(ctx, src, "float64", &CalcOptions{Memory: memory})
	return e, pairInput[float64](c), err
}
