package ndarray

import (
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/grid"
)

// A selection is what selectors mean for an array of a certain shape: which items, and the shape of the result.
type selection struct {
	// start and stop are, per dimension of the array, the smallest box that holds everything
	// selected: 0 ≤ Start ≤ Stop ≤ its extent. If a dimension has
	// nothing selected they are equal there.
	start, stop []int64

	axes []grid.Axis // what is taken of each dimension of the array
	dims []int       // for each dimension of the result that of the array, or newDim
	size Shape       // extents of the result
}

// newDim marks a dimension of a result that the array has not: items are the same all along it.
const newDim = -1

// everything is the selection of all items in their order.
func everything(shape Shape) selection {
	s := selection{axes: make([]grid.Axis, len(shape)), dims: make([]int, len(shape)), size: slices.Clone(shape)}
	for i, extent := range shape {
		s.axes[i], s.dims[i] = grid.Axis{Step: 1, Count: extent}, i
	}
	return s
}

// Shape returns the shape of the result.
func (s selection) Shape() Shape { return append(make(Shape, 0, len(s.size)), s.size...) }

// Len returns the number of items. It fits in memory only if the items do.
func (s selection) Len() int64 {
	n := int64(1)
	for _, extent := range s.size {
		n *= extent
	}
	return n
}

// box reports whether the selected items are those of the box from Start to Stop, in their order.
func (s selection) box() bool {
	last := -1
	for k, dim := range s.dims {
		if dim == newDim && s.size[k] == 1 {
			continue
		}
		if dim <= last {
			return false // transposed, or repeated
		}
		last = dim
	}
	for _, a := range s.axes {
		if a.List != nil || a.Count > 1 && a.Step != 1 {
			return false
		}
	}
	return true
}

// choose works out what selectors mean for an array of this shape. It fails with [cairn.ErrBounds]
// if there are too many, if an index is
// beyond its dimension, if a mask has another length, or for a step of 0.
func (shape Shape) choose(selectors ...Selector) (selection, error) {
	s, err := everything(shape).take(selectors)
	if err != nil {
		return selection{}, err
	}
	s.bound()
	return s, nil
}

// take returns the selection of what selectors take of a selection. Start and Stop are left to bound.
func (s selection) take(selectors []Selector) (selection, error) {
	ellipsis, given, err := countSelectors(selectors, len(s.dims))
	if err != nil {
		return selection{}, err
	}
	t := selection{axes: slices.Clone(s.axes), dims: make([]int, 0, len(s.dims)), size: make(Shape, 0, len(s.dims))}
	dim := 0 // of s
	one := func(selector Selector) error {
		if selector.kind == selectNewAxis {
			t.dims, t.size = append(t.dims, newDim), append(t.size, 1)
			return nil
		}
		taken, err := selector.axis(s.size[dim])
		if err != nil {
			return fmt.Errorf("dimension %d: %w", dim, err)
		}
		of := s.dims[dim]
		if of != newDim {
			t.axes[of] = compose(s.axes[of], taken)
		}
		if selector.kind != selectIndex {
			t.dims, t.size = append(t.dims, of), append(t.size, taken.Count)
		}
		dim++
		return nil
	}
	for k, selector := range selectors {
		if k != ellipsis {
			if err := one(selector); err != nil {
				return selection{}, err
			}
			continue
		}
		for range len(s.dims) - given {
			if err := one(All); err != nil {
				return selection{}, err
			}
		}
	}
	for dim < len(s.dims) {
		if err := one(All); err != nil {
			return selection{}, err
		}
	}
	if _, ok := grid.Product(t.size); !ok {
		return selection{}, fmt.Errorf("more items than 63 bits can count: %w", cairn.ErrBounds)
	}
	return t, nil
}

// countSelectors returns where the ellipsis is, or -1, and how many dimensions the other selectors are for.
func countSelectors(selectors []Selector, dims int) (ellipsis, given int, err error) {
	ellipsis = -1
	for k, s := range selectors {
		switch {
		case s.kind == selectEllipsis && ellipsis >= 0:
			return 0, 0, fmt.Errorf("more than one ellipsis: %w", cairn.ErrBounds)
		case s.kind == selectEllipsis:
			ellipsis = k
		case s.kind != selectNewAxis:
			given++
		}
	}
	if given > dims {
		return 0, 0, fmt.Errorf("%d selectors for %d dimensions: %w", given, dims, cairn.ErrBounds)
	}
	return ellipsis, given, nil
}

// compose returns the coordinates that inner takes of those of outer. The places and the stride are those of inner.
func compose(outer, inner grid.Axis) grid.Axis {
	if outer.List == nil && inner.List == nil {
		inner.Start = outer.Start + inner.Start*outer.Step
		if inner.Count > 1 {
			inner.Step *= outer.Step
		}
		return inner
	}
	if outer.List == nil && outer.Start == 0 && outer.Step == 1 {
		return inner
	}
	list := make([]int64, inner.Count)
	for k := range list {
		list[k] = outer.At(inner.At(int64(k)))
	}
	inner.List = list
	return inner
}

// bound works out Start and Stop.
func (s *selection) bound() {
	s.start, s.stop = make([]int64, len(s.axes)), make([]int64, len(s.axes))
	for i, a := range s.axes {
		switch {
		case a.Count == 0:
			s.start[i], s.stop[i] = a.Start, a.Start
		case a.List != nil:
			s.start[i], s.stop[i] = slices.Min(a.List), slices.Max(a.List)+1
		default:
			end := a.Start + (a.Count-1)*a.Step
			s.start[i], s.stop[i] = min(a.Start, end), max(a.Start, end)+1
		}
	}
}
