package selection

import (
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/grid"
)

// A Selection is the result of selectors for an array of a certain shape: the selected items, and
// the shape of the result.
type Selection struct {
	// Start and Stop are the smallest box that contains all selected items: 0 ≤ Start ≤ Stop ≤
	// extent in each dimension of the array. They are equal in a dimension without selected items.
	Start, Stop []int64

	Axes []grid.Axis // the coordinates selected along each dimension of the array
	Dims []int       // for each dimension of the result, that of the array, or NewDim
	Size []int64     // extents of the result
}

// NewDim marks a dimension of a result that the array does not have; items are repeated along it.
const NewDim = -1

// Everything returns the selection of all items in order.
func Everything(shape []int64) Selection {
	s := Selection{
		Axes: make([]grid.Axis, len(shape)),
		Dims: make([]int, len(shape)),
		Size: slices.Clone(shape),
	}
	for i, extent := range shape {
		s.Axes[i] = grid.Axis{Step: 1, Count: extent}
		s.Dims[i] = i
	}
	return s
}

// Shape returns the shape of the result.
func (s Selection) Shape() []int64 { return append(make([]int64, 0, len(s.Size)), s.Size...) }

// Len returns the number of items. It is only exact if the items fit in memory.
func (s Selection) Len() int64 {
	n := int64(1)
	for _, extent := range s.Size {
		n *= extent
	}
	return n
}

// Box reports whether the selected items are those of the box from Start to Stop, in order.
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

// Choose resolves selectors for an array with this shape. It fails with [cairn.ErrBounds] if there
// are too many, if an index is out of range, if a mask has another length than its dimension, or
// for a step of 0.
func Choose(shape []int64, selectors []Selector) (Selection, error) {
	s, err := Everything(shape).Take(selectors)
	if err != nil {
		return Selection{}, err
	}
	s.Bound()
	return s, nil
}

// Take applies selectors to the result of a selection. It does not set Start and Stop; call Bound
// for that.
func (s Selection) Take(selectors []Selector) (Selection, error) {
	ellipsis, given, err := countSelectors(selectors, len(s.Dims))
	if err != nil {
		return Selection{}, err
	}

	t := Selection{
		Axes: slices.Clone(s.Axes),
		Dims: make([]int, 0, len(s.Dims)),
		Size: make([]int64, 0, len(s.Dims)),
	}
	dim := 0 // dimension of s
	apply := func(selector Selector) error {
		if selector.Kind == NewAxis {
			t.Dims = append(t.Dims, NewDim)
			t.Size = append(t.Size, 1)
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
			t.Dims = append(t.Dims, of)
			t.Size = append(t.Size, taken.Count)
		}
		dim++
		return nil
	}

	for k, selector := range selectors {
		if k != ellipsis {
			if err := apply(selector); err != nil {
				return Selection{}, err
			}
			continue
		}
		for range len(s.Dims) - given {
			if err := apply(Selector{}); err != nil {
				return Selection{}, err
			}
		}
	}

	// Without an ellipsis, the dimensions after the last selector are selected as a whole.
	for dim < len(s.Dims) {
		if err := apply(Selector{}); err != nil {
			return Selection{}, err
		}
	}

	if _, ok := grid.Product(t.Size); !ok {
		return Selection{}, fmt.Errorf("more items than 63 bits can count: %w", cairn.ErrBounds)
	}
	return t, nil
}

// countSelectors returns the index of the ellipsis, or -1, and how many dimensions the other
// selectors apply to.
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

// compose returns the coordinates that inner selects among those of outer. Places and Stride are
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

// Bound computes Start and Stop.
func (s *Selection) Bound() {
	s.Start = make([]int64, len(s.Axes))
	s.Stop = make([]int64, len(s.Axes))
	for i, a := range s.Axes {
		switch {
		case a.Count == 0:
			s.Start[i] = a.Start
			s.Stop[i] = a.Start
		case a.List != nil:
			s.Start[i] = slices.Min(a.List)
			s.Stop[i] = slices.Max(a.List) + 1
		default:
			end := a.Start + (a.Count-1)*a.Step
			s.Start[i] = min(a.Start, end)
			s.Stop[i] = max(a.Start, end) + 1
		}
	}
}

// Plain reports whether the selection begins at the first item and omits items only at the ends of
// dimensions.
func (s Selection) Plain() bool {
	return s.Straight() && !slices.ContainsFunc(s.Axes, func(a grid.Axis) bool { return a.Start != 0 })
}

// Straight reports whether the selection is a box with all dimensions in their order.
func (s Selection) Straight() bool {
	for k, dim := range s.Dims {
		if dim != k {
			return false
		}
		a := &s.Axes[k]
		if a.List != nil || a.Count > 1 && a.Step != 1 {
			return false
		}
	}
	return len(s.Dims) == len(s.Axes)
}

// Cell returns the box that holds only the item at the given coordinates.
func Cell(part *grid.Partition, coordinates, start, stop []int64) error {
	if len(coordinates) != part.Dims {
		return fmt.Errorf("%d coordinates for %d dimensions: %w", len(coordinates), part.Dims,
			cairn.ErrBounds)
	}

	for i, at := range coordinates {
		from, err := within(at, part.Shape[i])
		if err != nil {
			return fmt.Errorf("dimension %d: %w", i, err)
		}
		start[i] = from
		stop[i] = from + 1
	}
	return nil
}
