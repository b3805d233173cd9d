package compute

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/ndarray"
)

// runGroups computes the results of groups: those of a box of the other dimensions at once, if all
// of their items fit into memory, otherwise one group after the other.
func (s *quantiles) runGroups(ctx context.Context, o *Options) error {
	kept := slices.Clone([]int64(s.e.shape))
	edge := slices.Clone(s.e.edge)
	perResult := int64(8)
	for i, n := range s.e.shape {
		if s.reduced[i] || s.groups[i] != nil {
			perResult *= n
			kept[i] = 1
			edge[i] = 1
		}
	}

	budget := max(s.memory/int64(s.workers)/2, leastQuantile) // a copy of the items is sorted
	if perResult > budget {
		if s.mode {
			return errModeMemory(perResult)
		}
		return s.eachGroup(ctx, o)
	}
	if itemsOf(edge)*perResult > budget {
		edge = slices.Repeat([]int64{1}, len(edge))
	}

	sorted := make([][]float64, s.workers)
	return s.eachBox(ctx, kept, slab.Chunked(kept, edge, perResult, budget), perResult,
		func(w int, box []float64, read *tile) error {
			to := s.groupsTile(read)
			values := s.out.tileMemory(&to)
			sorted[w] = slab.Resize(sorted[w], int64(len(box)))
			s.quantilesOfGroups(box, sorted[w], read, &to, values)
			return s.out.put(ctx, &to, values)
		})
}

// groupsTile returns the tile of the results of a box of items.
func (s *quantiles) groupsTile(read *tile) tile {
	dims := len(read.start)
	to := tile{start: slices.Clone(read.start), stop: slices.Clone(read.stop), stride: make([]int64, dims),
		number: make([]int64, dims), groups: s.groups, perCell: 1, cells: 1}
	for i := dims - 1; i >= 0; i-- {
		if s.reduced[i] {
			if groupingAlong(s.groups, i) == nil {
				to.perCell *= s.e.shape[i]
			}
			continue
		}
		if g := s.groups[i]; g != nil {
			to.stop[i] = int64(g.count)
		}
		to.stride[i] = int64(to.cells)
		to.cells *= int(to.stop[i] - to.start[i])
	}
	return to
}

// quantilesOfGroups computes the results of a box. sorted has room for its items, which are put
// there result by result.
func (s *quantiles) quantilesOfGroups(box, sorted []float64, read, to *tile, values []float64) {
	ends := make([]int64, len(values)) // of what has been put there
	next := int64(0)
	for i := range ends {
		ends[i] = next
		next += to.items(i)
	}

	at := slices.Clone(read.start)
	for _, v := range box {
		if cell, _, ok := to.place(at); ok {
			sorted[ends[cell]] = v
			ends[cell]++
		}
		advance(at, read.start, read.stop)
	}

	first := int64(0)
	for i, end := range ends {
		values[i] = s.quantile(sorted[first:end])
		first = end
	}
}

// eachGroup computes the results of one group after the other.
func (s *quantiles) eachGroup(ctx context.Context, o *Options) error {
	last := slices.Clone([]int64(s.e.shape))
	for i, g := range s.groups {
		if g != nil && g.joined() {
			return fmt.Errorf("quantiles of groups along %d axes, whose items do not fit into memory: %w", len(g.dims),
				cairn.ErrLimit)
		}
		last[i] = 1
		if g != nil {
			last[i] = int64(g.count)
		}
	}
	if slices.Contains(last, 0) {
		return nil
	}

	first := make([]int64, len(last))
	at := slices.Clone(first)
	for more := true; more; more = advance(at, first, last) {
		if err := s.oneGroup(ctx, o, at); err != nil {
			return err
		}
	}
	return nil
}

// oneGroup computes the results of the groups of the numbers at.
func (s *quantiles) oneGroup(ctx context.Context, o *Options, at []int64) error {
	t := tile{start: slices.Clone(at), stop: slices.Clone([]int64(s.e.shape)), cells: 1}
	selectors := make([]ndarray.Selector, len(at))
	one := &Options{KeepDims: true, SkipNaN: s.skip, Memory: o.Memory}
	empty := false

	for i, g := range s.groups {
		switch {
		case g != nil:
			members := g.members(at[i])
			selectors[i] = ndarray.Indices(members)
			t.stop[i] = at[i] + 1
			empty = empty || len(members) == 0
			one.Axes = append(one.Axes, i)
		case s.reduced[i]:
			t.start[i] = 0
			one.Axes = append(one.Axes, i)
		default:
			t.cells *= int(s.e.shape[i])
		}
	}

	values := s.out.tileMemory(&t)
	if empty {
		for i := range values {
			values[i] = math.NaN()
		}
		return s.out.put(ctx, &t, values)
	}

	a, err := Quantile(ctx, s.from.Slice(selectors...), s.q, one)
	if err != nil {
		return err
	}
	defer a.Abort()
	if err := a.ReadInto(ctx, values); err != nil {
		return err
	}
	return s.out.put(ctx, &t, values)
}

// members returns the indexes of a group.
func (g *grouping) members(group int64) (all []int64) {
	for x, number := range g.of {
		if int64(number) == group {
			all = append(all, int64(x))
		}
	}
	return all
}
