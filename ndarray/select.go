package ndarray

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/grid"
)

// Shape is a number of items per dimension, outermost first. Nil and empty are the shape of a scalar.
type Shape []int64

// A Selector says what to take of one dimension. The zero Selector takes all of it. A list of selectors is for the dimensions in
// order; what it leaves out at the end is taken whole, as in NumPy. Each dimension is selected by itself, whatever the others select: where several have lists
// of indices the result has all combinations, as with NumPy's ix_. For items here and there see [Array.ReadPoints].
type Selector struct {
	kind        selectorKind
	start, stop int64
	step        int64
	hasStart    bool
	hasStop     bool
	hasStep     bool
	list        []int64
	mask        []bool
}

type selectorKind uint8

const (
	selectRange selectorKind = iota // with neither start nor stop: all
	selectIndex
	selectEllipsis
	selectNewAxis
	selectList
	selectMask
)

var (
	// All takes a whole dimension, like ":" in Python.
	All = Selector{}
	// Ellipsis takes all the dimensions that the other selectors leave over, like "..." in Python. A list may have one.
	Ellipsis = Selector{kind: selectEllipsis}
	// NewAxis takes nothing of the array: it puts a dimension of one item into the result, like None in Python.
	NewAxis = Selector{kind: selectNewAxis}
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

// Indices takes items in any order, some of them several times if the list says so. Negative numbers count from the end; beyond the dimension is an
// error. Of items that are written several times the last value stays. The selector keeps the list, which must not change as long as it is in use.
func Indices(list []int64) Selector {
	if list == nil {
		list = []int64{}
	}
	return Selector{kind: selectList, list: list}
}

// Step returns the same range with another step, like "::step" in Python: every step-th item from the start on. With a negative step the items come in
// reverse, the range begins at its start or the dimension's last item, and ends before its stop, or with the first item. A step of 0 is an error
// where it is used. What is no range stays as it is.
func (s Selector) Step(step int64) Selector {
	s.step, s.hasStep = step, true
	return s
}

// String returns the selector as Parse reads it.
func (s Selector) String() string {
	switch s.kind {
	case selectIndex:
		return fmt.Sprint(s.start)
	case selectEllipsis:
		return "..."
	case selectNewAxis:
		return "None"
	case selectList:
		return "[" + strings.ReplaceAll(strings.Trim(fmt.Sprint(s.list), "[]"), " ", ", ") + "]"
	case selectMask:
		text := strings.ReplaceAll(strings.Trim(fmt.Sprint(s.mask), "[]"), " ", ", ")
		return "[" + strings.NewReplacer("true", "True", "false", "False").Replace(text) + "]"
	}
	text := ":"
	if s.hasStart {
		text = fmt.Sprint(s.start) + text
	}
	if s.hasStop {
		text += fmt.Sprint(s.stop)
	}
	if s.hasStep && s.step != 1 {
		text += fmt.Sprint(":", s.step)
	}
	return text
}

// axis resolves a selector of a dimension of the given extent.
func (s Selector) axis(extent int64) (grid.Axis, error) {
	switch s.kind {
	case selectIndex:
		i, err := within(s.start, extent)
		return grid.Axis{Start: i, Step: 1, Count: 1}, err
	case selectList:
		list := s.list
		for k, i := range s.list {
			at, err := within(i, extent)
			if err != nil {
				return grid.Axis{}, err
			}
			if at != i && &list[0] == &s.list[0] {
				list = slices.Clone(list)
			}
			if at != i {
				list[k] = at
			}
		}
		return grid.Axis{List: list, Count: int64(len(list))}, nil
	case selectMask:
		if int64(len(s.mask)) != extent {
			return grid.Axis{}, fmt.Errorf("mask of %d items for an extent of %d: %w", len(s.mask), extent, cairn.ErrBounds)
		}
		list := []int64{}
		for i, taken := range s.mask {
			if taken {
				list = append(list, int64(i))
			}
		}
		return grid.Axis{List: list, Count: int64(len(list))}, nil
	}
	return s.progression(extent)
}

// progression resolves a range as Python's slice.indices does.
func (s Selector) progression(extent int64) (grid.Axis, error) {
	step := int64(1)
	if s.hasStep {
		step = max(s.step, -math.MaxInt64) // there is no more than that to step over
	}
	if step == 0 {
		return grid.Axis{}, fmt.Errorf("a step of zero: %w", cairn.ErrBounds)
	}
	if step > 0 {
		start, stop := int64(0), extent
		if s.hasStart {
			start = clamp(s.start, extent, 0, extent)
		}
		if s.hasStop {
			stop = clamp(s.stop, extent, 0, extent)
		}
		if start >= stop {
			return grid.Axis{Start: start, Step: 1}, nil
		}
		return grid.Axis{Start: start, Step: step, Count: (stop-start-1)/step + 1}, nil
	}
	start, stop := extent-1, int64(-1)
	if s.hasStart {
		start = clamp(s.start, extent, -1, extent-1)
	}
	if s.hasStop {
		stop = clamp(s.stop, extent, -1, extent-1)
	}
	if start <= stop {
		return grid.Axis{Start: max(start, 0), Step: 1}, nil
	}
	return grid.Axis{Start: start, Step: step, Count: (start-stop-1)/-step + 1}, nil
}

// clamp resolves a negative bound and cuts it to a range.
func clamp(bound, extent, least, most int64) int64 {
	if bound < 0 {
		bound += extent
	}
	return min(max(bound, least), most)
}

// within resolves an index of a dimension.
func within(index, extent int64) (int64, error) {
	i := index
	if i < 0 {
		i += extent
	}
	if i < 0 || i >= extent {
		return 0, fmt.Errorf("index %d in an extent of %d: %w", index, extent, cairn.ErrBounds)
	}
	return i, nil
}

// cell resolves the coordinates of one item to the box that holds it alone.
func cell(part *grid.Partition, coordinates []int64) (start, stop []int64, err error) {
	if len(coordinates) != part.Dims {
		return nil, nil, fmt.Errorf("%d coordinates for %d dimensions: %w", len(coordinates), part.Dims, cairn.ErrBounds)
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
