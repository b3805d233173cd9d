package ndarray

import (
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/grid"
)

// Shape is a number of items per dimension, outermost first. Nil and empty are the shape of a scalar.
type Shape []int64

// A Selector says what to take of one dimension. The zero Selector takes all of it. A list of selectors is for the dimensions in
// order; what it leaves out at the end is taken whole, as in NumPy.
type Selector struct {
	kind        selectorKind
	start, stop int64
	step        int64 // 0 means 1
	hasStart    bool
	hasStop     bool
}

type selectorKind uint8

const (
	selectRange selectorKind = iota // with neither start nor stop: all
	selectIndex
	selectEllipsis
)

var (
	// All takes a whole dimension, like ":" in Python.
	All = Selector{}
	// Ellipsis takes all the dimensions that the other selectors leave over, like "..." in Python. A list may have one.
	Ellipsis = Selector{kind: selectEllipsis}
)

// Range takes items start up to, not including, stop. As in Python, negative numbers count from the end, numbers beyond the dimension
// are cut to it, and a stop that is not behind start takes nothing.
func Range(start, stop int64) Selector {
	return Selector{start: start, stop: stop, hasStart: true, hasStop: true}
}

// From takes items start to the end, like "start:" in Python.
func From(start int64) Selector { return Selector{start: start, hasStart: true} }

// To takes the items before stop, like ":stop" in Python.
func To(stop int64) Selector { return Selector{stop: stop, hasStop: true} }

// Index takes one item and drops the dimension from the result's shape. Negative numbers count from the end; beyond the
// dimension is an error.
func Index(i int64) Selector { return Selector{kind: selectIndex, start: i} }

// Step returns the same range with another step, like "::step" in Python. Only a step of 1 can be read and written so far.
func (s Selector) Step(step int64) Selector {
	s.step = step
	return s
}

// String returns the selector as Parse reads it.
func (s Selector) String() string {
	switch s.kind {
	case selectIndex:
		return fmt.Sprint(s.start)
	case selectEllipsis:
		return "..."
	}
	text := ":"
	if s.hasStart {
		text = fmt.Sprint(s.start) + text
	}
	if s.hasStop {
		text += fmt.Sprint(s.stop)
	}
	if s.step != 0 && s.step != 1 {
		text += fmt.Sprint(":", s.step)
	}
	return text
}

// A Selection is what selectors mean for an array of a certain shape: a box of items, and the shape of the result.
type Selection struct {
	Start, Stop []int64 // per dimension of the array: 0 ≤ Start ≤ Stop ≤ its extent
	shape       Shape
}

// Shape returns the shape of the result: that of the box, without the dimensions that an Index selected.
func (s Selection) Shape() Shape { return slices.Clone(s.shape) }

// Len returns the number of items. It fits in memory only if the items do.
func (s Selection) Len() int64 {
	n := int64(1)
	for _, extent := range s.shape {
		n *= extent
	}
	return n
}

// Select works out what selectors mean for an array of this shape. It fails with [cairn.ErrBounds] if there are too many, or if
// an index is beyond its dimension, and with [cairn.ErrUnsupported] for a step other than 1.
func (shape Shape) Select(selectors ...Selector) (Selection, error) {
	n := len(shape)
	s := Selection{Start: make([]int64, n), Stop: slices.Clone(shape), shape: make(Shape, 0, n)}
	if s.Stop == nil {
		s.Stop = []int64{}
	}
	ellipsis := slices.IndexFunc(selectors, isEllipsis)
	given := len(selectors)
	if ellipsis >= 0 {
		given--
		if slices.ContainsFunc(selectors[ellipsis+1:], isEllipsis) {
			return Selection{}, fmt.Errorf("more than one ellipsis: %w", cairn.ErrBounds)
		}
	}
	if given > n {
		return Selection{}, fmt.Errorf("%d selectors for %d dimensions: %w", given, n, cairn.ErrBounds)
	}
	for dim := range n {
		selector := All
		switch at := dim; {
		case ellipsis < 0 || at < ellipsis:
			if at < len(selectors) {
				selector = selectors[at]
			}
		case at >= ellipsis+n-given:
			selector = selectors[at-(n-given)+1]
		}
		start, stop, err := selector.within(shape[dim])
		if err != nil {
			return Selection{}, fmt.Errorf("dimension %d: %w", dim, err)
		}
		s.Start[dim], s.Stop[dim] = start, stop
		if selector.kind != selectIndex {
			s.shape = append(s.shape, stop-start)
		}
	}
	return s, nil
}

func isEllipsis(s Selector) bool { return s.kind == selectEllipsis }

// within resolves a range or an index in a dimension of the given extent.
func (s Selector) within(extent int64) (start, stop int64, err error) {
	if s.kind == selectIndex {
		i := s.start
		if i < 0 {
			i += extent
		}
		if i < 0 || i >= extent {
			return 0, 0, fmt.Errorf("index %d in an extent of %d: %w", s.start, extent, cairn.ErrBounds)
		}
		return i, i + 1, nil
	}
	if s.step != 0 && s.step != 1 {
		return 0, 0, fmt.Errorf("step %d: %w", s.step, cairn.ErrUnsupported)
	}
	start, stop = 0, extent
	if s.hasStart {
		start = clamp(s.start, extent)
	}
	if s.hasStop {
		stop = clamp(s.stop, extent)
	}
	return start, max(start, stop), nil
}

// clamp resolves a negative bound and cuts it to the dimension.
func clamp(bound, extent int64) int64 {
	if bound < 0 {
		bound += extent
	}
	return min(max(bound, 0), extent)
}

// cell resolves the coordinates of one item to the box that holds it alone.
func cell(part *grid.Partition, coordinates []int64) (start, stop []int64, err error) {
	if len(coordinates) != part.Dims {
		return nil, nil, fmt.Errorf("%d coordinates for %d dimensions: %w", len(coordinates), part.Dims, cairn.ErrBounds)
	}
	start, stop = make([]int64, len(coordinates)), make([]int64, len(coordinates))
	for i, at := range coordinates {
		if start[i], stop[i], err = Index(at).within(part.Shape[i]); err != nil {
			return nil, nil, fmt.Errorf("dimension %d: %w", i, err)
		}
	}
	return start, stop, nil
}
