package selection

import (
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/grid"
)

// A Selection is what selectors mean for an array of a certain shape: which items, and the shape of
// the result.
type Selection struct {
	// start and stop are, per dimension of the array, the smallest box that holds Everything
	// selected: 0 ≤ Start ≤ Stop ≤ its extent. If a dimension has
	// nothing selected they are equal there.
	Start, Stop []int64

	Axes []grid.Axis // what is taken of each dimension of the array
	Dims []int       // for each dimension of the result that of the array, or NewDim
	Size []int64     // extents of the result
}

// NewDim marks a dimension of a result that the array has not: items are the same all along it.
const NewDim = -1

// Everything is the selection of all items in their order.
func Everything(shape []int64) Selection {
	s := Selection{Axes: make([]grid.Axis, len(shape)), Dims: make([]int, len(shape)), Size: slices.Clone(shape)}
	for i, extent := range shape {
		s.Axes[i], s.Dims[i] = grid.Axis{Step: 1, Count: extent}, i
	}
	return s
}

// Shape returns the shape of the result.
func (s Selection) Shape() []int64 { return append(make([]int64, 0, len(s.Size)), s.Size...) }

// Len returns the number of items. It fits in memory only if the items do.
func (s Selection) Len() int64 {
	n := int64(1)
	for _, extent := range s.Size {
		n *= extent
	}
	return n
}

// Box reports whether the selected items are those of the box from Start to Stop, in their order.
func (s Selection) Box() bool {
	last := -1
	for k, dim := range s.Dims {
		if dim == NewDim && s.Size[k] == 1 {
			continue
		}
		if dim <= last {
			return false // transposed, or repeated
		}
		last = dim
	}
	for _, a := range s.Axes {
		if a.List != nil || a.Count > 1 && a.Step != 1 {
			return false
		}
	}
	return true
}

// Choose works out what selectors mean for an array of this shape. It fails with [cairn.ErrBounds]
// if there are too many, if an index is
// beyond its dimension, if a mask has another length, or for a step of 0.
func Choose(shape []int64, selectors []Selector) (Selection, error) {
	s, err := Everything(shape).Take(selectors)
	if err != nil {
		return Selection{}, err
	}
	s.Bound()
	return s, nil
}

// Take returns the selection of what selectors take of a selection. Start and Stop are left to
// bound.
func (s Selection) Take(selectors []Selector) (Selection, error) {
	ellipsis, given, err := countSelectors(selectors, len(s.Dims))
	if err != nil {
		return Selection{}, err
	}
	t := Selection{Axes: slices.Clone(s.Axes), Dims: make([]int, 0, len(s.Dims)), Size: make([]int64, 0, len(s.Dims))}
	dim := 0 // of s
	one := func(selector Selector) error {
		if selector.Kind == NewAxis {
			t.Dims, t.Size = append(t.Dims, NewDim), append(t.Size, 1)
			return nil
		}
		taken, err := selector.axis(s.Size[dim])
		if err != nil {
			return fmt.Errorf("dimension %d: %w", dim, err)
		}
		of := s.Dims[dim]
		if of != NewDim {
			t.Axes[of] = compose(s.Axes[of], taken)
		}
		if selector.Kind != Index {
			t.Dims, t.Size = append(t.Dims, of), append(t.Size, taken.Count)
		}
		dim++
		return nil
	}
	for k, selector := range selectors {
		if k != ellipsis {
			if err := one(selector); err != nil {
				return Selection{}, err
			}
			continue
		}
		for range len(s.Dims) - given {
			if err := one(Selector{}); err != nil {
				return Selection{}, err
			}
		}
	}
	for dim < len(s.Dims) {
		if err := one(Selector{}); err != nil {
			return Selection{}, err
		}
	}
	if _, ok := grid.Product(t.Size); !ok {
		return Selection{}, fmt.Errorf("more items than 63 bits can count: %w", cairn.ErrBounds)
	}
	return t, nil
}

// countSelectors returns where the ellipsis is, or -1, and how many dimensions the other selectors
// are for.
func countSelectors(selectors []Selector, dims int) (ellipsis, given int, err error) {
	ellipsis = -1
	for k, s := range selectors {
		switch {
		case s.Kind == Ellipsis && ellipsis >= 0:
			return 0, 0, fmt.Errorf("more than one ellipsis: %w", cairn.ErrBounds)
		case s.Kind == Ellipsis:
			ellipsis = k
		case s.Kind != NewAxis:
			given++
		}
	}
	if given > dims {
		return 0, 0, fmt.Errorf("%d selectors for %d dimensions: %w", given, dims, cairn.ErrBounds)
	}
	return ellipsis, given, nil
}

// compose returns the coordinates that inner takes of those of outer. The places and the stride are
// those of inner.
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

// Bound works out Start and Stop.
func (s *Selection) Bound() {
	s.Start, s.Stop = make([]int64, len(s.Axes)), make([]int64, len(s.Axes))
	for i, a := range s.Axes {
		switch {
		case a.Count == 0:
			s.Start[i], s.Stop[i] = a.Start, a.Start
		case a.List != nil:
			s.Start[i], s.Stop[i] = slices.Min(a.List), slices.Max(a.List)+1
		default:
			end := a.Start + (a.Count-1)*a.Step
			s.Start[i], s.Stop[i] = min(a.Start, end), max(a.Start, end)+1
		}
	}
}

// Plain reports whether the selection begins where its origin does and leaves out nothing but at
// the end of dimensions.
func (s Selection) Plain() bool {
	for k, dim := range s.Dims {
		if dim != k || s.Axes[k].List != nil || s.Axes[k].Start != 0 || s.Axes[k].Count > 1 && s.Axes[k].Step != 1 {
			return false
		}
	}
	return len(s.Dims) == len(s.Axes)
}

// Cell resolves the coordinates of one item to the box that holds it alone.
func Cell(part *grid.Partition, coordinates []int64) (start, stop []int64, err error) {
	if len(coordinates) != part.Dims {
		return nil, nil, fmt.Errorf("%d coordinates for %d dimensions: %w", len(coordinates),
			part.Dims, cairn.ErrBounds)
	}
	start, stop = make([]int64, len(coordinates)), make([]int64, len(coordinates))
	for i, at := range coordinates {
		if start[i], err = within(at, part.Shape[i]); err != nil {
			return nil, nil, fmt.Errorf("dimension %d: %w", i, err)
		}
		stop[i] = start[i] + 1
	}
	return start, stop, nil
}
